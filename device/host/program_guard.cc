#include "device/host/program_guard.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "profiles/base/input_error.h"
#include "profiles/program/end_by_signal.h"

namespace tandem {
namespace {

constexpr long kPatienceMs = 2000, kBetweenLooksMs = 5;
constexpr int kMostFilesWhereUnknown = 1024;
constexpr pid_t kDismissed = 0;

// Without these it would keep open what others wait to see closed.
void CloseAllBut(int kept) {
#ifdef SYS_close_range
  const auto number = static_cast<unsigned>(kept);
  const bool below = number == 0 || ::syscall(SYS_close_range, 0U, number - 1, 0U) == 0;
  if (below && ::syscall(SYS_close_range, number + 1, ~0U, 0U) == 0) return;
#endif
  for (int file = 0; file < kMostFilesWhereUnknown; ++file) {
    if (file != kept) ::close(file);
  }
}

// Asked to by SIGTERM, made to by SIGKILL.
void EndGroups(const std::vector<pid_t>& groups) {
  for (const pid_t group : groups) ::kill(-group, SIGTERM);
  const auto there = [&] {
    for (const pid_t group : groups) {
      if (::kill(-group, 0) == 0) return true;
    }
    return false;
  };
  const timespec nap{0, kBetweenLooksMs * 1'000'000};
  for (long waited = 0; waited < kPatienceMs && there(); waited += kBetweenLooksMs) {
    ::nanosleep(&nap, nullptr);
  }
  for (const pid_t group : groups) ::kill(-group, SIGKILL);
}

// In the guard, after a fork among threads: system calls alone. What the other threads held stays locked.
[[noreturn]] void StandGuard(int line, std::vector<pid_t>& groups) {
  ::setpgid(0, 0);        // Ctrl-C is for the others
  LeaveEndingToParent();  // killall takes it for the program that it guards
  CloseAllBut(line);
  for (;;) {
    pid_t group = kDismissed;
    const ssize_t got = ::recv(line, &group, sizeof group, 0);
    if (got < 0 && errno == EINTR) continue;
    const bool heard = got == static_cast<ssize_t>(sizeof group);
    if (heard && group != kDismissed) {
      if (groups.size() < groups.capacity()) groups.push_back(group);
      continue;
    }
    if (!heard) EndGroups(groups);
    ::_exit(0);
  }
}

}  // namespace

ProgramGuard::ProgramGuard(const std::string& who, std::size_t programs) {
  std::vector<pid_t> groups;
  groups.reserve(programs);
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw EnvironmentError(who + ": no guard can be had for its programs: " + std::strerror(errno));
  }
  const pid_t id = ::fork();
  if (id == 0) StandGuard(ends[1], groups);
  const int cause = errno;
  ::close(ends[1]);
  line_ = ends[0];
  guard_ = Child(id);
  if (id > 0) return;
  ::close(line_);
  throw EnvironmentError(who + ": no guard can be had for its programs: " + std::strerror(cause));
}

ProgramGuard::~ProgramGuard() {
  Watch(kDismissed);
  ::close(line_);
  guard_.Wait();
}

void ProgramGuard::Watch(pid_t group) {
  while (::send(line_, &group, sizeof group, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

}  // namespace tandem
