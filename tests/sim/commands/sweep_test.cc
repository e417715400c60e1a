// Does `tandem sweep` run what it says, lose nothing when it is killed, and come to the same whoever runs it?
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "profiles/base/child.h"
#include "profiles/base/files.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::vector<std::string> LinesOf(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class SweepCommand : public testing::Test {
 protected:
  SweepCommand() { WriteSpec(3, R"("policies": ["fcfs", "eft"])"); }

  // So many counts, and two seeds.
  void WriteSpec(int counts, const std::string& more) const {
    WriteFile(spec_, R"({"tandem": "sweep/1", "name": "small", "scenario": "study-003", "axes": [
        {"name": "n", "pointers": ["/streams/0/count", "/streams/1/count", "/streams/2/count"],
         "range": {"from": 1, "to": )" +
                         std::to_string(counts) + R"(}},
        {"name": "seed", "pointers": ["/seed"], "values": [1, 2]}], )" +
                         more + "}");
  }
  ProgramResult Sweep(const std::string& arguments, const std::string& rows = "rows") const {
    return RunTandem("sweep " + spec_.string() + " -o " + (folder_ / rows).string() + " " + arguments);
  }
  Json Collected(const std::string& rows = "rows") const {
    const ProgramResult result = Sweep("--collect --json", rows);
    EXPECT_EQ(result.errors, "");
    return Json::parse(result.output);
  }
  std::vector<std::string> Keys() const { return LinesOf(Sweep("--list").output); }

  TempFolder folder_;
  fs::path spec_ = folder_ / "small.sweep.json";
};

TEST_F(SweepCommand, IsJudgedAndCountedByCheck) {
  const ProgramResult result = RunShell("COLUMNS=1000 " TANDEM_PROGRAM " check " + spec_.string());
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output, "ok  " + spec_.string() + ": sweep/1, 2 axes, 6 points, 2 policies, 12 runs\n");
}

TEST_F(SweepCommand, OfWhatIsShippedIsRight) {
  const ProgramResult result = RunTandem("check study-003-counts overload-rates");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_NE(result.output.find("3 axes, 45 points, 4 policies, 180 runs"), std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("4 axes, 60 points, 4 policies, 240 runs"), std::string::npos)
      << result.output;
}

TEST_F(SweepCommand, RunsAllAndSaysWhatItCameTo) {
  const ProgramResult result = Sweep("--jobs 2");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_NE(result.output.find("small: 12 runs, 12 ok, 0 failed, 0 missing"), std::string::npos);
  EXPECT_NE(result.output.find("n: "), std::string::npos) << result.output;
  const Json collected = Collected();
  EXPECT_EQ(collected["rows"].size(), 12U);
  EXPECT_TRUE(collected["missing"].empty());
  EXPECT_EQ(collected["failed"], 0);
  std::set<std::string> keys;
  std::string last;
  for (const Json& row : collected["rows"]) {
    EXPECT_EQ(row["tandem"], "sweep_row/1");
    EXPECT_LT(last, row["key"].get<std::string>());
    last = row["key"];
    keys.insert(last);
  }
  const auto listed = Keys();
  EXPECT_EQ(keys, std::set<std::string>(listed.begin(), listed.end()));
}

TEST_F(SweepCommand, HasTheFiguresOfSimulate) {
  WriteFile(spec_, R"({"tandem": "sweep/1", "name": "one", "scenario": "study-003", "bound": true})");
  ASSERT_EQ(Sweep("").status, 0);
  std::map<std::string, Json> rows;
  const Json collected = Collected();
  for (const Json& row : collected["rows"]) rows[row["policy"]] = row;
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows["fcfs"]["figures"]["makespan_ns"], 4048341000);
  EXPECT_EQ(rows["eft"]["figures"]["makespan_ns"], 3083670000);
  EXPECT_EQ(rows["fcfs"]["figures"]["p99_latency_ns"], 3589244000);
  EXPECT_GT(rows["fcfs"]["figures"]["gap"], rows["eft"]["figures"]["gap"]);
  EXPECT_FALSE(rows["fcfs"]["figures"].contains("energy_j"));  // the board has no power figures
}

