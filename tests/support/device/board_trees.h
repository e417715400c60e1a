// What boards show of themselves under /proc and /sys, written into a folder: made by hand from public
// documentation of the boards and of Linux, as far as tandem reads it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tandem {

struct BoardTree {
  std::string name;                 // "rk3399"
  std::vector<std::int64_t> cores;  // that are online
};

// All of them; each writes itself below `root`.
std::vector<BoardTree> BoardTrees();
void WriteBoardTree(const std::string& name, const std::filesystem::path& root);

}  // namespace tandem
