// What a control group leaves this process: of the cores' time, which it does not see in their number, and of
// the memory, which it does not see in what the kernel tells of all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace tandem {

// As a number of cores that are busy all the time: 1.5. Of this process's control group and those that it is
// in the least; nothing where none limits it.
std::optional<double> CpuQuota(const std::filesystem::path& root = "/");

// In bytes, of the same groups; nothing where none limits it.
std::optional<std::int64_t> MemoryLimit(const std::filesystem::path& root = "/");

}  // namespace tandem
