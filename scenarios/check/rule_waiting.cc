// The rules on tasks that wait: no slot is idle meanwhile, and what is taken comes first.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "scenarios/check/rules.h"

namespace tandem {
namespace {

struct Interval {
  Nanos from{0}, to{0};
  const CheckedTask* task = nullptr;  // that waits, or that follows; null: none follows
};

// What is left of the gaps while the unit is not excluded.
std::vector<Interval> Without(const Times& excluded, const std::vector<Interval>& gaps) {
  std::vector<Interval> left;
  std::size_t next = 0;
  for (Interval gap : gaps) {
    while (next < excluded.size() && excluded[next].second <= gap.from) ++next;
    for (std::size_t e = next; e < excluded.size() && excluded[e].first < gap.to; ++e) {
      if (gap.from < excluded[e].first) left.push_back({gap.from, excluded[e].first, gap.task});
      gap.from = excluded[e].second;
    }
    if (gap.from < gap.to) left.push_back(gap);
  }
  return left;
}

using TasksOfTracks = std::vector<std::vector<const CheckedTask*>>;

// From when to when the slots of a unit have nothing to do, though they might. `tasks`: of the track.
std::vector<Interval> IdleTimes(const CheckedRun& run, const ExcludedWork& excluded, std::int32_t track,
                                std::vector<const CheckedTask*> tasks) {
  std::stable_sort(tasks.begin(), tasks.end(), [](const CheckedTask* a, const CheckedTask* b) {
    return std::tie(a->taken, a->start, a->end) < std::tie(b->taken, b->start, b->end);
  });
  std::vector<Interval> idle;
  Nanos busy_until{0};
  for (const CheckedTask* task : tasks) {
    // Where it is not told, a slot may be taken already while something holds its task up.
    if (task->taken > busy_until && !task->unclear()) idle.push_back({busy_until, task->taken, task});
    busy_until = std::max(busy_until, task->end);
  }
  if (run.run().complete && run.run().end > busy_until) idle.push_back({busy_until, run.run().end, nullptr});
  return Without(excluded.TimesOf(run.units[static_cast<std::size_t>(track)]), idle);
}

// When none of the tracks has anything to do.
std::vector<Interval> IdleTogether(const CheckedRun& run, const ExcludedWork& excluded,
                                   const std::vector<std::int32_t>& tracks, const TasksOfTracks& tasks) {
  std::vector<Interval> together;
  bool first = true;
  for (const std::int32_t track : tracks) {
    const std::vector<Interval> idle =
        IdleTimes(run, excluded, track, tasks[static_cast<std::size_t>(track)]);
    if (std::exchange(first, false)) {
      together = idle;
      continue;
    }
    std::vector<Interval> both;
    std::size_t i = 0;
    for (const Interval& gap : together) {
      while (i < idle.size() && idle[i].to <= gap.from) ++i;
      for (std::size_t k = i; k < idle.size() && idle[k].from < gap.to; ++k) {
        both.push_back({std::max(gap.from, idle[k].from), std::min(gap.to, idle[k].to), gap.task});
      }
    }
    together = std::move(both);
  }
  return together;
}

// When the task waited for a slot and could have had it: its request had begun, or there was room for it.
std::vector<Interval> WaitsOf(const CheckedRun& run, const RoomTimes& room, const CheckedTask& task) {
  if (task.unclear() || task.taken <= task.ready) return {};
  if (room.one_by_one[run.requests[static_cast<std::size_t>(task.request)].stream.index()]) return {};
  const Nanos begun = std::clamp(room.begun[static_cast<std::size_t>(task.request)], task.ready, task.taken);
  std::vector<Interval> waits;
  if (begun > task.ready) waits = Without(room.narrow, {{task.ready, begun, &task}});
  if (task.taken > begun) waits.push_back({begun, task.taken, &task});
  return waits;
}

class IdleRule {
 public:
  IdleRule(const CheckedRun& run, const RoomTimes& room, Findings& findings)
      : run_(run),
        room_(room),
        findings_(findings),
        excluded_(run),
        kept_(KeptTimes(run)),
        tasks_(run.units.size()) {
    if (const PolicyDeclaration* policy = PolicyOf(run)) waits_for_ = policy->waiting;
    const std::vector<Nanos> turns = Turns();
    for (const CheckedTask& task : run.tasks) {
      if (task.track >= 0) tasks_[static_cast<std::size_t>(task.track)].push_back(&task);
      for (Interval wait : WaitsOf(run, room, task)) {
        wait.from = std::max(wait.from, turns[static_cast<std::size_t>(task.request)]);
        if (wait.from < wait.to) waiting_.push_back(wait);
      }
    }
    std::stable_sort(waiting_.begin(), waiting_.end(),
                     [](const Interval& a, const Interval& b) { return a.from < b.from; });
  }

