#include "profiles/base/file_kinds.h"

#include <nlohmann/json.hpp>

#include "profiles/base/json_output.h"

namespace tandem {
namespace {

// Filled before main by the registrations.
std::vector<FileKindDeclaration>& Registry() {
  static std::vector<FileKindDeclaration> registry;
  return registry;
}

// What stands between the quotes behind the first key "tandem" of the text; empty where there is none.
std::string_view KindAtFront(std::string_view text) {
  constexpr std::string_view kKey = "\"tandem\"";
  const std::size_t key = text.find(kKey);
  if (key == std::string_view::npos) return {};
  const std::size_t colon = text.find_first_not_of(" \t\r\n", key + kKey.size());
  if (colon == std::string_view::npos || text[colon] != ':') return {};
  const std::size_t quote = text.find_first_not_of(" \t\r\n", colon + 1);
  if (quote == std::string_view::npos || text[quote] != '"') return {};
  const std::size_t end = text.find('"', quote + 1);
  return end == std::string_view::npos ? std::string_view() : text.substr(quote + 1, end - quote - 1);
}

}  // namespace

SizeLimit JsonLimit(std::string_view beginning) {
  const std::string_view found = KindAtFront(beginning);
  for (const FileKindDeclaration& kind : FileKinds()) {
    if (kind.kind == found) return {kind.largest, " of a " + std::string(found)};
  }
  return {FileKindDeclaration().largest, " of a file that does not begin with its kind"};
}

FileKindRegistration::FileKindRegistration(FileKindDeclaration declaration) {
  const auto later = [](const auto& a, const auto& b) { return a.kind < b.kind; };
  auto& registry = Registry();
  registry.insert(std::upper_bound(registry.begin(), registry.end(), declaration, later), declaration);
}

const std::vector<FileKindDeclaration>& FileKinds() { return Registry(); }

std::string Counted(std::int64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many.empty() ? one + "s" : many);
}

std::string SchemaText(const FileKindDeclaration& kind) {
  const AnyFields& fields = kind.fields();
  const std::string id = std::string(kind.Name()) + ".schema.json";
  SchemaDefs defs(id);
  const std::string members = fields.WholeSchema(defs, false).Text();
  nlohmann::ordered_json schema = {
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"$id", id},
      {"title", "tandem " + std::string(kind.Name()) + ": " + std::string(fields.help())}};
  schema.update(nlohmann::ordered_json::parse(members));
  schema["$defs"] = nlohmann::ordered_json::parse(defs.Text());
  return JsonOutput(schema);
}

}  // namespace tandem
