// Unmanaged: as boards are used before anybody plans. Every stream is an application of its own, which begins
// its next request when the one before is done; every task goes to the unit that does it fastest, which the
// applications there share as the platform says: slot by slot, or all at a time (`time_shared`). Where units
// share cores or a device, one whose time is shared stands for them: nobody divides what is there. Tie-break:
// task order. Source: what operating systems and drivers do by themselves.
#include <algorithm>
#include <deque>
#include <set>

#include "policies/engine/policy.h"
#include "policies/problem/left_alone.h"

namespace tandem::unmanaged {
namespace {

class UnmanagedPolicy final : public Policy {
 public:
  explicit UnmanagedPolicy(const Problem& problem)
      : problem_(&problem), streams_(problem.scenario().streams.size()), may_begin_(problem.units()) {
    for (std::size_t s = 0; s < problem.segments().size(); ++s)
      unit_of_.push_back(FastestLeftAlone(problem, SegmentId(s)));
  }

  void Ready(const Task& task, const Board&) override {
    Stream& stream = streams_[task.stream.index()];
    Tasks& waiting = stream.waiting;
    waiting.insert(std::upper_bound(waiting.begin(), waiting.end(), task, InTaskOrder), task);
    if (task.index == stream.open) Offer(task);
    OpenNext(stream);
  }

  bool Take(UnitId unit, const Board&, Task& task) override {
    InOrder& offered = may_begin_[unit.index()];
    if (offered.empty()) return false;
    task = *offered.begin();
    offered.erase(offered.begin());
    Stream& stream = streams_[task.stream.index()];
    stream.waiting.erase(std::lower_bound(stream.waiting.begin(), stream.waiting.end(), task, InTaskOrder));
    if (stream.request < 0) stream.left = problem_->cut(task.stream).segments;
    stream.request = task.index;
    ++stream.begun;
    last_ = task;
    OpenNext(stream);
    return true;
  }

  bool Ended(const Task& task, UnitId, const Board&) override {
    Stream& stream = streams_[task.stream.index()];
    if (--stream.left > 0) return false;
    stream.request = -1;
    stream.begun = 0;
    OpenNext(stream);
    return !stream.waiting.empty();
  }

  bool LeavesAlone() const override { return true; }

  void Drop(const Task& task) override { Remove(task); }

  // Its request is begun no more where it is the only one of its tasks that was.
  void SetAside(const Task& task) override {
    const bool handed_out = SameTask(task, last_);
    if (Remove(task) || !handed_out) return;
    Stream& stream = streams_[task.stream.index()];
    if (--stream.begun == 0) stream.request = -1;
    OpenNext(stream);
  }

 private:
  using Tasks = std::deque<Task>;  // in task order
  struct Earlier {
    bool operator()(const Task& a, const Task& b) const { return InTaskOrder(a, b); }
  };
  using InOrder = std::set<Task, Earlier>;

  struct Stream {
    Tasks waiting;
    std::int64_t request = -1;  // that is under way; -1: none
    std::int64_t left = 0;      // tasks of it that have not ended
    std::int64_t begun = 0;     // tasks of it that were handed out
    std::int64_t open = -1;     // the request whose tasks may begin; -1: none
    Nanos opened{0};            // its release
  };

  void Offer(const Task& task) {
    const UnitId unit = unit_of_[task.segment.index()];
    if (unit.valid()) may_begin_[unit.index()].insert(task);
  }

  void TakeBack(const Task& task) {
    const UnitId unit = unit_of_[task.segment.index()];
    if (unit.valid()) may_begin_[unit.index()].erase(task);
  }

  // The first that waits, unless another one is under way.
  void OpenNext(Stream& stream) {
    const Tasks& waiting = stream.waiting;
    const bool opens = !waiting.empty() && (stream.request < 0 || stream.request == waiting.front().index);
    const std::int64_t next = opens ? waiting.front().index : -1;
    if (next == stream.open) return;
    if (stream.open >= 0) {
      const auto first = std::partition_point(waiting.begin(), waiting.end(), [&](const Task& task) {
        return task.release < stream.opened || (task.release == stream.opened && task.index < stream.open);
      });
      for (auto task = first; task != waiting.end() && task->index == stream.open; ++task) TakeBack(*task);
    }
    stream.open = next;
    if (!opens) return;
    stream.opened = waiting.front().release;
    for (auto task = waiting.begin(); task != waiting.end() && task->index == next; ++task) Offer(*task);
  }

  bool Remove(const Task& task) {
    Stream& stream = streams_[task.stream.index()];
    const auto found = std::find_if(stream.waiting.begin(), stream.waiting.end(),
                                    [&](const Task& other) { return SameTask(other, task); });
    if (found == stream.waiting.end()) return false;
    if (found->index == stream.open) TakeBack(*found);
    stream.waiting.erase(found);
    OpenNext(stream);
    return true;
  }

  const Problem* problem_;
  std::vector<Stream> streams_;
  std::vector<InOrder> may_begin_;  // per unit
  std::vector<UnitId> unit_of_;     // per segment
  Task last_;                       // that was handed out
};

Prepared Make(const PolicySpec&, const Problem& problem) {
  return std::make_unique<UnmanagedPolicy>(problem);
}

const PolicyRegistration kUnmanaged{{.name = "unmanaged",
                                     .summary = "as before anybody plans: every stream does one request at a "
                                                "time on the unit that is fastest for it",
                                     .waiting = Waiting::kOwnStream,
                                     .searched = false,
                                     .takes_granularity = false,
                                     .make = Make}};

}  // namespace
}  // namespace tandem::unmanaged
