// Does `tandem regress` say what has changed beneath a baseline (inputs, policies, the profile), and is an
// update of it what it should be?
#include <gtest/gtest.h>

#include <cmath>

#include "profiles/program/shipped.h"
#include "tests/support/baseline_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

class RegressChanges : public BaselineFolder {};

TEST_F(RegressChanges, AnUpdateAddsAFigureThatNeedsABound) {
  Make("study-003 -o b.json --policy fcfs --figure makespan");
  EXPECT_EQ(In("regress b.json --only gap --update").status, 0);
  OrderedJson baseline = Read();
  EXPECT_GT(Figure(baseline, "fcfs", "gap")["value"].get<double>(), 0);
  EXPECT_EQ(baseline["figures"], OrderedJson::parse(R"(["makespan_ns", "gap"])"));
  EXPECT_EQ(In("regress b.json --strict").status, 0);
}

TEST_F(RegressChanges, AnUpdateOfSomeFiguresLeavesTheInputsOfTheOthers) {
  Make("study-003 -o b.json --policy fcfs");
  OrderedJson baseline = Read();
  const std::string old = "sha256:" + std::string(64, '0');
  baseline["cases"][0]["inputs"] = old;
  Figure(baseline, "fcfs", "makespan_ns")["value"] = 1;
  Figure(baseline, "fcfs", "p99_latency_ns")["value"] = 1;
  Write(baseline);
  EXPECT_EQ(In("regress b.json --only makespan --update").status, 0);
  OrderedJson now = Read();
  EXPECT_EQ(Figure(now, "fcfs", "makespan_ns")["value"], 4048341000);
  EXPECT_EQ(Figure(now, "fcfs", "p99_latency_ns")["value"], 1);
  EXPECT_EQ(now["cases"][0]["inputs"], old);
}

TEST_F(RegressChanges, UpdateKeepsTolerancesAndShowsWhatChanged) {
  Make();
  const std::string whole = ReadTextFile(folder_ / "b.json");
  MakeFcfsWorse();
  OrderedJson baseline = Read();
  Figure(baseline, "fcfs", "makespan_ns")["tolerance"] = "0.5%";
  baseline["cases"][2]["figures"].erase("winner");
  baseline["version"] = "0.0.1";
  Write(baseline);
  const ProgramResult updated = In("regress b.json --update");
  EXPECT_EQ(updated.status, 0) << updated.errors;
  EXPECT_NE(updated.output.find("1 worse"), std::string::npos) << updated.output;
  EXPECT_NE(updated.output.find("the baseline is rewritten"), std::string::npos);
  OrderedJson now = Read();
  EXPECT_EQ(Figure(now, "fcfs", "makespan_ns")["value"], 4048341000);
  EXPECT_EQ(Figure(now, "fcfs", "makespan_ns")["tolerance"], "0.5%");
  Figure(now, "fcfs", "makespan_ns")["tolerance"] = 0;
  EXPECT_EQ(now, OrderedJson::parse(whole)) << "all else is as it was made";
  EXPECT_EQ(In("regress b.json --strict").status, 0);
}

TEST_F(RegressChanges, ALinkIsFollowedByAnUpdate) {
  Make("study-003 -o real.json");
  OrderedJson baseline = Read("real.json");
  Figure(baseline, "fcfs", "makespan_ns")["value"] = 1;
  Write(baseline, "real.json");
  fs::create_symlink(folder_ / "real.json", folder_ / "b.json");
  EXPECT_EQ(In("regress b.json --update").status, 0);
  EXPECT_EQ(In("regress real.json --strict").status, 0);
}

TEST_F(RegressChanges, ChangedInputsAreSaid) {
  fs::create_directories(folder_ / "ci");
  fs::copy(kExamples / "study-003.scenario.json", folder_ / "mine.scenario.json");
  Make("mine.scenario.json -o ci/b.json");
  EXPECT_EQ(Read("ci/b.json")["cases"][0]["scenario"], "../mine.scenario.json")
      << "from the baseline's folder";
  EXPECT_TRUE(SaysThatAllHolds(In("regress ci/b.json").output));
  std::string text = ReadTextFile(folder_ / "mine.scenario.json");
  text.replace(text.find("\"count\": 100"), 12, "\"count\": 101");
  WriteFile(folder_ / "mine.scenario.json", text);
  const ProgramResult result = In("regress ci/b.json");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.output.find("note: ci/b.json: ../mine.scenario.json: what the scenario reads has changed"),
            std::string::npos)
      << result.output;
}

