// Which requests there are and when: the open streams' by their generators, those of closed and dependent
// streams as others end. Or, whatever the streams say, those alone that come from outside.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "policies/engine/winner_tree.h"
#include "policies/problem/task.h"
#include "scenarios/arrivals/arrivals.h"
#include "scenarios/arrivals/request.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

// Whoever brings requests from outside and has those released that follow them, as the scenario says. Told,
// in this order, of each request that others may follow: it ends, who is released by that, that was all.
struct Followers {
  // Has it made what others need? Else it counts as dropped.
  virtual bool Completes(StreamId stream, std::int64_t index) = 0;
  virtual void Released(StreamId stream, std::int64_t index) = 0;
  // Nor will it ever be: of a stream that joins others.
  virtual void LeftOut(StreamId stream, std::int64_t index) = 0;
  virtual void Followed(StreamId stream, std::int64_t index) = 0;

 protected:
  ~Followers() = default;
};

class Releases {
 public:
  static constexpr Nanos kNever{INT64_MAX};

  // `scenario` outlives it. `from_outside`: by Submit alone, and, where there are `followers`, by the end of
  // others.
  explicit Releases(const Scenario& scenario, bool from_outside = false, Followers* followers = nullptr);

  // A request from outside; Take(now) hands it out. Returns its index. Throws InputError after 2^31.
  std::int64_t Submit(StreamId stream, Nanos now);

  // When the next request of an open stream is due; kNever where there are no more.
  Nanos NextDate() const { return next_date_; }
  // Is a request released by `now`? On a device the clock may be past its date.
  bool IsDue(Nanos now) const { return next_date_ <= now || HasFresh(); }
  // Takes the next of these in request order: its task, but for the segment.
  void Take(Nanos now, Task& task);
  Task Take(Nanos now) {
    Task task;
    Take(now, task);
    return task;
  }
  // A request of the stream has ended: completed, or dropped, which releases no dependent ones.
  void Ended(StreamId stream, std::int64_t index, bool completed, Nanos now) {
    if (followed_[stream.index()]) Follow(stream, index, completed, now);
  }
  // Does any stream's request follow another one?
  bool any_hangs() const { return !root_.empty(); }
  // Does a request of the stream follow another one in the end? Then when that was released.
  bool HangsOn(StreamId stream) const { return !root_.empty() && root_[stream.index()].valid(); }
  Nanos RootRelease(StreamId stream, std::int64_t index) const {
    return released_[root_[stream.index()].index()][static_cast<std::size_t>(index)];
  }
  // Completed requests that the stream would have followed, but for its `every`.
  std::int64_t Skipped(StreamId stream) const { return skipped_[stream.index()]; }
  // Are there requests that Take() would still hand out at `now`?
  bool HasFresh() const { return fresh_left_ > 0; }
  // What is remembered of requests that join others: of those alone that may still come, and of what has been
  // decided before one that was released earlier.
  std::size_t JoinsKept() const;

 private:
  struct Closed {
    std::int64_t next_query = 0;
    Nanos since{-1};  // queries were released at this instant, so many of them
    std::int64_t at_once = 0;
    std::map<std::int64_t, std::int64_t> left;  // per query under way with several requests
  };
  struct Child {
    StreamId stream;
    DependencyDraws draws;
  };

  // Of a stream that waits for several: request k of its parent, the first of the members, and of those it
  // joins.
  struct Join {
    enum class State : char { kOpen, kCompleted, kDropped };
    struct Joined {
      std::size_t above = 0;                 // position of the member that it follows
      std::optional<DependencyDraws> draws;  // without any its requests come by themselves,
      std::int64_t requests = 0;             // so many
    };
    StreamId stream;
    DependencyDraws draws;
    std::vector<Joined> joined;                                         // the members but the first
    std::unordered_map<std::int64_t, std::vector<State>> waiting = {};  // by index
    // Indices of which nothing can come any more: whatever of them ends later is waited for by nobody.
    std::int64_t decided_below = 0;
    std::unordered_set<std::int64_t> decided_beyond = {};
    bool IsDecided(std::int64_t index) const {
      return index < decided_below || decided_beyond.contains(index);
    }
    void Decide(std::int64_t index);
  };
  struct Member {
    std::size_t join = 0, position = 0;
  };

  void AddDependent(StreamId stream, const DependentArrival& link);
  std::int64_t RequestsOf(const Stream& open) const;
  void FindRoots();
  [[gnu::noinline]] void NoteRoot(const Task& task);
  void EndOfMember(const Member& member, std::int64_t index, bool completed, Nanos now);
  void LeaveOut(Join& join, std::int64_t index);
  void NeverComes(StreamId stream, std::int64_t index);
  void NoneFollows(StreamId stream, std::int64_t index);
  static bool AllHaveEnded(Join& join, std::int64_t index, const std::vector<Join::State>& states);
  bool FreshIsFirst(Nanos now);
  void TakeFresh(Task& task);
  static void SetTask(Task& task, const Request& request) {
    task.release = request.release;
    task.index = static_cast<std::int32_t>(request.index);
    task.live = -1;
    task.stream = request.stream;
  }
  void Advance(std::size_t open);
  [[gnu::noinline]] void Follow(StreamId stream, std::int64_t index, bool completed, Nanos now);
  void ReleaseQuery(StreamId stream, Nanos now);
  void CheckTimeGoesOn(StreamId stream, Closed& closed, Nanos now) const;
  void EndOfQueryPart(StreamId stream, std::int64_t index, Nanos now);
  void Add(StreamId stream, std::int64_t index, Nanos now);
  [[noreturn]] void FailTooMany(StreamId stream) const;
  void AddFollowing(StreamId stream, std::int64_t index, Nanos now);

  const Scenario* scenario_;
  bool from_outside_;
  std::int64_t most_added_, added_ = 0;  // after others, or from outside
  Followers* followers_;                 // null: nobody is told
  std::vector<std::int64_t> submitted_;  // per stream
  std::vector<char> followed_;           // per stream: does the end of a request release others?
  std::vector<std::int64_t> skipped_;    // per stream
  std::vector<ReleaseTimes> times_;      // per open stream
  std::vector<Request> next_;            // the same; release kNever: no more
  WinnerTree order_;                     // of them
  Nanos next_date_ = kNever;
  std::vector<Closed> closed_;                // per stream
  std::vector<std::vector<Child>> children_;  // per stream
  // Empty where no stream hangs on another.
  std::vector<Join> joins_;
  std::vector<std::vector<Member>> member_of_;  // per stream
  std::vector<StreamId> root_;                  // per stream: on which it hangs in the end; invalid: on none
  std::vector<char> has_dependents_;            // per stream: is it the root of any?
  std::vector<std::vector<Nanos>> released_;    // per such stream, by index
  std::vector<Request> fresh_;                  // released now by the end of others
  std::size_t fresh_left_ = 0;                  // of them: the last ones are still to be handed out
  bool sorted_ = true;
};

}  // namespace tandem
