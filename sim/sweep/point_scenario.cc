#include "sim/sweep/point_scenario.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "profiles/base/input_error.h"
#include "profiles/base/json_write.h"
#include "profiles/base/suggest.h"
#include "profiles/program/shipped.h"
#include "sim/sweep/json_place.h"

namespace tandem {
namespace {

using PointJson = nlohmann::json;

std::string AxisPlace(const Sweep& sweep, std::size_t axis) {
  return sweep.file + ":/axes/" + std::to_string(axis);
}

constexpr int kDigitsOfProduct = 15;  // 0.3, not 0.30000000000000004

// In so many digits, or decimals as a time in the file may have them.
double InDigits(double value, std::chars_format format, int digits) {
  char text[400];
  const auto end = std::to_chars(text, text + sizeof text, value, format, digits).ptr;
  std::from_chars(text, end, value);
  return value;
}

void Multiply(PointJson& value, double factor, const std::string& pointer) {
  if (value.is_array()) {
    for (PointJson& element : value) Multiply(element, factor, pointer);
    return;
  }
  if (!value.is_number()) {
    throw InputError("at " + Quoted(pointer) + " stands no number to multiply, but " + value.dump());
  }
  double product = InDigits(value.get<double>() * factor, std::chars_format::general, kDigitsOfProduct);
  if (pointer.ends_with("_us")) product = InDigits(product, std::chars_format::fixed, 3);
  if (pointer.ends_with("_ms")) product = InDigits(product, std::chars_format::fixed, 6);
  value = PointJson::parse(JsonNumber(product));
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

// As --policy finds them: one by its label, else all of that name, else one that the scenario has not.
std::vector<PointJson> NamedPolicies(const PointJson& all, const std::string& name) {
  std::vector<PointJson> found;
  for (const PointJson& policy : all) {
    if (LabelOfPolicy(policy) == name) return {policy};
    if (NameOfPolicy(policy) == name) found.push_back(policy);
  }
  if (found.empty()) found.push_back(name);
  return found;
}

}  // namespace

struct PointScenarios::Draft {
  std::string file;
  PointJson json;
};

PointScenarios::PointScenarios(const Sweep& sweep) : sweep_(sweep) {}

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

void PointScenarios::Put(std::size_t axis, const std::string& value, Draft& draft) {
  const SweepAxis& of = sweep_.axes[axis];
  const PointJson json = PointJson::parse(value);
  const auto open = [&](PointJson& text, const std::vector<std::string>& way) {
    files_.PutInPlace(text, way, draft.file);
  };
  for (std::size_t p = 0; p < of.pointers.size(); ++p) {
    const std::string& pointer = of.pointers[p];
    if (pointer.empty()) continue;
    const std::string place = AxisPlace(sweep_, axis) + "/pointers/" + std::to_string(p) + ": ";
    std::size_t found = 0;
    try {
      found = JsonPlace(pointer, open).ForEach(draft.json, !of.multiplies, [&](PointJson& at) {
        if (of.multiplies) {
          Multiply(at, json.get<double>(), pointer);
        } else {
          at = json;
        }
      });
    } catch (const InputError& error) {
      throw InputError(place + error.what());
    }
    if (found == 0) throw InputError(place + draft.file + " has nothing at " + Quoted(pointer));
  }
}

std::vector<PointPolicy> PointScenarios::PoliciesOf(const Draft& draft) {
  const PointJson all = draft.json.value("policies", PointJson::array());
  std::vector<PointJson> wanted;
  for (const std::string& name : sweep_.policies) {
    for (PointJson& policy : NamedPolicies(all, name)) wanted.push_back(std::move(policy));
  }
  if (sweep_.policies.empty()) wanted.assign(all.begin(), all.end());
  std::vector<PointPolicy> policies;
  for (const PointJson& policy : wanted) {
    policies.push_back({LabelOfPolicy(policy), policy.dump() + files_.HashesOf(policy, draft.file)});
  }
  return policies;
}

PointScenario PointScenarios::Of(const std::vector<std::string>& values) {
  Draft draft = Base(values);
  if (sweep_.objective) draft.json["objective"] = NameOf(kObjectiveNames, *sweep_.objective);
  for (std::size_t axis = 0; axis < values.size(); ++axis) Put(axis, values[axis], draft);
  PointScenario point{draft.file, draft.json.dump(), "", PoliciesOf(draft)};
  PointJson inputs = draft.json;
  for (const char* key : {"name", "note", "policies"}) inputs.erase(key);
  if (!inputs.contains("seed")) inputs["seed"] = 1;
  point.inputs = Sha256OfText(inputs.dump() + files_.HashesOf(inputs, draft.file));
  return point;
}

}  // namespace tandem
