// tandem boards export BOARD -o FILE
#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"
#include "profiles/program/program.h"
#include "profiles/program/shipped.h"
#include "sim/commands/new_names.h"
#include "sim/engine/simgrid_platform.h"

namespace tandem::boards_export {
namespace {

struct ExportArguments {
  std::string board, file = "-";
  bool force = false;
};

int Export(const ExportArguments& arguments) {
  const Platform platform = ReadPlatformFile(FindFile(arguments.board, "", "boards", ".platform.json"));
  const Outputs outputs = BegunFile(arguments.file, arguments.force);
  const std::string text = SimGridPlatformText(platform);
  if (IsStandardStream(arguments.file)) {
    WriteOutput(text);
  } else {
    WriteFile(arguments.file, text);
    outputs.Say(arguments.file + ": " + Counted(static_cast<std::int64_t>(platform.units.size()), "unit") +
                "\n");
  }
  return kExitDone;
}

void Declare(Command& command, ExportArguments& arguments) {
  command.Add("BOARD", &arguments.board, "a board: a file, or the name of one that tandem ships").Required();
  command.Add("-o,--output", &arguments.file, "the file; \"-\": standard output").Shown("FILE");
  AddForce(command, arguments.force);
  command.Footer(
      "A platform file of SimGrid: units and memories are hosts, memories, hubs and links are links.\n"
      "`tandem new platform --simgrid FILE` makes a board of one, whoever wrote it.\n"
      "Examples:\n  tandem boards export tinker-edge-r\n"
      "  tandem boards export jetson-tx1 -o jetson-tx1.xml");
}

const CommandRegistration kBoardsExport{
    {.name = "boards export", .summary = "a board as a platform file of SimGrid", .order = 40},
    Declare,
    Export};

}  // namespace
}  // namespace tandem::boards_export
