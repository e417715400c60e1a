// Does a long run hear that it is to end, whatever tells it, and does it end where it does not listen? Is
// the time that it still takes told as people read it?
#include "profiles/program/long_run.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "profiles/base/files.h"
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

[[noreturn]] void RaiseAll() {
  LeaveEndingToParent();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::raise(signal);
  ::_exit(EndIsAsked() ? EXIT_FAILURE : kHeard);
}

TEST(AWorkerDeathTest, LeavesItToItsParentToEndIt) {
  const LongRun run;
  EXPECT_EXIT(RaiseAll(), testing::ExitedWithCode(kHeard), "");
}

TEST(TheTimeLeft, IsAsLongForWhatIsToComeAsForWhatIsDone) {
  using std::chrono::seconds;
  EXPECT_EQ(TimeLeft(seconds(10), 1, 3), ", 0:20 left");
  EXPECT_EQ(TimeLeft(seconds(60), 2, 7), ", 2:30 left");
  EXPECT_EQ(TimeLeft(seconds(3600), 10, 25), ", 1:30:00 left");
}

TEST(TheTimeLeft, IsUnknownBeforeTheFirstAndNothingAfterTheLast) {
  EXPECT_EQ(TimeLeft(std::chrono::seconds(5), 0, 3), "");
  EXPECT_EQ(TimeLeft(std::chrono::seconds(5), 3, 3), "");
}

}  // namespace
}  // namespace tandem
