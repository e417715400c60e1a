// Unmanaged: as boards are used before anybody plans. Every stream is an application of its own, which begins
// its next request when the one before is done; every task goes to the unit that does it fastest, which the
// applications there share as the platform says: slot by slot, or all at a time (`time_shared`). Where units
// share cores or a device, one whose time is shared stands for them: nobody divides what is there. Tie-break:
// task order. Source: what operating systems and drivers do by themselves.
#include <algorithm>
#include <deque>

#include "policies/engine/policy.h"
#include "policies/problem/left_alone.h"

namespace tandem::unmanaged {
namespace {

class UnmanagedPolicy final : public Policy {
 public:
  explicit UnmanagedPolicy(const Problem& problem)
      : problem_(&problem), streams_(problem.scenario().streams.size()) {
    for (std::size_t s = 0; s < problem.segments().size(); ++s)
      unit_of_.push_back(FastestLeftAlone(problem, SegmentId(s)));
  }

  void Ready(const Task& task, const Board&) override {
    std::deque<Task>& waiting = streams_[task.stream.index()].waiting;
    waiting.insert(std::upper_bound(waiting.begin(), waiting.end(), task, InTaskOrder), task);
  }

  bool Take(UnitId unit, const Board&, Task& task) override {
    Stream* from = nullptr;
    std::size_t place = 0;
    for (Stream& stream : streams_) {
      for (std::size_t w = 0; w < stream.waiting.size() && MayBegin(stream, stream.waiting[w]); ++w) {
        const Task& waits = stream.waiting[w];
        if (unit_of_[waits.segment.index()] != unit) continue;
        if (from && !InTaskOrder(waits, from->waiting[place])) break;
        from = &stream;
        place = w;
        break;
      }
    }
    if (!from) return false;
    task = from->waiting[place];
    from->waiting.erase(from->waiting.begin() + static_cast<std::ptrdiff_t>(place));
    if (from->request < 0) from->left = problem_->cut(task.stream).segments;
    from->request = task.index;
    ++from->begun;
    last_ = task;
    return true;
  }

  bool Ended(const Task& task, UnitId, const Board&) override {
    Stream& stream = streams_[task.stream.index()];
    if (--stream.left > 0) return false;
    stream.request = -1;
    stream.begun = 0;
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
  }

 private:
  struct Stream {
    std::deque<Task> waiting;   // in task order
    std::int64_t request = -1;  // that is under way; -1: none
    std::int64_t left = 0;      // tasks of it that have not ended
    std::int64_t begun = 0;     // tasks of it that were handed out
  };

  static bool MayBegin(const Stream& stream, const Task& task) {
    return stream.request < 0 ? task.index == stream.waiting.front().index : task.index == stream.request;
  }

  bool Remove(const Task& task) {
    std::deque<Task>& waiting = streams_[task.stream.index()].waiting;
    return std::erase_if(waiting, [&](const Task& other) { return SameTask(other, task); }) > 0;
  }

  const Problem* problem_;
  std::vector<Stream> streams_;
  std::vector<UnitId> unit_of_;  // per segment
  Task last_;                    // that was handed out
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
