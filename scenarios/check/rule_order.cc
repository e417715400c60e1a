// The rule on what is taken first, where the policy's declaration tells it.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "scenarios/check/rules.h"

namespace tandem {
namespace {

// Plays a run's decisions again: at each instant the units take in turn, in the platform's order.
class OrderRule {
 public:
  OrderRule(const CheckedRun& run, const RoomTimes& room, Findings& findings, bool by_time)
      : run_(run),
        room_(room),
        findings_(findings),
        by_time_(by_time),
        absences_(TimesOfAbsences(run)),
        take_batches_(UnitsOfBatches(run)),
        waiting_(run.works.size()) {}

  void Check() {
    std::vector<const CheckedTask*> by_ready, by_start;
    std::set<Nanos> zero;  // instants within which more may happen than the trace tells
    for (const CheckedTask* task : FirstAttempts(run_)) {
      if (task->end == task->taken && !task->unclear()) zero.insert(task->taken);
      if (run_.stream(*task).batching) continue;
      if (task->unclear()) {
        // When it took its slot is not known, nor then in which round the unit's other slots took theirs.
        if (run_.platform().unit(task->unit).slots > 1) unknown_.emplace_back(task->ready, task->taken);
        continue;
      }
      by_ready.push_back(task);
      by_start.push_back(task);
    }
    const auto sort = [](std::vector<const CheckedTask*>& list, Nanos CheckedTask::*date) {
      std::stable_sort(list.begin(), list.end(),
                       [date](const CheckedTask* a, const CheckedTask* b) { return a->*date < b->*date; });
    };
    sort(by_ready, &CheckedTask::ready);
    sort(by_start, &CheckedTask::taken);
    std::sort(unknown_.begin(), unknown_.end());
    std::size_t next = 0, next_unknown = 0;
    Nanos unknown_until{-1};
    for (std::size_t first = 0, last = 0; first < by_start.size(); first = last) {
      const Nanos now = by_start[first]->taken;
      for (; next_unknown < unknown_.size() && unknown_[next_unknown].first <= now; ++next_unknown) {
        unknown_until = std::max(unknown_until, unknown_[next_unknown].second);
      }
      while (last < by_start.size() && by_start[last]->taken == now) ++last;
      for (; next < by_ready.size() && by_ready[next]->ready <= now; ++next) Wait(*by_ready[next]);
      const std::vector<const CheckedTask*> taken(by_start.begin() + static_cast<std::ptrdiff_t>(first),
                                                  by_start.begin() + static_cast<std::ptrdiff_t>(last));
      if (zero.contains(now) || now <= unknown_until || Contains(absences_, now)) {
        for (const CheckedTask* task : taken) NoLongerWaits(*task);
      } else {
        TakeInTurn(taken);
      }
    }
  }

 private:
  // Task order: request order, then topological.
  struct Place {
    Nanos release;
    std::int64_t index;
    StreamId stream;
    std::int32_t segment;
    const CheckedTask* task;
    friend bool operator<(const Place& a, const Place& b) {
      return std::tie(a.release, a.index, a.stream, a.segment) <
             std::tie(b.release, b.index, b.stream, b.segment);
    }
  };
  using Rank = std::tuple<bool, Nanos, Place>;  // critical ones, then by time or, all alike, by place alone

  Place PlaceOf(const CheckedTask& task) const {
    const CheckedRequest& request = run_.requests[static_cast<std::size_t>(task.request)];
    return {request.release, request.index, request.stream, task.place, &task};
  }
  Nanos TimeOn(std::int32_t work, UnitId unit) const {
    return by_time_ ? run_.works[static_cast<std::size_t>(work)].time[unit.index()] : Nanos{0};
  }
  Rank RankOn(UnitId unit, const CheckedTask& task) const {
    return {!run_.stream(task).critical, TimeOn(task.work, unit), PlaceOf(task)};
  }
  void Wait(const CheckedTask& task) {
    waiting_[static_cast<std::size_t>(task.work)].insert(PlaceOf(task));
    some_wait_.insert(task.work);
  }
  void NoLongerWaits(const CheckedTask& task) {
    auto& list = waiting_[static_cast<std::size_t>(task.work)];
    list.erase(PlaceOf(task));
    if (list.empty()) some_wait_.erase(task.work);
  }

  void TakeInTurn(const std::vector<const CheckedTask*>& taken) {
    std::map<UnitId, std::vector<Rank>> queues;
    for (const CheckedTask* task : taken) {
      // What goes before what is not the judge's to say there.
      if (take_batches_[task->unit.index()] != 0) {
        NoLongerWaits(*task);
      } else {
        queues[task->unit].push_back(RankOn(task->unit, *task));
      }
    }
    for (auto& [unit, queue] : queues) std::sort(queue.begin(), queue.end());
    for (std::size_t round = 0; !queues.empty(); ++round) {
      for (auto& [unit, queue] : queues) CheckTaken(unit, *std::get<Place>(queue[round]).task);
      std::erase_if(queues, [&](const auto& queue) { return queue.second.size() == round + 1; });
    }
  }

  void CheckTaken(UnitId unit, const CheckedTask& task) {
    const Rank own = RankOn(unit, task);
    for (const std::int32_t work : some_wait_) {
      const Place& first = *waiting_[static_cast<std::size_t>(work)].begin();
      if (!(RankOn(unit, *first.task) < own) || !SurelyTakes(run_, *first.task, unit) ||
          MayLackRoom(*first.task, task.taken)) {
        continue;
      }
      findings_.Unwanted(run_.simulated(), "order", run_.Name(task), task.taken,
                         "unit \"" + run_.platform().unit(unit).name + "\" takes it before " +
                             run_.Name(*first.task) + ", which comes first");
      break;
    }
    NoLongerWaits(task);
  }

  bool MayLackRoom(const CheckedTask& task, Nanos at) const {
    const auto request = static_cast<std::size_t>(task.request);
    if (room_.one_by_one[run_.requests[request].stream.index()]) return true;
    return room_.begun[request] >= at && room_.NarrowAt(at);
  }

  const CheckedRun& run_;
  const RoomTimes& room_;
  Findings& findings_;
  bool by_time_;
  Times absences_;
  std::vector<char> take_batches_;        // per unit, or those that share with it
  Times unknown_;                         // when tasks may have taken a slot beside others of their unit
  std::vector<std::set<Place>> waiting_;  // per work
  std::set<std::int32_t> some_wait_;      // the works of which some wait
};

}  // namespace

void CheckOrder(const CheckedRun& run, Findings& findings) {
  const PolicyDeclaration* policy = PolicyOf(run);
  if (!policy || policy->takes_first == TakesFirst::kOther) return;
  const RoomTimes room = FindRoomTimes(run);
  OrderRule(run, room, findings, policy->takes_first == TakesFirst::kShortest).Check();
}

}  // namespace tandem
