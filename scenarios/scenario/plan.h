// A decision kept in a file, kind "plan/1": what `tandem plan` writes, what simulates again to the same bytes
// and what a device executes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/scenario/decisions.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

// How often the run loaded a model on a unit, and put it out for others.
struct PlanLoads {
  std::string unit, model;
  std::int64_t loads = 0, evictions = 0;
};

struct PlanProfile {
  std::string name;  // as the plan's scenario has it
  std::uint64_t hash = 0;
  Origin origin;  // as ProfileUsed has it
};

// What the run came out as when the plan was made.
struct PlanPrediction {
  std::string engine;
  std::optional<double> objective;  // in the objective's unit; nothing: it could not be told
  Nanos makespan{0};
  std::optional<Nanos> bound;  // of the makespan
  // With the probability `interval` it lies between two values: low and high; none where nothing is known of
  // how sure it is.
  std::optional<double> interval = {};
  std::vector<Nanos> makespan_interval = {};
  std::vector<double> objective_interval = {};
  // Over the draws that the intervals are of: what to expect of a device.
  std::optional<Nanos> makespan_median = {};
  std::optional<double> objective_median = {};
  std::optional<double> win_probability = {};    // that no other policy is better
  std::string win_probability_why = {};          // why that is not known, though there were others
  std::vector<std::string> not_told_apart = {};  // labels of those that it cannot be told from
  std::string interval_why = {};                 // why there is no interval
  std::string interval_lacks = {};               // what it does not tell of
  std::vector<PlanLoads> loads = {};             // of those that were either
};

struct Plan {
  PolicySpec policy;    // that was chosen; with PolicySpec::decided where it had decided beforehand
  Decisions decisions;  // the same; where it had not: granularity and, per unit with a limit, residents
  std::vector<ModelPieces> segments;  // how all models are cut; without pieces: the whole model
  std::vector<PlanProfile> profiles;  // as the scenario's
  PlanPrediction predicted;
};

struct PlanFile {
  Scenario scenario;  // its policies: the plan's
  Plan plan;
};

// Throws InputError, also where a profile is not the one that the plan was made from.
PlanFile ReadPlan(const JsonReader& root, const ScenarioOptions& options = {});

// What a plan file has decided, for another scenario with streams, units and models of these names.
Decisions ReadPlanDecisions(const std::filesystem::path& path, const Scenario& scenario);

// The scenario of a scenario file or of a plan file, which then has the plan's policy alone.
Scenario ReadScenarioOrPlan(const std::filesystem::path& path, const ScenarioOptions& options = {});
Scenario ReadScenarioOrPlan(const JsonReader& root, const ScenarioOptions& options = {});

// `scenario` was read from the file `source`; `path` is where the plan is to stand: files that it refers to
// are named from there.
std::string PlanJson(const Plan& plan, const Scenario& scenario, const std::filesystem::path& source,
                     const std::filesystem::path& path);

// The same with platform and profiles in place and other files by their full paths, so that it can be sent to
// a device.
std::string WholePlanJson(const Plan& plan, const Scenario& scenario);

// The scenario's file as a scenario/1 with its platform, that profile and its objective in place, instead of
// those that it names. Paths in the scenario are relative to it, those in the profile to the profile's file,
// where it has one.
std::string ScenarioWith(const Scenario& scenario, const Profile& profile);

// The scenario's file as a scenario/1 with its objective, its seed and the variants of its units, to stand at
// `path`: files that it refers to are named from there.
std::string ScenarioAsSet(const Scenario& scenario, const std::filesystem::path& path);

}  // namespace tandem
