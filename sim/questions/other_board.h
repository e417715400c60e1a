// A scenario with another board in it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiles/costs/platform.h"

namespace tandem {

struct BoardOfChoice {
  std::string asked;
  Platform platform;
  std::filesystem::path file;
  std::vector<std::filesystem::path> profiles;  // none: nothing is known of its times
};

// `profiles`: those that say that they are of this board, in place of what is shipped or stands beside its
// file. Throws InputError.
std::vector<BoardOfChoice> FindBoards(const std::vector<std::string>& asked,
                                      const std::vector<std::string>& profiles);

struct ScenarioOnBoard {
  std::string text;  // scenario/1, that stands for the scenario's file
  std::vector<std::string>
      left_out;  // what names units that the board has not, and policies that it cannot run
};

// Without the policies that cannot be read there. Throws InputError where the rest cannot be.
ScenarioOnBoard PutOnBoard(const std::string& scenario, const std::string& file, const BoardOfChoice& board);

// "unit ... has no time for ..." without the file and the place that stand before it.
std::string WithoutPlace(const std::string& message, const std::string& file);

}  // namespace tandem
