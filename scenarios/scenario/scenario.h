// Room scenarios/scenario: what is asked: streams, board, policies, objective; and what was decided, as a
// plan file keeps it.
//
// What is asked of a board: streams of requests, policies to compare, and by what. File kind "scenario/1".
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/base/ids.h"
#include "profiles/base/json_reader.h"
#include "profiles/costs/cost_table.h"
#include "profiles/costs/platform.h"
#include "profiles/costs/profile.h"
#include "profiles/model/model.h"
#include "scenarios/arrivals/stream.h"
#include "scenarios/scenario/condition.h"
#include "scenarios/scenario/heat.h"
#include "scenarios/scenario/policy_spec.h"
#include "scenarios/scenario/transfer_mode.h"

namespace tandem {

enum class Objective : std::uint8_t {
  kMakespan,
  kThroughput,
  kMeanLatency,
  kP99Latency,
  kMisses,
  kEnergy,
  kSlowdown,
  kBalancedGain
};
inline constexpr std::array<Named<Objective>, 8> kObjectiveNames = {
    {{"makespan", Objective::kMakespan},
     {"throughput", Objective::kThroughput},
     {"mean_latency", Objective::kMeanLatency},
     {"p99_latency", Objective::kP99Latency},
     {"misses", Objective::kMisses},
     {"energy", Objective::kEnergy},
     {"slowdown", Objective::kSlowdown},
     {"balanced_gain", Objective::kBalancedGain}}};
inline constexpr std::size_t kMostThen = 2;  // objectives behind the first

// Whose conventions fill in what a scenario leaves out. xrbench: a periodic stream's deadline is its period,
// a dependent stream's the period of the stream that it hangs on.
enum class Rules : std::uint8_t { kTandem, kLoadgen, kXrbench };
inline constexpr std::array<Named<Rules>, 2> kRulesNames = {
    {{"loadgen", Rules::kLoadgen}, {"xrbench", Rules::kXrbench}}};

struct ScenarioModel {
  std::string name;  // as the scenario writes it first
  std::string key;   // ModelKey
  std::shared_ptr<const Model> model;
};

struct UnitLoad {
  UnitId unit;
  std::int64_t load_pct = 0;  // 0..99
};

// From then on the unit goes at so much of its full speed: another clock, heat that it has to get rid of.
struct UnitSpeed {
  UnitId unit;
  Nanos at{0};
  double speed = 1;
};

// The unit is not there: switched off, taken by others, being reset. What it had under way is lost.
struct UnitAbsence {
  UnitId unit;
  Nanos from{0};
  std::optional<Nanos> until;  // nothing: it does not come back
};

// What the scenario says of one unit.
struct UnitUse {
  std::optional<std::vector<ModelId>> resident;  // those that it holds; nothing: the policy chooses
  std::optional<Variant> variant;                // the one that runs; without profiles perhaps nothing
  std::vector<std::vector<ModelId>> compiled;    // lists of those that share its chip, in their order
};

// What was supposed of a scenario beside what its files say.
struct WhatIf {
  std::string asked;                 // "links.usb1.bandwidth=2x"
  std::vector<std::string> changes;  // "links.dram-usb1.bandwidth_bytes_per_s: 400000000 -> 800000000"
};

struct Scenario {
  std::string file;  // what messages call it, and what paths in it are relative to
  std::string name;
  std::string note;
  std::uint64_t seed = 1;
  Rules rules = Rules::kTandem;
  TransferMode transfer = TransferMode::kCopy;
  Objective objective = Objective::kMakespan;
  std::string objective_why;          // where the file names none: "streams have deadlines"
  std::vector<Objective> then;        // what counts next, where the objective is equal
  std::vector<ConditionTerm> limits;  // what runs have to keep before the objective counts

  std::optional<Platform> platform;   // nothing: "device", known only once a device answers
  std::vector<Profile> profiles;      // none: measured first
  std::vector<std::string> taken;     // from profiles in place of what else they say: a sentence each
  std::optional<CostTable> costs;     // where there are a platform and profiles
  std::vector<ScenarioModel> models;  // in order of first appearance; the position is the ModelId
  std::vector<Stream> streams;
  // Per stream, where there are costs: what a request takes alone on the unit that is fastest; nothing where
  // no unit runs the whole model.
  std::vector<std::optional<Nanos>> alone;
  std::vector<UnitUse> units;      // as the platform's; empty without one
  bool variants_were_set = false;  // SetVariant
  std::vector<UnitLoad> loads;
  std::vector<UnitSpeed> speeds;                   // of each unit ascending in time
  std::vector<UnitHeat> heat;                      // of a unit once
  std::vector<UnitAbsence> away;                   // of each unit ascending, never two at a time
  std::vector<std::vector<std::string>> programs;  // started before the run, stopped after it
  std::vector<PolicySpec> policies;
  std::vector<WhatIf> what_if;  // none: it is as its files say