TEST_F(RegressChanges, WhereNothingItReadsHasChangedTandemHas) {
  Make();
  MakeFcfsWorse();
  OrderedJson baseline = Read();
  baseline["version"] = "0.0.1";
  Write(baseline);
  EXPECT_NE(In("regress b.json").output.find("note: b.json: tandem 0.0.1 wrote it, this is "),
            std::string::npos)
      << In("regress b.json").output;
}

TEST_F(RegressChanges, APolicyThatTheBaselineDoesNotHoldIsNamedWithTheInputs) {
  fs::copy(kExamples / "study-003.scenario.json", folder_ / "mine.scenario.json");
  Make("mine.scenario.json -o b.json");
  OrderedJson scenario = Read("mine.scenario.json");
  scenario["policies"].push_back("heft");
  Write(scenario, "mine.scenario.json");
  EXPECT_NE(In("regress b.json").output.find("the baseline does not hold heft"), std::string::npos)
      << In("regress b.json").output;
}

// By layer a request needs more memory than the board has then; whole models do not.
TEST_F(RegressChanges, APolicyThatCannotRunAnyMoreIsADifferentFigure) {
  WriteFile(folder_ / "m.model.json", R"({"tandem": "model/1", "name": "m", "layers": [
      {"name": "in", "op": "input", "shape": [1, 16, 32, 32]}, {"name": "a", "op": "relu", "inputs": ["in"]},
      {"name": "b", "op": "relu", "inputs": ["a"]}, {"name": "c", "op": "relu", "inputs": ["b"]},
      {"name": "d", "op": "relu", "inputs": ["c"]}, {"name": "e", "op": "add", "inputs": ["d", "b"]},
      {"name": "f", "op": "add", "inputs": ["e", "a"]}]})");
  const auto write_board = [&](const std::string& capacity) {
    WriteFile(folder_ / "b.platform.json",
              R"({"tandem": "platform/1", "name": "b",
        "memories": [{"name": "dram", "capacity_bytes": )" +
                  capacity + R"(}], "units": [{"name": "cpu", "kind": "cpu", "memory": "dram"}]})");
  };
  std::string entries;
  for (const char* layer : {"a", "b", "c", "d", "e", "f"}) {
    entries += (entries.empty() ? "" : ", ") +
               (R"({"model": "m.model.json", "unit": "cpu", "layers": [")" + std::string(layer)) +
               R"("], "median_us": 10})";
  }
  WriteFile(folder_ / "b.profile.json",
            R"({"tandem": "profile/1", "platform": "b.platform.json",
      "origin": {"kind": "estimated", "method": "made up"}, "entries": [)" +
                entries + "]}");
  WriteFile(folder_ / "mine.scenario.json",
            R"({"tandem": "scenario/1", "name": "s", "platform": "b.platform.json",
      "profiles": ["b.profile.json"], "streams": [{"name": "s", "model": "m.model.json", "count": 2,
      "arrival": {"type": "offline"}}],
      "policies": [{"name": "fcfs", "label": "layers", "granularity": "layer"}, "fcfs"]})");
  write_board("1000000");
  Make("mine.scenario.json -o b.json");
  write_board("250000");
  const ProgramResult result = In("regress b.json --junit j.xml");
  EXPECT_EQ(result.status, 1) << result.output << result.errors;
  EXPECT_NE(result.output.find("the policy cannot run it any more"), std::string::npos) << result.output;
  EXPECT_TRUE(fs::exists(folder_ / "j.xml"));
  const ProgramResult anew = In("new baseline mine.scenario.json -o c.json");
  EXPECT_EQ(anew.status, 2);
  EXPECT_NE(anew.errors.find("--policy says which are to be held"), std::string::npos) << anew.errors;
}

