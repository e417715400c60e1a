// tandem schema KIND
#include <CLI/CLI.hpp>
#include <memory>

#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/program/program.h"
#include "sim/commands/command.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

struct SchemaArguments {
  std::string kind, all, reference_in;
  bool reference = false;
};

const FileKindDeclaration& KindOfName(const std::string& name) {
  std::vector<std::string> known;
  for (const FileKindDeclaration& kind : FileKinds()) {
    if (kind.kind == name || kind.Name() == name) return kind;
    known.emplace_back(kind.Name());
  }
  throw InputError("there is no kind of file " + Quoted(name) + Suggestion(name, known));
}

int Schema(const SchemaArguments& arguments) {
  if (!arguments.all.empty()) {
    fs::create_directories(arguments.all);
    for (const FileKindDeclaration& kind : FileKinds()) {
      const std::string name = std::string(kind.Name()) + ".schema.json";
      WriteFile(fs::path(arguments.all) / name, SchemaText(kind));
    }
    return kExitDone;
  }
  if (!arguments.reference_in.empty()) {
    const std::string& file = arguments.reference_in;
    WriteFile(file, WithReferences(ReadTextFile(file), file));
    return kExitDone;
  }
  if (arguments.kind.empty()) {
    for (const FileKindDeclaration& kind : FileKinds()) {
      WriteOutput(std::string(kind.Name()) + ": " + std::string(kind.fields().help()) + "\n");
    }
    return kExitDone;
  }
  const FileKindDeclaration& kind = KindOfName(arguments.kind);
  WriteOutput(arguments.reference ? ReferenceText(kind) : SchemaText(kind));
  return kExitDone;
}

}  // namespace

void AddSchemaCommand(CLI::App& app, Action& action) {
  CLI::App* schema = app.add_subcommand("schema", "the kinds of files: their JSON Schemas and their keys");
  const auto arguments = std::make_shared<SchemaArguments>();
  schema->add_option("KIND", arguments->kind, "a kind of file; without it a list of them");
  schema->add_flag("--reference", arguments->reference, "print its keys as a table instead");
  schema->add_option("--all", arguments->all, "write all schemas to this folder");
  schema->add_option("--reference-in", arguments->reference_in,
                     "write the tables of keys into this text, where it has their marks");
  schema->footer("Examples:\n  tandem schema\n  tandem schema scenario\n  tandem schema plan --reference");
  schema->callback([arguments, &action] { action = [arguments] { return Schema(*arguments); }; });
}

}  // namespace tandem
