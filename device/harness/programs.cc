#include "device/harness/programs.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

constexpr std::chrono::milliseconds kPatience{2000}, kBetweenLooksAtPrograms{5};

// Its own group, nothing to read, its output out of the way of our results.
pid_t Spawn(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM}) sigaddset(&defaults, signal);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  pid_t id = 0;
  const int cause = ::posix_spawnp(&id, words[0], &files, &attributes, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (cause == 0) return id;
  throw EnvironmentError("background: \"" + command[0] + "\" cannot be started: " + std::strerror(cause));
}

std::string HowItEnded(const std::string& name, int status) {
  if (WIFSIGNALED(status)) return name + " was ended by signal " + std::to_string(WTERMSIG(status));
  return name + " ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

BackgroundPrograms::BackgroundPrograms(const std::vector<std::vector<std::string>>& commands) {
  if (!commands.empty()) guard_ = std::make_unique<ProgramGuard>(commands.size());
  try {
    for (const std::vector<std::string>& command : commands) {
      programs_.push_back({command[0], Spawn(command), false});
      guard_->Watch(programs_.back().id);
    }
  } catch (...) {
    StopAll();
    throw;
  }
}

BackgroundPrograms::~BackgroundPrograms() { StopAll(); }

std::vector<std::string> BackgroundPrograms::Ended() {
  std::vector<std::string> ended;
  for (Program& program : programs_) {
    int status = 0;
    if (program.ended || ::waitpid(program.id, &status, WNOHANG) != program.id) continue;
    program.ended = true;
    ended.push_back(HowItEnded(program.name, status));
  }
  return ended;
}

void BackgroundPrograms::StopAll() {
  for (const Program& program : programs_) ::kill(-program.id, SIGTERM);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (Program& program : programs_) {
    while (!program.ended && std::chrono::steady_clock::now() < end) {
      program.ended = ::waitpid(program.id, nullptr, WNOHANG) == program.id;
      if (!program.ended) std::this_thread::sleep_for(kBetweenLooksAtPrograms);
    }
    // Also to what it has started and left behind.
    ::kill(-program.id, SIGKILL);
    if (!program.ended) ::waitpid(program.id, nullptr, 0);
    program.ended = true;
  }
}

}  // namespace tandem
