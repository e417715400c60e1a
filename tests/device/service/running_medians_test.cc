// Does the service notice, once, what takes another time than profiled, and again after it was back?
#include "device/service/running_medians.h"

#include <gtest/gtest.h>

#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

using std::chrono::microseconds;

TEST(RunningMedians, TellWhenTheProfileIsLeft) {
  SmallScenario board({1, 1});
  const ModelId model = board.AddModel({{100, 200}});
  board.AddStream(model, 1);
  const Scenario scenario = board.Build();
  const Problem problem(scenario, Granularity::kModel);
  RunningMedians medians(problem, 0.25);
  const auto told = [&](Nanos took, int times) {
    std::vector<Nanos> drifts;
    for (int i = 0; i < times; ++i) {
      if (const auto place = medians.Add(SegmentId(0), UnitId(0), took)) drifts.push_back(place->measured);
    }
    return drifts;
  };
  EXPECT_TRUE(medians.All().empty());
  EXPECT_TRUE(told(microseconds{120}, 100).empty());
  EXPECT_EQ(told(microseconds{130}, 200), std::vector<Nanos>{microseconds{130}});
  EXPECT_TRUE(told(microseconds{100}, 100).empty());
  EXPECT_EQ(told(microseconds{70}, 100), std::vector<Nanos>{microseconds{70}});
  ASSERT_EQ(medians.All().size(), 1U);
  EXPECT_EQ(medians.All()[0].unit, UnitId(0));
  EXPECT_EQ(medians.All()[0].profiled, microseconds{100});
}

}  // namespace
}  // namespace tandem
