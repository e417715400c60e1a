// tandem profiles figures PROFILE
#include <CLI/CLI.hpp>
#include <memory>

#include "profiles/base/input_error.h"
#include "profiles/costs/profile_figures.h"
#include "profiles/program/program.h"
#include "profiles/program/shipped.h"
#include "sim/commands/profiles.h"

namespace tandem {
namespace {

int Figures(const std::string& name, bool json) {
  std::filesystem::path file;
  try {
    file = FindFile(name, {}, "boards", ".profile.json");
  } catch (const InputError& error) {
    throw InputError("profiles figures: " + std::string(error.what()));
  }
  const ProfileFigures figures = FiguresOf(ReadProfileFile(file));
  WriteOutput(json ? ProfileFiguresJson(figures) : ProfileFiguresText(figures, OutputWidth()));
  return kExitDone;
}

}  // namespace

void AddProfilesFigures(CLI::App& profiles, Action& action) {
  struct Arguments {
    std::string name;
    bool json = false;
  };
  CLI::App* figures = profiles.add_subcommand(
      "figures", "how convolutions' times go with their work, and their share of a model's time");
  const auto arguments = std::make_shared<Arguments>();
  figures->add_option("PROFILE", arguments->name, "a name of `tandem profiles list`, or a profile's file")
      ->required();
  figures->add_flag("--json", arguments->json, "print JSON, every convolution among it");
  figures->footer(
      "Examples:\n  tandem profiles figures jetson-tx1\n  tandem profiles figures ./mine.profile.json "
      "--json");
  figures->callback(
      [arguments, &action] { action = [arguments] { return Figures(arguments->name, arguments->json); }; });
}

}  // namespace tandem