  void Check() {
    if (waits_for_ == Waiting::kWholeUnit || waits_for_ == Waiting::kBoard) return CheckTogether();
    for (std::size_t track = 0; track < run_.units.size(); ++track) {
      if (!run_.units[track].valid()) continue;
      const auto idle = IdleTimes(run_, excluded_, static_cast<std::int32_t>(track), tasks_[track]);
      if (waits_for_ == Waiting::kSchedule || waits_for_ == Waiting::kOwnOrder) {
        CheckNext(static_cast<std::int32_t>(track), idle);
      } else {
        CheckAll(static_cast<std::int32_t>(track), idle);
      }
    }
  }

 private:
  // Per request when it may begin, as far as its stream's other requests are concerned.
  std::vector<Nanos> Turns() const {
    std::vector<Nanos> turns(run_.requests.size());
    if (waits_for_ != Waiting::kOwnStream) return turns;
    std::map<StreamId, std::vector<std::pair<Nanos, std::size_t>>> of_stream;  // by when they begin
    for (std::size_t r = 0; r < run_.requests.size(); ++r) {
      const CheckedRequest& request = run_.requests[r];
      Nanos begins = request.end;
      for (std::size_t t = request.first_task; t < request.last_task; ++t)
        begins = std::min(begins, run_.tasks[t].taken);
      if (!request.dropped) of_stream[request.stream].emplace_back(begins, r);
    }
    for (auto& [stream, requests] : of_stream) {
      std::sort(requests.begin(), requests.end());
      for (std::size_t i = 1; i < requests.size(); ++i) {
        turns[requests[i].second] = run_.requests[requests[i - 1].second].end;
      }
    }
    return turns;
  }

  // A fixed order: the slot waits for its next task alone, unless one before it had to wait for room.
  void CheckNext(std::int32_t track, const std::vector<Interval>& idle) {
    if (!room_.narrow.empty()) return;
    const std::map<Nanos, Nanos> ready = ReadyByTaken(run_.units[static_cast<std::size_t>(track)]);
    for (const Interval& gap : idle) {
      if (!gap.task) continue;
      const Nanos from = std::max(gap.from, std::prev(ready.upper_bound(gap.task->taken))->second);
      if (from < gap.to) Report(track, {from, gap.to, gap.task});
    }
  }

  // When all that the unit takes until then is ready. An order is of the unit: what another slot takes before
  // a task, or at the same instant, may have its turn first, and the task waits for it.
  std::map<Nanos, Nanos> ReadyByTaken(UnitId unit) const {
    std::map<Nanos, Nanos> ready;
    for (const CheckedTask& task : run_.tasks) {
      if (task.unit != unit) continue;
      Nanos& latest = ready[task.unclear() ? task.ready : task.taken];
      latest = std::max(latest, task.ready);
    }
    Nanos latest{0};
    for (auto& [taken, until] : ready) until = latest = std::max(latest, until);
    return ready;
  }

  // All slots of a unit, or of the board, are not to be idle at once.
  void CheckTogether() {
    std::map<UnitId, std::vector<std::int32_t>> tracks;
    for (std::size_t track = 0; track < run_.units.size(); ++track) {
      const UnitId unit = run_.units[track];
      if (!unit.valid()) continue;
      const UnitId of = waits_for_ == Waiting::kBoard ? UnitId(0) : unit;
      tracks[of].push_back(static_cast<std::int32_t>(track));
    }
    for (const auto& [unit, list] : tracks) CheckAll(list[0], IdleTogether(run_, excluded_, list, tasks_));
  }

  bool Concerns(const CheckedTask& task, UnitId unit) const {
    if (waits_for_ == Waiting::kBoard) return true;
    const bool sent = waits_for_ == Waiting::kSent || waits_for_ == Waiting::kOwnStream;
    return sent ? task.unit == unit : SurelyTakes(run_, task, unit);
  }

  // What is critical waits apart from the rest, which units may be kept from.
  void CheckAll(std::int32_t track, const std::vector<Interval>& idle) {
    if (any_critical_) CheckThose(track, idle, true);
    CheckThose(track, idle, false);
  }

  void CheckThose(std::int32_t track, const std::vector<Interval>& idle, bool critical) {
    const UnitId unit = run_.units[static_cast<std::size_t>(track)];
    // Of the tasks that began to wait before the gap ends, the one that waits longest.
    const Interval* longest = nullptr;
    std::size_t next = 0;
    for (const Interval& gap : idle) {
      const Interval* before = longest;
      for (; next < waiting_.size() && waiting_[next].from < gap.to; ++next) {
        const Interval& wait = waiting_[next];
        if (run_.stream(*wait.task).critical != critical || !Concerns(*wait.task, unit)) continue;
        if (!longest || wait.to > longest->to) longest = &wait;
        const Nanos from = std::max(gap.from, wait.from), to = std::min(gap.to, wait.to);
        if (from < to) Report(track, {from, to, wait.task});
      }
      if (before && before->to > gap.from)
        Report(track, {gap.from, std::min(gap.to, before->to), before->task});
    }
  }

  void Report(std::int32_t track, const Interval& all) {
    const Times& kept = kept_[run_.units[static_cast<std::size_t>(track)].index()];
    if (kept.empty() || run_.stream(*all.task).critical) return ReportAll(track, all);
    for (const Interval& idle : Without(kept, {all})) ReportAll(track, idle);
  }

