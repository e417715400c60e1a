// tandem-device: the part of tandem that runs on the board.
#include <CLI/CLI.hpp>

#include "device/commands/command.h"
#include "profiles/program/version.h"

int main(int argc, char** argv) {
  return tandem::RunGuarded("tandem-device", [&] {
    CLI::App app("The part of tandem that runs on the board and knows its processors.", "tandem-device");
    app.set_version_flag("--version", "tandem-device " + std::string(tandem::Version()));
    app.footer(
        "`tandem-device COMMAND --help` shows a command's options and examples.\n"
        "Exit status: 0 done, 1 the answer is no, 2 the input is wrong, 3 the device or the environment "
        "failed.");
    tandem::Action action;
    tandem::AddInfoCommand(app, action);
    tandem::AddInferCommand(app, action);
    tandem::AddProfileCommand(app, action);
    tandem::AddRunCommand(app, action);
    tandem::AddHandoverCommand(app, action);
    return tandem::RunCommandLine<CLI::ParseError>(app, action, argc, argv);
  });
}
