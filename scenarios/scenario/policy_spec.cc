#include "scenarios/scenario/policy_spec.h"

#include <algorithm>

#include "profiles/base/check.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "scenarios/scenario/parts.h"
#include "scenarios/scenario/plan.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {
namespace {

// Filled before main by the registrations.
std::vector<PolicyDeclaration>& Registry() {
  static std::vector<PolicyDeclaration> registry;
  return registry;
}

// A bare name has no keys: its policy reads an empty object.
PolicySpec ReadBareName(const JsonReader& value, const Scenario& scenario) {
  return PolicyByName(value.String(), scenario, value.Where());
}

// A plan leaves nothing else to say.
void FollowPlan(const JsonReader& value, const JsonReader& plan, const Scenario& scenario,
                PolicySpec& policy) {
  value.OnlyKeys({"name", "label", "plan"});
  policy.decided = Within(plan, [&] {
    return std::make_shared<Decisions>(ReadPlanDecisions(FileToRead(plan.Name(), scenario.file), scenario));
  });
  policy.granularity = policy.decided->granularity;
}

std::vector<std::string_view> KeysOf(const PolicyDeclaration& declaration) {
  std::vector<std::string_view> keys = {"name", "label"};
  if (declaration.takes_granularity) keys.push_back("granularity");
  if (declaration.keys.fields) {
    for (const std::string_view key : declaration.keys.fields().Keys()) keys.push_back(key);
  }
  if (declaration.takes_plan) keys.push_back("plan");
  return keys;
}

void ReadOwnKeys(const JsonReader& value, const Scenario& scenario, PolicySpec& policy) {
  const Context outer = Context::Of(scenario);
  const auto read = policy.declaration->keys.read;
  if (read) policy.parameters = read(value, Context::Of(policy.granularity, &outer));
}

// Of an object's name, which may be the short form of a name alone: "single:gpu".
std::string WhyNoName(std::string_view name) {
  const std::size_t colon = name.find(':');
  const PolicyDeclaration* const meant = FindPolicy(name.substr(0, colon));
  if (colon == std::string_view::npos || !meant || meant->short_key.empty()) return UnknownPolicy(name);
  return "in an object nothing stands behind a colon: " + Quoted("name") + ": " + Quoted(meant->name) + ", " +
         Quoted(meant->short_key) + ": " + Quoted(name.substr(colon + 1));
}

// Of a policy that is written as an object, whose keys are its own.
const PolicyDeclaration& DeclarationOf(const JsonReader& value) {
  const JsonReader name = value.Get("name");
  const PolicyDeclaration* const declaration = FindPolicy(name.String());
  if (!declaration) name.Fail(WhyNoName(name.String()));
  const AnyFields* const own = declaration->keys.fields ? &declaration->keys.fields() : nullptr;
  value.OnlyKeys(KeysOf(*declaration), own ? own->OtherSpellings() : std::vector<std::string_view>());
  return *declaration;
}

PolicySpec ReadObject(const JsonReader& value, const Scenario& scenario) {
  PolicySpec policy;
  policy.declaration = &DeclarationOf(value);
  const auto label = value.Find("label");
  policy.label = label ? label->Name() : std::string(policy.declaration->name);
  policy.granularity = policy.declaration->default_granularity;
  if (const auto granularity = value.Find("granularity")) {
    policy.granularity = granularity->OneOf(kGranularityNames, "granularity");
  }
  if (const auto plan = value.Find("plan")) {
    FollowPlan(value, *plan, scenario, policy);
  } else {
    ReadOwnKeys(value, scenario, policy);
  }
  return policy;
}

// The keys that the short form gives; what is wrong with one is wrong with the name.
void ReadShortForm(const JsonObject& keys, const Scenario& scenario, const std::string& place,
                   PolicySpec& policy) {
  try {
    const JsonDocument document = JsonDocument::Parse(keys.Text(), place);
    ReadOwnKeys(document.root(), scenario, policy);
  } catch (const InputError& error) {
    const std::string_view what = error.what();
    const std::string at_key = place + ":/" + std::string(policy.declaration->short_key);
    if (!what.starts_with(at_key + ": ")) throw;
    throw InputError(place + std::string(what.substr(at_key.size())));
  }
}

}  // namespace

std::string UnknownPolicy(std::string_view name) {
  std::vector<std::string_view> known;
  for (const PolicyDeclaration& policy : Policies()) known.push_back(policy.name);
  return "unknown policy " + Quoted(name) +
         Suggestion(name, std::span<const std::string_view>(known), "tandem policies list");
}

PolicyRegistration::PolicyRegistration(PolicyDeclaration declaration) {
  const auto later = [](const PolicyDeclaration& a, const PolicyDeclaration& b) { return a.name < b.name; };
  auto& registry = Registry();
  registry.insert(std::upper_bound(registry.begin(), registry.end(), declaration, later), declaration);
}

const std::vector<PolicyDeclaration>& Policies() { return Registry(); }

const PolicyDeclaration* FindPolicy(std::string_view name) {
  for (const PolicyDeclaration& policy : Policies()) {
    if (policy.name == name) return &policy;
  }
  return nullptr;
}

const PolicyDeclaration& BaselinePolicy() {
  const auto found = std::find_if(Registry().begin(), Registry().end(), [](const PolicyDeclaration& policy) {
    return policy.role == PolicyRole::kBaseline;
  });
  TANDEM_CHECK(found != Registry().end(), "one policy is the baseline");
  return *found;
}

void JudgePolicyName(const JsonReader& value) {
  if (!value.IsString()) {
    DeclarationOf(value);
    return;
  }
  const std::string_view written = value.String(), name = written.substr(0, written.find(':'));
  if (!FindPolicy(written) && !FindPolicy(name)) value.Fail(UnknownPolicy(name));
}

PolicySpec ReadPolicy(const JsonReader& value, const Scenario& scenario) {
  return value.IsString() ? ReadBareName(value, scenario) : ReadObject(value, scenario);
}

PolicySpec PolicyByName(std::string_view name, const Scenario& scenario, const std::string& place) {
  PolicySpec policy;
  policy.declaration = FindPolicy(name);
  JsonObject keys;
  const std::size_t colon = name.find(':');
  if (!policy.declaration && colon != std::string_view::npos) {
    policy.declaration = FindPolicy(name.substr(0, colon));
    if (policy.declaration && policy.declaration->short_key.empty()) {
      throw InputError(place + ": policy " + Quoted(policy.declaration->name) +
                       " takes nothing behind a colon");
    }
    if (policy.declaration) keys.AddString(policy.declaration->short_key, name.substr(colon + 1));
  }
  if (!policy.declaration) throw InputError(place + ": " + UnknownPolicy(name.substr(0, colon)));
  policy.label = name;
  policy.granularity = policy.declaration->default_granularity;
  ReadShortForm(keys, scenario, place, policy);
  return policy;
}

std::string PolicyJson(const PolicySpec& policy, const Scenario& scenario) {
  const PolicyDeclaration& declaration = *policy.declaration;
  JsonObject json;
  json.AddString("name", declaration.name);
  if (policy.label != declaration.name) json.AddString("label", policy.label);
  if (declaration.takes_granularity) {
    json.AddString("granularity", NameOf(kGranularityNames, policy.granularity));
  }
  const Context outer = Context::Of(scenario);
  if (policy.parameters) {
    declaration.keys.write(*policy.parameters, json, Context::Of(policy.granularity, &outer));
  }
  return json.Text();
}

}  // namespace tandem
