// Puts tandem-device on a board: the archive of `scripts/package tar` for its processor, into a folder of the
// user's own. Nothing there needs root.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sim/board/device_program.h"

namespace tandem {

inline constexpr std::string_view kUsualInstallFolder = ".local/share/tandem-device";

struct InstallOrder {
  std::string shell;                             // what runs a command there: "ssh jetson"
  std::string folder{kUsualInstallFolder};       // there; relative to where such commands begin, as is "~/"
  DeviceProgramPlace place = {};                 // where that is started
  std::optional<std::filesystem::path> archive;  // else the one of the board's processor, where there is one
  bool force = false;                            // replace what stands there, whatever it is
  std::function<bool()> go_on;
  std::function<void(std::int64_t bytes, std::int64_t of)> sent = {};  // may be empty
};

struct Installed {
  std::string processor;          // "aarch64"
  std::filesystem::path archive;  // that was sent
  std::string version;            // of what is there now: "0.1.0"
  std::string command;            // as --device takes it: "ssh jetson .local/share/tandem/bin/tandem-device"
};

// tandem-device in such a folder.
std::string ProgramIn(const std::string& folder);

// Throws InputError where the folder is none that can be replaced and called by its plain name, where
// something else than an install of before (or what one left beside it, in FOLDER.new and FOLDER.old) would
// be removed without `force`, or no archive is for that board, EnvironmentError where the board cannot be
// reached, or cannot start it, with what it said.
Installed InstallOnBoard(const InstallOrder& order);

}  // namespace tandem
