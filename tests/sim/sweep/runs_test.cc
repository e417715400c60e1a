// Are values put where the pointers say, and do keys change with what a run depends on and with nothing else?
#include "sim/sweep/runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "profiles/base/files.h"
#include "profiles/program/shipped.h"
#include "sim/sweep/judge.h"
#include "sim/sweep/point_scenario.h"
#include "tests/support/error_of.h"
#include "tests/support/sweep_text.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

std::string AxisAt(const std::string& pointer, const std::string& more) {
  return R"({"name": "a", "pointers": [")" + pointer + R"("], )" + more + "}";
}

Json Point(const Sweep& sweep, const std::vector<std::string>& values) {
  return Json::parse(PointScenarios(sweep).Of(values).text);
}

TEST(AValue, StandsAtEveryPlaceOfItsAxis) {
  const Sweep sweep =
      SweepWith(R"({"name": "n", "pointers": ["/streams/0/count", "/streams/2/count"], "values": [7]})");
  const Json json = Point(sweep, {"7"});
  EXPECT_EQ(json["streams"][0]["count"], 7);
  EXPECT_EQ(json["streams"][1]["count"], 100);
  EXPECT_EQ(json["streams"][2]["count"], 7);
}

TEST(AValue, MayAddAKeyThatWasLeftOut) {
  const Json json =
      Point(SweepWith(AxisAt("/streams/*/deadline_us", R"("values": [33333.333])")), {"33333.333"});
  for (const Json& stream : json["streams"]) EXPECT_EQ(stream["deadline_us"], 33333.333);
}

TEST(AValue, ReachesIntoTheBoardAndItsProfile) {
  const Json slots = Point(SweepWith(AxisAt("/platform/units/name=coral/slots", R"("values": [2])")), {"2"});
  for (const Json& unit : slots["platform"]["units"]) {
    EXPECT_EQ(unit.value("slots", 1), unit["name"] == "coral" ? 2 : 1);
  }
  const std::string times =
      AxisAt("/profiles/0/entries/unit=coral/median_us", R"("multiplies": true, "values": [2])");
  const Json before = Point(SweepWith(AxisAt("/profiles/0/note", R"("values": ["x"])")), {"\"x\""});
  const Json slower = Point(SweepWith(times), {"2"});
  for (std::size_t e = 0; e < before["profiles"][0]["entries"].size(); ++e) {
    const Json &was = before["profiles"][0]["entries"][e], &is = slower["profiles"][0]["entries"][e];
    EXPECT_EQ(is["median_us"].get<double>(),
              was["median_us"].get<double>() * (was["unit"] == "coral" ? 2 : 1));
  }
}

TEST(AValue, MayBeAnotherScenario) {
  const Sweep sweep = SweepWith(AxisAt("", R"("values": ["study-003", "study-003-one-model"])"));
  EXPECT_EQ(Point(sweep, {"\"study-003-one-model\""})["resident"]["ncs2"][0], "resnet50");
  EXPECT_EQ(RunsOf(sweep, Engine::kVirtual).size(), 4U);
}

TEST(AWhole, IsPutBeforeItsPartsWhateverTheOrderOfTheAxes) {
  const std::string link = AxisAt("/platform/links/0/bandwidth_bytes_per_s", R"("values": [12345])");
  const Sweep sweep =
      SweepWith(link + R"(, {"name": "board", "pointers": ["/platform"], "values": ["tinker-edge-r"]})");
  EXPECT_EQ(Point(sweep, {"12345", "\"tinker-edge-r\""})["platform"]["links"][0]["bandwidth_bytes_per_s"],
            12345);
}

TEST(AFileThatAnAxisNames, LiesWhereTheSweepSays) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "boards");
  std::filesystem::copy_file(FindFile("tinker-edge-r", {}, "boards", ".platform.json"),
                             folder / "boards" / "mine.platform.json");
  const Sweep sweep = SweepOf(
      R"({"tandem": "sweep/1", "name": "t", "scenario": "study-003", "policies": ["fcfs"], "axes": [)" +
          AxisAt("/platform", R"("values": ["boards/mine.platform.json", "tinker-edge-r"])") + "]}",
      (folder / "t.sweep.json").string());
  EXPECT_EQ(Point(sweep, {"\"tinker-edge-r\""})["platform"], "tinker-edge-r");
  const PointScenario point = PointScenarios(sweep).Of({"\"boards/mine.platform.json\""});
  EXPECT_EQ(ScenarioToSimulate(point.text, point.file, {}).platform->units.size(), 4U);
}

