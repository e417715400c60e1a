// Does every run leave one row, whatever happens to the process that simulates it?
#include "sim/workers/crew.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <set>
#include <string>
#include <vector>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/program/version.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

std::vector<SweepRun> RunsNamed(const std::vector<std::string>& keys) {
  std::vector<SweepRun> runs;
  for (const std::string& key : keys) runs.push_back({key, 0, "p"});
  return runs;
}

SweepRow BlankRow(const SweepRun& run) {
  SweepRow row;
  row.key = run.key;
  row.version = Version();
  row.engine = "virtual";
  row.policy = run.policy;
  return row;
}

// What a run does goes by its name; every row says which process made it.
SweepRow Simulated(const SweepRun& run) {
  if (run.key.starts_with("crash")) ::raise(SIGKILL);
  if (run.key.starts_with("leave")) ::_exit(7);
  if (run.key.starts_with("hang")) {
    for (;;) ::pause();
  }
  SweepRow row = BlankRow(run);
  row.status = run.key.starts_with("fail") ? RowStatus::kFailed : RowStatus::kOk;
  row.figures = {{"makespan_ns", static_cast<double>(::getpid())}};
  return row;
}

class CrewTest : public testing::Test {
 protected:
  CrewCount Work(const std::vector<std::string>& keys, CrewOptions options) {
    const std::vector<SweepRun> runs = RunsNamed(keys);
    options.folder = folder_;
    Crew crew(runs, {BlankRow, [] { return Simulated; }}, options);
    std::size_t next = 0;
    const auto give = [&](std::size_t) -> std::optional<std::size_t> {
      if (next == runs.size()) return std::nullopt;
      return next++;
    };
    const CrewCount count = crew.Work(give, [&](const CrewCount& now) { return now.done < stop_at_; });
    rows_ = ReadRows(folder_);
    return count;
  }
  std::size_t Processes() const {
    std::set<double> processes;
    for (const auto& [key, row] : rows_) {
      if (row.status == RowStatus::kOk) processes.insert(row.figures.at("makespan_ns"));
    }
    return processes.size();
  }

  TempFolder folder_;
  std::map<std::string, SweepRow> rows_;
  std::int64_t stop_at_ = 1000;
};

TEST_F(CrewTest, EveryRunLeavesARowFromFewProcesses) {
  std::vector<std::string> keys;
  for (int k = 0; k < 50; ++k) keys.push_back("k" + std::to_string(k));
  const CrewCount count = Work(keys, {.jobs = 2});
  EXPECT_EQ(count.done, 50);
  EXPECT_EQ(count.failed, 0);
  EXPECT_EQ(rows_.size(), 50U);
  EXPECT_LE(Processes(), 2U);
}

TEST_F(CrewTest, ACrashIsOneRowAndTheOthersGoOn) {
  const CrewCount count = Work({"a", "crash", "b", "leave", "c", "fail"}, {.jobs = 1});
  EXPECT_EQ(count.done, 6);
  EXPECT_EQ(count.failed, 3);
  EXPECT_EQ(rows_.at("crash").status, RowStatus::kFailed);
  EXPECT_EQ(rows_.at("crash").message, "the process of the simulation was ended by signal 9");
  EXPECT_EQ(rows_.at("leave").message, "the process of the simulation ended with status 7");
  for (const char* key : {"a", "b", "c"}) EXPECT_EQ(rows_.at(key).status, RowStatus::kOk) << key;
  EXPECT_EQ(Processes(), 3U);
}

TEST_F(CrewTest, WhatTakesTooLongIsEndedAndSaysSo) {
  const CrewCount count = Work({"a", "hang", "b"}, {.jobs = 1, .timeout = std::chrono::milliseconds(1500)});
  EXPECT_EQ(count.failed, 1);
  EXPECT_EQ(rows_.at("hang").status, RowStatus::kTimeout);
  EXPECT_EQ(rows_.at("hang").message, "took longer than 1.500 s");
  EXPECT_EQ(rows_.at("b").status, RowStatus::kOk);
}

TEST_F(CrewTest, IsolatedRunsHaveAProcessEach) {
  Work({"a", "b", "c", "d"}, {.jobs = 2, .isolate = true});
  EXPECT_EQ(Processes(), 4U);
}

TEST_F(CrewTest, AskedToEndItFinishesWhatItHasBegun) {
  stop_at_ = 3;
  const CrewCount count = Work({"a", "b", "c", "d", "e", "f", "g", "h"}, {.jobs = 2});
  EXPECT_GE(count.done, 3);
  EXPECT_LT(count.done, 8);
  EXPECT_EQ(static_cast<std::int64_t>(rows_.size()), count.done);
}

TEST_F(CrewTest, AFolderThatCannotBeWrittenToIsAnEnvironmentError) {
  const std::vector<SweepRun> runs = RunsNamed({"a"});
  Crew crew(runs, {BlankRow, [] { return Simulated; }}, {.folder = folder_ / "not" / "there"});
  bool given = false;
  const auto give = [&](std::size_t) -> std::optional<std::size_t> {
    if (std::exchange(given, true)) return std::nullopt;
    return 0;
  };
  EXPECT_THROW(crew.Work(give, [](const CrewCount&) { return true; }), EnvironmentError);
}

TEST(ARowFile, IsNobodyElses) {
  const TempFolder folder;
  SweepRow row = BlankRow({"a", 0, "p"});
  { RowFile(folder).Append(RowText(row)); }
  const auto file = std::filesystem::directory_iterator(folder)->path();
  const std::string torn = ReadTextFile(file) + R"({"tandem": "swe)";
  WriteFile(file, torn);
  row.key = "b";
  { RowFile(folder).Append(RowText(row)); }  // a process of the same number
  EXPECT_EQ(ReadTextFile(file), torn);
  EXPECT_EQ(ReadRows(folder).size(), 2U);
}

}  // namespace
}  // namespace tandem
