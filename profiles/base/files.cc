#include "profiles/base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <system_error>
#include <utility>

#include "profiles/base/input_error.h"
#include "profiles/base/printable.h"
#include "profiles/base/sent_files.h"
#include "profiles/base/unfinished_folder.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLargestFromDevice = std::size_t{16} << 20;
constexpr std::size_t kWriteBlock = 1 << 16;
constexpr int kMostLinks = 40;  // one behind the other: as many as the system follows
constexpr int kMostTries = 8;   // to be first at a name
constexpr mode_t kUsualMode = 0666, kAllBits = 0777;
constexpr std::string_view kStandardStream = "-", kStandardInput = "(standard input)";

struct ReadLedger {
  std::mutex mutex;
  std::set<fs::path> files;
  std::set<std::string> named_by_files;  // as FileToRead gave them
};
ReadLedger& Ledger() {
  static ReadLedger ledger;
  return ledger;
}

// Those that write to a temporary name. A signal's handler reads it: no locks. Nobody writes more at a time.
using Writers = std::array<std::atomic<const FileWriter*>, 64>;
Writers unfinished{};
static_assert(Writers::value_type::is_always_lock_free);

// In the first place that holds `from`, if there is one.
void ExchangeUnfinished(const FileWriter* from, const FileWriter* to) {
  for (auto& place : unfinished) {
    const FileWriter* expected = from;
    if (place.compare_exchange_strong(expected, to)) return;
  }
}

// A file that was not there: others who may write in the folder can guess its name, and put a link there.
int OpenNew(const std::string& name, mode_t mode) {
  for (int tries = 0;; ++tries) {
    const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (file >= 0 || errno != EEXIST || tries == kMostTries) return file;
    if (::unlink(name.c_str()) != 0 && errno != ENOENT) return -1;
  }
}

// The text of one file as it comes in. Its first block tells how large it may be.
class GrowingText {
 public:
  // `size`: of the whole file, 0 where that is not known; `most`: whatever its kind allows.
  GrowingText(std::string name, const LimitOf& limit_of, std::size_t size, std::size_t most)
      : name_(std::move(name)), limit_of_(limit_of), size_(size), most_(most) {}

  void Add(std::string_view block) {
    if (text_.empty()) Begin(block);
    text_.append(block);
    if (text_.size() > limit_.bytes) Fail();
  }
  std::string Take() { return std::move(text_); }

 private:
  void Begin(std::string_view block) {
    limit_ = limit_of_(block);
    limit_.bytes = std::min(limit_.bytes, most_);
    if (size_ > limit_.bytes) Fail();
    text_.reserve(size_);
  }
  [[noreturn]] void Fail() const {
    throw InputError(name_ + ": is larger than " + std::to_string(limit_.bytes >> 20) +
                     " MiB, the most that is read" + limit_.of);
  }

  std::string name_, text_;
  const LimitOf& limit_of_;
  std::size_t size_, most_;
  SizeLimit limit_;
};

std::string ReadStandardInput(const LimitOf& limit_of) {
  GrowingText text(std::string(kStandardInput), limit_of, 0, SIZE_MAX);
  char block[1 << 16];
  while (true) {
    const ssize_t got = ::read(STDIN_FILENO, block, sizeof block);
    if (got == 0) return text.Take();
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw InputError(std::string(kStandardInput) + ": cannot be read: " + std::strerror(errno));
    text.Add({block, static_cast<std::size_t>(got)});
  }
}

// It can be read once, and a scenario is asked for twice where a plan is made of it.
const std::string& StandardInput(const LimitOf& limit_of) {
  static const std::string text = ReadStandardInput(limit_of);
  return text;
}

}  // namespace

bool IsStandardStream(const fs::path& path) { return path == kStandardStream; }

std::string NameOfInput(const fs::path& path) {
  return IsStandardStream(path) ? std::string(kStandardInput) : path.string();
}

std::string BaseName(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return std::string(slash == std::string_view::npos || slash + 1 == name.size() ? name
                                                                                 : name.substr(slash + 1));
}

std::set<fs::path> FilesRead() {
  const std::lock_guard lock(Ledger().mutex);
  return Ledger().files;
}

void NoteFileRead(const fs::path& path) {
  std::error_code error;
  const fs::path full = fs::absolute(path, error);
  if (error) return;
  const std::lock_guard lock(Ledger().mutex);
  Ledger().files.insert(full);
}

std::string ReadTextFile(const fs::path& path, std::size_t largest) {
  return ReadTextFile(path, [=](std::string_view) { return SizeLimit{largest, {}}; });
}

std::string ReadTextFile(const fs::path& path, const LimitOf& limit_of) {
  if (IsStandardStream(path) || path == kStandardInput) return StandardInput(limit_of);
  const std::string name = path.string();
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) throw InputError(name + ": no such file");
  if (fs::is_directory(status)) throw InputError(name + ": is a directory, not a file");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InputError(name + ": cannot be opened: " + std::strerror(errno));
  // A terminal's input is short, and /dev/zero has no end.
  const bool device = fs::is_character_file(status);
  const auto size = fs::is_regular_file(status) ? fs::file_size(path, error) : 0;
  GrowingText text(name, limit_of, error ? 0 : size, device ? kLargestFromDevice : SIZE_MAX);
  char block[1 << 16];
  while (stream.read(block, sizeof block) || stream.gcount() > 0) {
    text.Add({block, static_cast<std::size_t>(stream.gcount())});
  }
  if (stream.bad()) throw InputError(name + ": cannot be read: " + std::strerror(errno));
  NoteFileRead(path);
  return text.Take();
}