TEST_F(RegressChanges, ANoteIsNoInput) {
  fs::copy(kExamples / "study-003.scenario.json", folder_ / "mine.scenario.json");
  Make("mine.scenario.json -o b.json");
  OrderedJson scenario = Read("mine.scenario.json");
  scenario["note"] = "said anew";
  Write(scenario, "mine.scenario.json");
  EXPECT_TRUE(SaysThatAllHolds(In("regress b.json").output));
}

TEST_F(RegressChanges, WithTheSameProfileTheWinnerStillWins) {
  Make();
  const ProgramResult result = In("regress b.json --profile tinker-edge-r --json");
  EXPECT_EQ(result.status, 0) << result.errors;
  const OrderedJson winners = OrderedJson::parse(result.output)["winners"];
  ASSERT_EQ(winners.size(), 1U);
  EXPECT_EQ(winners[0]["scenario"], "study-003");
  EXPECT_EQ(winners[0]["still_wins"], true);
  EXPECT_EQ(winners[0]["cost"], 0);
}

TEST_F(RegressChanges, ANewProfileTellsWhatTheOldPlanCosts) {
  Make();
  OrderedJson profile =
      OrderedJson::parse(ReadTextFile(ShippedDirectory() / "boards" / "tinker-edge-r.profile.json"));
  // The unit that the winner leans on becomes slow.
  for (OrderedJson& entry : profile["entries"]) {
    if (entry["unit"] == "coral") entry["median_us"] = std::round(entry["median_us"].get<double>() * 50);
  }
  Write(profile, "slow.profile.json");
  const ProgramResult result = In("regress b.json --profile slow.profile.json --json");
  EXPECT_EQ(result.status, 1) << result.errors;
  const OrderedJson json = OrderedJson::parse(result.output);
  EXPECT_GT(json["worse"], 0);
  const OrderedJson& winner = json["winners"][0];
  EXPECT_FALSE(winner["after"].is_null());
  EXPECT_GE(winner["cost"].get<double>(), 0);
  EXPECT_GE(winner["kept"].get<double>(), winner["best"].get<double>());
  const ProgramResult text = In("regress b.json --profile slow.profile.json");
  EXPECT_NE(text.output.find("keeping"), std::string::npos) << text.output;
  EXPECT_EQ(In("regress b.json --profile jetson-tx1").status, 0) << "of another board: a note";
}

// Samples of 9 around what each unit takes: a difference of 1 is within what three requests vary by, one of
// 40 is not.
class RegressOtherSamples : public BaselineFolder {
 protected:
  RegressOtherSamples() {
    WriteFile(folder_ / "m.model.json", R"({"tandem": "model/1", "name": "m", "layers": [
      {"name": "in", "op": "input", "shape": [1, 1]},
      {"name": "n", "op": "opaque", "inputs": ["in"], "shape": [1, 1]}]})");
    WriteFile(folder_ / "b.platform.json", R"({"tandem": "platform/1", "name": "b",
      "memories": [{"name": "m"}, {"name": "n"}], "units": [{"name": "u", "kind": "cpu", "memory": "m"},
      {"name": "v", "kind": "gpu", "memory": "n"}]})");
    WriteFile(folder_ / "s.scenario.json",
              R"({"tandem": "scenario/1", "name": "s", "platform": "b.platform.json",
      "transfer": "none", "profiles": ["old.profile.json"], "policies": ["single:u", "single:v"],
      "streams": [{"name": "s", "model": "m.model.json", "count": 3, "arrival": {"type": "offline"}}]})");
    WriteProfile("old", 100, 101);
  }
  void WriteProfile(const std::string& name, int u, int v) const {
    const auto entry = [](const std::string& unit, int around) {
      OrderedJson samples;
      for (const int off : {-9, 7, -4, 5, 0, -7, 9, 3, -2, 4, -5, 8, -8, 1, -1, 6, -6, 2, -3}) {
        samples.push_back(around + off);
      }
      return R"({"model": "m.model.json", "unit": ")" + unit + R"(", "layers": "*", "samples_us": )" +
             samples.dump() + "}";
    };
    WriteFile(
        folder_ / (name + ".profile.json"),
        R"({"tandem": "profile/1", "platform": "b.platform.json", "origin": {"kind": "measured", "host": "h",
      "date": "2026-01-01", "clocks": {}, "libraries": {}, "threads": {}, "cache_mode": "warm"}, "entries": [)" +
            entry("u", u) + ", " + entry("v", v) + "]}");
  }
};

