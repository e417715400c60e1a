// How warm the board is, and whether its processors are held back for it, as Linux tells where it has no
// counters of that: most ARM boards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace tandem {

struct Heat {
  std::map<std::string, std::int64_t> millicelsius;  // by zone: "cpu-thermal", others of its type "... #2"
  std::map<std::string, std::int64_t> held_back;     // what limits clocks, by name: how far; 0: not at all
};

Heat ReadHeat(const std::filesystem::path& root = "/");

// As Origin::clocks has it: {"cpu-thermal": "48 to 61 C"}.
std::map<std::string, std::string> HeatText(const Heat& before, const Heat& after);
// "thermal-cpufreq-1 held clocks back for the heat"; empty where nothing did, at the beginning or at the end.
std::string HeldBackText(const Heat& before, const Heat& after);

}  // namespace tandem
