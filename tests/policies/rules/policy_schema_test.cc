// Does the schema that editors get say of every registered policy what its reader takes?
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "profiles/base/input_error.h"
#include "scenarios/scenario/policy_spec.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

class PolicySchemas : public testing::Test {
 protected:
  // The node of the policy written as an object.
  const Json& ObjectOf(std::string_view policy) const {
    for (const Json& node : schema_.at("anyOf")) {
      if (node.contains("properties") && node["properties"]["name"]["const"] == policy) return node;
    }
    throw std::out_of_range(std::string(policy));
  }
  // Those that a name alone says all of.
  std::set<std::string> Bare() const { return schema_.at("anyOf").at(0).at("enum"); }

  SchemaDefs defs_;
  Json schema_ = Json::parse(PolicySchema(defs_).Text());
};

TEST_F(PolicySchemas, HaveEveryPolicyWithAllItsKeysExplained) {
  for (const PolicyDeclaration& policy : Policies()) {
    const Json& node = ObjectOf(policy.name);
    EXPECT_EQ(node["additionalProperties"], false);
    EXPECT_EQ(node["properties"].contains("granularity"), policy.takes_granularity) << policy.name;
    if (!policy.keys.fields) continue;
    for (const std::string_view key : policy.keys.fields().Keys()) {
      EXPECT_NE(node["properties"].at(std::string(key)).value("description", ""), "")
          << policy.name << " " << key;
    }
  }
}

TEST_F(PolicySchemas, TakeANameAloneWhereTheReaderDoes) {
  SmallScenario board({1});
  board.AddStream(board.AddModel({{1}}), 1);
  const Scenario scenario = board.Build();
  int refused = 0;
  for (const PolicyDeclaration& policy : Policies()) {
    bool taken = true;
    try {
      PolicyByName(policy.name, scenario, "test");
    } catch (const InputError&) {
      taken = false;
      ++refused;
    }
    EXPECT_EQ(Bare().count(std::string(policy.name)) != 0, taken) << policy.name;
  }
  EXPECT_EQ(refused, 2);  // given and single
}

TEST_F(PolicySchemas, SayRangesDefaultsAndShortForms) {
  const Json& eft = ObjectOf("eft")["properties"];
  EXPECT_EQ(eft["order"]["enum"], Json({"request", "chain", "mixed"}));
  EXPECT_EQ(eft["order"]["default"], "request");
  EXPECT_EQ(eft["price"]["maximum"], 100);
  EXPECT_EQ(ObjectOf("layer_type")["properties"]["granularity"]["default"], "layer");
  EXPECT_EQ(ObjectOf("single")["required"], Json({"name", "unit"}));
  EXPECT_EQ(ObjectOf("given")["oneOf"].size(), 2U);  // a map or a plan
  const Json single = {{"type", "string"}, {"pattern", "^single:."}};
  const Json& all = schema_.at("anyOf");
  EXPECT_NE(std::find(all.begin(), all.end(), single), all.end());
}

}  // namespace
}  // namespace tandem
