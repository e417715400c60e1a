#include "device/harness/programs.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

constexpr std::chrono::seconds kPatience{2};

}  // namespace

BackgroundPrograms::BackgroundPrograms(const std::vector<std::vector<std::string>>& commands) {
  if (!commands.empty()) guard_ = std::make_unique<ProgramGuard>("background", commands.size());
  try {
    for (const std::vector<std::string>& command : commands) Start(command);
  } catch (...) {
    StopAll();
    throw;
  }
}

// Nothing to read, its output out of the way of our results.
void BackgroundPrograms::Start(const std::vector<std::string>& command) {
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  Child child;
  const int cause = child.Start({command, nothing, STDERR_FILENO});
  ::close(nothing);
  if (cause != 0) {
    throw EnvironmentError("background: \"" + command[0] + "\" cannot be started: " + std::strerror(cause));
  }
  guard_->Watch(child.pid());
  programs_.push_back({command[0], std::move(child)});
}

BackgroundPrograms::~BackgroundPrograms() { StopAll(); }

std::vector<std::string> BackgroundPrograms::Ended() {
  std::vector<std::string> ended;
  for (Program& program : programs_) {
    if (program.told || !program.child.EndsWithin(Nanos{0})) continue;
    program.told = true;
    ended.push_back(program.name + " " + program.child.HowItEnded());
  }
  return ended;
}

void BackgroundPrograms::StopAll() {
  for (const Program& program : programs_) program.child.Signal(SIGTERM);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (Program& program : programs_)
    program.child.End(std::max(Nanos{0}, Nanos{end - std::chrono::steady_clock::now()}));
}

}  // namespace tandem
