#include "sim/sweep/point_scenario.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "profiles/base/input_error.h"
#include "profiles/base/json_write.h"
#include "profiles/base/suggest.h"
#include "profiles/program/shipped.h"
#include "scenarios/scenario/policy_spec.h"
#include "sim/sweep/json_place.h"
#include "sim/sweep/json_values.h"

namespace tandem {
namespace {

using PointJson = nlohmann::json;

std::string AxisPlace(const Sweep& sweep, std::size_t axis) {
  return sweep.file + ":/axes/" + std::to_string(axis);
}

// As a scenario's list of policies has them.
std::string NameOfPolicy(const PointJson& policy) {
  if (policy.is_object())
    return policy.value("name", PointJson()).is_string() ? policy.value("name", "") : "";
  const std::string text = policy.is_string() ? policy.get<std::string>() : "";
  return text.substr(0, text.find(':'));
}

std::string LabelOfPolicy(const PointJson& policy) {
  if (policy.is_string()) return policy.get<std::string>();
  const bool labelled = policy.is_object() && policy.contains("label") && policy["label"].is_string();
  return labelled ? policy["label"].get<std::string>() : NameOfPolicy(policy);
}

// As --policy finds them: one by its label, else all of that name.
std::vector<PointJson> NamedPolicies(const PointJson& all, const std::string& name) {
  std::vector<PointJson> found;
  for (const PointJson& policy : all) {
    if (LabelOfPolicy(policy) == name) return {policy};
    if (NameOfPolicy(policy) == name) found.push_back(policy);
  }
  return found;
}

// One that the scenario has not.
void CheckIsPolicy(const std::string& name, const std::string& place) {
  const std::string word = name.substr(0, name.find(':'));
  if (!FindPolicy(name) && !FindPolicy(word)) throw InputError(place + ": " + UnknownPolicy(word));
}

std::size_t DepthOf(const std::string& pointer) {
  return static_cast<std::size_t>(std::count(pointer.begin(), pointer.end(), '/'));
}

}  // namespace

struct PointScenarios::Draft {
  std::string file;
  PointJson json;
};

PointScenarios::PointScenarios(const Sweep& sweep) : sweep_(sweep) {
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
    for (std::size_t p = 0; p < sweep.axes[axis].pointers.size(); ++p) {
      if (!sweep.axes[axis].pointers[p].empty()) places_.push_back({axis, p});
    }
  }
  const auto depth = [&](const Place& place) {
    return DepthOf(sweep.axes[place.axis].pointers[place.pointer]);
  };
  std::stable_sort(places_.begin(), places_.end(),
                   [&](const Place& a, const Place& b) { return depth(a) < depth(b); });
}

PointScenarios::Draft PointScenarios::Base(const std::vector<std::string>& values) {
  std::string name = sweep_.scenario, place = sweep_.file + ":/scenario";
  for (std::size_t axis = 0; axis < values.size(); ++axis) {
    if (!sweep_.axes[axis].Is("")) continue;
    place = AxisPlace(sweep_, axis);
    const PointJson value = PointJson::parse(values[axis]);
    if (!value.is_string()) throw InputError(place + ": " + values[axis] + " is no name of a scenario");
    name = value.get<std::string>();
  }
  try {
    const auto path = FindFile(name, sweep_.file, "scenarios", ".scenario.json");
    return {path.string(), files_.Read(path, "scenario/1")};
  } catch (const InputError& error) {
    throw InputError(place + ": " + error.what());
  }
}

void PointScenarios::Put(const Place& at, const std::string& value, Draft& draft) {
  const SweepAxis& of = sweep_.axes[at.axis];
  const std::string& pointer = of.pointers[at.pointer];
  const std::string place = AxisPlace(sweep_, at.axis) + "/pointers/" + std::to_string(at.pointer) + ": ";
  PointJson json = PointJson::parse(value);
  MoveNamedFiles(json, sweep_.file, draft.file);
  const auto open = [&](PointJson& text, const std::vector<std::string>& way) {
    files_.PutInPlace(text, way, draft.file);
  };
  std::size_t found = 0;
  try {
    found = JsonPlace(pointer, open).ForEach(draft.json, !of.multiplies, [&](PointJson& there) {
      if (of.multiplies) {
        MultiplyJson(there, json.get<double>(), pointer);
      } else {
        there = json;
      }
    });
  } catch (const InputError& error) {
    throw InputError(place + error.what());
  }
  if (found == 0) throw InputError(place + draft.file + " has nothing at " + Quoted(pointer));
}

std::vector<PointPolicy> PointScenarios::PoliciesOf(const Draft& draft) {
  const PointJson all = draft.json.value("policies", PointJson::array());
  std::vector<PointJson> wanted;
  for (std::size_t p = 0; p < sweep_.policies.size(); ++p) {
    const std::string& name = sweep_.policies[p];
    std::vector<PointJson> found = NamedPolicies(all, name);
    if (found.empty()) {
      CheckIsPolicy(name, sweep_.file + ":/policies/" + std::to_string(p));
      found.emplace_back(name);
    }
    for (PointJson& policy : found) wanted.push_back(std::move(policy));
  }
  if (sweep_.policies.empty()) wanted.assign(all.begin(), all.end());
  std::vector<PointPolicy> policies;
  for (const PointJson& policy : wanted) {
    policies.push_back(
        {LabelOfPolicy(policy), JsonLine(policy) + files_.HashesOf(policy, "policies", draft.file)});
  }
  return policies;
}

PointScenarios::Draft PointScenarios::DraftOf(const std::vector<std::string>& values) {
  Draft draft = Base(values);
  if (sweep_.objective) draft.json["objective"] = NameOf(kObjectiveNames, *sweep_.objective);
  for (const Place& place : places_) Put(place, values[place.axis], draft);
  return draft;
}

PointScenario PointScenarios::Of(const std::vector<std::string>& values) {
  const Draft draft = DraftOf(values);
  return {draft.file, JsonLine(draft.json)};
}

PointInputs PointScenarios::InputsOf(const std::vector<std::string>& values) {
  Draft draft = DraftOf(values);
  PointInputs inputs{"", PoliciesOf(draft)};
  for (const char* key : {"name", "note", "policies"}) draft.json.erase(key);
  if (!draft.json.contains("seed")) draft.json["seed"] = 1;
  inputs.hash = Sha256OfText(JsonLine(draft.json) + files_.HashesOf(draft.json, "", draft.file));
  return inputs;
}

}  // namespace tandem
