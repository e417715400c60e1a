// The subcommands of `tandem profiles`, a file each.
#pragma once

#include "sim/commands/command.h"

namespace tandem {

void AddProfilesList(CLI::App& profiles, Action& action);
void AddProfilesShow(CLI::App& profiles, Action& action);
void AddProfilesImport(CLI::App& profiles, Action& action);
void AddProfilesEstimate(CLI::App& profiles, Action& action);
void AddProfilesFigures(CLI::App& profiles, Action& action);

}  // namespace tandem
