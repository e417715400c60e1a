// Does a long run hear that it is to end, whatever tells it, and does it end where it does not listen? Is
// the time that it still takes told as people read it?
#include "profiles/program/long_run.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "profiles/base/files.h"
#include "profiles/base/unfinished_folder.h"
#include "profiles/program/end_by_signal.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

constexpr int kHeard = 7;

[[noreturn]] void NeverAsk() {
  for (;;) ::pause();
}

// In a process of its own.
[[noreturn]] void HearSignal(int signal) {
  ::signal(signal, SIG_DFL);  // who started this may ignore it
  const LongRun run;
  ::raise(signal);
  ::_exit(run.interrupted() ? kHeard : EXIT_FAILURE);
}

[[noreturn]] void MissSignal(int signal) {
  const LongRun run;
  ::raise(signal);
  NeverAsk();
}

[[noreturn]] void LoseReader() {
  int ends[2];
  if (::pipe(ends) != 0) ::_exit(EXIT_FAILURE);
  ::dup2(ends[1], STDOUT_FILENO);
  const LongRun run(LongRun::Reader::kOfOutput);
  ::close(ends[1]);
  ::close(ends[0]);
  NeverAsk();
}

[[noreturn]] void KeepReader() {
  int ends[2];
  if (::pipe(ends) != 0) ::_exit(EXIT_FAILURE);
  ::dup2(ends[1], STDOUT_FILENO);
  { const LongRun run(LongRun::Reader::kOfOutput); }
  ::_exit(kHeard);
}

TEST(ALongRunDeathTest, HearsEverySignalThatAsksItToEnd) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EXIT(HearSignal(signal), testing::ExitedWithCode(kHeard), "") << signal;
  }
}

TEST(ALongRunDeathTest, EndsWhereNobodyAsksWhetherItIsTo) {
  EXPECT_EXIT(MissSignal(SIGTERM), testing::ExitedWithCode(kExitInterrupted), "");
}

TEST(ALongRunDeathTest, EndsOnceNobodyReadsItsOutput) {
  EXPECT_EXIT(LoseReader(), testing::ExitedWithCode(kExitInterrupted), "");
  EXPECT_EXIT(KeepReader(), testing::ExitedWithCode(kHeard), "");
}

// What it wrote is not complete when it ends.
template <class Then>
[[noreturn]] void BeginFileAnd(const std::filesystem::path& file, Then then) {
  FileWriter writer(file);
  writer.Append("half");
  writer.Flush();
  then();
  ::_exit(EXIT_FAILURE);
}

void RaiseTwice() {
  const LongRun run;
  ::raise(SIGHUP);
  ::raise(SIGHUP);
}

void RaiseWithoutALongRun() {
  RunGuarded("test", [] { return ::raise(SIGHUP); });
}

