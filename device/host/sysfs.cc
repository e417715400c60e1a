#include "device/host/sysfs.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <system_error>

namespace tandem {
namespace fs = std::filesystem;

std::string SysfsLine(const fs::path& path) {
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\0')) line.pop_back();
  return line;
}

std::string WhyUnreadable(const fs::path& path) {
  errno = 0;
  std::FILE* file = std::fopen(path.c_str(), "r");
  if (file == nullptr) return std::strerror(errno);
  char byte = 0;
  const bool some = std::fread(&byte, 1, 1, file) == 1;
  const int cause = errno;
  std::fclose(file);
  if (some) return {};
  return cause != 0 ? std::strerror(cause) : "it is empty";
}

std::optional<std::int64_t> SysfsNumber(const fs::path& path) {
  const std::string line = SysfsLine(path);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (error != std::errc{} || end != line.data() + line.size()) return std::nullopt;
  return value;
}

std::vector<fs::path> EntriesOf(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    entries.push_back(at->path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace tandem
