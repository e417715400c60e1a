#include "sim/questions/json_shape.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "profiles/base/file_kinds.h"

namespace tandem {
namespace {

using Schema = nlohmann::ordered_json;

const Schema& ScenarioSchema() {
  static const Schema schema = [] {
    for (const FileKindDeclaration& kind : FileKinds()) {
      if (kind.Name() == "scenario") return Schema::parse(SchemaText(kind));
    }
    return Schema();
  }();
  return schema;
}

// Does the member of that key say that the object is of another alternative?
bool Contradicts(const Schema& node, const nlohmann::json& value) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  if (node.contains("const")) return node["const"] != text;
  if (!node.contains("enum")) return false;
  return std::none_of(node["enum"].begin(), node["enum"].end(),
                      [&](const Schema& word) { return word == text; });
}

bool Fits(const Schema& node, const nlohmann::json& object) {
  for (const auto& [key, value] : object.items()) {
    const auto known = node["properties"].find(key);
    if (known != node["properties"].end() && Contradicts(*known, value)) return false;
  }
  return true;
}

}  // namespace

JsonShape JsonShape::OfScenario() { return JsonShape(ScenarioSchema()); }

void JsonShape::Add(const nlohmann::ordered_json& node) {
  if (node.contains("$ref")) {
    const auto& ref = node["$ref"].get_ref<const std::string&>();
    return Add(ScenarioSchema()["$defs"][ref.substr(ref.rfind('/') + 1)]);
  }
  nodes_.push_back(&node);
  for (const char* all : {"anyOf", "oneOf", "allOf"}) {
    if (!node.contains(all)) continue;
    for (const auto& inside : node[all]) Add(inside);
  }
}

std::vector<std::string> JsonShape::Keys(const nlohmann::json& object, bool spellings) const {
  std::vector<std::string> keys;
  for (const auto* node : nodes_) {
    if (!node->contains("properties") || !Fits(*node, object)) continue;
    for (const auto& [key, member] : (*node)["properties"].items()) {
      const bool other_unit = member.value("$comment", "") == "in another unit";
      if ((spellings || !other_unit) && std::find(keys.begin(), keys.end(), key) == keys.end()) {
        keys.push_back(key);
      }
    }
  }
  return keys;
}

JsonShape JsonShape::Member(const std::string& key, const nlohmann::json& object) const {
  JsonShape member;
  for (const auto* node : nodes_) {
    if (node->contains("properties") && (*node)["properties"].contains(key)) {
      if (Fits(*node, object)) member.Add((*node)["properties"][key]);
    } else if (node->contains("additionalProperties") && (*node)["additionalProperties"].is_object()) {
      member.Add((*node)["additionalProperties"]);
    }
  }
  return member;
}

bool JsonShape::TakesAnyKey() const {
  return std::any_of(nodes_.begin(), nodes_.end(), [](const auto* node) {
    return node->contains("additionalProperties") && (*node)["additionalProperties"].is_object();
  });
}

JsonShape JsonShape::Element() const {
  JsonShape element;
  for (const auto* node : nodes_) {
    if (node->contains("items")) element.Add((*node)["items"]);
  }
  return element;
}

bool JsonShape::Is(std::string_view type) const {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [&](const auto* node) { return node->value("type", "") == type; });
}

std::optional<double> JsonShape::Standard() const {
  for (const auto* node : nodes_) {
    const auto standard = node->find("default");
    if (standard != node->end() && standard->is_number()) return standard->get<double>();
  }
  return std::nullopt;
}

}  // namespace tandem
