// Does the worked example of the semantics page come out to the nanosecond?
#include <gtest/gtest.h>

#include "tests/support/run_policy.h"

namespace tandem {
namespace {

std::int64_t Microseconds(const Outcome& outcome) {
  EXPECT_EQ(outcome.makespan().count() % 1000, 0);
  return outcome.makespan().count() / 1000;
}

// The ranking of study 003; the NCS2 has no place in it.
const char* const kRanking =
    R"({"name": "priority", "rank": {"cpu": ["mobilenet_v2", "resnet101", "resnet50"],
    "coral": ["mobilenet_v2", "resnet101", "resnet50"], "rknpu": ["resnet50", "mobilenet_v2", "resnet101"]}})";

TEST(WorkedExample, EveryUnitHoldsEveryModel) {
  EXPECT_EQ(Microseconds(RunShipped("study-003", R"("fcfs")")), 4048341);
  EXPECT_EQ(Microseconds(RunShipped("study-003", R"("sjf")")), 3827055);
  EXPECT_EQ(Microseconds(RunShipped("study-003", R"("eft")")), 3083670);
  EXPECT_EQ(Microseconds(RunShipped("study-003", R"("affinity")")), 5074300);
  EXPECT_EQ(Microseconds(RunShipped("study-003", kRanking)), 5153112);
}

TEST(WorkedExample, OneModelAloneOnTheNcs2) {
  EXPECT_EQ(Microseconds(RunShipped("study-003-one-model", R"("fcfs")")), 3676758);
  EXPECT_EQ(Microseconds(RunShipped("study-003-one-model", R"("sjf")")), 3827055);
  EXPECT_EQ(Microseconds(RunShipped("study-003-one-model", R"("eft")")), 3061830);
  EXPECT_EQ(Microseconds(RunShipped("study-003-one-model", R"("affinity")")), 5074300);
  EXPECT_EQ(Microseconds(RunShipped("study-003-one-model", kRanking)), 5153112);
}

TEST(WorkedExample, AffinityBindsAsTheExampleSays) {
  const Outcome chosen = RunShipped("study-003", R"("affinity")");
  const Outcome given = RunShipped("study-003", R"({"name": "affinity", "map": {"mobilenet_v2": "coral",
      "resnet50": "ncs2", "resnet101": "rknpu"}})");
  for (std::size_t u = 0; u < given.units.size(); ++u) {
    EXPECT_EQ(chosen.units[u].tasks, given.units[u].tasks);
    EXPECT_EQ(chosen.units[u].busy, given.units[u].busy);
  }
}

}  // namespace
}  // namespace tandem
