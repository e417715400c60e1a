// Which requests there are and when: the open streams' by their generators, those of closed and dependent
// streams as others end. Or, whatever the streams say, those alone that come from outside.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "policies/engine/winner_tree.h"
#include "scenarios/arrivals/arrivals.h"
#include "scenarios/arrivals/request.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

class Releases {
 public:
  static constexpr Nanos kNever{INT64_MAX};

  // `scenario` outlives it. `from_outside`: by Submit alone.
  explicit Releases(const Scenario& scenario, bool from_outside = false);

  // A request from outside; Take(now) hands it out. Returns its index. Throws InputError after 2^31.
  std::int64_t Submit(StreamId stream, Nanos now);

  // When the next request of an open stream is due; kNever where there are no more.
  Nanos NextDate() const { return next_date_; }
  // Takes the next request in request order that is released by `now` (on a device the clock may be past its
  // date): false where there is none.
  bool Take(Nanos now, Request& request) {
    return (next_date_ <= now || HasFresh()) && TakeOne(now, request);
  }
  // A request of the stream has ended: completed, or dropped, which releases no dependent ones.
  void Ended(StreamId stream, std::int64_t index, bool completed, Nanos now);
  // Are there requests that Take() would still hand out at `now`?
  bool HasFresh() const { return next_fresh_ < fresh_.size(); }

 private:
  struct Open {
    ReleaseTimes times;
    Request next;  // release kNever: no more
  };
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

  bool TakeOne(Nanos now, Request& request);
  bool OpenBefore(std::int32_t a, std::int32_t b) const;
  void Advance(std::size_t position);
  void NoteNextDate();
  void ReleaseQuery(StreamId stream, Nanos now);
  void CheckTimeGoesOn(StreamId stream, Closed& closed, Nanos now) const;
  void EndOfQueryPart(StreamId stream, std::int64_t index, Nanos now);
  void Add(StreamId stream, std::int64_t index, Nanos now);

  const Scenario* scenario_;
  bool from_outside_;
  std::vector<std::int64_t> submitted_;  // per stream
  std::vector<Open> open_;
  WinnerTree order_;
  Nanos next_date_ = kNever;
  std::vector<Closed> closed_;                // per stream
  std::vector<std::vector<Child>> children_;  // per stream
  std::vector<Request> fresh_;                // released now by the end of others
  std::size_t next_fresh_ = 0;
  bool sorted_ = true;
};

}  // namespace tandem
