#include "profiles/program/long_run.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <thread>

#include "profiles/base/files.h"
#include "profiles/base/table.h"
#include "profiles/program/end_by_signal.h"
#include "profiles/program/program.h"

namespace tandem {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kShownFrom{2000}, kBetween{100};

// The one thing that a terminal is told on purpose: to the beginning of the line that stands so many lines
// above, and to erase what is there and below.
void EraseFrom(std::size_t above) {
  std::string told = "\r";
  if (above > 0) told += "\033[" + std::to_string(above) + "A";
  told += "\033[J";
  std::fwrite(told.data(), 1, told.size(), stderr);
}

// What stands first in a line says more than what stands last.
std::string CutAtAWord(const std::string& line, std::size_t width) {
  constexpr std::string_view kCut = " ..";
  const std::string whole = Wrapped(line, width);
  if (whole.find('\n') + 1 == whole.size() || width <= kCut.size()) return Shortened(line, width);
  const std::string narrow = Wrapped(line, width - kCut.size());
  return Shortened(narrow.substr(0, narrow.find('\n')) + std::string(kCut), width);
}

struct TerminalSize {
  std::size_t lines = 24, columns = 80;
};
TerminalSize SizeOfTerminal() {
  TerminalSize size;
  winsize told{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &told) != 0) return size;
  if (told.ws_row > 0) size.lines = told.ws_row;
  if (told.ws_col > 0) size.columns = told.ws_col;
  return size;
}

constexpr std::array<int, 3> kToEnd = {SIGINT, SIGTERM, SIGHUP};
constexpr unsigned kSecondsToNotice = 1;
constexpr int kMillisWithoutReader = 700;

std::atomic<int> interrupt_asked = 0;  // without a lock, so that a handler may write it
pid_t asked_process = 0;
static_assert(std::atomic<int>::is_always_lock_free);

// A process that was forked has the handler too, and somebody else who ends it.
void AskToEnd(int signal) {
  interrupt_asked = 1;
  HandleSignal(signal, EndBySignal);  // the next one
  if (::getpid() == asked_process) ::alarm(kSecondsToNotice);
}

[[noreturn]] void EndAtOnce() {
  RemoveUnfinishedFiles();
  ::_exit(kExitInterrupted);
}

void EndUnnoticed(int) {
  if (::getpid() == asked_process) EndAtOnce();
}

