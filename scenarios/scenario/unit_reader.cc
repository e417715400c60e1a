#include <algorithm>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/program/shipped.h"
#include "scenarios/scenario/parts.h"

namespace tandem {
namespace {

constexpr std::string_view kDevice = "device";

Platform ReadNamedPlatform(const JsonReader& value, const std::string& file) {
  return Within(value,
                [&] { return ReadPlatformFile(FindFile(value.Name(), file, "boards", ".platform.json")); });
}

std::vector<ModelId> ReadResidentModels(const JsonReader& value, const Scenario& scenario) {
  std::vector<ModelId> models;
  for (const JsonReader element : value.Elements()) {
    const ModelId model = FindModel(scenario, element.String(), element);
    if (std::find(models.begin(), models.end(), model) != models.end()) {
      element.Fail("model " + Quoted(element.String()) + " is there twice");
    }
    models.push_back(model);
  }
  return models;
}

void ReadResident(const JsonReader& value, Scenario& scenario) {
  for (const JsonReader member : value.Members()) {
    const UnitId unit = FindUnit(scenario, member.key(), member);
    std::vector<ModelId> models = ReadResidentModels(member, scenario);
    if (!unit.valid()) continue;
    const auto limit = scenario.platform->unit(unit).resident_models;
    if (limit && static_cast<std::int64_t>(models.size()) > *limit) {
      member.Fail("unit " + Quoted(member.key()) + " holds " + std::to_string(*limit) + " model" +
                  (*limit == 1 ? "" : "s") + ", here are " + std::to_string(models.size()));
    }
    scenario.units[unit.index()].resident = std::move(models);
  }
}

std::vector<std::string> ReadCommand(const JsonReader& value) {
  std::vector<std::string> words;
  for (const JsonReader word : value.Elements()) {
    if (word.String().find('\0') != std::string_view::npos)
      word.Fail("a word of a command holds no zero byte");
    words.emplace_back(word.String());
  }
  if (words.empty() || words[0].empty()) value.Fail("a command starts with a program");
  return words;
}

void ReadBackground(const JsonReader& value, Scenario& scenario) {
  std::vector<bool> seen(scenario.units.size());
  for (const JsonReader element : value.Elements()) {
    element.OnlyKeys({"unit", "load_pct", "command"});
    if (const auto command = element.Find("command")) {
      if (const auto unit = element.Find("unit"))
        unit->Fail("a command is no load of a unit: an entry of its own");
      if (const auto load = element.Find("load_pct"))
        load->Fail("what a command loads is measured, not stated");
      scenario.programs.push_back(ReadCommand(*command));
      continue;
    }
    const JsonReader name = element.Get("unit");
    const UnitId unit = FindUnit(scenario, name.String(), name);
    const std::int64_t load = element.Get("load_pct").Integer(0, 99);
    if (!unit.valid()) continue;
    if (seen[unit.index()]) name.Fail("unit " + Quoted(name.String()) + " has a load already");
    seen[unit.index()] = true;
    scenario.loads.push_back({unit, load});
  }
}

}  // namespace

void ReadPlatformOf(const JsonReader& root, const ScenarioOptions& options, Scenario& scenario) {
  const JsonReader value = root.Get("platform");
  if (value.IsObject()) {
    scenario.platform = ReadPlatform(value);
  } else if (value.String() == kDevice) {
    scenario.platform = options.device;
  } else {
    scenario.platform = ReadNamedPlatform(value, scenario.file);
  }
  if (scenario.platform) scenario.units.resize(scenario.platform->units.size());
}

void ReadUnits(const JsonReader& root, Scenario& scenario) {
  if (const auto resident = root.Find("resident")) ReadResident(*resident, scenario);
  if (const auto background = root.Find("background")) ReadBackground(*background, scenario);
}

}  // namespace tandem
