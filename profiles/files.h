// Reading and writing whole files, with errors that say what to do.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

inline constexpr std::size_t kLargestTextFile = std::size_t{512} << 20;

// Throws InputError where there is no such file, where it is a directory, cannot be read or is too large.
std::string ReadTextFile(const std::filesystem::path& path, std::size_t largest = kLargestTextFile);

// Writes to a temporary name beside `path`, then renames: the file is there whole or not at all.
void WriteFile(const std::filesystem::path& path, std::string_view contents);

// `name` as it stands in the file `from`: relative paths are relative to that file's folder.
std::filesystem::path ResolvePath(std::string_view name, const std::filesystem::path& from);

}  // namespace tandem
