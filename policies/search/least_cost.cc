#include "policies/search/least_cost.h"

#include <algorithm>

#include "policies/bounds/bound.h"
#include "policies/engine/copy_shares.h"
#include "policies/engine/exclusion.h"
#include "policies/engine/memory_ledger.h"
#include "policies/engine/rates.h"
#include "policies/engine/transfers.h"
#include "scenarios/arrivals/arrivals.h"

namespace tandem {
namespace {

bool AsksForLatencies(const Scenario& scenario) {
  const auto asks = [](Objective of) { return of != Objective::kMakespan && of != Objective::kThroughput; };
  return asks(scenario.objective) || std::any_of(scenario.then.begin(), scenario.then.end(), asks);
}

UnitId BusiestUnit(const Problem& problem, const Outcome& outcome) {
  std::size_t busiest = 0;
  const auto busy = [&](std::size_t u) { return outcome.units[u].busy / problem.platform().units[u].slots; };
  for (std::size_t u = 1; u < outcome.units.size(); ++u) {
    if (busy(u) > busy(busiest)) busiest = u;
  }
  return UnitId(busiest);
}

}  // namespace

Evaluated EvaluatedBy(const Problem& problem, const Outcome& outcome) {
  const Scenario& scenario = problem.scenario();
  const auto misses = scenario.limits.empty() ? nullptr : std::make_shared<NearMisses>();
  const ScheduleCost cost = CostOf(scenario, outcome, misses.get());
  return {cost, BusiestUnit(problem, outcome), misses};
}

LeastCost::LeastCost(const Problem& problem, const std::vector<std::int64_t>& certain)
    : problem_(&problem),
      least_(problem),
      known_(MaySay(certain)),
      in_order_(known_ && RoomForAll(certain)),
      exact_(in_order_ && NothingElseHappens()) {
  // Where units may change the order, only how much work each has is certain.
  known_ = known_ && (in_order_ || !AsksForLatencies(problem.scenario()));
  if (known_) FindReleases(certain);
}

// Nothing but tasks that take their profiled time, one at a time on each unit, whatever others do.
bool LeastCost::NothingElseHappens() const {
  const Scenario& scenario = problem_->scenario();
  if (!std::all_of(scenario.streams.begin(), scenario.streams.end(), IsOpen)) return false;
  if (problem_->slowdowns().AtStart() || problem_->hand_overs().any()) return false;
  if (TaskRates(*problem_).on() || CopyShares(*problem_).on()) return false;
  const auto excluded = ExcludedUnits(problem_->platform());
  const HandedData nothing(*problem_, false);  // no stream follows another one
  const Transfers transfers(*problem_, nothing, nullptr);
  for (std::size_t u = 0; u < problem_->units(); ++u) {
    const UnitId unit(u);
    if (problem_->platform().unit(unit).slots > 1 || !excluded[u].empty()) return false;
    for (std::size_t s = 0; s < problem_->segments().size(); ++s) {
      const SegmentId segment(s);
      if (!problem_->Runs(segment, unit)) continue;
      Task task;
      task.stream = StreamId(0);
      task.segment = segment;
      if (!transfers.Plain(task.segment, unit)) return false;
      if (problem_->MappedTime(segment, unit) != problem_->Time(segment, unit)) return false;
      if (least_.Occupation(segment, unit) != problem_->Work(segment, unit)) return false;
    }
  }
  return true;
}

bool LeastCost::MaySay(const std::vector<std::int64_t>& certain) const {
  const Scenario& scenario = problem_->scenario();
  if (!scenario.limits.empty() || !KeyOfEnergy(scenario).empty()) return false;
  if (!scenario.away.empty() || GoesFaster(scenario)) return false;
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    if (certain[s] == 0) return false;
    // When its requests are released is known once others have ended.
    if (!IsOpen(scenario.streams[s]) && AsksForLatencies(scenario)) return false;
  }
  return true;
}

// Can all requests be under way at once, so that none is ever passed over?
bool LeastCost::RoomForAll(const std::vector<std::int64_t>& certain) const {
  const MemoryLedger ledger(*problem_);
  if (!ledger.on()) return true;
  for (std::size_t u = 0; u < problem_->units(); ++u) {
    if (problem_->LoadsModels(UnitId(u)) || ledger.HoldsBeyond(UnitId(u))) return false;
  }
  for (std::size_t m = 0; m < problem_->platform().memories.size(); ++m) {
    std::int64_t room = ledger.Room(MemoryId(m));
    for (std::size_t s = 0; s < certain.size(); ++s) {
      const Cut& cut = problem_->cut(StreamId(s));
      Task task;
      task.stream = StreamId(s);
      task.segment = cut.first;
      if (cut.segments > 1 && ledger.InOrder(task)) return false;
      std::int64_t need = 0;
      for (std::size_t u = 0; u < problem_->units(); ++u) {
        if (problem_->Runs(task.segment, UnitId(u)))
          need = std::max(need, ledger.Need(task, UnitId(u), MemoryId(m)));
      }
      if (need > 0 && certain[s] > room / need) return false;
      room -= need * certain[s];
    }
  }
  return true;
}

