// Small files of /sys and /proc, as values. Who reads them is told where these lie: in "/", or in a folder
// with a copy of a board's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tandem {

// Are those of `root` this machine's own?
inline bool IsOwnRoot(const std::filesystem::path& root) { return root.lexically_normal() == "/"; }

// The first line without what is blank at its end; empty where there is none.
std::string SysfsLine(const std::filesystem::path& path);
// Why a file that is there cannot be read; empty where it can.
std::string WhyUnreadable(const std::filesystem::path& path);
// A whole number, which may be negative; nothing where the file has none.
std::optional<std::int64_t> SysfsNumber(const std::filesystem::path& path);
// What a folder holds, by name; empty where it is none. Links are as good as folders.
std::vector<std::filesystem::path> EntriesOf(const std::filesystem::path& folder);

}  // namespace tandem
