// Small files of /sys and /proc, as values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tandem {

// The first line without what is blank at its end; empty where there is none.
std::string SysfsLine(const std::filesystem::path& path);
// Why a file that is there cannot be read; empty where it can.
std::string WhyUnreadable(const std::filesystem::path& path);
// A whole number, which may be negative; nothing where the file has none.
std::optional<std::int64_t> SysfsNumber(const std::filesystem::path& path);
// What a folder holds, by name; empty where it is none. Links are as good as folders.
std::vector<std::filesystem::path> EntriesOf(const std::filesystem::path& folder);

}  // namespace tandem
