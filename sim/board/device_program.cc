#include "sim/board/device_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "profiles/base/child.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

[[noreturn]] void Fail(const std::string& what) {
  throw EnvironmentError(what + ": " + std::strerror(errno));
}

std::string ShellQuoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string DefaultCommand() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path beside = program.parent_path() / "tandem-device";
    if (fs::exists(beside, error)) return ShellQuoted(beside.string());
  }
  return "tandem-device";
}

// A file without a name: a program that reads none of its input, or ends early, blocks nobody.
class InputFile {
 public:
  explicit InputFile(const std::string& text) : file_(std::tmpfile(), &std::fclose) {
    if (!file_) Fail("a temporary file");
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() ||
        std::fflush(file_.get()) != 0 || ::lseek(descriptor(), 0, SEEK_SET) != 0) {
      Fail("a temporary file");
    }
  }
  int descriptor() const { return ::fileno(file_.get()); }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

// A started program and the reading end of its output. Ends it, at the latest, with itself.
class Answering {
 public:
  Answering(const std::string& command, const std::vector<std::string>& arguments, const InputFile& input) {
    std::vector<std::string> words = {"/bin/sh", "-c", "exec " + command + " \"$@\"", "sh"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) Fail("a pipe");
    const int cause = child_.Start({words, input.descriptor(), ends[1], false});
    ::close(ends[1]);
    output_ = ends[0];
    if (cause == 0) return;
    ::close(output_);
    errno = cause;
    Fail("a process for " + command);
  }
  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;
  ~Answering() { ::close(output_); }

  int output() const { return output_; }
  void Signal(int signal) const { child_.Signal(signal); }

  int Wait() {
    const int status = child_.Wait();
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  Child child_;
  int output_ = -1;
};

// Once nobody wants the answer any more: Ctrl-C on a terminal reaches the program too, which then saves what
// it has. Where it was not told, or does not listen, it is told harder as time goes by.
class Patience {
 public:
  void Remind(const Answering& child) {
    const auto now = steady_clock::now();
    if (told_ == 0) {
      begin_ = now;
      told_ = 1;
    } else if (told_ == 1 && now - begin_ >= kToEndByItself) {
      child.Signal(SIGTERM);
      told_ = 2;
    } else if (told_ == 2 && now - begin_ >= kAtTheLatest) {
      child.Signal(SIGKILL);
      told_ = 3;
    }
  }
  bool over() const { return told_ == 3; }

 private:
  static constexpr std::chrono::seconds kToEndByItself{5}, kAtTheLatest{10};
  steady_clock::time_point begin_;
  int told_ = 0;
};

std::string ReadAll(const Answering& child, const std::string& command, const std::function<bool()>& go_on) {
  constexpr int kBetweenMillis = 100;
  std::string text;
  std::string buffer(std::size_t{1} << 16, '\0');
  Patience patience;
  while (!patience.over()) {
    if (!go_on()) patience.Remind(child);
    pollfd ready{child.output(), POLLIN, 0};
    if (::poll(&ready, 1, kBetweenMillis) <= 0) continue;
    const ssize_t got = ::read(child.output(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer, 0, static_cast<std::size_t>(got));
    if (text.size() > kLargestTextFile) {
      throw EnvironmentError(command + " answers with more than " + std::to_string(kLargestTextFile >> 20) +
                             " MiB");
    }
  }
  return text;
}

}  // namespace

DeviceProgram::DeviceProgram(const std::string& command)
    : command_(command.find_first_not_of(" \t\n") == std::string::npos ? DefaultCommand() : command) {}

DeviceAnswer DeviceProgram::Run(const std::vector<std::string>& arguments, const std::string& input,
                                const std::function<bool()>& go_on) const {
  constexpr int kNotExecutable = 126, kNotFound = 127;
  const InputFile file(input);
  Answering child(command_, arguments, file);
  DeviceAnswer answer;
  answer.output = ReadAll(child, command_, go_on);
  answer.status = child.Wait();
  if (answer.output.empty() && (answer.status == kNotExecutable || answer.status == kNotFound)) {
    throw EnvironmentError("the device's program cannot be started: " + command_ +
                           "; --device says which it is");
  }
  return answer;
}

}  // namespace tandem
