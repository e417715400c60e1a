// tandem schema KIND

#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/table.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"
#include "profiles/program/program.h"

namespace tandem::schema {
namespace {

namespace fs = std::filesystem;

struct SchemaArguments {
  std::string kind, all;
  bool reference = false, force = false;
};

const FileKindDeclaration& KindOfName(const std::string& name) {
  std::vector<std::string> known;
  for (const FileKindDeclaration& kind : FileKinds()) {
    if (kind.kind == name || kind.Name() == name) return kind;
    known.emplace_back(kind.Name());
  }
  throw InputError("there is no kind of file " + Quoted(name) + Suggestion(name, known, "tandem schema"));
}

bool BeginsAsOurs(std::string_view head) {
  return head.find("\"title\": \"tandem ") != std::string_view::npos;
}

void WriteAll(const fs::path& folder, bool force) {
  const auto file = [&](const FileKindDeclaration& kind) {
    return folder / (std::string(kind.Name()) + ".schema.json");
  };
  std::vector<Output> files;
  for (const FileKindDeclaration& kind : FileKinds()) {
    files.push_back({"--all", file(kind), {"a schema", BeginsAsOurs}});
  }
  const Outputs outputs(std::move(files), force, false);
  fs::create_directories(folder);
  for (const FileKindDeclaration& kind : FileKinds()) WriteFile(file(kind), SchemaText(kind));
}

int Schema(const SchemaArguments& arguments) {
  if (!arguments.all.empty()) {
    WriteAll(arguments.all, arguments.force);
    return kExitDone;
  }
  if (arguments.kind.empty()) {
    Table table({{"kind"}, {"what it is", false, false, true}});
    for (const FileKindDeclaration& kind : FileKinds()) {
      table.Add({std::string(kind.Name()), std::string(kind.fields().help())});
    }
    WriteOutput(table.Text(OutputWidth()));
    return kExitDone;
  }
  const FileKindDeclaration& kind = KindOfName(arguments.kind);
  WriteOutput(arguments.reference ? ReferenceText(kind) : SchemaText(kind));
  return kExitDone;
}

void Declare(Command& command, SchemaArguments& arguments) {
  command.Add("KIND", &arguments.kind, "a kind of file; without it a list of them");
  command.Flag("--reference", &arguments.reference, "print its keys as a table instead");
  command.Add("--all", &arguments.all, "write all schemas to this folder");
  command.Force(&arguments.force);
  command.Footer("Examples:\n  tandem schema\n  tandem schema scenario\n  tandem schema plan --reference");
}

const CommandRegistration kSchema{
    {.name = "schema", .summary = "the kinds of files: their JSON Schemas and their keys", .order = 100},
    Declare,
    Schema};

}  // namespace
}  // namespace tandem::schema
