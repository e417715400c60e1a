// Is what nobody measured of many pairs of units told, and not without end?
#include "sim/study/known_data.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/scenario_in_place.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

Scenario OfUnits(std::size_t units) {
  SmallScenario small(std::vector<std::int64_t>(units, 1));
  small.AddStream(small.AddModel({std::vector<std::int64_t>(units, 5)}), 1);
  return small.Build();
}

// The last of them that is about pairs of units.
std::string LastOfPairs(const nlohmann::ordered_json& known) {
  std::string last;
  for (const auto& sentence : known["taken"]) {
    if (sentence.get<std::string>().find(" share memory ") != std::string::npos) last = sentence;
  }
  return last;
}

TEST(KnownData, NamesEveryTwoUnitsThatNobodyMeasured) {
  Scenario scenario = OfUnits(3);
  EXPECT_EQ(KnownJson(scenario)["no_co_running"].size(), 3u);
  EXPECT_EQ(LastOfPairs(KnownJson(scenario)),
            "units \"u0\", \"u1\" and \"u2\" share memory \"dram\", and no profile says what they cost each "
            "other: taken is nothing");
  scenario.platform->units[0].cores = scenario.platform->units[1].cores = {0};
  EXPECT_EQ(KnownJson(scenario)["no_co_running"].size(), 2u);
  EXPECT_EQ(LastOfPairs(KnownJson(scenario)),
            "units \"u1\" and \"u2\" share memory \"dram\", and no profile says what they cost each other: "
            "taken is nothing");
}

// Of 513 units there are 131328 pairs, one of which can never meet.
TEST(KnownData, CountsPairsBeyondTheFirst) {
  Scenario scenario = OfUnits(513);
  scenario.platform->units[0].cores = scenario.platform->units[1].cores = {0};
  EXPECT_EQ(KnownJson(scenario)["no_co_running"].size(), 131072u);
  EXPECT_EQ(LastOfPairs(KnownJson(scenario)),
            "255 other pairs of units share memory \"dram\", and no profile says what they cost each other: "
            "taken is nothing");
}

// Three slots of a GPU unless `unit` says otherwise; alexnet and squeezenet_1_1 run there.
std::vector<std::string> TakenOnSharedGpu(const std::string& sharing,
                                          const std::string& unit = R"("slots": 3, "time_shared": true)") {
  InPlace board;
  board.units = R"({"name": "gpu", "kind": "gpu", "memory": "m", )" + unit + "}";
  board.profile = R"("entries": [)" + EntryOf("gpu", R"("median_us": 9)") +
                  R"(, {"model": "squeezenet_1_1", "unit": "gpu", "layers": "*", "median_us": 9}])" + sharing;
  board.streams = R"({"name": "a", "model": "alexnet", "count": 9, "arrival": {"type": "offline"}},
                     {"name": "s", "model": "squeezenet_1_1", "count": 9, "arrival": {"type": "offline"}})";
  return TakenForWant(board.Read());
}

TEST(TakenForWant, IsAnEqualShareOfAUnitsTimeOfWhichNobodyMeasuredHowItIsShared) {
  using Sentences = std::vector<std::string>;
  const auto said = [](const std::string& models) {
    return Sentences{"unit \"gpu\": no profile says how much sharing its time slows " + models +
                     " down (\"sharing\"): taken is an equal share, and no interval says how unsure that is"};
  };
  EXPECT_EQ(TakenOnSharedGpu(""), said(R"("alexnet", "squeezenet_1_1")"));
  EXPECT_EQ(TakenOnSharedGpu(
                R"(, "sharing": [{"unit": "gpu", "model": "alexnet", "at_once": 2, "slowdown": 1.8}])"),
            said(R"("squeezenet_1_1")"));
  EXPECT_EQ(TakenOnSharedGpu(R"(, "sharing": [{"unit": "gpu", "at_once": 2, "slowdown": 1.8}])"),
            Sentences());
}

TEST(TakenForWant, IsNoShareOfAUnitThatIsNotSharedOrWhoseSlotsTakeTurns) {
  EXPECT_TRUE(TakenOnSharedGpu("", R"("slots": 3)").empty()) << "slots of their own";
  EXPECT_TRUE(TakenOnSharedGpu("", R"("slots": 1, "time_shared": true)").empty());
  EXPECT_TRUE(TakenOnSharedGpu("", R"("slots": 3, "time_shared": true, "slice_us": 500)").empty());
}

}  // namespace
}  // namespace tandem
