#include "policies/policy.h"

#include "policies/planned_policy.h"
#include "policies/resident_options.h"
#include "profiles/input_error.h"

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

}  // namespace

Problem ProblemFor(const PolicySpec& spec, const Scenario& scenario) {
  if (spec.decided) return Problem(scenario, spec.decided->granularity);
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
  return spec.decided ? MakeDecided(*spec.decided, problem) : spec.declaration->make(spec, problem);
}

std::unique_ptr<Policy> MakeDecided(const Decisions& decisions, Problem& problem) {
  if (problem.granularity() != decisions.granularity)
    problem = Problem(problem.scenario(), decisions.granularity);
  if (!Hold(decisions.residents, problem)) {
    throw InputError(problem.scenario().file + ": a unit has no room for the models that the plan gives it");
  }
  if (decisions.rule) return std::make_unique<ChosenRule>(decisions, MakePolicy(*decisions.rule, problem));
  return std::make_unique<PlannedPolicy>(problem, decisions, CertainRequests(problem.scenario()));
}

}  // namespace tandem
