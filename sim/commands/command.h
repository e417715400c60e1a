// How a command joins the program tandem: <name>.cc declares its subcommands, options and examples,
// and leaves what is to be done in `action`, which main runs once the whole command line is understood.
#pragma once

#include "profiles/program/command_line.h"

namespace CLI {
class App;
}

namespace tandem {

void AddModelsCommand(CLI::App& app, Action& action);
void AddCheckCommand(CLI::App& app, Action& action);
void AddCheckTraceCommand(CLI::App& app, Action& action);
void AddSchemaCommand(CLI::App& app, Action& action);
void AddSimulateCommand(CLI::App& app, Action& action);
void AddPlanCommand(CLI::App& app, Action& action);
void AddExplainCommand(CLI::App& app, Action& action);
void AddCompareCommand(CLI::App& app, Action& action);
void AddValidateCommand(CLI::App& app, Action& action);
void AddPoliciesCommand(CLI::App& app, Action& action);
void AddProfilesCommand(CLI::App& app, Action& action);

}  // namespace tandem
