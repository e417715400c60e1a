#include "sim/study/policy_list.h"

#include <nlohmann/json.hpp>

#include "profiles/base/table.h"
#include "scenarios/scenario/policy_spec.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

// Its own keys, as a schema describes them.
Json KeysOf(const PolicyDeclaration& policy) {
  SchemaDefs defs;
  std::vector<std::string> required, rules;
  SchemaNode keys;
  if (policy.keys.fields) policy.keys.fields().AddToSchema(defs, required, keys, rules);
  Json json = Json::object();
  const Json described = Json::parse(keys.Text());
  for (const auto& [key, node] : described.items()) {
    if (node.value("$comment", "") != kOtherUnit) json[key] = node;
  }
  if (policy.takes_plan) json["plan"] = {{"description", "a plan file, which decides instead"}};
  return json;
}

std::string Names(const Json& keys) {
  std::string names;
  for (const auto& [key, node] : keys.items()) names += (names.empty() ? "" : ", ") + key;
  return names;
}

std::string Described(const Json& keys) {
  std::string text;
  for (const auto& [key, node] : keys.items()) {
    text += (text.empty() ? "`" : "<br>`") + key + "`: " + node.value("description", "");
    if (!node.contains("default")) continue;
    const Json& standard = node["default"];
    text +=
        " (`" + (standard.is_string() ? standard.get<std::string>() : standard.dump()) + "` where absent)";
  }
  return text;
}

std::string GranularityOf(const PolicyDeclaration& policy) {
  return policy.takes_granularity ? std::string(NameOf(kGranularityNames, policy.default_granularity)) : "";
}

}  // namespace

std::string PolicyTable(std::size_t width) {
  Table table({{"policy"}, {"granularity"}, {"keys"}, {"rule", false, false, true, 40}});
  for (const PolicyDeclaration& policy : Policies()) {
    table.Add({std::string(policy.name), GranularityOf(policy), Names(KeysOf(policy)),
               (policy.clairvoyant ? "clairvoyant: " : "") + std::string(policy.summary)});
  }
  return table.Text(width);
}

nlohmann::ordered_json PoliciesJson() {
  Json list = Json::array();
  for (const PolicyDeclaration& policy : Policies()) {
    list.push_back({{"name", policy.name},
                    {"rule", policy.summary},
                    {"sees", policy.clairvoyant ? "all arrivals" : "what has been released"},
                    {"granularity", nullptr},
                    {"keys", KeysOf(policy)}});
    if (policy.takes_granularity) list.back()["granularity"] = GranularityOf(policy);
  }
  return list;
}

std::string PoliciesMarkdown() {
  std::string text = "| policy | rule | granularity | keys |\n|---|---|---|---|\n";
  for (const PolicyDeclaration& policy : Policies()) {
    text += "| `" + std::string(policy.name) + "` | " + (policy.clairvoyant ? "clairvoyant: " : "") +
            std::string(policy.summary) + " | " + GranularityOf(policy) + " | " + Described(KeysOf(policy)) +
            " |\n";
  }
  return text;
}

}  // namespace tandem
