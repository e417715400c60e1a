#include "device/study/store.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <istream>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/sent_files.h"
#include "profiles/base/sha256.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlockOfStore = std::size_t{1} << 20;
constexpr std::size_t kMostDigits = 8;  // of the order's length
constexpr const char* kList = "list.json";

[[noreturn]] void FailOnDisk(const fs::path& path, const std::error_code& error) {
  throw EnvironmentError(path.string() + ": " + error.message());
}

void MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) FailOnDisk(folder, error);
}

StoreOrder ReadOrderFrom(std::istream& from) {
  std::string line;
  std::size_t length = 0;
  std::getline(from, line);
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), length);
  if (error != std::errc() || end != line.data() + line.size() || line.size() > kMostDigits) {
    throw InputError("standard input: its first line is the length of the order that follows");
  }
  std::string text(length, '\0');
  from.read(text.data(), static_cast<std::streamsize>(length));
  text.resize(static_cast<std::size_t>(from.gcount()));
  return ReadStoreOrder(JsonDocument::Parse(text, "standard input").root());
}

bool IsOfSize(const fs::path& path, std::int64_t bytes) {
  std::error_code error;
  return fs::is_regular_file(path, error) && static_cast<std::int64_t>(fs::file_size(path, error)) == bytes &&
         !error;
}

// At the same path as where it comes from: the two machines are one, or share a disk.
bool IsHere(const OfferedFile& file) {
  if (!IsOfSize(file.path, file.bytes)) return false;
  try {
    return Sha256OfFile(file.path) == file.sha256;
  } catch (const InputError&) {
    return false;  // it may not be read
  }
}

fs::path InTree(const fs::path& tree, const OfferedFile& file) {
  return tree / fs::path(file.path).relative_path();
}

// What stands behind the last such mark in the name of what is not whole yet; 0: it is.
pid_t WriterOf(const std::string& name, std::string_view mark) {
  const std::size_t at = name.rfind(mark);
  pid_t writer = 0;
  if (at == std::string::npos) return writer;
  std::from_chars(name.data() + at + mark.size(), name.data() + name.size(), writer);
  return writer;
}

bool IsGone(pid_t writer) { return writer > 0 && ::kill(writer, 0) != 0 && errno == ESRCH; }

}  // namespace

fs::path StoreFolder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && fs::path(cache).is_absolute()) return fs::path(cache) / "tandem";
  const char* home = std::getenv("HOME");
  if (home != nullptr && fs::path(home).is_absolute()) return fs::path(home) / ".cache" / "tandem";
  throw EnvironmentError("neither XDG_CACHE_HOME nor HOME says where files that are sent here may be kept");
}

StoreAnswer FileStore::Take(std::istream& from) const {
  const StoreOrder order = ReadOrderFrom(from);
  if (!order.follow.empty()) {
    MakeFolder(folder_ / "files");
    RemoveBrokenOff();
  }
  for (const std::string& hash : order.follow) {
    const auto same = [&](const OfferedFile& file) { return file.sha256 == hash; };
    Receive(*std::find_if(order.files.begin(), order.files.end(), same), from);
  }
  StoreAnswer answer;
  bool all_here = true;
  for (const OfferedFile& file : order.files) {
    const bool here = IsHere(file);
    all_here = all_here && here;
    const bool told = std::find(answer.lacks.begin(), answer.lacks.end(), file.sha256) != answer.lacks.end();
    if (!here && !told && !Holds(file)) answer.lacks.push_back(file.sha256);
  }
  if (answer.lacks.empty() && !all_here) answer.name = Assemble(order);
  return answer;
}