  const ScenarioModel& model(ModelId id) const { return models[id.index()]; }

  // What `costs` is asked of the unit, in the variant that it runs; nothing: it has no times. Layers as
  // there.
  std::optional<CostQuery> Query(ModelId model, UnitId unit, std::int64_t batch,
                                 std::span<const LayerId> layers = {}, bool mapped = false) const;
  std::optional<SegmentCost> Time(ModelId model, UnitId unit, std::int64_t batch,
                                  std::span<const LayerId> layers = {}, bool mapped = false) const;
  // All that the profiles have of a model in this batch, on each unit in its variant, in their order.
  std::vector<CostTable::Measured> Entries(ModelId model, std::int64_t batch) const;
  // As "resident" says, or by loading it there.
  bool MayHold(ModelId model, UnitId unit) const;
  // Has the unit times for the whole model, and may it hold it? Needs costs.
  bool CanRun(ModelId model, UnitId unit, std::int64_t batch) const;
};

// Of the scenario's profiles, models and platform as they are now.
CostTable CostsOf(const Scenario& scenario);

// The first stream whose requests go together as they come; null: none.
const Stream* FirstBatching(const Scenario& scenario);
// Is any stream critical?
bool HasCritical(const Scenario& scenario);

// Does the stream leave requests out, or hang on one that does? Then what counts is how old its newest result
// becomes.
bool LeavesOut(const Scenario& scenario, const Stream& stream);
// Do reports say how old it becomes: since it leaves requests out, or since somebody asks?
bool TellsAge(const Scenario& scenario, const Stream& stream);

// The unit runs in that variant, whatever the file says. Needs costs.
void SetVariant(UnitId unit, const Variant& variant, Scenario& scenario);

// Of the profiles that a scenario names: kIfThere: where one is a file that is not there, none is read; they
// are to be measured. kNone: whatever they hold, they are not looked at.
enum class NamedProfiles : std::uint8_t { kNeeded, kIfThere, kNone };

using KnownModels = std::map<std::string, std::shared_ptr<const Model>>;  // by ModelKey

struct ScenarioOptions {
  std::optional<Platform> device = {};  // stands for "device"
  NamedProfiles profiles = NamedProfiles::kNeeded;
  KnownModels* models = nullptr;  // for many scenarios: what is here is not read again
};

// Reads and judges with everything that it refers to, but for profiles that are not wanted; throws
// InputError.
Scenario ReadScenario(const JsonReader& root, const ScenarioOptions& options = {});
Scenario ReadScenarioFile(const std::filesystem::path& path, const ScenarioOptions& options = {});

// "misses, then energy".
std::string ObjectiveText(Objective objective, const std::vector<Objective>& then);

// Which key of the scenario asks for energy; empty: none does.
std::string_view KeyOfEnergy(const Scenario& scenario);

// What a scenario that names no objective is judged by, and why.
struct ChosenObjective {
  Objective objective = Objective::kMakespan;
  std::string why;
};
ChosenObjective DefaultObjective(const std::vector<Stream>& streams);

// Has any unit times for the stream's whole model? Else it runs in parts only. Needs costs.
bool SomeUnitRuns(const Scenario& scenario, const Stream& stream);

// Why the unit cannot run the stream's whole model: `unit "gpu" has no time for model "vgg16"`. Needs costs.
std::string WhyCannotRun(const Scenario& scenario, const Stream& stream, UnitId unit);

// The unit, the stream or the model of that name; `place` fails, with "did you mean", where there is none.
// Without a platform every unit's name stands, and the id is invalid.
UnitId FindUnit(const Scenario& scenario, std::string_view name, const JsonReader& place);
StreamId FindStream(const Scenario& scenario, std::string_view name, const JsonReader& place);
ModelId FindModel(const Scenario& scenario, std::string_view name, const JsonReader& place);

}  // namespace tandem
