#include "sim/study/policy_list.h"

#include <nlohmann/json.hpp>

#include "profiles/base/table.h"
#include "scenarios/scenario/policy_spec.h"

namespace tandem {
namespace {

std::string KeysOf(const PolicyDeclaration& policy, const std::string& quote) {
  std::string keys;
  for (const std::string_view key : policy.keys) {
    keys += (keys.empty() ? "" : ", ") + quote + std::string(key) + quote;
  }
  return keys;
}

std::string GranularityOf(const PolicyDeclaration& policy) {
  return policy.takes_granularity ? std::string(NameOf(kGranularityNames, policy.default_granularity)) : "";
}

}  // namespace

std::string PolicyTable(std::size_t width) {
  Table table({{"policy"}, {"granularity"}, {"keys"}, {"rule", false, false, true}});
  for (const PolicyDeclaration& policy : Policies()) {
    table.Add({std::string(policy.name), GranularityOf(policy), KeysOf(policy, ""),
               (policy.clairvoyant ? "clairvoyant: " : "") + std::string(policy.summary)});
  }
  return table.Text(width);
}

nlohmann::ordered_json PoliciesJson() {
  auto list = nlohmann::ordered_json::array();
  for (const PolicyDeclaration& policy : Policies()) {
    list.push_back({{"name", policy.name},
                    {"rule", policy.summary},
                    {"sees", policy.clairvoyant ? "all arrivals" : "what has been released"},
                    {"granularity", nullptr},
                    {"keys", policy.keys}});
    if (policy.takes_granularity) list.back()["granularity"] = GranularityOf(policy);
  }
  return list;
}

std::string PoliciesMarkdown() {
  std::string text = "| policy | rule | granularity | keys |\n|---|---|---|---|\n";
  for (const PolicyDeclaration& policy : Policies()) {
    text += "| `" + std::string(policy.name) + "` | " + (policy.clairvoyant ? "clairvoyant: " : "") +
            std::string(policy.summary) + " | " + GranularityOf(policy) + " | " + KeysOf(policy, "`") +
            " |\n";
  }
  return text;
}

}  // namespace tandem
