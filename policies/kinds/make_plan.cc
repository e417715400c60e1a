#include "policies/kinds/make_plan.h"

namespace tandem {
namespace {

PlanSegments SegmentsOf(const Problem& problem, const Cut& cut) {
  const ScenarioModel& model = problem.scenario().model(cut.model);
  PlanSegments segments{model.name, cut.batch, {}, {}};
  for (std::int32_t s = 0; s < cut.segments; ++s) {
    const Segment& segment = problem.segments()[cut.first.index() + static_cast<std::size_t>(s)];
    if (segment.layers.empty()) return segments;  // the whole model
    segments.layers.emplace_back();
    segments.parts.push_back(segment.part);
    for (const LayerId layer : segment.layers) {
      segments.layers.back().push_back(model.model->layer(layer).name);
    }
  }
  return segments;
}

// Nothing where there is no choice that a plan would have to repeat.
std::optional<std::vector<ModelId>> ChosenFor(const Problem& problem, UnitId unit) {
  if (!problem.ResidentLimit(unit) && !problem.MayChooseResidents(unit)) return std::nullopt;
  return problem.HeldBy(unit);
}

}  // namespace

Plan MakePlan(const Problem& problem, const PolicySpec& spec, const Policy& policy,
              PlanPrediction predicted) {
  Plan plan;
  plan.policy = spec;
  if (policy.decisions()) plan.policy.decided = std::make_shared<Decisions>(*policy.decisions());
  plan.granularity = problem.granularity();
  for (const Cut& cut : problem.cuts()) plan.segments.push_back(SegmentsOf(problem, cut));
  for (std::size_t u = 0; u < problem.units(); ++u) plan.residents.push_back(ChosenFor(problem, UnitId(u)));
  for (const Profile& profile : problem.scenario().profiles) {
    plan.profiles.push_back({profile.file, ProfileHash(profile)});
  }
  plan.predicted = std::move(predicted);
  return plan;
}

}  // namespace tandem
