// A board that has no tandem-device yet, or whose command does not start it, gets it where somebody wants
// that.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "sim/board/device_program.h"

namespace tandem {

struct InstallOffer {
  bool unasked = false;  // --install said so; else who is at the terminal is asked, and nobody elsewhere
  std::function<bool()> go_on;
  std::function<void(std::int64_t bytes, std::int64_t of)> sent = {};  // may be empty
  std::function<void(const std::string& sentence)> say = {};           // what was done; may be empty
};

// Throws InputError where the command is none that --install can do anything for.
void CheckCanBeInstalled(const std::string& command);

// The program could not be started: the command by which it is there now, in the usual folder of `tandem
// boards install`; nothing where nobody wants that, or it is no board that ssh reaches. What is there in this
// release stays as it is. Throws as InstallOnBoard.
std::optional<std::string> InstallWhereMissing(const DeviceProgram& program, const InstallOffer& offer);

}  // namespace tandem
