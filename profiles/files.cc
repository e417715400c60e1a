#include "profiles/files.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "profiles/input_error.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLargestFromDevice = std::size_t{16} << 20;

}  // namespace

std::string ReadTextFile(const fs::path& path, std::size_t largest) {
  const std::string name = path.string();
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) throw InputError(name + ": no such file");
  if (fs::is_directory(status)) throw InputError(name + ": is a directory, not a file");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InputError(name + ": cannot be opened: " + std::strerror(errno));
  // A terminal's input is short, and /dev/zero has no end.
  if (fs::is_character_file(status)) largest = std::min(largest, kLargestFromDevice);
  std::string text;
  if (fs::is_regular_file(status)) {
    const auto size = fs::file_size(path, error);
    if (!error && size <= largest) text.reserve(size);
  }
  char block[1 << 16];
  while (stream.read(block, sizeof block) || stream.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > largest) {
      throw InputError(name + ": is larger than " + std::to_string(largest >> 20) +
                       " MiB, the most that is read");
    }
  }
  if (stream.bad()) throw InputError(name + ": cannot be read: " + std::strerror(errno));
  return text;
}

void WriteFile(const fs::path& path, std::string_view contents) {
  // A device or a pipe (/dev/stdout) is written to, never replaced.
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  const bool replace = !fs::exists(status) || fs::is_regular_file(status);
  const fs::path temporary = replace ? path.string() + ".part" + std::to_string(::getpid()) : path.string();
  std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
  stream.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  stream.close();
  std::error_code error;
  if (!stream.fail() && replace) fs::rename(temporary, path, error);
  if (stream.fail() || error) {
    const std::string cause = error ? error.message() : std::strerror(errno);
    if (replace) fs::remove(temporary, ignored);
    throw EnvironmentError(path.string() + ": cannot be written: " + cause);
  }
}

fs::path ResolvePath(std::string_view name, const fs::path& from) {
  const fs::path path(name);
  return path.is_absolute() ? path : from.parent_path() / path;
}

}  // namespace tandem
