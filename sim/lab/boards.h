// Room sim/lab: the boards of a lab, profiled side by side into a store that keeps what each measured.
//
// Which boards there are and how each is reached. File kind "boards/1".
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiles/base/json_reader.h"

namespace tandem {

// What a board is put into before it is measured: a clock state, a cooling, a library.
struct LabState {
  std::string name;
  std::string before;                  // a command of this machine that brings the board there
  std::vector<std::string> arguments;  // of `tandem-device profile`
};

struct LabBoard {
  std::string name;
  std::string command;           // as a shell takes it, started in the folder of the file
  std::vector<LabState> states;  // never empty: one without a name where the file has none
};

struct Lab {
  std::string name;
  std::string note;
  std::vector<LabBoard> boards;
  std::filesystem::path folder;  // of the file; empty: this one
};

Lab ReadLab(const JsonReader& root);
Lab ReadLabFile(const std::filesystem::path& file);

}  // namespace tandem
