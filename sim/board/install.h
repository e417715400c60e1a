// Puts tandem-device on a board: the archive of `scripts/package tar` for its processor, into a folder of the
// user's own. Nothing there needs root.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace tandem {

struct InstallOrder {
  std::string shell;                             // what runs a command there: "ssh jetson"
  std::string folder;                            // there; relative to where such commands begin
  std::optional<std::filesystem::path> archive;  // else the one of the board's processor, where there is one
  std::function<bool()> go_on;
  std::function<void(std::int64_t bytes, std::int64_t of)> sent = {};  // may be empty
};

struct Installed {
  std::string processor;          // "aarch64"
  std::filesystem::path archive;  // that was sent
  std::string version;            // of what is there now: "0.1.0"
  std::string command;            // as --device takes it: "ssh jetson .local/share/tandem/bin/tandem-device"
};

// Throws InputError where no archive is for that board, EnvironmentError where the board cannot be reached,
// or cannot start it, with what it said.
Installed InstallOnBoard(const InstallOrder& order);

}  // namespace tandem