void LeastCost::FindReleases(const std::vector<std::int64_t>& certain) {
  const Scenario& scenario = problem_->scenario();
  outcome_.streams.resize(certain.size());
  outcome_.units.resize(problem_->units());
  outcome_.first_release = Nanos::max();
  for (std::size_t s = 0; s < certain.size(); ++s) {
    first_task_.push_back(released_.size());
    const auto segments = static_cast<std::size_t>(problem_->cut(StreamId(s)).segments);
    const auto add = [&](Nanos release) { released_.insert(released_.end(), segments, release); };
    if (IsOpen(scenario.streams[s])) {
      ReleaseTimes releases(scenario.streams[s], scenario.seed);
      for (auto date = releases.Next(); date; date = releases.Next()) add(*date);
    } else {
      for (std::int64_t i = 0; i < certain[s]; ++i) add(Nanos{0});  // or later
    }
    if (!std::holds_alternative<DependentArrival>(scenario.streams[s].arrival))
      outcome_.first_release = std::min(outcome_.first_release, released_[first_task_.back()]);
    outcome_.streams[s].latencies.resize(static_cast<std::size_t>(certain[s]));
  }
  free_.resize(problem_->places().of_units());
}

// The date from which on the first of the unit's slots is free.
Nanos& LeastCost::FreeOn(UnitId unit) {
  const auto first = free_.begin() + static_cast<std::ptrdiff_t>(problem_->places().First(unit).index());
  const std::size_t slots = problem_->places().slots(unit);
  return slots == 1 ? *first : *std::min_element(first, first + static_cast<std::ptrdiff_t>(slots));
}

void LeastCost::Pass(const std::vector<Decision>& tasks) {
  ready_ = released_;
  std::fill(free_.begin(), free_.end(), outcome_.first_release);
  for (UnitOutcome& unit : outcome_.units) unit.busy = Nanos{0};
  for (const Decision& task : tasks) {
    const Nanos occupation = least_.Occupation(task.segment, task.unit);
    outcome_.units[task.unit.index()].busy += occupation;
    if (!in_order_) continue;
    const Cut& cut = problem_->cut(task.stream);
    const auto request = first_task_[task.stream.index()] +
                         static_cast<std::size_t>(task.index) * static_cast<std::size_t>(cut.segments);
    Nanos& ready = ready_[request + task.segment.index() - cut.first.index()];
    Nanos& free = FreeOn(task.unit);
    free = ready = std::max(free, ready) + occupation;
    for (const SegmentId next : problem_->segment(task.segment).feeds) {
      Nanos& then = ready_[request + next.index() - cut.first.index()];
      then = std::max(then, ready);
    }
  }
}

// From when requests end, or from how much work there is, to when all has ended.
void LeastCost::EndAllWork() {
  outcome_.last_completion = outcome_.first_release;
  for (std::size_t u = 0; u < outcome_.units.size() && !in_order_; ++u) {
    const auto slots = static_cast<std::int64_t>(problem_->places().slots(UnitId(u)));
    outcome_.last_completion = std::max(
        outcome_.last_completion, outcome_.first_release + Nanos{outcome_.units[u].busy.count() / slots});
  }
  for (std::size_t s = 0; s < outcome_.streams.size() && in_order_; ++s) {
    StreamOutcome& stream = outcome_.streams[s];
    const auto segments = static_cast<std::size_t>(problem_->cut(StreamId(s)).segments);
    const Nanos deadline = problem_->scenario().streams[s].deadline.value_or(Nanos::max());
    stream.missed = 0;
    std::size_t at = first_task_[s];
    for (Nanos& latency : stream.latencies) {
      const auto first = ready_.begin() + static_cast<std::ptrdiff_t>(at);
      const Nanos end = *std::max_element(first, first + static_cast<std::ptrdiff_t>(segments));
      outcome_.last_completion = std::max(outcome_.last_completion, end);
      latency = end - released_[at];
      if (latency > deadline) ++stream.missed;
      at += segments;
    }
  }
}

Evaluated LeastCost::Of(const std::vector<Decision>& tasks) {
  Pass(tasks);
  EndAllWork();
  return EvaluatedBy(*problem_, outcome_);
}

}  // namespace tandem
