#include "profiles/base/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "profiles/base/input_error.h"
#include "profiles/base/sent_files.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLargestFromDevice = std::size_t{16} << 20;
constexpr std::size_t kWriteBlock = 1 << 16;

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

FileWriter::FileWriter(fs::path path) : path_(std::move(path)), owner_(::getpid()) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path_, ignored);
  if (!fs::exists(status) || fs::is_regular_file(status)) {
    temporary_ = path_.string() + ".part" + std::to_string(owner_);
  }
  const std::string& name = temporary_.empty() ? path_.string() : temporary_;
  descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) Fail(errno);
}

FileWriter::~FileWriter() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!temporary_.empty() && owner_ == ::getpid()) ::unlink(temporary_.c_str());
}

void FileWriter::Fail(int cause) const {
  throw EnvironmentError(path_.string() + ": cannot be written: " + std::strerror(cause));
}

void FileWriter::Append(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kWriteBlock) Flush();
}

void FileWriter::Flush() {
  if (into_) {
    *into_ += buffer_;
    buffer_.clear();
    return;
  }
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) Fail(errno);
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void FileWriter::Commit() {
  Flush();
  if (into_) return;
  const int descriptor = std::exchange(descriptor_, -1);
  int cause = ::close(descriptor) == 0 ? 0 : errno;
  if (temporary_.empty()) {
    if (cause != 0) Fail(cause);
    return;
  }
  if (cause == 0 && ::rename(temporary_.c_str(), path_.c_str()) != 0) cause = errno;
  if (cause == 0) return;
  ::unlink(temporary_.c_str());
  Fail(cause);
}

void WriteFile(const fs::path& path, std::string_view contents) {
  FileWriter writer(path);
  writer.Append(contents);
  writer.Commit();
}

fs::path ResolvePath(std::string_view name, const fs::path& from) {
  if (const SentFile* sent = FindSentFile(name)) return sent->place;
  const fs::path path(name);
  return path.is_absolute() ? path : from.parent_path() / path;
}

}  // namespace tandem
