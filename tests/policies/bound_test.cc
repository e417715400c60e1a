// Is the lower bound what the semantics page says, and never above what a schedule can reach?
#include "policies/bound.h"

#include <gtest/gtest.h>

#include "profiles/shipped.h"
#include "tests/policies/run_policy.h"
#include "tests/scenarios/read_scenario.h"

namespace tandem {
namespace {

constexpr std::int64_t kUs = 1000;

Scenario Shipped(const std::string& name) {
  return ReadScenarioFile(FindFile(name, "", "scenarios", ".scenario.json"));
}

Bound BoundOf(const Scenario& scenario, Granularity granularity = Granularity::kModel) {
  return LowerBound(Problem(scenario, granularity));
}

TEST(Bound, Study003) { EXPECT_EQ(BoundOf(Shipped("study-003")).makespan, Nanos{2968613577}); }

TEST(Bound, Study003WithResnet50AloneOnTheNcs2) {
  Scenario scenario = Shipped("study-003");
  const UnitId ncs2 = scenario.platform->FindUnit("ncs2");
  const auto held = std::find_if(scenario.models.begin(), scenario.models.end(),
                                 [](const ScenarioModel& model) { return model.name == "resnet50"; });
  scenario.units[ncs2.index()].resident = {ModelId(static_cast<std::size_t>(held - scenario.models.begin()))};
  EXPECT_EQ(BoundOf(scenario).makespan, Nanos{2977480293});
}

}  // namespace
}  // namespace tandem
