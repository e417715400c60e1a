#include "scenarios/scenario/plan_fields.h"

namespace tandem {

PlanFile ReadPlan(const JsonReader& root, const ScenarioOptions& options) {
  PlanFile file = PlanFileFields().Read(root, Context::Of(options));
  file.scenario.policies.push_back(file.plan.policy);
  return file;
}

namespace {

// How a policy cut the models that cuts them itself: what the plan has units hold has room beside these
// tasks.
std::shared_ptr<const CutPlan> CutsMade(const JsonReader& segments, Context context) {
  CutPlan made;
  as::ListOf(as::ObjectOf(SegmentsFields()))->Read(segments, made.cuts, context);
  std::erase_if(made.cuts, [](const ModelPieces& cut) { return cut.pieces.empty(); });
  return made.empty() ? nullptr : std::make_shared<const CutPlan>(std::move(made));
}

}  // namespace

Decisions ReadPlanDecisions(const std::filesystem::path& path, const Scenario& scenario) {
  const JsonDocument document = JsonDocument::ReadFile(path);
  const JsonReader root = document.root();
  ExpectFileKind(root, PlanFileFields().kind());
  Decisions decisions;
  const Context context = Context::Of(scenario);
  RuleFields().ReadSteps(root, &decisions, context);
  CutFields().ReadSteps(root, &decisions, context);
  decisions.residents.resize(scenario.units.size());
  if (!decisions.schedule && !decisions.rule) {
    PolicySpec rule;
    OwnPolicy()->Read(root.Get("policy"), rule, context);
    if (!rule.declaration->takes_granularity) decisions.cuts = CutsMade(root.Get("segments"), context);
    decisions.rule = std::make_shared<PolicySpec>(std::move(rule));
  }
  return decisions;
}

Scenario ReadScenarioOrPlan(const JsonReader& root, const ScenarioOptions& options) {
  const bool is_plan = root.IsObject() && root.Find("tandem") && FileKind(root).starts_with("plan/");
  return is_plan ? ReadPlan(root, options).scenario : ReadScenario(root, options);
}

Scenario ReadScenarioOrPlan(const std::filesystem::path& path, const ScenarioOptions& options) {
  return ReadScenarioOrPlan(JsonDocument::ReadFile(path).root(), options);
}

}  // namespace tandem
