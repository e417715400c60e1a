// tandem: which placement and scheduling policy wins on this board, and can you trust the answer?
#include <CLI/CLI.hpp>

#include "profiles/program/program.h"
#include "profiles/program/version.h"
#include "sim/commands/command.h"
#include "sim/engine/simgrid_runner.h"

int main(int argc, char** argv) {
  return tandem::RunGuarded("tandem", [&] {
    CLI::App app("Which placement and scheduling policy wins on this board, and can you trust the answer?",
                 "tandem");
    app.set_version_flag("--version", "tandem " + std::string(tandem::Version()) + " (SimGrid " +
                                          tandem::SimGridVersion() + ")");
    app.footer(
        "`tandem COMMAND --help` shows a command's options and examples.\n"
        "Exit status: 0 done, 1 the answer is no, 2 the input is wrong, 3 the device or the environment "
        "failed.");
    tandem::Action action;
    tandem::AddModelsCommand(app, action);
    tandem::AddCheckCommand(app, action);
    tandem::AddCheckTraceCommand(app, action);
    tandem::AddSimulateCommand(app, action);
    tandem::AddPlanCommand(app, action);
    tandem::AddExplainCommand(app, action);
    tandem::AddCompareCommand(app, action);
    tandem::AddValidateCommand(app, action);
    tandem::AddPoliciesCommand(app, action);
    tandem::AddProfilesCommand(app, action);
    tandem::AddSchemaCommand(app, action);
    return tandem::RunCommandLine<CLI::ParseError>(app, action, argc, argv);
  });
}
