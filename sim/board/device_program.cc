#include "sim/board/device_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "profiles/base/child.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/program/program.h"
#include "sim/board/ssh_command.h"

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

// Gives a program its input as it takes it: one that reads none of it, or ends early, blocks nobody.
class Feeding {
 public:
  Feeding(const DeviceInput& input, int descriptor) : input_(&input), descriptor_(descriptor) {
    block_ = input.text;
    ::fcntl(descriptor_, F_SETFL, O_NONBLOCK);
    CloseAtTheEnd();
  }
  Feeding(const Feeding&) = delete;
  Feeding& operator=(const Feeding&) = delete;
  ~Feeding() { Close(); }

  int descriptor() const { return descriptor_; }  // -1: it has got everything, or wants no more

  void Feed() {
    const ssize_t taken = ::write(descriptor_, block_.data() + at_, block_.size() - at_);
    if (taken < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (taken < 0) return Close();
    at_ += static_cast<std::size_t>(taken);
    if (in_files_) sent_ += taken;
    if (in_files_ && input_->told) input_->told(sent_);
    CloseAtTheEnd();
  }

 private:
  void CloseAtTheEnd() {
    if (at_ == block_.size() && !NextBlock()) Close();
  }
  bool NextBlock() {
    at_ = 0;
    while (file_.is_open() || next_ < input_->files.size()) {
      if (!file_.is_open()) file_.open(input_->files[next_++], std::ios::binary);
      block_.resize(kFedAtOnce);
      file_.read(block_.data(), static_cast<std::streamsize>(block_.size()));
      block_.resize(static_cast<std::size_t>(file_.gcount()));
      in_files_ = true;
      if (!block_.empty()) return true;
      file_ = {};
    }
    block_.clear();
    return false;
  }
  void Close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }

  static constexpr std::size_t kFedAtOnce = std::size_t{1} << 18;

  const DeviceInput* input_;
  int descriptor_;
  std::string block_;   // what is being given,
  std::size_t at_ = 0;  // from here on
  std::ifstream file_;
  std::size_t next_ = 0;  // file
  bool in_files_ = false;
  std::int64_t sent_ = 0;
};

std::string ScriptOf(const std::string& command, const fs::path& folder) {
  const std::string there = folder.empty() ? "" : "cd " + ShellQuoted(folder.string()) + " && ";
  return there + "exec " + command + " \"$@\"";
}

struct Pipe {
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) Fail("a pipe");
    read = ends[0];
    write = ends[1];
  }
  int read = -1, write = -1;
};

// A file that takes what a program says as it is, up to a size: the disk is there for others, too.
class SaidFile {
 public:
  explicit SaidFile(const fs::path& file)
      : descriptor_(::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) Fail(file.string());
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(file, error);  // /dev/null has no size
    if (!error) room_ = bytes > kMostSaidInFile ? kTold : static_cast<std::int64_t>(kMostSaidInFile - bytes);
  }
  SaidFile(const SaidFile&) = delete;
  SaidFile& operator=(const SaidFile&) = delete;
  ~SaidFile() { ::close(descriptor_); }

  void Append(std::string_view said) {
    if (room_ == kTold) return;
    const std::string_view fitting = said.substr(0, static_cast<std::size_t>(room_));
    Write(fitting);
    room_ -= static_cast<std::int64_t>(fitting.size());
    if (fitting.size() == said.size()) return;
    Write("\ntandem: it said more than " + std::to_string(kMostSaidInFile >> 20) +
          " MiB, and the rest is not kept\n");
    room_ = kTold;
  }

 private:
  // What the disk has no room for is lost: the answer is not to be lost with it.
  void Write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  static constexpr std::int64_t kTold = -1;  // that there is no room any more

  int descriptor_;
  std::int64_t room_ = kMostSaidInFile;
};

