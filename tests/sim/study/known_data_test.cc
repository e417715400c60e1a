// Is what nobody measured of many pairs of units told, and not without end?
#include "sim/study/known_data.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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

}  // namespace
}  // namespace tandem