// It gets its name once all of it has come and is what was promised.
void FileStore::Receive(const OfferedFile& file, std::istream& from) const {
  const fs::path path = folder_ / "files" / file.sha256;
  FileWriter writer(path);
  Sha256Sum sum;
  std::vector<char> block(kBlockOfStore);
  for (std::int64_t left = file.bytes; left > 0; left -= from.gcount()) {
    from.read(block.data(), std::min(left, static_cast<std::int64_t>(block.size())));
    const std::span<const char> got(block.data(), static_cast<std::size_t>(from.gcount()));
    if (got.empty()) throw EnvironmentError(file.path + ": was not sent to its end");
    writer.Append(std::string_view(got.data(), got.size()));
    sum.Add(std::as_bytes(got));
  }
  if (sum.Text() != file.sha256) throw EnvironmentError(file.path + ": has changed while it was sent");
  writer.Commit();
  std::error_code ignored;
  fs::permissions(path, fs::perms::owner_read, ignored);
}

bool FileStore::Holds(const OfferedFile& file) const {
  return IsOfSize(folder_ / "files" / file.sha256, file.bytes);
}

// All files of an order in one tree, so that what names another file finds it. The tree is there whole or not
// at all.
std::string FileStore::Assemble(const StoreOrder& order) const {
  const std::string list = StoreOrderJson({order.files, {}});
  const std::string name = Sha256(std::as_bytes(std::span(list)));
  if (IsWhole(order, name)) return name;
  const fs::path whole = folder_ / "sent" / name;
  const fs::path begun = folder_ / "sent" / ("." + name + "." + std::to_string(::getpid()));
  std::error_code error;
  fs::remove_all(whole, error);
  MakeFolder(begun);
  try {
    for (const OfferedFile& file : order.files) Place(file, begun / "tree");
    WriteFile(begun / kList, list);
    fs::rename(begun, whole, error);
    if (error && !IsWhole(order, name)) FailOnDisk(whole, error);  // else another process was quicker
  } catch (...) {
    fs::remove_all(begun, error);
    throw;
  }
  fs::remove_all(begun, error);
  return name;
}

bool FileStore::IsWhole(const StoreOrder& order, const std::string& name) const {
  const fs::path folder = folder_ / "sent" / name;
  std::error_code error;
  return fs::exists(folder / kList, error) &&
         std::all_of(order.files.begin(), order.files.end(), [&](const OfferedFile& file) {
           return IsOfSize(InTree(folder / "tree", file), file.bytes);
         });
}

// A second name of the one file, so that it takes no room again; a copy on disks that know no such names.
void FileStore::Place(const OfferedFile& file, const fs::path& tree) const {
  const fs::path held = folder_ / "files" / file.sha256, place = InTree(tree, file);
  if (!Holds(file)) {  // it is here at its own path
    MakeFolder(folder_ / "files");
    std::ifstream own(file.path, std::ios::binary);
    Receive(file, own);
  }
  MakeFolder(place.parent_path());
  std::error_code error;
  fs::create_hard_link(held, place, error);
  if (error) fs::copy_file(held, place, error);
  if (error) FailOnDisk(place, error);
}

// What a process that was killed had begun to write: files, and trees of them.
void FileStore::RemoveBrokenOff() const {
  const std::pair<const char*, std::string_view> begun[] = {{"files", ".part"}, {"sent", "."}};
  for (const auto& [in, mark] : begun) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_ / in, error)) {
      if (IsGone(WriterOf(entry.path().filename().string(), mark))) fs::remove_all(entry.path(), error);
    }
  }
}

void FileStore::Use(const std::string& name) const {
  const fs::path folder = folder_ / "sent" / name;
  std::error_code error;
  if (!IsSha256(name) || !fs::exists(folder / kList, error)) {
    throw InputError("--sent: no files were sent here under the name " + Quoted(name));
  }
  std::vector<SentFile> files;
  for (const OfferedFile& file : ReadStoreOrder(JsonDocument::ReadFile(folder / kList).root()).files) {
    files.push_back({file.names, file.path, InTree(folder / "tree", file)});
  }
  UseSentFiles(files);
}

}  // namespace tandem
