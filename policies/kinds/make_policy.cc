#include "policies/engine/policy.h"

#include <algorithm>

#include "policies/kinds/critical_first.h"
#include "policies/kinds/scheduled_policy.h"
#include "policies/problem/resident_options.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

// A rule that was chosen among others before the run.
class ChosenRule final : public Policy {
 public:
  ChosenRule(Decisions decisions, std::unique_ptr<Policy> rule)
      : decisions_(std::move(decisions)), rule_(std::move(rule)) {}

  void Ready(const Task& task, const Board& board) override { rule_->Ready(task, board); }
  bool Take(UnitId unit, const Board& board, Task& task) override { return rule_->Take(unit, board, task); }
  bool Ended(const Task& task, UnitId unit, const Board& board) override {
    return rule_->Ended(task, unit, board);
  }
  bool Learns() const override { return rule_->Learns(); }
  bool LeavesAlone() const override { return rule_->LeavesAlone(); }
  void Drop(const Task& task) override { rule_->Drop(task); }
  void SetAside(const Task& task) override { rule_->SetAside(task); }
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

std::string HeldText(const Problem& problem, const std::vector<ModelId>& held) {
  constexpr std::size_t kMostNamed = 3;
  if (held.empty()) return "what other units hold there";
  std::vector<std::string> names;
  for (std::size_t m = 0; m < std::min(held.size(), kMostNamed); ++m)
    names.push_back(Quoted(problem.scenario().model(held[m]).name));
  const std::size_t more = held.size() - names.size();
  return Joined(names) + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

// By what the units are kept from holding the model of that part beside what they hold; empty: nothing but
// what the scenario or the policy says.
std::string WhyNotBeside(const Problem& problem, SegmentId segment) {
  std::string text;
  for (std::size_t u = 0; u < problem.units(); ++u) {
    if (problem.Profiled(segment, UnitId(u)) == Problem::kCannot) continue;
    const std::vector<ModelId> held = problem.HeldBy(UnitId(u));
    std::vector<ModelId> with = held;
    with.push_back(problem.model_of(segment));
    const Unit& unit = problem.platform().unit(UnitId(u));
    if (const std::int64_t missing = problem.BytesMissing(UnitId(u), with); missing > 0) {
      text += (text.empty() ? ": " : "; ") +
              ("memory " + Quoted(problem.platform().memories[unit.memory.index()].name)) + " of unit " +
              Quoted(unit.name) + " is " + std::to_string(missing) + " bytes too small for it beside " +
              HeldText(problem, held);
    } else if (const auto limit = problem.ResidentLimit(UnitId(u));
               limit && static_cast<std::int64_t>(held.size()) >= *limit) {
      text += (text.empty() ? ": " : "; ") + ("unit " + Quoted(unit.name)) + " holds " +
              HeldText(problem, held) + ", as many models as it may";
    }
  }
  return text;
}

// What a unit holds may have been left to the policy, and may leave a model without a unit.
void CheckAllRun(const PolicySpec& spec, const Problem& problem) {
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    if (problem.RunsSomewhere(SegmentId(s))) continue;
    FailPolicy(spec, problem,
               "of the units that could run " + problem.NameOf(SegmentId(s)) + " none holds the model" +
                   WhyNotBeside(problem, SegmentId(s)) + "; \"resident\" says which units hold which models");
  }
}

// Where streams are critical the policy decides about them and about the others apart. A search has found a
// rule of which this is so already.
Prepared MakeByRule(const PolicySpec& spec, const std::shared_ptr<const Problem>& problem) {
  const auto make = [&] {
    Prepared made = spec.declaration->make(spec, *problem);
    if (!made.problem) made.problem = problem;
    return made;
  };
  if (!HasCritical(problem->scenario()) || spec.declaration->role == PolicyRole::kSearch) return make();
  Prepared critical = make();
  const std::shared_ptr<const Problem> decided = critical.problem;
  return {std::make_unique<CriticalFirst>(std::move(critical), make()), decided};
}

}  // namespace

std::shared_ptr<const Problem> ProblemFor(const PolicySpec& spec, const Scenario& scenario) {
  const auto at = [&](Granularity granularity, std::shared_ptr<const CutPlan> cuts = nullptr) {
    return std::make_shared<const Problem>(scenario, granularity, std::move(cuts));
  };
  if (spec.decided) return at(spec.decided->granularity, spec.decided->cuts);
  if (spec.declaration->takes_granularity) return at(spec.granularity);
  for (const Granularity granularity : {Granularity::kModel, Granularity::kGroup}) {
    try {
      return at(granularity);
    } catch (const InputError&) {
      // Something runs in smaller parts only.
    }
  }
  return at(Granularity::kLayer);
}

Prepared MakePolicy(const PolicySpec& spec, std::shared_ptr<const Problem> problem) {
  Prepared made = spec.decided ? MakeDecided(*spec.decided, *problem) : MakeByRule(spec, problem);
  if (!made.problem) made.problem = std::move(problem);
  CheckAllRun(spec, *made.problem);
  return made;
}

Prepared MakeDecided(const Decisions& decisions, const Problem& problem) {
  const Scenario& scenario = problem.scenario();
  if (problem.granularity() != decisions.granularity || !SameCuts(problem, decisions)) {
    const Problem other(scenario, decisions.granularity, decisions.cuts);
    return MakeDecided(decisions, other);
  }
  const auto held = problem.Holding(decisions.residents);
  if (!held) {
    throw InputError(scenario.file + ": what the plan has units hold has no room: " +
                     problem.WhyNotHolding(decisions.residents));
  }
  const auto decided = std::make_shared<const Problem>(problem.With(*held));
  if (!decisions.rule) {
    if (HasCritical(scenario)) {
      throw InputError(scenario.file +
                       ": streams are critical, and an order of tasks that is fixed before the run lets no "
                       "stream go first; take the plan of a policy that decides as the run goes on");
    }
    return {std::make_unique<ScheduledPolicy>(*decided, decisions, CertainRequests(scenario)), decided};
  }
  Prepared rule = MakePolicy(*decisions.rule, decided);
  return {std::make_unique<ChosenRule>(decisions, std::move(rule.policy)), rule.problem};
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
