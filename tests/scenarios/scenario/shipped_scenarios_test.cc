// Does every scenario that tandem ships read, and is the list complete?
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "profiles/program/shipped.h"
#include "scenarios/arrivals/arrivals.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {
namespace {

constexpr std::string_view kSuffix = ".scenario.json";

Scenario Shipped(std::string_view name) { return ReadScenarioFile(FindFile(name, "", "scenarios", kSuffix)); }

class EachShippedScenario : public testing::TestWithParam<std::string> {};

TEST_P(EachShippedScenario, IsRightAndSaysWhatItIs) {
  const Scenario scenario = Shipped(GetParam());
  EXPECT_FALSE(scenario.policies.empty());
  EXPECT_TRUE(scenario.costs || !scenario.platform);  // what is the device's own is measured first
  EXPECT_FALSE(scenario.note.empty());
}

std::string TestName(const testing::TestParamInfo<std::string>& name) {
  std::string text = name.param;
  std::replace_if(
      text.begin(), text.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return text;
}

INSTANTIATE_TEST_SUITE_P(All, EachShippedScenario, testing::ValuesIn(ShippedNames("scenarios", kSuffix)),
                         TestName);

TEST(ShippedScenarios, StudiesXrbenchAndLoadgenAreThere) {
  const std::vector<std::string> names = ShippedNames("scenarios", kSuffix);
  for (const char* name : {"study-000-a-densenet201",
                           "study-000-a-resnet152",
                           "study-000-b",
                           "study-000-c",
                           "study-001",
                           "study-002",
                           "study-002-zero-copy",
                           "study-003",
                           "study-003-emulated",
                           "study-003-one-model",
                           "study-004",
                           "xrbench-vr-gaming",
                           "xrbench-ar-gaming",
                           "xrbench-ar-assistant",
                           "xrbench-outdoor-activity-a",
                           "xrbench-outdoor-activity-b",
                           "xrbench-social-interaction-a",
                           "xrbench-social-interaction-b",
                           "loadgen-single-stream",
                           "loadgen-multi-stream",
                           "loadgen-server",
                           "loadgen-offline",
                           "newest-frames",
                           "closed-engine",
                           "late-brake",
                           "critical-brake",
                           "driver-shared",
                           "server-batches",
                           "cameras-together",
                           "fair-shares",
                           "too-many-wishes",
                           "throttling",
                           "gpu-resets",
                           "clock-states",
                           "too-hot",
                           "urgent-first",
                           "urgent-by-layer",
                           "faces",
                           "pipeline-of-stages",
                           "sticks-on-a-hub",
                           "one-after-the-other",
                           "this-machine",
                           "overload"}) {
    EXPECT_TRUE(std::binary_search(names.begin(), names.end(), name)) << name;
  }
}

TEST(ShippedScenarios, Study003HasTheWorkOfTheWorkedExample) {
  const Scenario scenario = Shipped("study-003");
  ASSERT_EQ(scenario.streams.size(), 3U);
  for (const RequestCount& requests : CountRequests(scenario.streams, scenario.seed)) {
    EXPECT_EQ(requests.count, 100);
  }
  const auto time = [&](ModelId model, UnitId unit) { return scenario.Time(model, unit, 1)->time.count(); };
  EXPECT_EQ(time(ModelId(0), UnitId(2)), 3393000);
  EXPECT_EQ(time(ModelId(2), UnitId(0)), 1201923000);
  EXPECT_EQ(PolicyJson(scenario.policies.at(3), scenario).find("ncs2"), std::string::npos)
      << "the study ranks nothing for the NCS2";
}

TEST(ShippedScenarios, OneModelAloneMayRunOnTheNcs2) {
  const Scenario scenario = Shipped("study-003-one-model");
  const UnitId ncs2(1);
  EXPECT_FALSE(scenario.CanRun(ModelId(0), ncs2, 1));
  EXPECT_TRUE(scenario.CanRun(ModelId(1), ncs2, 1));
  EXPECT_FALSE(scenario.CanRun(ModelId(2), ncs2, 1));
}

}  // namespace
}  // namespace tandem
