// The rule on tasks that wait: no slot is idle meanwhile.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "scenarios/check/rules.h"
#include "scenarios/trace/stretches.h"

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

// What lets a unit idle whatever waits: that others of its cores are at work, and absences.
struct Excuses {
  explicit Excuses(const CheckedRun& run) : excluded(run), absences(TimesOfAbsences(run)) {}

  Times Of(UnitId unit) const {
    Times times = excluded.TimesOf(unit);
    if (absences.empty()) return times;
    times.insert(times.end(), absences.begin(), absences.end());
    return Apart(std::move(times));
  }

  ExcludedWork excluded;
  Times absences;
};

using TasksOfTracks = std::vector<std::vector<const CheckedTask*>>;

// From when to when the slots of a unit have nothing to do, though they might. `tasks`: of the track.
std::vector<Interval> IdleTimes(const CheckedRun& run, const Excuses& excuses, std::int32_t track,
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
  return Without(excuses.Of(run.units[static_cast<std::size_t>(track)]), idle);
}

// When none of the tracks has anything to do.
std::vector<Interval> IdleTogether(const CheckedRun& run, const Excuses& excuses,
                                   const std::vector<std::int32_t>& tracks, const TasksOfTracks& tasks) {
  std::vector<Interval> together;
  bool first = true;
  for (const std::int32_t track : tracks) {
    const std::vector<Interval> idle = IdleTimes(run, excuses, track, tasks[static_cast<std::size_t>(track)]);
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
        excuses_(run),
        kept_(KeptTimes(run)),
        attempts_(FirstAttempts(run)),
        take_batches_(UnitsOfBatches(run)),
        tasks_(run.units.size()) {
    if (const PolicyDeclaration* policy = PolicyOf(run)) waits_for_ = policy->waiting;
    const std::vector<Nanos> turns = Turns();
    for (const CheckedTask* task : attempts_) {
      if (task->track >= 0) tasks_[static_cast<std::size_t>(task->track)].push_back(task);
      if (!IsPolicysToSay(*task)) continue;
      for (Interval wait : WaitsOf(run, room, *task)) {
        wait.from = std::max(wait.from, turns[static_cast<std::size_t>(task->request)]);
        if (wait.from < wait.to) waiting_.push_back(wait);
      }
    }
    std::stable_sort(waiting_.begin(), waiting_.end(),
                     [](const Interval& a, const Interval& b) { return a.from < b.from; });
  }

  void Check() {
    if (waits_for_ == Waiting::kWholeUnit || waits_for_ == Waiting::kBoard) return CheckTogether();
    for (std::size_t track = 0; track < run_.units.size(); ++track) {
      if (!run_.units[track].valid() || take_batches_[run_.units[track].index()] != 0) continue;
      const auto idle = IdleTimes(run_, excuses_, static_cast<std::int32_t>(track), tasks_[track]);
      if (waits_for_ == Waiting::kSchedule || waits_for_ == Waiting::kOwnOrder) {
        CheckNext(static_cast<std::int32_t>(track), idle);
      } else {
        CheckAll(static_cast<std::int32_t>(track), idle);
      }
    }
  }

 private:
  // Who waits for company is not, nor is who was sent to a unit that may not be the one that took it.
  bool IsPolicysToSay(const CheckedTask& task) const {
    const bool any_unit = waits_for_ == Waiting::kShared || waits_for_ == Waiting::kWholeUnit;
    if (run_.stream(task).batching) return false;
    return any_unit || !Meets(excuses_.absences, task.ready, task.taken);
  }

  // Per request when it may begin, as far as its stream's other requests are concerned.
  std::vector<Nanos> Turns() const {
    std::vector<Nanos> turns(run_.requests.size());
    if (waits_for_ != Waiting::kOwnStream) return turns;
    std::map<StreamId, std::vector<std::pair<Nanos, std::size_t>>> of_stream;  // by when they begin
    for (std::size_t r = 0; r < run_.requests.size(); ++r) {
      const CheckedRequest& request = run_.requests[r];
      Nanos begins = request.end;
      for (std::size_t t = request.first_task; t < request.last_task; ++t)
        begins = std::min(begins, run_.tasks[t].begun);
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
    // Of an order in which something is lost it is not told what stood between.
    if (!room_.narrow.empty() || !excuses_.absences.empty()) return;
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
    for (const CheckedTask* task : attempts_) {
      if (task->unit != unit) continue;
      Nanos& latest = ready[task->unclear() ? task->ready : task->taken];
      latest = std::max(latest, task->ready);
    }
    Nanos latest{0};
    for (auto& [taken, until] : ready) until = latest = std::max(latest, until);
    return ready;
  }

  // All slots of a unit, or of the board, are not to be idle at once.
  void CheckTogether() {
    if (waits_for_ == Waiting::kBoard && run_.FormsBatches()) return;
    std::map<UnitId, std::vector<std::int32_t>> tracks;
    for (std::size_t track = 0; track < run_.units.size(); ++track) {
      const UnitId unit = run_.units[track];
      if (!unit.valid() || take_batches_[unit.index()] != 0) continue;
      const UnitId of = waits_for_ == Waiting::kBoard ? UnitId(0) : unit;
      tracks[of].push_back(static_cast<std::int32_t>(track));
    }
    for (const auto& [unit, list] : tracks) CheckAll(list[0], IdleTogether(run_, excuses_, list, tasks_));
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
  Excuses excuses_;
  std::vector<Times> kept_;  // per unit: when it may take nothing but what is critical
  std::vector<const CheckedTask*> attempts_;
  std::vector<char> take_batches_;  // per unit, or those that share with it
  Waiting waits_for_ = Waiting::kSent;
  TasksOfTracks tasks_;
  std::vector<Interval> waiting_;  // in order of their beginning
};

}  // namespace

Times TimesOfWait(const CheckedRun& run, const RoomTimes& room, const CheckedTask& task) {
  Times times;
  for (const Interval& wait : WaitsOf(run, room, task)) times.emplace_back(wait.from, wait.to);
  return times;
}

void CheckIdle(const CheckedRun& run, Findings& findings) {
  const RoomTimes room = FindRoomTimes(run);
  IdleRule(run, room, findings).Check();
}

}  // namespace tandem