  void ReportAll(std::int32_t track, const Interval& idle) {
    findings_.Wasted(run_.simulated(), idle.to - idle.from, run_.Name(*idle.task), idle.from,
                     "it waits, and " + run_.run().tracks[static_cast<std::size_t>(track)].name +
                         " is idle until " + MicrosText(idle.to));
  }

  const CheckedRun& run_;
  const RoomTimes& room_;
  Findings& findings_;
  bool any_critical_ = HasCritical(run_.scenario());
  ExcludedWork excluded_;
  std::vector<Times> kept_;  // per unit: when it may take nothing but what is critical
  Waiting waits_for_ = Waiting::kSent;
  TasksOfTracks tasks_;
  std::vector<Interval> waiting_;  // in order of their beginning
};

// Plays a run's decisions again: at each instant the units take in turn, in the platform's order.
class OrderRule {
 public:
  OrderRule(const CheckedRun& run, const RoomTimes& room, Findings& findings, bool by_time)
      : run_(run), room_(room), findings_(findings), by_time_(by_time), waiting_(run.works.size()) {}

  void Check() {
    std::vector<const CheckedTask*> by_ready, by_start;
    std::set<Nanos> zero;  // instants within which more may happen than the trace tells
    for (const CheckedTask& task : run_.tasks) {
      if (task.unclear()) {
        // When it took its slot is not known, nor then in which round the unit's other slots took theirs.
        if (run_.platform().unit(task.unit).slots > 1) unknown_.push_back({task.ready, task.taken, &task});
        continue;
      }
      by_ready.push_back(&task);
      by_start.push_back(&task);
      if (task.end == task.taken) zero.insert(task.taken);
    }
    const auto sort = [](std::vector<const CheckedTask*>& list, Nanos CheckedTask::*date) {
      std::stable_sort(list.begin(), list.end(),
                       [date](const CheckedTask* a, const CheckedTask* b) { return a->*date < b->*date; });
    };
    sort(by_ready, &CheckedTask::ready);
    sort(by_start, &CheckedTask::taken);
    std::stable_sort(unknown_.begin(), unknown_.end(),
                     [](const Interval& a, const Interval& b) { return a.from < b.from; });
    std::size_t next = 0, next_unknown = 0;
    Nanos unknown_until{-1};
    for (std::size_t first = 0, last = 0; first < by_start.size(); first = last) {
      const Nanos now = by_start[first]->taken;
      for (; next_unknown < unknown_.size() && unknown_[next_unknown].from <= now; ++next_unknown) {
        unknown_until = std::max(unknown_until, unknown_[next_unknown].to);
      }
      while (last < by_start.size() && by_start[last]->taken == now) ++last;
      for (; next < by_ready.size() && by_ready[next]->ready <= now; ++next) Wait(*by_ready[next]);
      const std::vector<const CheckedTask*> taken(by_start.begin() + static_cast<std::ptrdiff_t>(first),
                                                  by_start.begin() + static_cast<std::ptrdiff_t>(last));
      if (zero.contains(now) || now <= unknown_until) {
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
      queues[task->unit].push_back(RankOn(task->unit, *task));
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
  std::vector<Interval> unknown_;         // when tasks may have taken a slot beside others of their unit
  std::vector<std::set<Place>> waiting_;  // per work
  std::set<std::int32_t> some_wait_;      // the works of which some wait
};

}  // namespace

const PolicyDeclaration* PolicyOf(const CheckedRun& run) {
  if (run.run().rule) return FindPolicy(*run.run().rule);
  for (const PolicySpec& spec : run.scenario().policies) {
    if (spec.label == run.run().policy) return spec.declaration;
  }
  return FindPolicy(run.run().policy);
}

bool CanTake(const CheckedRun& run, const CheckedTask& task, UnitId unit) {
  const CheckedWork& work = run.work(task);
  return work.time[unit.index()] >= Nanos{0} && (!work.copies || run.reached[unit.index()] != 0) &&
         run.may_hold[unit.index()][run.segment(task).model.index()] != 0;
}

bool SurelyTakes(const CheckedRun& run, const CheckedTask& task, UnitId unit) {
  const bool limited = run.platform().memories[run.memory_of(unit).index()].capacity_bytes.has_value();
  const bool held = run.holds[unit.index()][run.segment(task).model.index()] != 0;
  return CanTake(run, task, unit) && (held || !limited);
}

Times TimesOfWait(const CheckedRun& run, const RoomTimes& room, const CheckedTask& task) {
  Times times;
  for (const Interval& wait : WaitsOf(run, room, task)) times.emplace_back(wait.from, wait.to);
  return times;
}

void CheckIdle(const CheckedRun& run, Findings& findings) {
  const RoomTimes room = FindRoomTimes(run);
  IdleRule(run, room, findings).Check();
}

void CheckOrder(const CheckedRun& run, Findings& findings) {
  const PolicyDeclaration* policy = PolicyOf(run);
  if (!policy || policy->takes_first == TakesFirst::kOther) return;
  const RoomTimes room = FindRoomTimes(run);
  OrderRule(run, room, findings, policy->takes_first == TakesFirst::kShortest).Check();
}

}  // namespace tandem
