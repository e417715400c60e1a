#include "policies/engine/policy.h"

#include "policies/kinds/scheduled_policy.h"
#include "policies/problem/resident_options.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

// A rule that was chosen among others before the run.
class ChosenRule final : public Policy {
 public:
  ChosenRule(Decisions decisions, std::unique_ptr<Policy> rule)
      : decisions_(std::move(decisions)), rule_(std::move(rule)) {}

  void Ready(const Task& task, const Board& board) override { rule_->Ready(task, board); }
  bool Take(UnitId unit, const Board& board, Task& task) override { return rule_->Take(unit, board, task); }
  void Drop(const Task& task) override { rule_->Drop(task); }
  const Decisions* decisions() const override { return &decisions_; }

 private:
  Decisions decisions_;
  std::unique_ptr<Policy> rule_;
};

bool SameCuts(const Problem& problem, const Decisions& decisions) {
  const CutPlan none;
  const CutPlan& has = problem.cut_plan() ? *problem.cut_plan() : none;
  return has == (decisions.cuts ? *decisions.cuts : none);
}

// What a unit holds may have been left to the policy, and may leave a model without a unit.
void CheckAllRun(const PolicySpec& spec, const Problem& problem) {
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    if (problem.RunsSomewhere(SegmentId(s))) continue;
    FailPolicy(spec, problem,
               "of the units that could run " + problem.NameOf(SegmentId(s)) +
                   " none holds the model; \"resident\" says which units hold which models");
  }
}

}  // namespace

Problem ProblemFor(const PolicySpec& spec, const Scenario& scenario) {
  if (spec.decided) return Problem(scenario, spec.decided->granularity, spec.decided->cuts);
  if (spec.declaration->takes_granularity) return Problem(scenario, spec.granularity);
  for (const Granularity granularity : {Granularity::kModel, Granularity::kGroup}) {
    try {
      return Problem(scenario, granularity);
    } catch (const InputError&) {
      // Something runs in smaller parts only.
    }
  }
  return Problem(scenario, Granularity::kLayer);
}

std::unique_ptr<Policy> MakePolicy(const PolicySpec& spec, Problem& problem) {
  auto policy = spec.decided ? MakeDecided(*spec.decided, problem) : spec.declaration->make(spec, problem);
  CheckAllRun(spec, problem);
  return policy;
}

std::unique_ptr<Policy> MakeDecided(const Decisions& decisions, Problem& problem) {
  if (problem.granularity() != decisions.granularity || !SameCuts(problem, decisions)) {
    problem = Problem(problem.scenario(), decisions.granularity, decisions.cuts);
  }
  const auto held = problem.Holding(decisions.residents);
  if (!held) {
    throw InputError(problem.scenario().file + ": a unit has no room for the models that the plan gives it");
  }
  problem = problem.With(*held);
  if (decisions.rule) return std::make_unique<ChosenRule>(decisions, MakePolicy(*decisions.rule, problem));
  return std::make_unique<ScheduledPolicy>(problem, decisions, CertainRequests(problem.scenario()));
}

void FailPolicy(const PolicySpec& spec, const Problem& problem, const std::string& what) {
  const Scenario& scenario = problem.scenario();
  std::string place = scenario.file;
  for (std::size_t i = 0; i < scenario.policies.size(); ++i) {
    const PolicySpec& other = scenario.policies[i];
    if (other.label == spec.label && other.parameters == spec.parameters) {
      place += ":/policies/" + std::to_string(i);
    }
  }
  throw InputError(place + ": policy " + Quoted(spec.label) + ": " + what);
}

}  // namespace tandem
