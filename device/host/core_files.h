// Which cores a board has, and where Linux tells of each: under sys/devices/system/cpu.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace tandem {

std::filesystem::path CpuFolder(const std::filesystem::path& root);
std::filesystem::path CoreFolder(const std::filesystem::path& root, std::int64_t core);
// What is told of a core's clock: its own cpufreq, else the policy of the cores that are clocked together.
std::filesystem::path ClockFolder(const std::filesystem::path& root, std::int64_t core);

// Ascending.
struct BoardCores {
  std::vector<std::int64_t> online;
  std::vector<std::int64_t> offline;  // on the board: kernels list as "offline" what it could have, too
};
BoardCores ReadBoardCores(const std::filesystem::path& root);

}  // namespace tandem
