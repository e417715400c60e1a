#include "device/host/child_program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

using std::chrono::steady_clock;

constexpr Nanos kPatience{2'000'000'000};  // with a program that was told to quit
constexpr Nanos kClosing{1'000'000'000};   // with one that closed its output, until it has ended

std::string Because(int cause) { return std::strerror(cause); }

std::string TimeText(Nanos time) {
  const auto seconds = std::chrono::duration<double>(time).count();
  const auto whole = static_cast<std::int64_t>(seconds);
  return seconds < 1 ? std::to_string(time.count() / 1'000'000) + " ms" : std::to_string(whole) + " s";
}

// Both ends close by themselves when a program is started, and are no standard descriptors.
struct SocketPair {
  SocketPair() {
    int made[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, made) != 0) cause = errno;
    for (int i = 0; i < 2 && cause == 0; ++i) {
      ends[i] = ::fcntl(made[i], F_DUPFD_CLOEXEC, 3);
      if (ends[i] < 0) cause = errno;
    }
    for (const int end : made) {
      if (end >= 0) ::close(end);
    }
  }
  ~SocketPair() {
    for (const int end : ends) {
      if (end >= 0) ::close(end);
    }
  }
  SocketPair(const SocketPair&) = delete;
  SocketPair& operator=(const SocketPair&) = delete;

  int ends[2] = {-1, -1};
  int cause = 0;
};

// A file without a name that has this text, to be read from its beginning; -1: there is none.
int OpenText(std::string_view text) {
  const int file = ::memfd_create("input", MFD_CLOEXEC);
  for (std::string_view left = text; file >= 0 && !left.empty();) {
    const ssize_t written = ::write(file, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      ::close(file);
      return -1;
    }
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  if (file >= 0) ::lseek(file, 0, SEEK_SET);
  return file;
}

}  // namespace

ChildProgram::ChildProgram(std::string who, const std::vector<std::string>& command,
                           const std::optional<std::string>& input, std::size_t longest_line)
    : who_(std::move(who)), longest_line_(longest_line) {
  Start(command, input);
}

ChildProgram::~ChildProgram() {
  if (pid() < 0) return;
  const std::string_view quit = "quit\n";
  ::send(channel_, quit.data(), quit.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  ::shutdown(channel_, SHUT_WR);
  End(kPatience);
}

void ChildProgram::Start(const std::vector<std::string>& command, const std::optional<std::string>& input) {
  SocketPair sockets;
  if (sockets.cause != 0)
    throw EnvironmentError(who_ + ": no channel to a program: " + Because(sockets.cause));
  guard_ = std::make_unique<ProgramGuard>(who_, 1);
  const int text = input ? OpenText(*input) : -1;
  if (input && text < 0) throw EnvironmentError(who_ + ": no input for a program: " + Because(errno));
  const int cause = child_.Start({command, input ? text : sockets.ends[1], sockets.ends[1]});
  if (input) ::close(text);
  if (cause != 0) {
    throw EnvironmentError(who_ + ": the program " + Quoted(command[0]) +
                           " cannot be started: " + Because(cause));
  }
  guard_->Watch(pid());
  channel_ = std::exchange(sockets.ends[0], -1);
}

void ChildProgram::Send(std::string_view line) {
  if (pid() < 0) throw EnvironmentError(who_ + ": the program is gone");
  Receive(MSG_DONTWAIT);
  if (!read_.empty())
    Fail("the program said more than it was asked: " + Quoted(read_.substr(0, read_.find('\n'))));
  const std::string text = std::string(line) + "\n";
  // One request is under way at a time, so that a line always finds room.
  const ssize_t sent = ::send(channel_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent == static_cast<ssize_t>(text.size())) return;
  if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) FailEnded("before it was asked");
  Fail("the program takes no more requests: " + (sent < 0 ? Because(errno) : "its input is full"));
}

bool ChildProgram::TakeLine(std::string& line) {
  const auto end = read_.find('\n');
  if (end == std::string::npos) return false;
  line = read_.substr(0, end);
  read_.erase(0, end + 1);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return true;
}

ssize_t ChildProgram::Receive(int flags) {
  char block[4096];
  ssize_t got = ::recv(channel_, block, sizeof block, flags);
  if (got > 0) read_.append(block, static_cast<std::size_t>(got));
  if (got < 0 && errno == ECONNRESET) got = 0;
  if (got < 0 && errno != EINTR && errno != EAGAIN) Fail("the program cannot be read: " + Because(errno));
  return got;
}

bool ChildProgram::HasLine(Nanos limit, std::string_view what) {
  const auto deadline = steady_clock::now() + limit;
  for (std::size_t looked = 0; read_.find('\n', looked) == std::string::npos;) {
    looked = read_.size();
    if (looked > longest_line_) Fail(std::string(what) + " is a line without an end");
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now()).count();
    pollfd wanted{channel_, POLLIN, 0};
    const int ready = ::poll(&wanted, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (ready == 0) return false;
    if (ready < 0 && errno != EINTR) Fail("the program cannot be waited for: " + Because(errno));
    if (ready <= 0) continue;
    if (Receive(0) == 0) FailEnded(what);
  }
  return true;
}

std::string ChildProgram::ReadLine(Nanos limit, std::string_view what) {
  if (!HasLine(limit, what)) Fail(std::string(what) + " did not come within " + TimeText(limit));
  std::string line;
  TakeLine(line);
  return line;
}

std::string ChildProgram::Ask(std::string_view line, Nanos limit, std::string_view what) {
  Send(line);
  return ReadLine(limit, what);
}

void ChildProgram::Fail(const std::string& message) {
  End(Nanos{0});
  throw EnvironmentError(who_ + ": " + message);
}

void ChildProgram::FailEnded(std::string_view what) {
  if (!child_.EndsWithin(kClosing)) Fail("the program closed its output; missing is " + std::string(what));
  Fail("the program " + child_.HowItEnded() + "; missing is " + std::string(what));
}

void ChildProgram::End(Nanos patience) {
  if (pid() < 0) return;
  child_.End(patience);
  guard_.reset();
  ::close(std::exchange(channel_, -1));
}

}  // namespace tandem
