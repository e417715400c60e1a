#include "device/host/shell.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <vector>

#include "profiles/base/child.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

constexpr std::size_t kMostRead = 4096;

class OpenFile {
 public:
  explicit OpenFile(int number) : number_(number) {}
  ~OpenFile() { Close(); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int number() const { return number_; }
  void Close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

void StartShell(Child& child, const std::string& command, int output, const std::string& what) {
  const OpenFile nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int cause = child.Start({{"/bin/sh", "-c", command}, nothing.number(), output});
  if (cause == 0) return;
  throw EnvironmentError(what + Quoted(command) +
                         " cannot be started: " + std::system_category().message(cause));
}

void EndShell(Child& child, const std::string& command, const std::string& what) {
  const int status = child.Wait();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  const std::string how = WIFEXITED(status) ? "ended with status " + std::to_string(WEXITSTATUS(status))
                                            : "was ended by signal " + std::to_string(WTERMSIG(status));
  throw EnvironmentError(what + Quoted(command) + " " + how);
}

std::string ReadAllOf(int from) {
  std::string text;
  std::array<char, 512> block{};
  for (;;) {
    const ssize_t got = ::read(from, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(block.data(), static_cast<std::size_t>(got));
    if (text.size() > kMostRead) text.resize(kMostRead);
  }
}

std::string InOneLine(const std::string& text) {
  constexpr const char* kBlanks = " \t\r";
  std::string line, all;
  for (std::size_t begin = 0; begin < text.size(); begin += line.size() + 1) {
    line = text.substr(begin, text.find('\n', begin) - begin);
    const std::size_t first = line.find_first_not_of(kBlanks);
    if (first == std::string::npos) continue;
    all += (all.empty() ? "" : "; ") + line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
  }
  return all;
}

}  // namespace

void RunInShell(const std::string& command, const std::string& what) {
  Child child;
  StartShell(child, command, STDERR_FILENO, what);
  EndShell(child, command, what);
}

std::string TextFromShell(const std::string& command, const std::string& what) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw EnvironmentError(what + "no pipe can be had: " + std::system_category().message(errno));
  }
  const OpenFile from(ends[0]);
  OpenFile to(ends[1]);
  Child child;
  StartShell(child, command, to.number(), what);
  to.Close();
  const std::string text = ReadAllOf(from.number());
  EndShell(child, command, what);
  return InOneLine(text);
}

}  // namespace tandem
