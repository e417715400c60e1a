// What a scenario may write for a policy, for editors: from what the policies declare.
#include "profiles/base/codecs.h"
#include "scenarios/scenario/policy_spec.h"

namespace tandem {
namespace {

std::string List(const std::vector<std::string>& nodes) {
  std::string list;
  for (const std::string& node : nodes) list += (list.empty() ? "" : ", ") + node;
  return "[" + list + "]";
}

// Everything that may stand in the object.
struct PolicyNode {
  std::vector<std::string> required, rules;
  SchemaNode properties;
};

PolicyNode NodeOf(const PolicyDeclaration& policy, SchemaDefs& defs) {
  PolicyNode node;
  const std::string name = as::Name()->Schema(defs).Text();
  node.properties.Add("name", SchemaNode().AddString("const", policy.name).Text()).Add("label", name);
  if (policy.takes_granularity) {
    SchemaNode granularity = as::OneOf(kGranularityNames, "granularity")->Schema(defs);
    granularity.AddString("default", NameOf(kGranularityNames, policy.default_granularity));
    node.properties.Add("granularity", granularity.Text());
  }
  if (policy.keys.fields) policy.keys.fields().AddToSchema(defs, node.required, node.properties, node.rules);
  if (policy.takes_plan) node.properties.Add("plan", name);
  return node;
}

// A plan leaves nothing else to say but the label.
std::string PlanRule(const PolicyDeclaration& policy, const std::vector<std::string>& required) {
  std::vector<std::string> others = {R"({"required": ["granularity"]})"};
  for (const std::string_view key : policy.keys.fields().Keys()) {
    others.push_back(SchemaNode().Add("required", "[" + JsonString(key) + "]").Text());
  }
  SchemaNode own, plan;
  own.Add("required", List(required)).Add("not", R"({"required": ["plan"]})");
  plan.Add("required", R"(["plan"])").Add("not", SchemaNode().Add("anyOf", List(others)).Text());
  return List({own.Text(), plan.Text()});
}

std::string ObjectNode(const PolicyDeclaration& policy, PolicyNode node) {
  SchemaNode object(R"("type": "object")");
  std::vector<std::string> required = {R"("name")"};
  if (!policy.takes_plan) required.insert(required.end(), node.required.begin(), node.required.end());
  object.AddString("description", policy.summary).Add("required", List(required));
  object.Add("additionalProperties", "false").Add("properties", node.properties.Text());
  if (policy.takes_plan) object.Add("oneOf", PlanRule(policy, node.required));
  if (!node.rules.empty()) object.Add("allOf", List(node.rules));
  return object.Text();
}

}  // namespace

SchemaNode PolicySchema(SchemaDefs& defs) {
  std::vector<std::string_view> bare;
  std::vector<std::string> nodes, objects;
  for (const PolicyDeclaration& policy : Policies()) {
    const PolicyNode node = NodeOf(policy, defs);
    if (node.required.empty()) bare.push_back(policy.name);
    if (!policy.short_key.empty()) {
      nodes.push_back(SchemaNode(R"("type": "string")")
                          .AddString("pattern", "^" + std::string(policy.name) + ":.")
                          .Text());
    }
    objects.push_back(ObjectNode(policy, node));
  }
  nodes.insert(nodes.begin(), as::EnumSchema(bare).Text());
  nodes.insert(nodes.end(), objects.begin(), objects.end());
  return SchemaNode(R"("title": "policy")").Add("anyOf", List(nodes));
}

}  // namespace tandem
