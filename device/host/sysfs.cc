#include "device/host/sysfs.h"

#include <algorithm>
#include <cctype>
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

std::optional<std::int64_t> NumberIn(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> SysfsNumber(const fs::path& path) { return NumberIn(SysfsLine(path)); }

std::vector<std::pair<std::string, std::string>> KeyedLines(const fs::path& path) {
  constexpr const char* kBlank = " \t";
  std::vector<std::pair<std::string, std::string>> values;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const auto end = line.substr(0, colon).find_last_not_of(kBlank);
    const auto start = line.find_first_not_of(kBlank, colon + 1);
    values.emplace_back(end == std::string::npos ? "" : line.substr(0, end + 1),
                        start == std::string::npos ? "" : line.substr(start));
  }
  return values;
}

std::string InSmallLetters(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
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
