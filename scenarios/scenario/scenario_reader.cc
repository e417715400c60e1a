#include <set>

#include "profiles/base/input_error.h"
#include "scenarios/scenario/parts.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {
namespace {

template <class Value, std::size_t N>
void ReadWord(const JsonReader& root, std::string_view key, const std::array<Named<Value>, N>& names,
              std::string_view what, Value& into) {
  if (const auto value = root.Find(key)) into = value->OneOf(names, what);
}

void ReadSettings(const JsonReader& root, Scenario& scenario) {
  scenario.name = root.Get("name").Name();
  if (const auto note = root.Find("note")) scenario.note = note->String();
  if (const auto seed = root.Find("seed")) scenario.seed = seed->Unsigned();
  ReadWord(root, "rules", kRulesNames, "rules", scenario.rules);
  ReadWord(root, "transfer", kTransferModeNames, "transfer mode", scenario.transfer);
  ReadWord(root, "objective", kObjectiveNames, "objective", scenario.objective);
}

// The first stream whose model no unit has times for as a whole.
const Stream* RunningInPartsOnly(const Scenario& scenario) {
  if (!scenario.costs) return nullptr;
  for (const Stream& stream : scenario.streams) {
    if (!SomeUnitRuns(scenario, stream)) return &stream;
  }
  return nullptr;
}

void CheckWholeModels(const JsonReader& value, const PolicySpec& policy, const Scenario& scenario,
                      const Stream* in_parts) {
  if (!in_parts || !policy.declaration->takes_granularity) return;
  if (policy.granularity != Granularity::kModel) return;
  value.Fail("policy " + Quoted(policy.label) + " hands out whole models, and no unit has times for all of " +
             Quoted(scenario.model(in_parts->model).name) +
             "; \"granularity\" may be \"group\" or \"layer\"");
}

void ReadPolicies(const JsonReader& value, Scenario& scenario) {
  const Stream* in_parts = RunningInPartsOnly(scenario);
  std::set<std::string> labels;
  for (const JsonReader element : value.Elements()) {
    PolicySpec policy = ReadPolicy(element, scenario);
    CheckWholeModels(element, policy, scenario, in_parts);
    if (!labels.insert(policy.label).second) {
      element.Fail("a policy before it is called " + Quoted(policy.label) +
                   " too; a \"label\" of its own tells them apart");
    }
    scenario.policies.push_back(std::move(policy));
  }
}

}  // namespace

Scenario ReadScenario(const JsonReader& root, const ScenarioOptions& options) {
  ExpectFileKind(root, "scenario/1");
  root.OnlyKeys({"tandem", "name", "note", "seed", "rules", "platform", "profiles", "variants", "transfer",
                 "resident", "streams", "background", "policies", "objective"});
  Scenario scenario;
  scenario.file = root.file();
  ReadSettings(root, scenario);
  ReadPlatformOf(root, options, scenario);
  ReadStreams(root, scenario);
  ReadUnits(root, scenario);
  ReadProfilesOf(root, scenario);
  CheckRunnable(root, scenario);
  if (const auto policies = root.Find("policies")) ReadPolicies(*policies, scenario);
  return scenario;
}

Scenario ReadScenarioFile(const std::filesystem::path& path, const ScenarioOptions& options) {
  const JsonDocument document = JsonDocument::ReadFile(path);
  return ReadScenario(document.root(), options);
}

UnitId FindUnit(const Scenario& scenario, std::string_view name, const JsonReader& place) {
  if (!scenario.platform) return UnitId();
  const UnitId unit = scenario.platform->FindUnit(name);
  if (!unit.valid()) {
    place.Fail("unknown unit " + Quoted(name) + Suggestion(name, scenario.platform->UnitNames()));
  }
  return unit;
}

StreamId FindStream(const Scenario& scenario, std::string_view name, const JsonReader& place) {
  std::vector<std::string> known;
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    if (scenario.streams[s].name == name) return StreamId(s);
    known.push_back(scenario.streams[s].name);
  }
  place.Fail("no stream is called " + Quoted(name) + Suggestion(name, known));
}

ModelId FindModel(const Scenario& scenario, std::string_view name, const JsonReader& place) {
  const std::string key = Within(place, [&] { return ModelKey(name, scenario.file); });
  std::vector<std::string> known;
  for (std::size_t i = 0; i < scenario.models.size(); ++i) {
    if (scenario.models[i].key == key) return ModelId(i);
    known.push_back(scenario.models[i].name);
  }
  place.Fail("no stream has a model " + Quoted(name) + Suggestion(name, known));
}

}  // namespace tandem
