// Reading and writing whole files, with errors that say what to do.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

inline constexpr std::size_t kLargestTextFile = std::size_t{512} << 20;

// "-" where a file is named: standard input to what reads, standard output to what writes.
bool IsStandardStream(const std::filesystem::path& path);
// How messages call a file that is read: its path, or "(standard input)", which reads again what "-" read.
std::string NameOfInput(const std::filesystem::path& path);

// The most that is read of a file that begins so: its kind may stand there.
struct SizeLimit {
  std::size_t bytes = kLargestTextFile;
  std::string of;  // " of a scenario/1", or nothing
};
using LimitOf = std::function<SizeLimit(std::string_view beginning)>;

// Throws InputError where there is no such file, where it is a directory, cannot be read or is too large, as
// is known before it is read whole.
std::string ReadTextFile(const std::filesystem::path& path, const LimitOf& limit_of);
std::string ReadTextFile(const std::filesystem::path& path, std::size_t largest = kLargestTextFile);

// What follows the last '/': tables have no room for folders.
std::string BaseName(std::string_view name);

// The files that this process has read so far, by their full paths: what an output must not replace.
std::set<std::filesystem::path> FilesRead();
// Of whoever reads a file without ReadTextFile.
void NoteFileRead(const std::filesystem::path& path);

// What symbolic links lead to, there or not yet; `path` where it is none. A link of links without an end, and
// one that stands for an open file (/dev/stdout), stays what it is.
std::filesystem::path BehindLinks(std::filesystem::path path);

// A file that is written piece by piece to a temporary name beside `path` and renamed at the end: it is there
// whole or not at all, and what it replaces keeps its mode; "-" is standard output, and a symbolic link stays
// one: what it leads to is written. A forked child may go on writing what its parent began, and the parent
// after it, as long as each flushes before the other goes on. Throws EnvironmentError.
class FileWriter {
 public:
  explicit FileWriter(std::filesystem::path path);
  explicit FileWriter(std::string* into) : into_(into) {}  // appends to it instead; there is no file
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter();  // without Commit(): nothing is left, where this process made it

  void Append(std::string_view text);
  void Flush();
  void Finish();  // all of it is written, and still nobody sees it: what can fail has not failed
  void Commit();

 private:
  friend void RemoveUnfinishedFiles();
  [[noreturn]] void Fail(int cause) const;
  void OpenStandardOutput();
  void RemoveTemporary() const;
  void Abandon();

  std::string* into_ = nullptr;
  std::filesystem::path path_;  // as messages call it
  std::filesystem::path file_;  // what is written
  std::string temporary_;       // empty: a device or a pipe (/dev/stdout) is written to, never replaced
  std::string buffer_;
  bool to_terminal_ = false;  // which is shown what it would obey
  bool ended_ = false;        // nothing temporary is there any more
  int descriptor_ = -1;
  int owner_ = 0;  // the process
};

// Removes what this process has begun to write and not committed, folders too, before a signal ends it: a
// handler may call it.
void RemoveUnfinishedFiles();

// Writes the whole file, as FileWriter does.
void WriteFile(const std::filesystem::path& path, std::string_view contents);

// `name` as it stands in the file `from`: relative paths are relative to that file's folder, and one that was
// sent here from another machine is where it was put. In a file "-" is a file like any other.
std::filesystem::path ResolvePath(std::string_view name, const std::filesystem::path& from);

// The same, to be read; `from` is empty where the command line names it. Whoever wrote a file can name any
// other: it has to be a regular one, and MayBeQuoted says no of it. Throws InputError.
std::filesystem::path FileToRead(std::string_view name, const std::filesystem::path& from);
// Throws InputError of a device or a pipe, which may never end. What is not there at all is its reader's to
// say.
void ExpectRegularFile(const std::filesystem::path& path);
// May messages repeat what stands in it? No: the user did not name it, and it need not be of any kind of
// ours.
bool MayBeQuoted(const std::filesystem::path& path);

// How a file that is written to `to` names `file`, which is found from there: by the way from its folder. In
// full where `to` is a link into another folder, as it is read from both.
std::string WayTo(const std::filesystem::path& file, const std::filesystem::path& to);

}  // namespace tandem
