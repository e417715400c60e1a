#include "profiles/base/file_kinds.h"

#include <nlohmann/json.hpp>

#include "profiles/base/input_error.h"
#include "profiles/base/json_output.h"

namespace tandem {
namespace {

// Filled before main by the registrations.
std::vector<FileKindDeclaration>& Registry() {
  static std::vector<FileKindDeclaration> registry;
  return registry;
}

const FileKindDeclaration* FindKind(std::string_view kind) {
  for (const FileKindDeclaration& known : FileKinds()) {
    if (known.kind == kind) return &known;
  }
  return nullptr;
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

std::string WithReferences(const std::string& text, const std::string& file) {
  constexpr std::string_view kOpening = "<!-- keys of ", kClosing = " -->\n", kEnd = "<!-- end -->";
  std::string result;
  std::size_t at = 0;
  for (std::size_t opening; (opening = text.find(kOpening, at)) != std::string::npos;) {
    const std::size_t name = opening + kOpening.size();
    const std::size_t close = text.find(kClosing, name);
    const std::size_t end = text.find(kEnd, name);
    if (close == std::string::npos || end == std::string::npos) {
      throw InputError(file + ": the table of keys that begins with " + Quoted(text.substr(opening, 40)) +
                       " does not end");
    }
    const FileKindDeclaration* const kind = FindKind(text.substr(name, close - name));
    if (!kind)
      throw InputError(file + ": there is no kind of file " + Quoted(text.substr(name, close - name)));
    result += text.substr(at, close + kClosing.size() - at) + ReferenceText(*kind);
    at = end;
  }
  return result + text.substr(at);
}

}  // namespace tandem
