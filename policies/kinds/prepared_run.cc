#include "policies/kinds/prepared_run.h"

namespace tandem {

PreparedRun Prepare(const Scenario& scenario, const PolicySpec& spec) {
  PreparedRun run;
  static_cast<Prepared&>(run) = MakePolicy(spec, ProblemFor(spec, scenario));
  run.spec = &spec;
  return run;
}

std::vector<UnitResidents> ResidentsOf(const Problem& problem) {
  const Scenario& scenario = problem.scenario();
  std::vector<UnitResidents> residents;
  for (std::size_t u = 0; u < problem.units(); ++u) {
    if (!problem.HoldsSome(UnitId(u)) && !scenario.units[u].resident) continue;
    UnitResidents unit{problem.platform().units[u].name, {}};
    for (const ModelId model : problem.HeldBy(UnitId(u)))
      unit.models.push_back(scenario.models[model.index()].name);
    residents.push_back(std::move(unit));
  }
  return residents;
}

}  // namespace tandem
