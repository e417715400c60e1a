#include "sim/workers/row_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "profiles/base/input_error.h"
#include "sim/sweep/row.h"

namespace tandem {
namespace {

std::string HostName() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "host";
  return name.data();
}

EnvironmentError NotWritten(const std::filesystem::path& file) {
  return EnvironmentError(file.string() + ": cannot be written: " + std::strerror(errno));
}

}  // namespace

RowFile::~RowFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

// A process of that number may have been here before, or be on another machine of this name: what it has left
// is its own.
void RowFile::Open() {
  const std::string name = HostName() + "-" + std::to_string(::getpid());
  for (int copy = 1; descriptor_ < 0; ++copy) {
    file_ = folder_ / (name + (copy > 1 ? "-" + std::to_string(copy) : "") + std::string(kRowsSuffix));
    descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) throw NotWritten(file_);
  }
}

void RowFile::Append(std::string_view row) {
  if (descriptor_ < 0) Open();
  const std::string line = std::string(row) + "\n";
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) throw NotWritten(file_);
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace tandem
