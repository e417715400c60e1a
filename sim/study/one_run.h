// One policy on one engine, for every command that simulates.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "policies/bounds/bound.h"
#include "policies/engine/dispatcher.h"
#include "policies/kinds/prepared_run.h"
#include "profiles/base/input_error.h"
#include "scenarios/report/report.h"
#include "scenarios/scenario/plan.h"

namespace tandem {

// Two that are exact and agree to the nanosecond, and SimGrid's own physics.
enum class Engine : std::uint8_t { kSimgrid, kVirtual, kFluid };
inline constexpr std::array<Named<Engine>, 3> kEngineNames = {
    {{"simgrid", Engine::kSimgrid}, {"virtual", Engine::kVirtual}, {"fluid", Engine::kFluid}}};

Engine EngineNamed(std::string_view name);

// The file of a scenario or plan, given by its path or by its shipped name. Throws InputError.
std::filesystem::path FindScenario(const std::string& argument);

// A scenario by its file or its shipped name, or that of a plan with the plan's policy alone; it has all that
// a simulation needs. Throws InputError.
Scenario LoadScenario(const std::string& argument);

// The same of a text that stands for the scenario or plan `file`.
Scenario ScenarioToSimulate(const std::string& text, const std::string& file, const ScenarioOptions& options);

Outcome RunOn(Engine engine, const PreparedRun& run, const RunOptions& options = {});

// What holds for all of these policies: the least of the bounds of their granularities.
Bound BoundFor(const Scenario& scenario, const std::vector<PolicySpec>& policies);

Report ReportOf(const PreparedRun& run, Engine engine, const Bound& bound, Outcome outcome);
// What a plan keeps of it.
PlanPrediction PredictionOf(const Report& report);
// Of a policy that cannot run the scenario.
Report FailedReport(const Scenario& scenario, const PolicySpec& policy, Engine engine, const Bound& bound,
                    const InputError& why);

// Of reports for people, not of each run that is tried, what is the scenario's: where room is short, and what
// is taken for want of a measurement.
void AddFactsOfScenario(const Scenario& scenario, std::vector<Report>& reports);

// The scenario's policies, or those of these names: a policy of the scenario by its label, all of it by its
// name, else any policy with its defaults. Throws InputError.
// `option`: what messages call where the names come from.
std::vector<PolicySpec> ChoosePolicies(const Scenario& scenario, const std::vector<std::string>& names,
                                       const std::string& option = "--policy");

}  // namespace tandem
