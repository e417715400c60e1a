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

// A file that is written piece by piece to a temporary name beside `path` and renamed at the end: it is there
// whole or not at all. A forked child may go on writing what its parent began, and the parent after it, as
// long as each flushes before the other goes on. Throws EnvironmentError.
class FileWriter {
 public:
  explicit FileWriter(std::filesystem::path path);
  explicit FileWriter(std::string* into) : into_(into) {}  // appends to it instead; there is no file
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter();  // without Commit(): nothing is left, where this process made it

  void Append(std::string_view text);
  void Flush();
  void Commit();

 private:
  [[noreturn]] void Fail(int cause) const;

  std::string* into_ = nullptr;
  std::filesystem::path path_;
  std::string temporary_;  // empty: a device or a pipe (/dev/stdout) is written to, never replaced
  std::string buffer_;
  int descriptor_ = -1;
  int owner_ = 0;  // the process
};

// Writes the whole file, as FileWriter does.
void WriteFile(const std::filesystem::path& path, std::string_view contents);

// `name` as it stands in the file `from`: relative paths are relative to that file's folder, and one that was
// sent here from another machine is where it was put.
std::filesystem::path ResolvePath(std::string_view name, const std::filesystem::path& from);

}  // namespace tandem
