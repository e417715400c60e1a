// What a search has tried: schedules and rules, simulated one by one, and the best of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "policies/kinds/recording_policy.h"
#include "policies/problem/problem.h"
#include "profiles/base/input_error.h"
#include "scenarios/report/limits.h"
#include "scenarios/report/objective.h"

namespace tandem {

using ProblemPtr = std::shared_ptr<const Problem>;

// How much there is to a candidate beyond its rule.
enum class Makeup : std::uint8_t { kRule, kRuleWithNumbers, kSchedule };

struct Candidate {
  ProblemPtr problem;
  Decisions decisions;
  std::vector<Decision> taken;  // empty where there are too many
  ScheduleCost cost;
  Makeup makeup = Makeup::kSchedule;
};

class Tries {
 public:
  // `scenario` outlives it.
  Tries(const Scenario& scenario, std::int64_t evaluations);

  const Scenario& scenario() const { return *scenario_; }
  std::int64_t requests() const { return requests_; }  // about
  std::int64_t left() const { return left_; }          // of the evaluations
  std::int64_t tried() const { return tried_; }
  const std::vector<std::int64_t>& certain() const { return certain_; }
  bool empty() const { return best_.empty(); }
  const Candidate& front() const { return best_.front(); }
  // The best first, of different costs.
  const std::vector<Candidate>& best() const { return best_; }
  // The best of each policy, the best first.
  const std::vector<Candidate>& rules() const { return rules_; }
  // Why the first that could not be run cannot.
  const std::optional<InputError>& why_not() const { return why_not_; }

  // Null where a stream cannot be run at that granularity.
  const ProblemPtr& At(Granularity granularity);
  void AsAsked(const PolicySpec& spec);
  void Rule(const PolicySpec& spec, const ProblemPtr& asked, Makeup makeup = Makeup::kRule);
  void Schedule(const ProblemPtr& problem, FixedSchedule schedule);
  // What limits they break, of all that were simulated.
  const NearMisses& near_misses() const { return near_misses_; }
  void Note(const NearMisses& misses) { near_misses_.Add(misses); }
  // So many more were judged.
  void Count(std::int64_t schedules = 1) {
    left_ -= schedules;
    tried_ += schedules;
  }
  void Keep(Candidate candidate);

 private:
  void KeepRule(const Candidate& candidate);

  const Scenario* scenario_;
  std::int64_t left_, tried_ = 0;
  std::int64_t requests_;
  std::vector<std::int64_t> certain_;
  std::map<Granularity, ProblemPtr> problems_;
  std::vector<Candidate> best_, rules_;
  std::optional<InputError> why_not_;
  NearMisses near_misses_;
};

// Simulates what was decided; `schedule` is filled with the tasks as they were taken, in this order.
ScheduleCost CostOfSchedule(const Problem& problem, const Decisions& decisions,
                            const std::vector<std::int64_t>& certain, std::vector<Decision>& taken,
                            NearMisses* misses = nullptr);

}  // namespace tandem
