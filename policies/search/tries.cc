#include "policies/search/tries.h"

#include <algorithm>
#include <set>
#include <utility>

#include "policies/engine/virtual_runner.h"
#include "policies/kinds/scheduled_policy.h"
#include "policies/problem/resident_options.h"
#include "profiles/program/long_run.h"
#include "scenarios/arrivals/arrivals.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostTasks = 20'000;  // of a schedule that is improved task by task
constexpr std::size_t kStarts = 3;           // that are kept to be improved
constexpr std::size_t kMostRules = 8;        // that are kept to be compared

std::int64_t AboutRequests(const Scenario& scenario) {
  std::int64_t total = 0;
  for (const RequestCount& count : CountRequests(scenario.streams, scenario.seed)) total += count.count;
  return total;
}

// Where a candidate of that cost belongs; of equals behind those that were there before.
std::vector<Candidate>::iterator PlaceOf(std::vector<Candidate>& list, ScheduleCost cost) {
  return std::upper_bound(list.begin(), list.end(), cost,
                          [](ScheduleCost c, const Candidate& other) { return c < other.cost; });
}

}  // namespace

ScheduleCost CostOfSchedule(const Problem& problem, const Decisions& decisions,
                            const std::vector<std::int64_t>& certain, std::vector<Decision>& taken,
                            NearMisses* misses) {
  ScheduledPolicy policy(problem, decisions, certain);
  RecordingPolicy recording(policy, kMostTasks);
  const ScheduleCost cost = CostOf(problem.scenario(), RunVirtual(problem, recording), misses);
  taken = recording.TakeAll();
  return cost;
}

Tries::Tries(const Scenario& scenario, std::int64_t evaluations)
    : scenario_(&scenario),
      left_(evaluations),
      requests_(AboutRequests(scenario)),
      certain_(CertainRequests(scenario)) {}

const ProblemPtr& Tries::At(Granularity granularity) {
  const auto [found, is_new] = problems_.try_emplace(granularity);
  if (is_new) {
    try {
      found->second = std::make_shared<const Problem>(*scenario_, granularity);
    } catch (const InputError& error) {
      if (!why_not_) why_not_ = error;
    }
  }
  return found->second;
}

// The better one first; of equals the one that was there before.
void Tries::Keep(Candidate candidate) {
  const auto place = PlaceOf(best_, candidate.cost);
  if (place != best_.begin() && std::prev(place)->cost == candidate.cost) return;
  best_.insert(place, std::move(candidate));
  if (best_.size() > kStarts) best_.pop_back();
}

// Of each rule the best, and the simplest: as it is, and of whole models, where that was tried. It is not
// gone before draws have told whether it is worse.
void Tries::KeepRule(const Candidate& candidate) {
  const auto rule = [](const Candidate& of) { return of.decisions.rule->declaration; };
  const auto simplicity = [](const Candidate& of) { return std::pair(of.makeup, of.problem->granularity()); };
  rules_.insert(PlaceOf(rules_, candidate.cost), candidate);
  const Candidate *best = nullptr, *simplest = nullptr;
  for (const Candidate& other : rules_) {
    if (rule(other) != rule(candidate)) continue;
    if (!best) best = &other;
    if (!simplest || simplicity(other) < simplicity(*simplest)) simplest = &other;
  }
  std::vector<Candidate> kept;
  std::set<const PolicyDeclaration*> rules;
  for (const Candidate& other : rules_) {
    if (rule(other) == rule(candidate) && &other != best && &other != simplest) continue;
    rules.insert(rule(other));
    if (rules.size() <= kMostRules) kept.push_back(other);
  }
  rules_ = std::move(kept);
}

void Tries::Rule(const PolicySpec& spec, const ProblemPtr& asked, Makeup makeup) {
  if (!asked || (EndIsAsked() && !best_.empty())) return;
  Candidate candidate;
  candidate.makeup = makeup;
  try {
    const Prepared made = MakePolicy(spec, asked);
    RecordingPolicy recording(*made.policy, kMostTasks);
    candidate.problem = made.problem;
    candidate.cost = CostOf(*scenario_, RunVirtual(*made.problem, recording), &near_misses_);
    candidate.taken = recording.TakeAll();
  } catch (const InputError& error) {
    if (!why_not_) why_not_ = error;  // it does not fit
    return;
  }
  Count();
  const Problem& problem = *candidate.problem;
  candidate.decisions = {problem.granularity(), problem.cut_plan(), ChosenResidents(problem),
                         std::make_shared<PolicySpec>(spec), nullptr};
  KeepRule(candidate);
  Keep(std::move(candidate));
}

void Tries::AsAsked(const PolicySpec& spec) {
  try {
    Rule(spec, ProblemFor(spec, *scenario_));
  } catch (const InputError& error) {
    if (!why_not_) why_not_ = error;
  }
}

void Tries::Schedule(const ProblemPtr& problem, FixedSchedule schedule) {
  if (HasCritical(*scenario_)) return;  // no order that is fixed before the run may be kept
  Candidate candidate;
  candidate.problem = problem;
  candidate.decisions = {problem->granularity(), problem->cut_plan(), ChosenResidents(*problem), nullptr,
                         std::make_shared<FixedSchedule>(std::move(schedule))};
  try {
    candidate.cost = CostOfSchedule(*problem, candidate.decisions, certain_, candidate.taken, &near_misses_);
  } catch (const InputError&) {
    return;
  }
  Count();
  Keep(std::move(candidate));
}

}  // namespace tandem