bool CanLoseItsReader(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

std::chrono::seconds SecondsUntil(steady_clock::time_point end) {
  return std::chrono::duration_cast<std::chrono::seconds>(end - steady_clock::now());
}

bool WaitFor(pollfd* ends, nfds_t count, int millis) {
  int ready = 0;
  do {
    ready = ::poll(ends, count, millis);
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

}  // namespace

// A thread that sleeps until the other end of standard output is closed. Then it asks the run to end, and
// ends the program where that takes too long: what it does is for nobody.
class LongRun::ReaderWatch {
 public:
  ReaderWatch() : stop_(::eventfd(0, EFD_CLOEXEC)), thread_([this] { Watch(); }) {}
  ReaderWatch(const ReaderWatch&) = delete;
  ReaderWatch& operator=(const ReaderWatch&) = delete;
  ~ReaderWatch() {
    const std::uint64_t one = 1;
    while (::write(stop_, &one, sizeof one) < 0 && errno == EINTR) {
    }
    thread_.join();
    ::close(stop_);
  }

 private:
  void Watch() const {
    pollfd ends[] = {{stop_, POLLIN, 0}, {STDOUT_FILENO, 0, 0}};  // an end that is closed is always told
    WaitFor(ends, 2, -1);
    if (ends[0].revents != 0) return;
    interrupt_asked = 1;
    if (!WaitFor(ends, 1, kMillisWithoutReader)) EndAtOnce();
  }

  int stop_;
  std::thread thread_;
};

LongRun::LongRun(Reader reader)
    : on_terminal_(::isatty(STDERR_FILENO) == 1), begin_(steady_clock::now()), last_(begin_) {
  interrupt_asked = 0;
  asked_process = ::getpid();
  HandleSignal(SIGALRM, EndUnnoticed);
  for (const int signal : kToEnd) {
    if (HandlerOf(signal) == SIG_IGN) continue;  // a shell's background job, nohup: not ours to answer
    HandleSignal(signal, AskToEnd, SA_RESTART);
  }
  if (reader == Reader::kOfOutput && CanLoseItsReader(STDOUT_FILENO)) {
    reader_ = std::make_unique<ReaderWatch>();
  }
}

LongRun::~LongRun() {
  reader_.reset();
  for (const int signal : kToEnd) {
    if (HandlerOf(signal) == AskToEnd) HandleSignal(signal, EndBySignal);
  }
  ::alarm(0);
  HandleSignal(SIGALRM, SIG_DFL);
  interrupt_asked = 0;
  Clear();
}

bool EndIsAsked() { return interrupt_asked.load(std::memory_order_relaxed) != 0; }

bool LongRun::interrupted() const {
  if (!EndIsAsked()) return false;
  ::alarm(0);  // it is noticed: what is complete may be written out
  return true;
}

bool LongRun::IsDue() {
  if (!on_terminal_ || IsQuiet()) return false;
  const auto now = steady_clock::now();
  if (now - begin_ < kShownFrom || now - last_ < kBetween) return false;
  last_ = now;
  return true;
}

bool LongRun::Progress(const std::string& what, std::int64_t done, std::int64_t total) {
  if (IsDue()) Draw(what, done, total, end_ ? TimeLeft(SecondsUntil(*end_)) : "");
  return !interrupted();
}

bool LongRun::Waits(const std::string& what) {
  if (IsDue()) DrawLine(what, what);
  return !interrupted();
}

bool LongRun::ProgressAndTimeLeft(const std::string& what, std::int64_t done, std::int64_t total) {
  const auto now = steady_clock::now();
  if (stage_.what != what) stage_ = {what, now, now, done, done};
  if (stage_.done != done) {
    stage_.done = done;
    stage_.done_at = now;
  }
  if (IsDue()) {
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(stage_.done_at - stage_.begin);
    const auto since = std::chrono::duration_cast<std::chrono::seconds>(now - stage_.done_at);
    Draw(what, done, total, TimeLeft(passed, done - stage_.done_before, total - stage_.done_before, since));
  }
  return !interrupted();
}

void LongRun::Draw(const std::string& what, std::int64_t done, std::int64_t total, const std::string& left) {
  DrawLine(ProgressLine(what, done, total) + left, ProgressLine(what, done, total, 0) + left);
}

void LongRun::DrawLine(const std::string& line, const std::string& narrow) {
  const TerminalSize size = SizeOfTerminal();
  std::vector<std::string> known = known_ ? known_() : std::vector<std::string>();
  const std::size_t most = size.lines > 2 ? size.lines - 2 : 0;
  if (known.size() > most) known.erase(known.begin(), known.end() - static_cast<std::ptrdiff_t>(most));
  const std::size_t width = size.columns - 1;
  std::string text = Shortened(line.size() > width ? narrow : line, width);
  for (const std::string& below : known) text += "\n" + CutAtAWord(below, width);
  EraseFrom(shown_below_);
  WriteError(text);
  shown_below_ = known.size();
  shown_ = true;
}

void LongRun::Expect(std::chrono::seconds takes) { end_ = steady_clock::now() + takes; }

void LongRun::Say(const std::string& sentence) {
  if (!on_terminal_) return;
  Clear();
  WriteError(Wrapped(sentence, SizeOfTerminal().columns));
}

void LongRun::Clear() {
  if (shown_) EraseFrom(shown_below_);
  shown_ = false;
  shown_below_ = 0;
}

std::string ProgressLine(const std::string& what, std::int64_t done, std::int64_t total, std::int64_t bar) {
  constexpr std::size_t kName = 24;
  const std::string name = Shortened(what, kName);
  if (total <= 0 || done > total) return name + ": " + Grouped(done);
  const std::string percent = std::to_string(100 * done / total) + " %";
  if (bar == 0) return name + ": " + percent;
  const auto filled = static_cast<std::size_t>(bar * done / total);
  return name + " [" + std::string(filled, '#') + std::string(static_cast<std::size_t>(bar) - filled, '-') +
         "] " + percent;
}

std::string TimeLeft(std::chrono::seconds passed, std::int64_t done, std::int64_t total,
                     std::chrono::seconds since) {
  if (done <= 0 || done >= total) return "";
  const double per_one = static_cast<double>(passed.count()) / static_cast<double>(done);
  const auto left =
      std::chrono::seconds(static_cast<std::int64_t>(per_one * static_cast<double>(total - done) + 0.5));
  return TimeLeft(std::max(left - since, std::chrono::seconds(0)));
}

std::string TimeLeft(std::chrono::seconds of) {
  const std::int64_t left = of.count();
  if (left < 0) return "";
  const auto two = [](std::int64_t part) { return (part < 10 ? "0" : "") + std::to_string(part); };
  const std::int64_t hours = left / 3600, minutes = left / 60 % 60;
  return ", " + (hours > 0 ? std::to_string(hours) + ":" + two(minutes) : std::to_string(minutes)) + ":" +
         two(left % 60) + " left";
}

}  // namespace tandem