TEST(ALongRunDeathTest, LeavesNoFileHalfWritten) {
  const TempFolder folder;
  ::signal(SIGHUP, SIG_DFL);
  EXPECT_EXIT(BeginFileAnd(folder / "t.json", [] { MissSignal(SIGHUP); }),
              testing::ExitedWithCode(kExitInterrupted), "");
  EXPECT_EXIT(BeginFileAnd(folder / "t.json", LoseReader), testing::ExitedWithCode(kExitInterrupted), "");
  EXPECT_EXIT(BeginFileAnd(folder / "t.json", RaiseTwice), testing::KilledBySignal(SIGHUP), "");
  EXPECT_EXIT(BeginFileAnd(folder / "t.json", RaiseWithoutALongRun), testing::KilledBySignal(SIGHUP), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

template <class Then>
[[noreturn]] void BeginFolderAnd(const std::filesystem::path& path, Then then) {
  const UnfinishedFolder folder(path);
  std::filesystem::create_directories(path / "deep" / "down");
  for (int number = 0; number < 300; ++number) WriteFile(path / "deep" / std::to_string(number), "whole");
  BeginFileAnd(path / "deep" / "down" / "t.json", then);
}

TEST(ALongRunDeathTest, LeavesNoFolderHalfWritten) {
  const TempFolder folder;
  ::signal(SIGHUP, SIG_DFL);
  EXPECT_EXIT(BeginFolderAnd(folder / "f", [] { MissSignal(SIGHUP); }),
              testing::ExitedWithCode(kExitInterrupted), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  EXPECT_EXIT(BeginFolderAnd(folder / "f", RaiseTwice), testing::KilledBySignal(SIGHUP), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

[[noreturn]] void RaiseAll() {
  LeaveEndingToParent();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::raise(signal);
  ::_exit(EndIsAsked() ? EXIT_FAILURE : kHeard);
}

TEST(AWorkerDeathTest, LeavesItToItsParentToEndIt) {
  const LongRun run;
  EXPECT_EXIT(RaiseAll(), testing::ExitedWithCode(kHeard), "");
}

// Calls `show` for as long as it takes until a bar is shown, on that terminal.
template <class Begin, class Show>
[[noreturn]] void ShowOn(const char* terminal, Begin begin, Show show) {
  const int end = ::open(terminal, O_RDWR | O_NOCTTY);
  if (end < 0 || ::dup2(end, STDERR_FILENO) < 0) ::_exit(EXIT_FAILURE);
  LongRun run;
  begin(run);
  for (int turn = 0; turn < 24; ++turn) {
    show(run, turn);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  run.Clear();
  ::_exit(kHeard);
}

std::string AllThatIsWrittenTo(int terminal) {
  std::string text;
  char piece[4096];
  for (ssize_t size; (size = ::read(terminal, piece, sizeof piece)) > 0;) {
    text.append(piece, static_cast<std::size_t>(size));
  }
  return text;  // a terminal that nobody has open any more cannot be read
}

// What a process of its own, on a terminal of its own, shows there.
template <class Begin, class Show>
std::string ShownOnATerminal(Begin begin, Show show) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  EXPECT_GE(terminal, 0);
  EXPECT_EQ(::grantpt(terminal), 0);
  EXPECT_EQ(::unlockpt(terminal), 0);
  const std::string name = ::ptsname(terminal);
  const pid_t child = ::fork();
  if (child == 0) ShowOn(name.c_str(), begin, show);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  const std::string text = AllThatIsWrittenTo(terminal);
  ::close(terminal);
  EXPECT_EQ(WEXITSTATUS(status), kHeard);
  return text;
}

TEST(OnATerminal, WhatIsKnownStandsBelowTheBarAndIsTakenAwayAtTheEnd) {
  const std::string text = ShownOnATerminal(
      [](LongRun& run) {
        run.Show([] { return std::vector<std::string>{"eft: 3 ms", "sjf: 4 ms"}; });
        run.Expect(std::chrono::seconds(90));
      },
      [](LongRun& run, int turn) { run.Progress("runs", turn, 24); });
  EXPECT_NE(text.find("runs [####"), std::string::npos) << text;
  EXPECT_NE(text.find(" left\r\neft: 3 ms\r\nsjf: 4 ms\r\033[2A\033[J"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("sjf: 4 ms\r\033[2A\033[J")) << text;
}

TEST(OnATerminal, WhatIsWaitedForHasNoCount) {
  const std::string text =
      ShownOnATerminal([](LongRun&) {}, [](LongRun& run, int) { run.Waits("waiting for the board"); });
  EXPECT_NE(text.find("waiting for the board\r\033[J"), std::string::npos) << text;
  EXPECT_EQ(text.find(':'), std::string::npos) << text;
}

TEST(HowFarItIs, IsTheSameWithoutABar) {
  EXPECT_EQ(ProgressLine("fcfs", 1, 2, 10), "fcfs [#####-----] 50 %");
  EXPECT_EQ(ProgressLine("fcfs", 1, 2, 0), "fcfs: 50 %");
  EXPECT_EQ(ProgressLine("fcfs", 1000, 0, 0), "fcfs: 1,000");
}

TEST(TheTimeLeft, IsAsLongForWhatIsToComeAsForWhatIsDone) {
  using std::chrono::seconds;
  EXPECT_EQ(TimeLeft(seconds(10), 1, 3), ", 0:20 left");
  EXPECT_EQ(TimeLeft(seconds(60), 2, 7), ", 2:30 left");
  EXPECT_EQ(TimeLeft(seconds(3600), 10, 25), ", 1:30:00 left");
  EXPECT_EQ(TimeLeft(seconds(10), 1, 3, seconds(4)), ", 0:16 left") << "while the next is under way";
  EXPECT_EQ(TimeLeft(seconds(10), 1, 2, seconds(14)), ", 0:00 left")
      << "it takes longer than those before it";
}

TEST(TheTimeLeft, IsUnknownBeforeTheFirstAndNothingAfterTheLast) {
  EXPECT_EQ(TimeLeft(std::chrono::seconds(5), 0, 3), "");
  EXPECT_EQ(TimeLeft(std::chrono::seconds(5), 3, 3), "");
  EXPECT_EQ(TimeLeft(std::chrono::seconds(-1)), "") << "longer than was expected";
  EXPECT_EQ(TimeLeft(std::chrono::seconds(61)), ", 1:01 left");
}

}  // namespace
}  // namespace tandem
