#include "profiles/base/unfinished_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kModeOfFolders = 0777;

// A signal's handler reads them: no locks.
std::atomic<const char*> begun{nullptr};
std::atomic<int> begun_by{0};
static_assert(std::atomic<const char*>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

#ifdef __linux__
constexpr int kMostDepth = 32, kLooks = 3;

// As the system call writes it.
struct FolderEntry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t length;
  std::uint8_t type;
  char name[1];
};

void RemoveTree(int in, const char* name, int depth);

void RemoveContents(int folder, int depth) {
  alignas(FolderEntry) char block[4096];
  long size = 0;
  while ((size = ::syscall(SYS_getdents64, folder, block, sizeof block)) > 0) {
    for (long at = 0; at < size;) {
      const auto* const entry = reinterpret_cast<const FolderEntry*>(block + at);
      const char* const name = entry->name;
      const bool dots = name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
      if (!dots) RemoveTree(folder, name, depth - 1);
      at += entry->length;
    }
  }
}

// By calls that a handler may make. Another thread may still be writing there: it is looked through again.
void RemoveTree(int in, const char* name, int depth) {
  if (depth == 0 || ::unlinkat(in, name, 0) == 0) return;
  for (int look = 0; look < kLooks && ::unlinkat(in, name, AT_REMOVEDIR) != 0; ++look) {
    const int folder = ::openat(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return;
    RemoveContents(folder, depth);
    ::close(folder);
  }
  ::unlinkat(in, name, AT_REMOVEDIR);
}
#endif

}  // namespace

UnfinishedFolder::UnfinishedFolder(fs::path path) : path_(std::move(path)) {
  begun_by = ::getpid();
  begun = path_.c_str();
  std::error_code error;
  if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), error);
  // Not one that is there: its name can be guessed, and a link put there.
  if (!error && ::mkdir(path_.c_str(), kModeOfFolders) == 0) return;
  if (!error) error.assign(errno, std::generic_category());
  begun = nullptr;
  throw EnvironmentError(path_.string() + ": cannot be written: " + error.message());
}

UnfinishedFolder::~UnfinishedFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  begun = nullptr;
}

void RemoveUnfinishedFolder() {
#ifdef __linux__
  const char* const path = begun.load();
  if (path != nullptr && begun_by.load() == ::getpid()) RemoveTree(AT_FDCWD, path, kMostDepth);
#endif
}

}  // namespace tandem
