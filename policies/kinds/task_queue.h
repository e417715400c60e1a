// Ready tasks that units take by a fixed ranking. A lane holds the tasks of one segment of one stream in task
// order, so that a queue compares as many heads as there are lanes, however long the backlog is; beyond a
// handful of lanes, a tree of winners per distinct ranking finds the first in logarithmic time.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "policies/engine/winner_tree.h"
#include "policies/problem/task.h"

namespace tandem {

// How a unit ranks the tasks of a lane: by rank, then by release + offset, then in task order. The smallest
// first.
struct LaneRule {
  bool takes = false;  // does the unit take tasks of this lane at all?
  std::int64_t rank = 0;
  Nanos offset{0};
  friend auto operator<=>(const LaneRule&, const LaneRule&) = default;
};

class TaskQueue {
 public:
  using Rule = std::function<LaneRule(UnitId, StreamId, SegmentId)>;

  // Units of `units`, ascending and not empty, alone may take.
  TaskQueue(const Problem& problem, const std::vector<UnitId>& units, const Rule& rule);

  void Add(const Task& task);
  bool Take(UnitId unit, Task& task);  // by one of the units from the first to the last of these
  // Takes out a task that waits here; false where it does not.
  bool Remove(const Task& task);
  LaneRule RuleOf(UnitId unit, StreamId stream, SegmentId segment) const;

 private:
  // The rest of a Task is its lane. Requests of one release that follow each other, and have no state yet,
  // are one entry: an offline stream waits in next to no memory.
  struct Entry {
    Nanos release{0};
    std::int32_t index = 0;  // the first one's
    std::int32_t live = -1;  // below -1: so many requests, negated
    std::int32_t count() const { return live < 0 ? -live : 1; }
    bool Holds(const Task& task) const {
      return release == task.release && index <= task.index && task.index - index < count();
    }
    bool Extends(const Entry& next) const {
      return live < 0 && next.live == -1 && release == next.release && next.index - index == count();
    }
    void DropFirst() {  // of several
      ++index;
      ++live;
    }
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.release != b.release ? a.release < b.release : a.index < b.index;
    }
    friend bool operator>(const Entry& a, const Entry& b) { return b < a; }
  };
  // What waits behind the first entry, its head. Most tasks come in task order; those that an earlier task
  // overtook wait beside.
  struct Lane {
    StreamId stream;
    SegmentId segment;
    std::unique_ptr<std::deque<Entry>> in_order;  // made when it is needed: most lanes stay empty
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> stragglers;
    std::vector<std::pair<std::int32_t, std::int32_t>> views;  // those with a tree, and the place in it

    std::deque<Entry>& InOrder();
    bool AnyInOrder() const { return in_order && !in_order->empty(); }
  };
  // What units with the same rules see: its lanes in order, with their rules.
  struct View {
    std::vector<std::int32_t> lanes;
    std::vector<LaneRule> rules;
    bool alike = true;     // are they all the same? Then task order is all that counts
    bool compares = true;  // they are, and so few that their heads are compared
    WinnerTree tree;       // of places in `lanes`, where there are many
  };

  bool TakeFirst(std::size_t lane, Task& task);
  bool Before(const View& view, std::int32_t a, std::int32_t b) const;
  std::size_t FirstOfFew(const View& view) const;
  static bool Waits(const Entry& head) { return head.release != kNever; }
  void HeadChanged(std::size_t lane) {
    if (!lanes_[lane].views.empty()) UpdateTrees(lanes_[lane]);
  }
  // Out of line: a backlog of requests that came at once has nothing but heads, and no registers to spare.
  [[gnu::noinline]] bool TakeByRule(const View& view, Task& task);
  std::size_t FirstByRule(const View& view) const;
  [[gnu::noinline]] void AddBehind(Lane& lane, Entry entry);
  [[gnu::noinline]] void AddBefore(std::size_t lane, Entry entry);
  [[gnu::noinline]] bool DropHead(std::size_t lane);
  void NextHead(std::size_t lane);
  [[gnu::noinline]] void UpdateTrees(const Lane& lane);
  static void RemoveFrom(std::deque<Entry>& entries, std::deque<Entry>::iterator entry, const Task& task);
  static bool RemoveStraggler(Lane& lane, const Task& task);
  std::size_t LaneOf(StreamId stream, SegmentId segment) const;

  std::vector<std::ptrdiff_t> lanes_before_;  // per stream: from the number of a segment to that of its lane
  std::vector<Lane> lanes_;
  // Per lane its first entry, side by side to be compared; where nothing waits one that is released at
  // kNever.
  static constexpr Nanos kNever = Nanos::max();
  std::vector<Entry> heads_;
  std::vector<View> views_;
  std::size_t first_unit_;
  std::vector<std::int32_t> view_of_;  // per unit from the first to the last of those; -1: takes nothing here
};

}  // namespace tandem
