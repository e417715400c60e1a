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

bool EndsInAnOpenLine(int descriptor) {
  const off_t size = ::lseek(descriptor, 0, SEEK_END);
  char last = '\n';
  return size > 0 && ::pread(descriptor, &last, 1, size - 1) == 1 && last != '\n';
}

}  // namespace

RowFile::~RowFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void RowFile::Open() {
  file_ = folder_ / (HostName() + "-" + std::to_string(::getpid()) + std::string(kRowsSuffix));
  descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw NotWritten(file_);
  torn_ = EndsInAnOpenLine(descriptor_);
}

void RowFile::Append(std::string_view row) {
  if (descriptor_ < 0) Open();
  const std::string line = (torn_ ? "\n" : "") + std::string(row) + "\n";
  torn_ = false;
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) throw NotWritten(file_);
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace tandem
