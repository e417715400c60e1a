// Does the worked example of the semantics page come out to the nanosecond?
#include <gtest/gtest.h>

#include "tests/policies/run_policy.h"

namespace tandem {
namespace {

std::int64_t Microseconds(const Outcome& outcome) {
  EXPECT_EQ(outcome.makespan().count() % 1000, 0);
  return outcome.makespan().count() / 1000;
}

TEST(WorkedExample, EveryUnitHoldsEveryModel) {
  EXPECT_EQ(Microseconds(RunShipped("study-003", R"("fcfs")")), 4048341);
  EXPECT_EQ(Microseconds(RunShipped("study-003", R"("sjf")")), 3827055);
  EXPECT_EQ(Microseconds(RunShipped("study-003", R"("eft")")), 3083670);
}

TEST(WorkedExample, OneModelAloneOnTheNcs2) {
  EXPECT_EQ(Microseconds(RunShipped("study-003-one-model", R"("fcfs")")), 3676758);
  EXPECT_EQ(Microseconds(RunShipped("study-003-one-model", R"("sjf")")), 3827055);
  EXPECT_EQ(Microseconds(RunShipped("study-003-one-model", R"("eft")")), 3061830);
}

}  // namespace
}  // namespace tandem
