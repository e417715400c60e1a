// How much time of cores a control group leaves this process, which it does not see in their number.
#pragma once

#include <filesystem>
#include <optional>

namespace tandem {

// As a number of cores that are busy all the time: 1.5. Of this process's control group and those that it is
// in the least; nothing where none limits it.
std::optional<double> CpuQuota(const std::filesystem::path& root = "/");

}  // namespace tandem
