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

}  // namespace

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
