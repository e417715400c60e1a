#include "profiles/program/long_run.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "profiles/base/table.h"
#include "profiles/program/program.h"

namespace tandem {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kShownFrom{2000}, kBetween{100};
constexpr std::string_view kEraseLine = "\r\033[K";

// The one thing that a terminal is told on purpose.
void EraseLine() { std::fwrite(kEraseLine.data(), 1, kEraseLine.size(), stderr); }

volatile sig_atomic_t interrupt_asked = 0;

void AskToEnd(int) { interrupt_asked = 1; }

void Install(void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
}

}  // namespace

LongRun::LongRun() : on_terminal_(::isatty(STDERR_FILENO) == 1), begin_(steady_clock::now()), last_(begin_) {
  interrupt_asked = 0;
  struct sigaction before {};
  ::sigaction(SIGINT, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;  // a shell's background job: not ours to answer
  Install(AskToEnd, SA_RESTART | SA_RESETHAND);
}

LongRun::~LongRun() {
  struct sigaction before {};
  ::sigaction(SIGINT, nullptr, &before);
  if (before.sa_handler == AskToEnd) Install(SIG_DFL, 0);
  Clear();
}

bool LongRun::interrupted() const { return interrupt_asked != 0; }

bool LongRun::Progress(const std::string& what, std::int64_t done, std::int64_t total) {
  if (!on_terminal_) return !interrupted();
  const auto now = steady_clock::now();
  if (now - begin_ >= kShownFrom && now - last_ >= kBetween) {
    last_ = now;
    shown_ = true;
    EraseLine();
    WriteError(ProgressLine(what, done, total));
  }
  return !interrupted();
}

void LongRun::Clear() {
  if (shown_) EraseLine();
  shown_ = false;
}

std::string ProgressLine(const std::string& what, std::int64_t done, std::int64_t total) {
  constexpr std::int64_t kBar = 30;
  constexpr std::size_t kName = 24;
  const std::string name = Shortened(what, kName);
  if (total <= 0 || done > total) return name + ": " + Grouped(done);
  const auto filled = static_cast<std::size_t>(kBar * done / total);
  return name + " [" + std::string(filled, '#') + std::string(kBar - filled, '-') + "] " +
         std::to_string(100 * done / total) + " %";
}

}  // namespace tandem
