// Small files of /sys and /proc, as values. Who reads them is told where these lie: in "/", or in a folder
// with a copy of a board's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem {

// Are those of `root` this machine's own?
inline bool IsOwnRoot(const std::filesystem::path& root) { return root.lexically_normal() == "/"; }

// The first line without what is blank at its end; empty where there is none.
std::string SysfsLine(const std::filesystem::path& path);
// Why a file that is there cannot be read; empty where it can.
std::string WhyUnreadable(const std::filesystem::path& path);
// A whole number, which may be negative; nothing where the text, or the file, has none.
std::optional<std::int64_t> NumberIn(std::string_view text);
std::optional<std::int64_t> SysfsNumber(const std::filesystem::path& path);
// The lines "key   : value" of a file such as /proc/cpuinfo, in their order.
std::vector<std::pair<std::string, std::string>> KeyedLines(const std::filesystem::path& path);
// "cpu-balanced" of "CPU-balanced".
std::string InSmallLetters(std::string text);
// What a folder holds, by name; empty where it is none. Links are as good as folders.
std::vector<std::filesystem::path> EntriesOf(const std::filesystem::path& folder);

}  // namespace tandem