TEST_F(SweepCommand, GivesTheSameFiguresOnBothEngines) {
  ASSERT_EQ(Sweep("", "virtual").status, 0);
  ASSERT_EQ(Sweep("--engine simgrid", "simgrid").status, 0);
  const auto figures = [](const Json& collected) {
    std::set<std::string> all;
    for (const Json& row : collected["rows"])
      all.insert(row["point"].dump() + row["policy"].dump() + row["figures"].dump());
    return all;
  };
  EXPECT_NE(Sweep("--collect", "simgrid")
                .output.find("12 rows of other runs in the folder (engine simgrid) are left out"),
            std::string::npos);
  const Json simgrid = Json::parse(Sweep("--collect --json --engine simgrid", "simgrid").output);
  EXPECT_EQ(figures(Collected("virtual")), figures(simgrid));
}

TEST_F(SweepCommand, HasTheIntervalsOfSimulate) {
  WriteFile(spec_, R"({"tandem": "sweep/1", "name": "one", "scenario": "study-004", "interval": 95})");
  ASSERT_EQ(Sweep("").status, 0);
  const Json simulated = Json::parse(RunTandem("simulate study-004 --interval 95 --json").output);
  std::map<std::string, Json> intervals;
  for (const Json& report : simulated) intervals[report["label"]] = report["makespan_interval_ns"];
  const Json collected = Collected();
  EXPECT_EQ(collected["interval"], 95);
  EXPECT_EQ(collected["rows"].size(), intervals.size());
  int known = 0;
  for (const Json& row : collected["rows"]) {
    const Json& simulated_interval = intervals.at(row["policy"]);
    EXPECT_EQ(row.contains("intervals"), !simulated_interval.is_null()) << row;
    EXPECT_EQ(row.contains("interval_why"), simulated_interval.is_null()) << row;
    if (simulated_interval.is_null()) continue;
    ++known;
    EXPECT_EQ(row["intervals"]["makespan_ns"], simulated_interval) << row;
    EXPECT_FALSE(row["intervals"].contains("completed")) << row;
  }
  EXPECT_GT(known, 0);
}

TEST_F(SweepCommand, SaysWhyThereAreNoIntervals) {
  WriteFile(
      spec_,
      R"({"tandem": "sweep/1", "name": "one", "scenario": "study-003", "policies": ["fcfs"], "interval": 90})");
  const ProgramResult result = Sweep("");
  ASSERT_EQ(result.status, 0);
  EXPECT_NE(result.output.find("no interval of 1 run: nothing is known of how sure the published times are"),
            std::string::npos)
      << result.output;
  const Json row = Collected()["rows"][0];
  EXPECT_FALSE(row.contains("intervals")) << row;
  EXPECT_TRUE(row.contains("interval_why")) << row;
}

TEST_F(SweepCommand, RunsAgainWhatIsToHaveIntervals) {
  ASSERT_EQ(Sweep("").status, 0);
  WriteSpec(3, R"("policies": ["fcfs", "eft"], "interval": 90)");
  const Json collected = Collected();
  EXPECT_EQ(collected["missing"].size(), 12U);
  EXPECT_TRUE(collected["rows"].empty());
}

TEST_F(SweepCommand, RunsNothingTwice) {
  ASSERT_EQ(Sweep("--shard 1/1").status, 0);
  EXPECT_EQ(Sweep("--shard 1/1").errors, "tandem: 0 of 12 runs done, 0 failed, 12 were there\n");
  WriteSpec(4, R"("policies": ["fcfs", "eft"])");  // what is new is run, what is there is kept
  EXPECT_EQ(Sweep("--shard 1/1").errors, "tandem: 4 of 16 runs done, 0 failed, 12 were there\n");
}

