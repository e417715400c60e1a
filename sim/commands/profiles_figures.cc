// tandem profiles figures PROFILE

#include "profiles/base/input_error.h"
#include "profiles/costs/profile_figures.h"
#include "profiles/program/command_line.h"
#include "profiles/program/program.h"
#include "profiles/program/shipped.h"

namespace tandem {
namespace {

struct FiguresArguments {
  std::string name;
  bool json = false;
};

int Figures(const FiguresArguments& arguments) {
  std::filesystem::path file;
  try {
    file = FindFile(arguments.name, {}, "boards", ".profile.json");
  } catch (const InputError& error) {
    throw InputError("profiles figures: " + std::string(error.what()));
  }
  const ProfileFigures figures = FiguresOf(ReadProfileFile(file));
  WriteOutput(arguments.json ? ProfileFiguresJson(figures) : ProfileFiguresText(figures, OutputWidth()));
  return kExitDone;
}

void Declare(Command& command, FiguresArguments& arguments) {
  command.Add("PROFILE", &arguments.name, "a name of `tandem profiles list`, or a profile's file").Required();
  command.Flag("--json", &arguments.json, "print JSON, every convolution among it");
  command.Footer(
      "Examples:\n  tandem profiles figures jetson-tx1\n  tandem profiles figures ./mine.profile.json "
      "--json");
}

const CommandRegistration kProfilesFigures{
    {.name = "profiles figures",
     .summary = "how convolutions' times go with their work, and their share of a model's time",
     .order = 50},
    Declare,
    Figures};

}  // namespace
}  // namespace tandem