// What a program says on standard error: into a file, or line by line, as our own terminal may see it: a
// board is nobody's who is trusted with that.
class ErrorLines {
 public:
  ErrorLines(int descriptor, SaidFile* file) : descriptor_(descriptor), file_(file) {
    if (descriptor_ >= 0) ::fcntl(descriptor_, F_SETFL, O_NONBLOCK);
  }
  ErrorLines(const ErrorLines&) = delete;
  ErrorLines& operator=(const ErrorLines&) = delete;
  ~ErrorLines() { Close(); }

  int descriptor() const { return descriptor_; }  // -1: it says no more here

  // What is there by now, of one that never stops so much as a pipe holds; nothing is waited for.
  void Read() {
    std::string block(kMostOfALine, '\0');
    for (std::size_t blocks = kMostInAPipe / kMostOfALine; blocks > 0 && descriptor_ >= 0; --blocks) {
      const ssize_t got = ::read(descriptor_, block.data(), block.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return;
      if (got <= 0) return Close();
      Take(std::string_view(block).substr(0, static_cast<std::size_t>(got)));
    }
  }

 private:
  void Take(std::string_view said) {
    if (file_ != nullptr) return file_->Append(said);
    said_ += said;
    Pass(said_.size() > kMostOfALine ? said_.size() : said_.rfind('\n') + 1);
  }
  void Pass(std::size_t length) {
    std::string lines = said_.substr(0, length);
    said_.erase(0, length);
    // As ssh ends its own; written out it would be in every one of them.
    for (std::size_t at = 0; (at = lines.find("\r\n", at)) != std::string::npos;) lines.erase(at, 1);
    WriteError(lines);
  }
  void Close() {
    Pass(said_.size());
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }

  static constexpr std::size_t kMostOfALine = 4096;  // is not waited for beyond that
  static constexpr std::size_t kMostInAPipe = std::size_t{1} << 20;

  int descriptor_;
  SaidFile* file_;    // null: there is none
  std::string said_;  // of a line without its end
};

// A started program and the ends of its input and outputs that are ours. Ends it, at the latest, with itself.
class Answering {
 public:
  Answering(const std::string& command, const fs::path& folder, const std::vector<std::string>& arguments,
            bool hears_errors) {
    std::vector<std::string> words = {"/bin/sh", "-c", ScriptOf(command, folder), "sh"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Pipe in, out;
    const std::optional<Pipe> said = hears_errors ? std::optional<Pipe>(std::in_place) : std::nullopt;
    const int cause = child_.Start({words, in.read, out.write, false, true, said ? said->write : -1});
    ::close(in.read);
    ::close(out.write);
    if (said) ::close(said->write);
    input_ = in.write;
    output_ = out.read;
    error_ = said ? said->read : -1;
    if (cause == 0) return;
    ::close(input_);
    ::close(output_);
    if (error_ >= 0) ::close(error_);
    errno = cause;
    Fail("a process for " + command);
  }
  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;
  ~Answering() { ::close(output_); }

  int input() const { return input_; }  // whoever feeds it closes it
  int output() const { return output_; }
  int error() const { return error_; }  // as with the input; -1: it has ours
  bool EndsWithin(Nanos patience) const { return child_.EndsWithin(patience); }
  void Signal(int signal) const { child_.Signal(signal); }

  void Wait(DeviceAnswer& answer) {
    const int status = child_.Wait();
    if (WIFSIGNALED(status)) answer.signal = WTERMSIG(status);
    if (WIFEXITED(status)) answer.status = WEXITSTATUS(status);
  }

 private:
  Child child_;
  int input_ = -1, output_ = -1, error_ = -1;
};

// Once nobody wants the answer any more: the program is told, says what it has, and is made to end where that
// takes too long. What runs beyond it, at the other end of an ssh, sees the closed pipe.
class Patience {
 public:
  void Remind(const Answering& child) {
    const auto now = steady_clock::now();
    if (!told_) {
      child.Signal(SIGTERM);
      told_ = now;
    } else if (now - *told_ >= kToEndByItself) {
      child.Signal(SIGKILL);
      over_ = true;
    }
  }
  bool over() const { return over_; }

