#include "profiles/costs/backend.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "profiles/base/check.h"
#include "profiles/base/json_write.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

// Filled before main by the declarations.
std::vector<const BackendDeclaration*>& Registry() {
  static std::vector<const BackendDeclaration*> registry;
  return registry;
}

using Use = KeyUse BackendDeclaration::*;
constexpr std::array<std::pair<const char*, Use>, 3> kKeys = {{{"cores", &BackendDeclaration::cores},
                                                               {"device", &BackendDeclaration::device},
                                                               {"command", &BackendDeclaration::command}}};

std::string UnitOf(const BackendDeclaration& backend) {
  return "\"backend\": \"" + std::string(backend.name) + "\"";
}

// `"backend": "cuda" or "backend": "npu"`: those whose units may have the key.
std::string UnitsThatHave(Use key) {
  std::string text;
  for (const BackendDeclaration* backend : DeclaredBackends()) {
    if (backend->*key != KeyUse::kRefused) text += (text.empty() ? "" : " or ") + UnitOf(*backend);
  }
  return text;
}

std::string WhyRefused(Use key, const BackendDeclaration* backend) {
  if (key == &BackendDeclaration::cores) return "a unit with " + UnitOf(*backend) + " has no cores";
  const std::string only = "only a unit with " + UnitsThatHave(key);
  return key == &BackendDeclaration::device ? only + ", or without any, has a device"
                                            : only + " has this key";
}

KeyUse UseOf(Use key, const BackendDeclaration* backend) {
  if (backend != nullptr) return backend->*key;
  return key == &BackendDeclaration::command ? KeyUse::kRefused : KeyUse::kAllowed;
}

// {"if": IF, "then": {...}}: of units for which IF is true, the keys that they need and those that they have
// not.
std::string RuleSchema(const JsonObject& units, const BackendDeclaration* backend) {
  std::vector<std::string> needed;
  JsonObject refused;
  for (const auto& [key, use] : kKeys) {
    if (UseOf(use, backend) == KeyUse::kNeeded) needed.emplace_back(key);
    if (UseOf(use, backend) == KeyUse::kRefused) refused.Add(key, "false");
  }
  JsonObject rule;
  rule.Add("required", JsonStrings(needed)).Add("properties", refused.Text());
  return JsonObject().Add("if", units.Text()).Add("then", rule.Text()).Text();
}

}  // namespace

BackendDeclared::BackendDeclared(BackendDeclaration declaration) {
  static std::vector<std::unique_ptr<const BackendDeclaration>> kept;
  auto& registry = Registry();
  const auto after = [](std::string_view name, const BackendDeclaration* other) {
    return name < other->name;
  };
  const auto at = std::upper_bound(registry.begin(), registry.end(), declaration.name, after);
  TANDEM_CHECK(at == registry.begin() || at[-1]->name != declaration.name, "a backend is declared once");
  kept.push_back(std::make_unique<const BackendDeclaration>(std::move(declaration)));
  registry.insert(at, kept.back().get());
}

const std::vector<const BackendDeclaration*>& DeclaredBackends() { return Registry(); }

const BackendDeclaration& DeclaredBackend(std::string_view name) {
  const auto& all = DeclaredBackends();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const BackendDeclaration* backend) { return backend->name == name; });
  TANDEM_CHECK(found != all.end(), "a backend is declared in its about.cc");
  return **found;
}

const BackendDeclaration& DeclaredBackendThat(bool (*is)(const BackendDeclaration&)) {
  const auto& all = DeclaredBackends();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const BackendDeclaration* backend) { return is(*backend); });
  TANDEM_CHECK(found != all.end(), "some backend is of every kind that is asked for");
  return **found;
}

const BackendDeclaration* ReadBackendName(const JsonReader& value) {
  const std::string_view word = value.String();
  std::vector<std::string_view> known;
  for (const BackendDeclaration* backend : DeclaredBackends()) {
    if (backend->name == word) return backend;
    known.push_back(backend->name);
  }
  value.Fail("unknown backend " + Quoted(word) + Suggestion(word, std::span<const std::string_view>(known)));
}

void CheckBackendKeys(const JsonReader& unit, const BackendDeclaration* backend) {
  for (const auto& [key, use] : kKeys) {
    if (UseOf(use, backend) != KeyUse::kNeeded || unit.Find(key)) continue;
    unit.Fail("the key \"" + std::string(key) + "\" is missing, which the backend " +
              std::string(backend->name) + " needs");
  }
  for (const auto& [key, use] : kKeys) {
    if (UseOf(use, backend) != KeyUse::kRefused) continue;
    if (const auto value = unit.Find(key)) value->Fail(WhyRefused(use, backend));
  }
}

std::string BackendKeysSchema() {
  const std::string named = R"(["backend"])";
  std::string rules =
      RuleSchema(JsonObject().Add("not", JsonObject().Add("required", named).Text()), nullptr);
  for (const BackendDeclaration* backend : DeclaredBackends()) {
    JsonObject name;
    name.Add("backend", JsonObject().AddString("const", backend->name).Text());
    rules += ", " + RuleSchema(JsonObject().Add("properties", name.Text()).Add("required", named), backend);
  }
  return JsonObject().Add("allOf", "[" + rules + "]").Text();
}

}  // namespace tandem
