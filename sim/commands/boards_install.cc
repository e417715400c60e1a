// tandem boards install BOARD
#include <nlohmann/json.hpp>

#include "profiles/base/input_error.h"
#include "profiles/base/json_output.h"
#include "profiles/program/command_line.h"
#include "profiles/program/long_run.h"
#include "profiles/program/program.h"
#include "profiles/program/version.h"
#include "sim/board/device_version.h"
#include "sim/board/install.h"

namespace tandem::boards_install {
namespace {

struct InstallArguments {
  std::string board, archive, folder{kUsualInstallFolder};
  bool force = false, json = false;
};

// A host by its name, or whatever runs a command there.
std::string ShellOf(const std::string& board) {
  return board.find(' ') == std::string::npos ? "ssh " + board : board;
}

int Install(const InstallArguments& arguments) {
  LongRun watch;
  InstallOrder order;
  order.shell = ShellOf(arguments.board);
  order.folder = arguments.folder;
  order.force = arguments.force;
  if (!arguments.archive.empty()) order.archive = arguments.archive;
  order.go_on = [&] { return watch.Waits("waiting for the board"); };
  order.sent = [&](std::int64_t bytes, std::int64_t of) { (void)watch.Progress("sending", bytes, of); };
  Installed installed;
  try {
    installed = InstallOnBoard(order);
  } catch (const EnvironmentError&) {
    if (!watch.interrupted()) throw;
    watch.Clear();
    WriteError("tandem boards install: interrupted; the same command begins anew\n");
    return kExitInterrupted;
  }
  watch.Clear();
  if (!AreOneRelease(installed.version, Version())) {
    WriteNote("tandem boards install: the board has tandem-device " + installed.version +
              " now, and this is tandem " + std::string(Version()) +
              ": take an archive of the same release\n");
  }
  if (arguments.json) {
    WriteOutput(JsonOutput(nlohmann::ordered_json{{"processor", installed.processor},
                                                  {"archive", installed.archive.string()},
                                                  {"version", installed.version},
                                                  {"device", installed.command}}));
  } else {
    WriteOutput("tandem-device " + installed.version + " for " + installed.processor + " is there. Try:\n  " +
                installed.command + " info\n  tandem validate mine.scenario.json --device \"" +
                installed.command + "\"\n");
  }
  return kExitDone;
}

void Declare(Command& command, InstallArguments& arguments) {
  command.Add("BOARD", &arguments.board, "a host as ssh knows it, or the words that run a command there")
      .Required();
  command.Add("--archive", &arguments.archive,
              "what `scripts/device_bundle` or `scripts/package tar` made; else the one for the board's "
              "processor in build/packages or here");
  command.Add("--folder", &arguments.folder,
              "where it goes there, from home or from /; an install of before is replaced");
  command.Flag("--force", &arguments.force, "replace what stands there, whatever it is");
  command.Flag("--json", &arguments.json, "print JSON");
  command.Footer(
      "Nothing there needs root: the archive is unpacked into a folder of yours, and started once to see "
      "that it can "
      "be.\n"
      "Examples:\n  tandem boards install jetson\n"
      "  tandem boards install \"ssh -p 2222 me@jetson\" --archive "
      "build/packages/tandem-device-0.1.0-linux-aarch64.tar.gz");
}

const CommandRegistration kInstall{
    {.name = "boards install", .summary = "put tandem-device on a board that ssh reaches", .order = 30},
    Declare,
    Install};

}  // namespace
}  // namespace tandem::boards_install