TEST_F(SweepCommand, KeepsItsRowsWhenAnAxisIsCalledOtherwise) {
  ASSERT_EQ(Sweep("").status, 0);
  std::string text = ReadTextFile(spec_);
  text.replace(text.find("\"n\""), 3, "\"count\"");
  WriteFile(spec_, text);
  const ProgramResult result = Sweep("--csv " + (folder_ / "t.csv").string());
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(ReadTextFile(folder_ / "t.csv").find("key,count,seed,policy,"), 0U);
  EXPECT_EQ(Collected()["rows"][0]["point"].size(), 2U);
  EXPECT_TRUE(Collected()["rows"][0]["point"].contains("count"));
}

TEST_F(SweepCommand, InShardsAndSingleRunsComesToTheSame) {
  ASSERT_EQ(Sweep("", "whole").status, 0);
  for (const char* shard : {"1/3", "3/3"}) EXPECT_EQ(Sweep(std::string("--shard ") + shard).status, 0);
  EXPECT_EQ(Collected()["missing"].size(), 4U);
  for (const std::string& key : Keys()) EXPECT_EQ(Sweep("--run " + key).status, 0);
  EXPECT_EQ(Collected(), Collected("whole"));
}

TEST_F(SweepCommand, TakesItsShardFromSlurm) {
  const ProgramResult result = RunShell(
      "SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=4 SLURM_ARRAY_TASK_COUNT=2 " TANDEM_PROGRAM " sweep " +
      spec_.string() + " -o " + (folder_ / "rows").string());
  EXPECT_EQ(result.errors, "tandem: 6 of 6 runs done, 0 failed, 0 were there\n");
  EXPECT_EQ(result.output, "");
}

TEST_F(SweepCommand, SaysWhatIsMissingWithItsStatus) {
  ASSERT_EQ(Sweep("--shard 1/2").status, 0);
  const ProgramResult result = Sweep("--collect");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.output.find("12 runs, 6 ok, 0 failed, 6 missing"), std::string::npos) << result.output;
}

TEST_F(SweepCommand, MakesARowOfWhatFailsAndRunsItAgainWhenAsked) {
  const std::string scenario = R"({"tandem": "scenario/1", "name": "a", "platform": "tinker-edge-r",
      "profiles": ["tinker-edge-r"], "transfer": "none", "policies": ["fcfs"], "streams": [{"name": "s",
      "model": "resnet50", "count": 2, "arrival": {"type": "trace", "file": "times.txt"}}]})";
  WriteFile(folder_ / "a.scenario.json", scenario);
  WriteFile(folder_ / "times.txt", "0\n5\nnever\n");
  WriteFile(spec_, R"({"tandem": "sweep/1", "name": "t", "scenario": "a.scenario.json", "axes": [
      {"name": "n", "pointers": ["/streams/0/count"], "values": [1, 0]}]})");
  EXPECT_EQ(Sweep("").status, 1);
  const Json failed = Collected();
  EXPECT_EQ(failed["failed"], 2);
  for (const Json& row : failed["rows"]) {
    EXPECT_EQ(row["status"], "failed");
    EXPECT_TRUE(row["message"].is_string());
    EXPECT_TRUE(row["figures"].empty());
  }
  EXPECT_EQ(Sweep("--shard 1/1").errors, "tandem: 0 of 2 runs done, 0 failed, 2 were there\n");
  EXPECT_EQ(Sweep("--shard 1/1 --retry-failed").errors, "tandem: 2 of 2 runs done, 2 failed, 0 were there\n");
  EXPECT_EQ(Collected()["rows"].size(), 2U);
}

TEST_F(SweepCommand, RefusesRowsOfAnotherVersion) {
  ASSERT_EQ(Sweep("").status, 0);
  for (const auto& entry : fs::directory_iterator(folder_ / "rows")) {
    std::string text = ReadTextFile(entry.path());
    const std::size_t at = text.find("\"version\": \"") + 12;
    text.replace(at, text.find('"', at) - at, "0.0.9");
    WriteFile(entry.path(), text);
    break;
  }
  const ProgramResult result = Sweep("--collect");
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.errors.find("a row of tandem 0.0.9, and this is "), std::string::npos) << result.errors;
}

