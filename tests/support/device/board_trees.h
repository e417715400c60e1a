// What boards show of themselves under /proc and /sys, written into a folder: made by hand from public
// documentation of the boards and of Linux, as far as tandem reads it.
#pragma once

#include <filesystem>
#include <string>

namespace tandem {

// Of "agx-xavier" (in its mode of 15 W), "orin-nano", "rk3399", "rk3588", "exynos5422", "zcu102",
// "raspberry-pi-5".
void WriteBoardTree(const std::string& name, const std::filesystem::path& root);

}  // namespace tandem
