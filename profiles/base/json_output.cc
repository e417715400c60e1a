#include "profiles/base/json_output.h"

#include <nlohmann/json.hpp>

#include "profiles/base/json_write.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLineWidth = 140;
constexpr std::size_t kIndent = 2;

// `key` is the text that stands before the value on its line, as `"name": `.
std::string OneLine(const Json& value) {
  std::string line;
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      line += (line.empty() ? "" : ", ") + JsonString(key) + ": " + OneLine(member);
    }
    return "{" + line + "}";
  }
  if (value.is_array()) {
    for (const Json& element : value) line += (line.empty() ? "" : ", ") + OneLine(element);
    return "[" + line + "]";
  }
  return value.is_string() ? JsonString(value.get_ref<const std::string&>()) : value.dump();
}

void Append(std::string& text, const Json& value, std::size_t indent, std::size_t used) {
  const std::string line = OneLine(value);
  if (!value.is_structured() || value.empty() || used + line.size() <= kLineWidth) {
    text += line;
    return;
  }
  const std::string margin = "\n" + std::string(indent + kIndent, ' ');
  const bool object = value.is_object();
  text += object ? '{' : '[';
  bool first = true;
  for (const auto& [name, member] : value.items()) {
    const std::string key = object ? JsonString(name) + ": " : "";
    text += (first ? "" : ",") + margin + key;
    Append(text, member, indent + kIndent, indent + kIndent + key.size() + 1);
    first = false;
  }
  text += "\n" + std::string(indent, ' ') + (object ? '}' : ']');
}

}  // namespace

std::string JsonOutput(const Json& value) {
  std::string text;
  Append(text, value, 0, 0);
  return text + "\n";
}

}  // namespace tandem
