#include "profiles/base/child.h"

#include <signal.h>
#include <spawn.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace tandem {
namespace {

constexpr Nanos kBetweenLooks{2'000'000};

bool HasEnded(pid_t pid, siginfo_t& how) {
  how = {};
  return ::waitid(P_PID, static_cast<id_t>(pid), &how, WEXITED | WNOHANG | WNOWAIT) != 0 || how.si_pid != 0;
}

// posix_spawn cannot ask for the starter's end to be told.
pid_t ForkTied(const ProgramStart& start, const std::vector<char*>& words) {
  const pid_t starter = ::getpid();
  const pid_t id = ::fork();
  if (id != 0) return id;
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
  if (::getppid() != starter) ::_exit(1);  // it was quicker
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGXFSZ, SIG_DFL);
  ::dup2(start.input, STDIN_FILENO);
  ::dup2(start.output, STDOUT_FILENO);
  if (start.error >= 0) ::dup2(start.error, STDERR_FILENO);
  ::execvp(words[0], words.data());
  ::_exit(errno == ENOENT ? 127 : 126);  // as shells have it
}

}  // namespace

int Child::Start(const ProgramStart& start) {
  std::vector<char*> words;
  for (const std::string& word : start.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  own_group_ = start.own_group;
  if (start.ends_with_starter) {
    own_group_ = false;
    pid_ = ForkTied(start, words);
    return pid_ < 0 ? errno : 0;
  }
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, start.input, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, start.output, STDOUT_FILENO);
  if (start.error >= 0) ::posix_spawn_file_actions_adddup2(&files, start.error, STDERR_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  sigaddset(&defaults, SIGXFSZ);
  short flags = POSIX_SPAWN_SETSIGDEF;
  if (start.own_group) {
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGTERM);
    sigaddset(&defaults, SIGHUP);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    flags |= POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK;
  }
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setflags(&attributes, flags);
  const int cause = ::posix_spawnp(&pid_, words[0], &files, &attributes, words.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  if (cause != 0) pid_ = -1;
  return cause;
}

void Child::Signal(int number) const {
  if (pid_ > 0) ::kill(own_group_ ? -pid_ : pid_, number);
}

bool Child::EndsWithin(Nanos patience) const {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  siginfo_t how;
  while (!HasEnded(pid_, how)) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return true;
}

std::string Child::HowItEnded() const {
  siginfo_t how;
  HasEnded(pid_, how);
  return (how.si_code == CLD_EXITED ? "ended with status " : "was ended by signal ") +
         std::to_string(how.si_status);
}

int Child::Wait() {
  int status = 0;
  while (pid_ > 0 && ::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status;
}

void Child::End(Nanos patience) {
  if (pid_ < 0) return;
  EndsWithin(patience);
  Signal(SIGKILL);
  Wait();
}

}  // namespace tandem
