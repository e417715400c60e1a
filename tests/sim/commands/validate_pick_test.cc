// Does `tandem validate --top --pick` run good plans that differ, and keep the one that the device is best
// with? The device is tests/support/fake_device.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "profiles/base/files.h"
#include "tests/support/validate_testing.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

std::vector<std::string> LabelsOf(const Json& json) {
  std::vector<std::string> labels;
  for (const Json& policy : json["policies"]) labels.push_back(policy["label"]);
  return labels;
}

// On this device "big" is four times as slow as it was when it was measured.
TEST_F(Validate, PicksTheMeasuredBestWhereThePredictedWinnerIsNot) {
  const ProgramResult result =
      Run("--slower big=4", "--repeat 4 --policy 'on big' --policy 'on small' --pick --json --plan " +
                                Path("picked.plan.json"));
  EXPECT_EQ(result.status, 0) << result.errors;
  const Json pick = Parsed(result)["pick"];
  EXPECT_EQ(pick["predicted"], "on big");
  EXPECT_EQ(pick["kept"], "on small");
  EXPECT_EQ(pick["choosing_runs"], 2);
  EXPECT_EQ(pick["judging_runs"], 2);
  EXPECT_NEAR(pick["regret_before"], 4 / 1.5 - 1, 1e-6);
  EXPECT_EQ(pick["regret_after"], 0);
  const Json plan = Json::parse(ReadTextFile(Path("picked.plan.json")));
  EXPECT_EQ(plan["tandem"], "plan/1");
  EXPECT_EQ(plan["policy"]["label"], "on small");
}

TEST_F(Validate, SaysInWordsWhatPickingGains) {
  const ProgramResult result =
      Run("--slower big=4", "--repeat 3 --policy 'on big' --policy 'on small' --pick");
  EXPECT_NE(result.output.find("Picked: on small, the best by 2 runs of each"), std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("the predicted winner, on big"), std::string::npos) << result.output;
}

// Plans of the policies and of the search, none far behind the best, none the same as another.
TEST_F(Validate, RunsThePlansThatDifferMost) {
  const ProgramResult result = Run("", "--repeat 2 --top 3 --pick --json --keep " + Path("kept"));
  EXPECT_EQ(result.status, 0) << result.errors;
  const Json json = Parsed(result);
  const std::vector<std::string> labels = LabelsOf(json);
  EXPECT_GE(labels.size(), 2U) << json["policies"];
  EXPECT_LE(labels.size(), 3U);
  EXPECT_EQ(std::set<std::string>(labels.begin(), labels.end()).size(), labels.size());
  EXPECT_EQ(std::count(labels.begin(), labels.end(), "on small"), 0) << "far behind";
  double best = 1e300;
  for (const Json& policy : json["policies"]) best = std::min(best, policy["predicted"].get<double>());
  for (const Json& policy : json["policies"]) EXPECT_LE(policy["predicted"], 1.1 * best);
  const Json plan = Json::parse(ReadTextFile(folder_ / "kept" / "picked.plan.json"));
  EXPECT_EQ(plan["policy"].value("label", plan["policy"].value("name", "")), json["pick"]["kept"]);
  EXPECT_EQ(Run("", "--top 2 --winner-only").status, 2);
}

}  // namespace
}  // namespace tandem
