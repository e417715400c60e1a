// The reference of a kind of file: what its JSON Schema says, for people.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "profiles/base/file_kinds.h"
#include "profiles/base/joined.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kTooLargeToTell = 1e9;  // bounds that keep arithmetic exact, not what anybody runs into

std::string Code(const Json& value) {
  return "`" + (value.is_string() ? value.get<std::string>() : value.dump()) + "`";
}

class Reference {
 public:
  explicit Reference(const Json& schema) : schema_(schema) {}

  std::string Text() {
    AddKeys(schema_, "");
    return "| key | takes | |\n|---|---|---|\n" + rows_;
  }

 private:
  // "plan.schema.json": a kind of its own.
  static bool IsOtherFile(std::string_view ref) { return ref.ends_with(".schema.json"); }

  // Siblings of a "$ref" say more about the same value.
  const Json& Resolved(const Json& node) const {
    const auto ref = node.find("$ref");
    if (ref == node.end() || IsOtherFile(ref->get_ref<const std::string&>())) return node;
    const std::string place = ref->get<std::string>();
    return Resolved(schema_.at(Json::json_pointer(place.substr(place.find('#') + 1))));
  }

  static std::string Range(const Json& node) {
    const auto bound = [&](const char* key) -> const Json* {
      const auto found = node.find(key);
      const bool tells = found != node.end() && std::abs(found->get<double>()) < kTooLargeToTell;
      return tells ? &*found : nullptr;
    };
    const Json* const least = bound("minimum");
    const Json* const most = bound("maximum");
    std::string text;
    if (least && most) return ", " + least->dump() + " to " + most->dump();
    if (least) text += ", at least " + least->dump();
    if (const Json* const above = bound("exclusiveMinimum")) text += ", above " + above->dump();
    if (const Json* const below = bound("exclusiveMaximum")) text += ", below " + below->dump();
    if (most) text += ", at most " + most->dump();
    return text;
  }

  std::string ListWords(const Json& node) const {
    const std::string least = node.contains("minItems") && node["minItems"] > 0 ? ", not empty" : "";
    return "list of " + Words(node.at("items")) + least;
  }

  std::string ObjectWords(const Json& node) const {
    if (node.contains("properties") && node["properties"].contains("tandem")) {
      return Code(node["properties"]["tandem"].at("const"));
    }
    const auto values = node.find("additionalProperties");
    if (values == node.end() || !values->is_object()) return "object";
    return "object of any keys, each " + Words(*values);
  }

  std::string Words(const Json& given) const {
    const std::string ref = given.value("$ref", "");
    if (ref.ends_with("#/$defs/name")) return "name";
    if (IsOtherFile(ref)) return Code(ref.substr(0, ref.find('.')) + "/1");
    const Json& node = Resolved(given);
    if (node.contains("title")) return node["title"];
    if (node.contains("const")) return Code(node["const"]);
    if (node.contains("enum")) {
      std::vector<std::string> words;
      for (const Json& word : node["enum"]) words.push_back(Code(word));
      return Joined(words, ", ");
    }
    for (const char* several : {"anyOf", "oneOf"}) {
      if (!node.contains(several) || node.contains("type")) continue;
      std::vector<std::string> words;
      for (const Json& one : node[several]) {
        std::string takes = Words(one);
        if (std::find(words.begin(), words.end(), takes) == words.end()) words.push_back(std::move(takes));
      }
      return Joined(words, " or ");
    }
    const auto type = node.find("type");
    if (type == node.end()) return "any value";
    if (type->is_string()) return TypeWords(node, type->get<std::string>());
    std::vector<std::string> words;
    for (const Json& one : *type) words.push_back(TypeWords(node, one.get<std::string>()));
    return Joined(words, " or ");
  }

  std::string TypeWords(const Json& node, const std::string& type) const {
    if (type == "array") return ListWords(node);
    if (type == "object") return ObjectWords(node);
    if (type == "boolean") return "true or false";
    if (type == "string") return "text";
    return type + Range(node);
  }

  // The object whose keys are told below the row of `node`, and how its place is written.
  void AddInside(const Json& node, const std::string& path) {
    const std::string ref = node.value("$ref", "");
    if (IsOtherFile(ref)) return;
    const Json& inside = Resolved(node);
    if (inside.contains("title")) return;  // told elsewhere
    if (inside.contains("properties")) {
      if (inside["properties"].contains("tandem")) return;  // a file's kind of its own
      if (!ref.empty() && !told_.insert(ref).second) return;
      AddKeys(inside, path + ".");
      for (const Json& kind : inside.value("oneOf", Json::array())) {  // of the same object
        if (kind.contains("properties")) AddKeys(kind, path + ".");
      }
      return;
    }
    if (inside.contains("items")) AddInside(inside["items"], path + "[]");
    for (const char* several : {"anyOf", "oneOf"}) {
      if (!inside.contains(several)) continue;
      for (const Json& one : inside[several]) AddInside(one, path);
    }
    const auto values = inside.find("additionalProperties");
    if (values != inside.end() && values->is_object()) AddInside(*values, path + ".*");
  }

  void AddKeys(const Json& object, const std::string& prefix) {
    std::set<std::string> needed;
    if (object.contains("required")) needed = object["required"].get<std::set<std::string>>();
    for (const auto& [key, node] : object.at("properties").items()) {
      const std::string comment = node.value("$comment", "");
      if (comment == kOtherUnit) continue;
      std::string takes = Words(node);
      if (needed.count(key) == 0 && comment != kNeededInSomeUnit) {
        takes += node.contains("default") ? "; " + Code(node["default"]) + " where absent" : "; optional";
      }
      std::string help = node.value("description", "");
      if (help.empty()) help = Resolved(node).value("description", "");
      rows_ += "| `" + prefix + key + "` | " + takes + " | " + help + " |\n";
      AddInside(node, prefix + key);
    }
  }

  const Json& schema_;
  std::set<std::string> told_;
  std::string rows_;
};

}  // namespace

std::string ReferenceText(const FileKindDeclaration& kind) {
  const Json schema = Json::parse(SchemaText(kind));
  return Reference(schema).Text();
}

}  // namespace tandem