TEST(AProductOfTimes, IsWholeNanoseconds) {
  const Sweep sweep =
      SweepWith(AxisAt("/profiles/0/entries/0/median_us", R"("multiplies": true, "values": [0.3333333])"));
  const double time = Point(sweep, {"0.3333333"})["profiles"][0]["entries"][0]["median_us"];
  EXPECT_EQ(time * 1000, std::floor(time * 1000 + 0.5));
}

TEST(APlaceThatIsNotThere, IsToldWithItsAxis) {
  const auto error = ErrorOf([] {
    const Sweep sweep = SweepWith(AxisAt("/streams/7/count", R"("values": [1])"));
    (void)PointScenarios(sweep).Of({"1"});
  });
  EXPECT_EQ(error.find("test.sweep.json:/axes/0/pointers/0: "), 0U) << error;
  EXPECT_NE(error.find("study-003.scenario.json has nothing at \"/streams/7/count\""), std::string::npos)
      << error;
}

std::set<std::string> KeysOf(const Sweep& sweep, Engine engine = Engine::kVirtual) {
  std::set<std::string> keys;
  for (const SweepRun& run : RunsOf(sweep, engine)) keys.insert(run.key);
  return keys;
}

const std::string kCounts = AxisAt("/streams/0/count", R"("values": [10, 20])");
const std::string kGrid = R"({"type": "grid"})";

TEST(Keys, AreOfEachPointAndPolicyAndTheSameEachTime) {
  const std::set<std::string> keys = KeysOf(SweepWith(kCounts));
  EXPECT_EQ(keys.size(), 4U);
  EXPECT_EQ(KeysOf(SweepWith(kCounts)), keys);
  for (const std::string& key : keys) EXPECT_EQ(key.size(), 32U);
}

TEST(Keys, DoNotChangeWithWhatARunDoesNotDependOn) {
  const std::set<std::string> keys = KeysOf(SweepWith(kCounts));
  const std::string other_name = R"({"name": "b", "pointers": ["/streams/0/count"], "values": [20, 10]})";
  EXPECT_EQ(KeysOf(SweepWith(other_name)), keys);
  EXPECT_EQ(
      KeysOf(SweepWith(kCounts, kGrid,
                       R"("policies": ["fcfs", "eft"], "require": [{"figure": "missed", "at_most": 0}])")),
      keys);
  for (const std::string& key : keys) {
    EXPECT_TRUE(KeysOf(SweepWith(kCounts, kGrid, R"("policies": ["sjf", "fcfs", "eft"])")).contains(key));
  }
}

TEST(Keys, ChangeWithEngineSeedObjectiveAndBound) {
  std::set<std::string> all = KeysOf(SweepWith(kCounts));
  const auto grows = [&](const std::set<std::string>& keys) {
    const std::size_t before = all.size();
    all.insert(keys.begin(), keys.end());
    return all.size() == before + keys.size();
  };
  EXPECT_TRUE(grows(KeysOf(SweepWith(kCounts), Engine::kSimgrid)));
  EXPECT_TRUE(grows(KeysOf(SweepWith(kCounts + R"(, {"name": "s", "pointers": ["/seed"], "values": [2]})"))));
  EXPECT_TRUE(
      grows(KeysOf(SweepWith(kCounts, kGrid, R"("policies": ["fcfs", "eft"], "objective": "energy")"))));
  EXPECT_TRUE(grows(KeysOf(SweepWith(kCounts, kGrid, R"("policies": ["fcfs", "eft"], "bound": true)"))));
}