TEST_F(RegressOtherSamples, DoNotMakeAnotherWinnerByWhatTheyVaryBy) {
  WriteProfile("new", 101, 100);
  Make("s.scenario.json -o b.json --figure winner");
  OrderedJson baseline = Read();
  ASSERT_EQ(Figure(baseline, "single:u", "winner")["value"], "single:u");
  const ProgramResult result = In("regress b.json --profile new.profile.json --json");
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
  const OrderedJson json = OrderedJson::parse(result.output);
  EXPECT_EQ(json["within"], 2);
  EXPECT_EQ(json["winners"][0]["after"], "single:v");
  EXPECT_EQ(json["winners"][0]["still_wins"], false);
  EXPECT_EQ(json["winners"][0]["not_told_apart"], true);
  EXPECT_NE(
      In("regress b.json --profile new.profile.json").output.find("now single:v is taken by makespan, and"),
      std::string::npos);
}

TEST_F(RegressOtherSamples, DoNotMakeAnotherWinnerWhateverLabelsHold) {
  std::string scenario = ReadTextFile(folder_ / "s.scenario.json");
  const std::string plain = R"("single:u")";
  scenario.replace(scenario.find(plain), plain.size(),
                   R"({"name": "single", "unit": "u", "label": "u, the first"})");
  WriteFile(folder_ / "s.scenario.json", scenario);
  WriteProfile("new", 101, 100);
  Make("s.scenario.json -o b.json --figure winner");
  OrderedJson baseline = Read();
  ASSERT_EQ(Figure(baseline, "u, the first", "winner")["value"], "u, the first");
  const ProgramResult result = In("regress b.json --profile new.profile.json --json");
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
  EXPECT_EQ(OrderedJson::parse(result.output)["within"], 2);
}

TEST_F(RegressOtherSamples, MakeAnotherWinnerByMore) {
  WriteProfile("new", 140, 100);
  Make("s.scenario.json -o b.json --figure winner");
  const ProgramResult result = In("regress b.json --profile new.profile.json --json");
  EXPECT_EQ(result.status, 1) << result.output << result.errors;
  const OrderedJson json = OrderedJson::parse(result.output);
  EXPECT_EQ(json["different"], 2);
  EXPECT_EQ(json["winners"][0]["not_told_apart"], false);
}

// HEFT says before the run who runs what: with the old profile much goes to the unit that is slow now.
TEST_F(RegressChanges, WhatWasPlannedAheadIsKeptAsItWasPlanned) {
  Make("study-003 -o b.json --policy heft");
  OrderedJson profile =
      OrderedJson::parse(ReadTextFile(ShippedDirectory() / "boards" / "tinker-edge-r.profile.json"));
  for (OrderedJson& entry : profile["entries"]) {
    if (entry["unit"] == "coral") entry["median_us"] = std::round(entry["median_us"].get<double>() * 50);
  }
  Write(profile, "slow.profile.json");
  const OrderedJson winner =
      OrderedJson::parse(In("regress b.json --profile slow.profile.json --json").output)["winners"][0];
  EXPECT_EQ(winner["still_wins"], true) << "planned anew";
  EXPECT_GT(winner["cost"].get<double>(), 1);
  EXPECT_NE(In("regress b.json --profile slow.profile.json").output.find("keeping the old plan costs "),
            std::string::npos);
  const OrderedJson same =
      OrderedJson::parse(In("regress b.json --profile tinker-edge-r --json").output)["winners"][0];
  EXPECT_EQ(same["cost"], 0) << "the schedule is the one that ran";
}

}  // namespace
}  // namespace tandem