TEST_F(SweepCommand, AnswersMistakes) {
  EXPECT_EQ(Sweep("--run 123").errors,
            "--run: the sweep has no run \"123\"; --list prints those that it has\n");
  EXPECT_EQ(Sweep("--pareto makespan_ns,enrgy_j").errors,
            "--pareto: no figure is called \"enrgy_j\"; did you mean \"energy_j\"?\n");
  EXPECT_EQ(RunTandem("sweep " + spec_.string()).errors, "-o: a sweep needs a folder for its rows\n");
  EXPECT_EQ(
      RunTandem("sweep studi-003-counts -o x").errors,
      "studi-003-counts: nothing that tandem ships in sweeps is called \"studi-003-counts\"; did you mean "
      "\"study-003-counts\"?\n");
  for (const char* both : {"--list --collect", "--run 1 --shard 1/2"})
    EXPECT_EQ(Sweep(both).status, 2) << both;
}

TEST_F(SweepCommand, ReplacesNoFileOfSomebodyElseByItsTable) {
  const std::string spec = ReadTextFile(spec_);
  const ProgramResult own = Sweep("--force --csv " + spec_.string());
  EXPECT_EQ(own.status, 2);
  EXPECT_NE(own.errors.find("is an input of this command, which --csv would overwrite"), std::string::npos)
      << own.errors;
  EXPECT_EQ(ReadTextFile(spec_), spec);
  EXPECT_FALSE(fs::exists(folder_ / "rows"));
  const fs::path table = folder_ / "table.csv";
  WriteFile(table, "name,price\nbolts,1\n");
  const ProgramResult other = Sweep("--csv " + table.string());
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.errors.find("--force does it"), std::string::npos) << other.errors;
  EXPECT_EQ(Sweep("--force --csv " + table.string()).status, 0);
  EXPECT_EQ(ReadTextFile(table).find("key,n,seed,"), 0U);
  EXPECT_EQ(Sweep("--csv " + table.string()).status, 0);  // its own table it writes anew
}

TEST_F(SweepCommand, WritesItsTableToStandardOutputAndTheResultBesideIt) {
  const ProgramResult result = Sweep("--csv -");
  EXPECT_EQ(result.output.find("key,n,seed,"), 0U);
  EXPECT_EQ(LinesOf(result.output).size(), 13U);
  EXPECT_NE(result.errors.find("12 runs, 12 ok"), std::string::npos) << result.errors;
}

TEST_F(SweepCommand, NeedsAFolderAndPoliciesThatThereAre) {
  WriteFile(folder_ / "file", "x");
  const ProgramResult file = Sweep("", "file");
  EXPECT_EQ(file.status, 2);
  EXPECT_EQ(file.errors, "-o: " + (folder_ / "file").string() + " is no folder for rows\n");
  WriteSpec(3, R"("policies": ["fcfs", "etf"])");
  const ProgramResult policy = Sweep("");
  EXPECT_EQ(policy.status, 2);
  EXPECT_EQ(policy.errors, spec_.string() + ":/policies/1: unknown policy \"etf\"; did you mean \"edf\"?\n");
  EXPECT_FALSE(fs::exists(folder_ / "rows"));
}

TEST_F(SweepCommand, AnswersEachVerbInJson) {
  const Json list = Json::parse(Sweep("--list --json").output);
  ASSERT_EQ(list["runs"].size(), 12U);
  EXPECT_EQ(list["runs"][0]["point"], Json({{"n", 1}, {"seed", 1}}));
  const ProgramResult one = Sweep("--json --run " + list["runs"][0]["key"].get<std::string>());
  EXPECT_EQ(Json::parse(one.output), Json({{"runs", 1}, {"done", 1}, {"failed", 0}, {"there_before", 0}}));
  const ProgramResult half = Sweep("--json --shard 1/2");
  EXPECT_EQ(Json::parse(half.output), Json({{"runs", 6}, {"done", 5}, {"failed", 0}, {"there_before", 1}}));
}