TEST(Keys, ChangeWithTheContentsOfFilesThatTheScenarioNames) {
  const TempFolder folder;
  const auto keys = [&](const std::string& times) {
    WriteFile(folder / "times.txt", times);
    WriteFile(
        folder / "a.scenario.json",
        R"({"tandem": "scenario/1", "name": "a", "platform": "tinker-edge-r", "profiles": ["tinker-edge-r"],
                  "transfer": "none", "streams": [{"name": "s", "model": "resnet50",
                  "arrival": {"type": "trace", "file": "times.txt"}}], "policies": ["fcfs"]})");
    return KeysOf(SweepOf(R"({"tandem": "sweep/1", "name": "t", "scenario": "a.scenario.json"})",
                          (folder / "t.sweep.json").string()));
  };
  const std::set<std::string> before = keys("0\n5\n");
  EXPECT_EQ(before.size(), 1U);
  EXPECT_EQ(keys("0\n5\n"), before);
  EXPECT_NE(keys("0\n6\n"), before);
}

TEST(Keys, ChangeWithTheContentsOfFilesThatTheseFilesName) {
  const TempFolder folder;
  const Json shipped = Json::parse(ReadTextFile(FindFile("tinker-edge-r", {}, "boards", ".profile.json")));
  const auto keys = [&](const std::string& model) {
    WriteFile(folder / "net.model.json", model);
    Json profile = shipped;
    profile["entries"][0]["model"] = "net.model.json";
    WriteFile(folder / "p.profile.json", profile.dump());
    WriteFile(folder / "a.scenario.json",
              R"({"tandem": "scenario/1", "name": "a", "platform": "tinker-edge-r",
                  "profiles": ["p.profile.json"], "streams": [{"name": "s", "model": "resnet50", "count": 1,
                  "arrival": {"type": "offline"}}], "policies": ["fcfs"]})");
    return KeysOf(SweepOf(R"({"tandem": "sweep/1", "name": "t", "scenario": "a.scenario.json"})",
                          (folder / "t.sweep.json").string()));
  };
  const std::set<std::string> before = keys("{}");
  EXPECT_EQ(keys("{}"), before);
  EXPECT_NE(keys("{ }"), before);
}

TEST(RunsThatAreTheSameInAllThatCounts, AreOneRunAndCountedOnce) {
  const std::string axis = R"({"name": "x", "pointers": ["/name"], "values": ["a", "b"]})";
  EXPECT_EQ(RunsOf(SweepWith(axis), Engine::kVirtual).size(), 2U);
  const JsonDocument document = JsonDocument::Parse(
      R"({"tandem": "sweep/1", "name": "t", "scenario": "study-003", "policies": ["fcfs", "eft"], "axes": [)" +
          axis + "]}",
      "t.sweep.json");
  EXPECT_EQ(JudgeSweep(document.root()), "1 axis, 2 points, 2 policies, 2 runs");
}

TEST(APolicyThatIsNone, IsToldAtItsPlaceBeforeAnythingRuns) {
  EXPECT_EQ(
      ErrorOf([] { RunsOf(SweepWith(kCounts, kGrid, R"("policies": ["fcfs", "etf"])"), Engine::kVirtual); }),
      "test.sweep.json:/policies/1: unknown policy \"etf\"; did you mean \"edf\"?");
}

TEST(AModelThatWasReadBefore, IsNotReadAgain) {
  const Sweep sweep = SweepWith("");
  const PointScenario point = PointScenarios(sweep).Of({});
  KnownModels models;
  const ScenarioOptions options{.device = {}, .models = &models};
  const Scenario first = ScenarioToSimulate(point.text, point.file, options);
  const Scenario second = ScenarioToSimulate(point.text, point.file, options);
  EXPECT_EQ(models.size(), 3U);
  for (std::size_t m = 0; m < 3; ++m) EXPECT_EQ(first.models[m].model, second.models[m].model);
}

TEST(APolicyOfTheScenario, GoesByItsLabelOrByItsName) {
  const Sweep all = SweepWith("", kGrid, R"("policies": ["priority", "edf"])");
  const auto runs = RunsOf(all, Engine::kVirtual);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].policy, "priority");
  EXPECT_EQ(runs[1].policy, "edf");
  EXPECT_EQ(RunsOf(SweepWith("", kGrid, R"("note": "all of them")"), Engine::kVirtual).size(), 6U);
}

}  // namespace
}  // namespace tandem
