#include "sim/board/install_offer.h"

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/program/questions.h"
#include "profiles/program/version.h"
#include "sim/board/device_version.h"
#include "sim/board/install.h"
#include "sim/board/ssh_command.h"

namespace tandem {
namespace {

bool IsThere(const DeviceProgram& program, const std::function<bool()>& go_on) {
  try {
    return AreOneRelease(VersionSaidBy(program, go_on), Version());
  } catch (const ProgramMissing&) {
    return false;
  }
}

}  // namespace

void CheckCanBeInstalled(const std::string& command) {
  if (WithProgramThere(command, "")) return;
  throw InputError("--install: " + (command.empty() ? "the program of this machine" : Quoted(command)) +
                   " is no board that ssh reaches; it goes with --device \"ssh BOARD tandem-device\"");
}

std::optional<std::string> InstallWhereMissing(const DeviceProgram& program, const InstallOffer& offer) {
  const auto ssh = ReadSshCommand(program.command());
  const auto command = WithProgramThere(program.command(), ProgramIn(std::string(kUsualInstallFolder)));
  if (!ssh || !command) return std::nullopt;
  const std::string what = "tandem-device " + std::string(Version()) + " into " +
                           std::string(kUsualInstallFolder) + " of " + ssh->board;
  if (!offer.unasked && !IsAnsweredYes(program.command() + " cannot be started. Install " + what +
                                       " (needs no root there), and go on?")) {
    return std::nullopt;
  }
  if (offer.go_on && !offer.go_on()) return std::nullopt;  // ended while it was asked
  const DeviceProgram there = program.StartedBy(*command);
  if (IsThere(there, offer.go_on)) {
    if (offer.say) offer.say("tandem-device is there already: --device \"" + *command + "\"");
    return command;
  }
  InstallOrder order;
  order.shell = ssh->shell;
  order.place = program.place();
  order.go_on = offer.go_on;
  order.sent = offer.sent;
  const Installed installed = InstallOnBoard(order);
  if (offer.say) {
    offer.say("tandem-device " + installed.version + " is installed there: --device \"" + *command + "\"");
  }
  return command;
}

}  // namespace tandem
