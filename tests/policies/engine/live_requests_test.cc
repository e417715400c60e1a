// Is there a bound on what is remembered of the requests under way?
#include "policies/engine/live_requests.h"

#include <gtest/gtest.h>

#include "tests/support/error_of.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

TEST(LiveRequests, MoreAtOnceThanMemoryIsMeantForAreRefused) {
  SmallScenario small({1});
  small.AddStream(small.AddModel({{10}, {10}, {10}}), 1);
  const Scenario scenario = small.Build();
  const Problem problem(scenario, Granularity::kLayer);
  constexpr int kMostBytes = 1000, kBytesOfTasks = 3 * 12;
  LiveRequests live(problem, kMostBytes);
  int begun = 0;
  const std::string refused = ErrorOf([&] {
    for (; begun < kMostBytes; ++begun) live.Begin(StreamId(0), Nanos{0});
  });
  EXPECT_GT(begun, 1);
  EXPECT_LT(begun, kMostBytes / kBytesOfTasks);
  EXPECT_EQ(refused.find("small:/streams: more than " + std::to_string(begun) +
                         " requests of several tasks are under way at once"),
            0U)
      << refused;
  live.End(1);
  EXPECT_EQ(live.Begin(StreamId(0), Nanos{0}), 1) << "one that has ended makes room";
}

}  // namespace
}  // namespace tandem
