#include "policies/kinds/make_plan.h"

#include "scenarios/scenario/profile_used.h"

namespace tandem {
namespace {

ModelPieces SegmentsOf(const Problem& problem, const Cut& cut) {
  ModelPieces segments{cut.model, cut.batch, {}};
  for (std::int32_t s = 0; s < cut.segments; ++s) {
    const Segment& segment = problem.segments()[cut.first.index() + static_cast<std::size_t>(s)];
    if (segment.layers.empty()) return segments;  // the whole model
    segments.pieces.push_back({segment.layers, segment.part});
  }
  return segments;
}

// Nothing where there is no choice that a plan would have to repeat.
std::optional<std::vector<ModelId>> ChosenFor(const Problem& problem, UnitId unit) {
  if (!problem.HoldsSome(unit) && !problem.MayChooseResidents(unit)) return std::nullopt;
  return problem.HeldBy(unit);
}

}  // namespace

Plan MakePlan(const Problem& problem, const PolicySpec& spec, const Policy& policy,
              PlanPrediction predicted) {
  Plan plan;
  plan.policy = spec;
  if (policy.decisions()) plan.policy.decided = std::make_shared<Decisions>(*policy.decisions());
  if (plan.policy.decided) plan.decisions = *plan.policy.decided;
  plan.decisions.granularity = problem.granularity();
  plan.decisions.residents.clear();
  for (const Cut& cut : problem.cuts()) plan.segments.push_back(SegmentsOf(problem, cut));
  for (std::size_t u = 0; u < problem.units(); ++u) {
    plan.decisions.residents.push_back(ChosenFor(problem, UnitId(u)));
  }
  const Scenario& scenario = problem.scenario();
  const std::vector<ProfileUsed> used = ProfilesUsed(scenario);
  for (std::size_t p = 0; p < used.size(); ++p) {
    const Profile& profile = scenario.profiles[p];
    plan.profiles.push_back({profile.file, ProfileHash(profile), used[p].origin});
  }
  plan.predicted = std::move(predicted);
  return plan;
}

}  // namespace tandem
