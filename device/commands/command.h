// How a command joins the program tandem-device: <name>.cc declares its subcommand, options and
// examples, and leaves what is to be done in `action`, which main runs once the command line is understood.
#pragma once

#include "profiles/program/command_line.h"

namespace CLI {
class App;
}

namespace tandem {

void AddHandoverCommand(CLI::App& app, Action& action);
void AddInfoCommand(CLI::App& app, Action& action);
void AddInferCommand(CLI::App& app, Action& action);
void AddProfileCommand(CLI::App& app, Action& action);
void AddRunCommand(CLI::App& app, Action& action);

}  // namespace tandem
