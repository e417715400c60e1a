// How a command joins the program tandem: command_<name>.cc declares its subcommands, options and examples,
// and leaves what is to be done in `action`, which main runs once the whole command line is understood.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace tandem {

using Action = std::function<int()>;  // returns the exit status, throws InputError or EnvironmentError

void AddModelsCommand(CLI::App& app, Action& action);

// Parses the command line and runs what it asks for. A misspelt word gets a suggestion; exit status 2.
int RunCommandLine(CLI::App& app, const Action& action, int argc, char** argv);

}  // namespace tandem