fs::path BehindLinks(fs::path path) {
  std::error_code error;
  for (int links = 0; links < kMostLinks && fs::is_symlink(path, error); ++links) {
    if (path.native().starts_with("/proc/")) break;  // an open file's, whose name may be no file
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path;
}

FileWriter::FileWriter(fs::path path) : path_(std::move(path)), owner_(::getpid()) {
  if (IsStandardStream(path_)) {
    OpenStandardOutput();
    return;
  }
  file_ = BehindLinks(path_);
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(file_, ignored);
  const bool replaces = fs::is_regular_file(status);
  if (fs::exists(status) && !replaces) {
    descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kUsualMode);
    if (descriptor_ < 0) Fail(errno);
    return;
  }
  // Who may read what is replaced may read what replaces it, and nobody else, not even meanwhile.
  const mode_t mode = replaces ? static_cast<mode_t>(status.permissions()) & kAllBits : kUsualMode;
  temporary_ = file_.string() + ".part" + std::to_string(owner_);
  ExchangeUnfinished(nullptr, this);
  descriptor_ = OpenNew(temporary_, mode);
  const int cause = errno;
  if (descriptor_ >= 0) {
    if (replaces) ::fchmod(descriptor_, mode);  // some disks know no modes
    return;
  }
  ExchangeUnfinished(this, nullptr);
  Fail(cause);
}

// A copy of the descriptor, so that it is closed as that of a file is.
void FileWriter::OpenStandardOutput() {
  path_ = "(standard output)";
  std::fflush(stdout);
  to_terminal_ = ::isatty(STDOUT_FILENO) == 1;
  descriptor_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  if (descriptor_ < 0) Fail(errno);
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
  Abandon();
}

void FileWriter::Abandon() {
  if (temporary_.empty() || std::exchange(ended_, true)) return;
  RemoveTemporary();
  ExchangeUnfinished(this, nullptr);
}

void FileWriter::RemoveTemporary() const {
  if (owner_ == ::getpid()) ::unlink(temporary_.c_str());
}

void RemoveUnfinishedFiles() {
  for (const auto& place : unfinished) {
    if (const FileWriter* const writer = place.load()) writer->RemoveTemporary();
  }
  RemoveUnfinishedFolder();
}

void FileWriter::Fail(int cause) const {
  throw EnvironmentError(path_.string() + ": cannot be written: " + std::strerror(cause));
}

void FileWriter::Append(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kWriteBlock && (!to_terminal_ || buffer_.ends_with('\n'))) Flush();
}

void FileWriter::Flush() {
  if (into_) {
    *into_ += buffer_;
    buffer_.clear();
    return;
  }
  const std::string shown = to_terminal_ ? Printable(buffer_) : std::string();
  std::string_view rest = to_terminal_ ? shown : buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    // A reader that closed its end (`| head`) has seen enough.
    if (written < 0 && errno == EPIPE) break;
    if (written < 0 && errno != EINTR) Fail(errno);
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void FileWriter::Finish() {
  Flush();
  if (descriptor_ < 0 || ::close(std::exchange(descriptor_, -1)) == 0) return;
  const int cause = errno;
  Abandon();
  Fail(cause);
}

void FileWriter::Commit() {
  Finish();
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), file_.c_str()) != 0) {
    const int cause = errno;
    Abandon();
    Fail(cause);
  }
  ended_ = true;
  ExchangeUnfinished(this, nullptr);
}

void WriteFile(const fs::path& path, std::string_view contents) {
  FileWriter writer(path);
  writer.Append(contents);
  writer.Commit();
}

// Folders as they are without links: ".." of a link leads elsewhere.
std::string WayTo(const fs::path& file, const fs::path& to) {
  const auto folder_of = [](const fs::path& path) {
    std::error_code error;
    const fs::path folder = fs::absolute(path, error).parent_path();
    const fs::path real = fs::weakly_canonical(folder, error);
    return error ? folder.lexically_normal() : real;
  };
  const fs::path folder = folder_of(to), full = folder_of(file) / file.filename();
  if (folder_of(BehindLinks(to)) != folder) return full.string();
  return full.lexically_relative(folder).generic_string();
}

fs::path ResolvePath(std::string_view name, const fs::path& from) {
  if (const SentFile* sent = FindSentFile(name)) return sent->place;
  const fs::path path(name);
  if (IsStandardStream(path) && !from.empty()) return from.parent_path() / "./-";
  return path.is_absolute() ? path : from.parent_path() / path;
}

void ExpectRegularFile(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status) || fs::is_regular_file(status) || fs::is_directory(status)) return;
  throw InputError(path.string() +
                   ": is a device or a pipe, which may have no end: only the command line can "
                   "name one; put what it says into a file");
}

fs::path FileToRead(std::string_view name, const fs::path& from) {
  fs::path path = ResolvePath(name, from);
  if (from.empty()) return path;
  ExpectRegularFile(path);
  const std::lock_guard lock(Ledger().mutex);
  Ledger().named_by_files.insert(path.string());
  return path;
}

bool MayBeQuoted(const fs::path& path) {
  const std::lock_guard lock(Ledger().mutex);
  return !Ledger().named_by_files.contains(path.string());
}

}  // namespace tandem