 private:
  static constexpr std::chrono::milliseconds kToEndByItself{700};
  std::optional<steady_clock::time_point> told_;
  bool over_ = false;
};

constexpr int kBetweenMillis = 100;

std::string ReadAll(const Answering& child, const DeviceInput& input, ErrorLines& said,
                    const std::string& command, const std::function<bool()>& go_on, Patience& patience,
                    const std::function<void(std::string_view)>& heard) {
  std::string text;
  std::string buffer(std::size_t{1} << 16, '\0');
  Feeding feeding(input, child.input());
  while (!patience.over()) {
    if (!go_on()) patience.Remind(child);
    pollfd ready[] = {
        {child.output(), POLLIN, 0}, {feeding.descriptor(), POLLOUT, 0}, {said.descriptor(), POLLIN, 0}};
    if (::poll(ready, 3, kBetweenMillis) <= 0) continue;  // of a descriptor below 0 nothing is told
    if (ready[2].revents != 0) said.Read();
    if (ready[1].revents != 0) feeding.Feed();
    if (ready[0].revents == 0) continue;
    const ssize_t got = ::read(child.output(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer, 0, static_cast<std::size_t>(got));
    if (heard) heard(text);
    if (text.size() > kLargestTextFile) {
      throw EnvironmentError(command + " answers with more than " + std::to_string(kLargestTextFile >> 20) +
                             " MiB");
    }
  }
  return text;
}

// It may say much after its answer, and would wait for us to hear it, or close its output and stay. What it
// leaves behind, as ssh does its shared connection, may hold the pipe open for ever.
void AwaitEnd(const Answering& child, ErrorLines& said, const std::function<bool()>& go_on,
              Patience& patience) {
  while (!child.EndsWithin(said.descriptor() < 0 ? std::chrono::milliseconds{kBetweenMillis} : Nanos{0})) {
    if (!go_on()) patience.Remind(child);
    pollfd ready{said.descriptor(), POLLIN, 0};
    if (said.descriptor() >= 0) ::poll(&ready, 1, kBetweenMillis);
    said.Read();
  }
  said.Read();
}

// How the program comes onto the board of such a command.
std::string InstallHint(const std::string& command) {
  if (!command.starts_with("ssh ")) return "";
  const std::string board = BoardNamedBy(command);
  return ", and `tandem boards install " + (board.empty() ? "BOARD" : board) + "` puts it on that board";
}

}  // namespace

DeviceProgram::DeviceProgram(const std::string& command, DeviceProgramPlace place)
    : is_here_(command.find_first_not_of(" \t\n") == std::string::npos),
      command_(is_here_ ? DefaultCommand() : command),
      place_(std::move(place)) {}

DeviceProgram DeviceProgram::Silent() const {
  DeviceProgram silent = *this;
  silent.place_.said = "/dev/null";
  return silent;
}

DeviceProgram DeviceProgram::StartedBy(const std::string& command) const {
  return DeviceProgram(command, place_);
}

DeviceAnswer DeviceProgram::Run(const std::vector<std::string>& arguments, const DeviceInput& input,
                                const std::function<bool()>& go_on,
                                const std::function<void(std::string_view)>& heard) const {
  constexpr int kNotExecutable = 126, kNotFound = 127;
  std::optional<SaidFile> file;
  if (!place_.said.empty()) file.emplace(place_.said);
  // Ours draws its own bar on the terminal, and writes out what a terminal would obey.
  Answering child(command_, place_.folder, arguments, file || !is_here_);
  ErrorLines said(child.error(), file ? &*file : nullptr);
  Patience patience;
  DeviceAnswer answer;
  answer.output = ReadAll(child, input, said, command_, go_on, patience, heard);
  AwaitEnd(child, said, go_on, patience);
  child.Wait(answer);
  if (answer.output.empty() && (answer.status == kNotExecutable || answer.status == kNotFound)) {
    throw ProgramMissing("the device's program cannot be started: " + command_ +
                         "; --device says which it is" + InstallHint(command_));
  }
  return answer;
}

}  // namespace tandem