TEST_F(SweepCommand, OfARankInAnArrayTaskTakesItsShareOfTheShard) {
  for (const char* rank : {"0", "1"}) {
    const ProgramResult result = RunShell(
        std::string("SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_COUNT=2 SLURM_PROCID=") +
        rank + " SLURM_STEP_NUM_TASKS=2 " TANDEM_PROGRAM " sweep " + spec_.string() + " -o " +
        (folder_ / "rows").string());
    EXPECT_EQ(result.errors, "tandem: 3 of 3 runs done, 0 failed, 0 were there\n");
  }
  EXPECT_EQ(Collected()["missing"].size(), 6U);
}

TEST_F(SweepCommand, WithARankButNoMpiTakesTheShareOfTheRank) {
  const auto rank = [&](const std::string& number) {
    return RunShell("OMPI_COMM_WORLD_RANK=" + number + " OMPI_COMM_WORLD_SIZE=2 " TANDEM_PROGRAM " sweep " +
                    spec_.string() + " -o " + (folder_ / "rows").string());
  };
  for (const char* number : {"0", "1"}) {
    const ProgramResult result = rank(number);
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.errors, "tandem: 6 of 6 runs done, 0 failed, 0 were there\n");
  }
  EXPECT_TRUE(Collected()["missing"].empty());
}

// Started as a shell would, on its own, and watched.
class RunningSweep {
 public:
  RunningSweep(const fs::path& spec, const fs::path& rows) : rows_(rows) {
    const std::vector<std::string> words = {TANDEM_PROGRAM, "sweep", spec.string(), "-o", rows.string(),
                                            "--jobs",       "2"};
    child_.Start({.words = words, .input = STDIN_FILENO, .output = STDERR_FILENO});
  }

  // Until so many bytes of rows are there more than at its start, or it has ended.
  bool HasEndedBefore(std::size_t bytes) const {
    for (const std::size_t begin = Bytes(); Bytes() < begin + bytes;) {
      if (child_.EndsWithin(std::chrono::milliseconds(1))) return true;
    }
    return false;
  }
  // It alone: its workers find out by themselves.
  void Kill() {
    ::kill(child_.pid(), SIGKILL);
    child_.Wait();
  }
  int EndAfter(int signal) {
    ::kill(child_.pid(), signal);
    return child_.Wait();
  }

 private:
  std::size_t Bytes() const {
    std::size_t all = 0;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(rows_, error)) {
      const auto size = fs::file_size(entry.path(), error);
      all += error ? 0 : size;
    }
    return all;
  }

  Child child_;
  fs::path rows_;
};

TEST_F(SweepCommand, KilledAtAnyMomentGoesOnAndComesToTheSame) {
  WriteSpec(60, R"("policies": ["fcfs", "eft"])");
  ASSERT_EQ(Sweep("", "whole").status, 0);
  std::uint64_t drawn = 1;
  int kills = 0;
  for (bool ended = false; !ended && kills < 40;) {
    drawn = drawn * 6364136223846793005U + 1442695040888963407U;
    RunningSweep running(spec_, folder_ / "rows");
    ended = running.HasEndedBefore(1 + (drawn >> 33) % 4000);  // about 400 bytes a row
    kills += ended ? 0 : 1;
    running.Kill();
  }
  EXPECT_GE(kills, 10);
  EXPECT_EQ(Sweep("--collect").errors, "");
  ASSERT_EQ(Sweep("").status, 0);
  EXPECT_EQ(Collected(), Collected("whole"));
}

TEST_F(SweepCommand, EndsAfterTheRowsThatItHasBegunWhenItIsToldTo) {
  WriteSpec(400, R"("policies": ["fcfs", "eft", "sjf", "affinity"])");
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    RunningSweep running(spec_, folder_ / "rows");
    ASSERT_FALSE(running.HasEndedBefore(1));
    const int status = running.EndAfter(signal);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 130);
  }
  // Nothing is torn: every file ends in a whole line.
  for (const auto& entry : fs::directory_iterator(folder_ / "rows")) {
    for (const std::string& line : LinesOf(ReadTextFile(entry.path())))
      EXPECT_TRUE(Json::accept(line)) << line;
  }
}

}  // namespace
}  // namespace tandem
