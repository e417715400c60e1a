#include "profiles/program/long_run.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "profiles/base/table.h"
#include "profiles/program/program.h"

namespace tandem {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kShownFrom{2000}, kBetween{100};
constexpr std::string_view kEraseLine = "\r\033[K";

volatile sig_atomic_t interrupt_asked = 0;

void AskToEnd(int) { interrupt_asked = 1; }

void Install(int signal, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

auto HandlerOf(int signal) {
  struct sigaction now {};
  ::sigaction(signal, nullptr, &now);
  return now.sa_handler;
}

}  // namespace

LongRun::LongRun(EndsOn ends)
    : on_terminal_(::isatty(STDERR_FILENO) == 1), begin_(steady_clock::now()), last_(begin_) {
  interrupt_asked = 0;
  // One that is ignored is a shell's background job: not ours to answer.
  if (HandlerOf(SIGINT) != SIG_IGN) Install(SIGINT, AskToEnd, SA_RESTART | SA_RESETHAND);
  if (ends == EndsOn::kInterruptOrTerm) Install(SIGTERM, AskToEnd, SA_RESTART | SA_RESETHAND);
}

LongRun::~LongRun() {
  for (const int signal : {SIGINT, SIGTERM}) {
    if (HandlerOf(signal) == AskToEnd) Install(signal, SIG_DFL, 0);
  }
  Clear();
}

bool LongRun::interrupted() const { return interrupt_asked != 0; }

bool LongRun::IsDue() {
  if (!on_terminal_) return false;
  const auto now = steady_clock::now();
  if (now - begin_ < kShownFrom || now - last_ < kBetween) return false;
  last_ = now;
  shown_ = true;
  return true;
}

bool LongRun::Progress(const std::string& what, std::int64_t done, std::int64_t total) {
  if (IsDue()) WriteError(std::string(kEraseLine) + ProgressLine(what, done, total));
  return !interrupted();
}

bool LongRun::ProgressAndTimeLeft(const std::string& what, std::int64_t done, std::int64_t total) {
  if (IsDue()) {
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(last_ - begin_);
    WriteError(std::string(kEraseLine) + ProgressLine(what, done, total) + TimeLeft(passed, done, total));
  }
  return !interrupted();
}

void LongRun::Clear() {
  if (shown_) WriteError(kEraseLine);
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

std::string TimeLeft(std::chrono::seconds passed, std::int64_t done, std::int64_t total) {
  if (done <= 0 || done >= total) return "";
  const double per_one = static_cast<double>(passed.count()) / static_cast<double>(done);
  const auto left = static_cast<std::int64_t>(per_one * static_cast<double>(total - done) + 0.5);
  const auto two = [](std::int64_t part) { return (part < 10 ? "0" : "") + std::to_string(part); };
  const std::int64_t hours = left / 3600, minutes = left / 60 % 60;
  return ", " + (hours > 0 ? std::to_string(hours) + ":" + two(minutes) : std::to_string(minutes)) + ":" +
         two(left % 60) + " left";
}

}  // namespace tandem
