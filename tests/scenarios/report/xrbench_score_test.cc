// Are XRBench's scores those of its formulas?
#include "scenarios/report/xrbench_score.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/hand_made_run.h"

namespace tandem {
namespace {

// Stream "b" of the hand-made run: deadline 2 ms, latencies 1 and 3 ms, one of three dropped.
TEST(XrbenchScore, RealTimeIsTheMeanOfASigmoidOfTheDelay) {
  const HandMadeRun run = MakeRun();
  const auto scores = XrbenchScores(run.scenario, run.outcome, std::nullopt);
  ASSERT_TRUE(scores[1]);
  const double early = 1 / (1 + std::exp(-15.0)), late = 1 / (1 + std::exp(15.0));
  EXPECT_NEAR(scores[1]->real_time, (early + late) / 2, 1e-15);
  EXPECT_DOUBLE_EQ(scores[1]->qoe, 2.0 / 3);
}

TEST(XrbenchScore, OnTimeIsAHalfAndFarTooLateIsNothing) {
  HandMadeRun run = MakeRun();
  run.outcome.streams[1].latencies = {*run.scenario.streams[1].deadline};
  EXPECT_EQ(XrbenchScores(run.scenario, run.outcome, std::nullopt)[1]->real_time, 0.5);
  run.outcome.streams[1].latencies = {Nanos{1'000'000'000'000}};
  EXPECT_EQ(XrbenchScores(run.scenario, run.outcome, std::nullopt)[1]->real_time, 0);
}

TEST(XrbenchScore, WithoutADeadlineOrARequestThereIsNone) {
  HandMadeRun run = MakeRun();
  EXPECT_FALSE(XrbenchScores(run.scenario, run.outcome, std::nullopt)[0]);
  run.outcome.streams[1] = {};
  const auto scores = XrbenchScores(run.scenario, run.outcome, std::nullopt);
  EXPECT_FALSE(scores[1]);
  EXPECT_FALSE(XrbenchOverall(scores));
}

TEST(XrbenchScore, EnergyStaysBetweenZeroAndOne) {
  const HandMadeRun run = MakeRun();
  EXPECT_DOUBLE_EQ(*XrbenchScores(run.scenario, run.outcome, 0.3)[1]->energy, 0.8);
  EXPECT_EQ(*XrbenchScores(run.scenario, run.outcome, 2)[1]->energy, 0);
}

TEST(XrbenchScore, OverallIsTheMeanOverModelsInPercent) {
  const XrbenchScore half{0.5, std::nullopt, 1}, fifth{0.8, 0.5, 0.5};
  EXPECT_DOUBLE_EQ(*XrbenchOverall({half, std::nullopt, fifth}), 100 * (0.5 + 0.2) / 2);
}

}  // namespace
}  // namespace tandem
