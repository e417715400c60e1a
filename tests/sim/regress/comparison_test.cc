// Is every figure called what it is: worse, better, different, or within what it may move?
#include "sim/regress/comparison.h"

#include <gtest/gtest.h>

#include "tests/support/error_of.h"

namespace tandem {
namespace {

PolicyRun RunOf(std::int64_t makespan, std::int64_t missed = 0) {
  PolicyRun run;
  run.report.label = "eft";
  run.report.makespan = Nanos{makespan};
  run.report.missed = missed;
  run.report.throughput_per_s = 1000.0 / static_cast<double>(makespan);
  return run;
}

BaselineCase Kept(KeptFigures figures) {
  BaselineCase kept;
  kept.scenario = "s";
  kept.policy = "eft";
  kept.figures = std::move(figures);
  return kept;
}

std::vector<FigureChange> Compared(const KeptFigures& figures, const PolicyRun& run, const Bars& bars = {},
                                   const std::string& winner = "eft") {
  const Baseline baseline{"b.json", "b", "0.1.0", "", {}, {}};
  const BaselineCase kept = Kept(figures);
  return CompareCase(baseline, kept, run, winner, {}, bars);
}

Verdict VerdictOf(double before, std::int64_t now, const Tolerance& tolerance = {},
                  const Bars::Words& words = {}) {
  return Compared({{"makespan_ns", {before, tolerance}}}, RunOf(now), Bars(words)).at(0).verdict;
}

TEST(Comparisons, AreExactUnlessToldOtherwise) {
  EXPECT_EQ(VerdictOf(100, 100), Verdict::kSame);
  EXPECT_EQ(VerdictOf(100, 101), Verdict::kWorse);
  EXPECT_EQ(VerdictOf(100, 99), Verdict::kBetter);
}

TEST(Comparisons, ToleranceIsAPercentageOrAnAmount) {
  EXPECT_EQ(VerdictOf(100, 102, {2, true}), Verdict::kWithin);
  EXPECT_EQ(VerdictOf(100, 103, {2, true}), Verdict::kWorse);
  EXPECT_EQ(VerdictOf(100, 97, {2, true}), Verdict::kBetter);
  EXPECT_EQ(VerdictOf(100, 103, {3, false}), Verdict::kWithin);
}

TEST(Comparisons, MoreThroughputIsBetter) {
  const KeptFigures kept = {{"throughput_per_s", {10.0, {}}}};
  EXPECT_EQ(Compared(kept, RunOf(200)).at(0).verdict, Verdict::kWorse);
  EXPECT_EQ(Compared(kept, RunOf(50)).at(0).verdict, Verdict::kBetter);
}

TEST(Comparisons, BarsOfTheCommandLineTakeThePlaceOfTolerances) {
  EXPECT_EQ(VerdictOf(100, 104, {}, {{}, {"makespan:5%"}, {}}), Verdict::kWithin);
  EXPECT_EQ(VerdictOf(100, 106, {}, {{}, {"makespan:5%"}, {}}), Verdict::kWorse);
  EXPECT_EQ(VerdictOf(100, 103, {50, true}, {{}, {"makespan:2%"}, {}}), Verdict::kWorse);
  const Bars::Words both = {{}, {"makespan:5%"}, {"makespan_ns:2%"}};
  EXPECT_EQ(VerdictOf(100, 101, {}, both), Verdict::kWithin);
  EXPECT_EQ(VerdictOf(100, 103, {}, both), Verdict::kWarned);
  EXPECT_EQ(VerdictOf(100, 106, {}, both), Verdict::kWorse);
  EXPECT_EQ(VerdictOf(100, 200, {}, {{}, {}, {"makespan:2%"}}), Verdict::kWarned)
      << "--warn alone never fails";
  EXPECT_EQ(VerdictOf(100, 101, {}, {{}, {"p99:5%"}, {}}), Verdict::kWorse) << "that of another figure";
}

TEST(Comparisons, LastDigitsOfABoundAreTheSolversAffair) {
  const auto verdict = [](double before) {
    PolicyRun run = RunOf(1);
    run.report.gap = 0.25;
    return Compared({{"gap", {before, {}}}}, run).at(0).verdict;
  };
  EXPECT_EQ(verdict(0.25), Verdict::kSame);
  EXPECT_EQ(verdict(0.25 - 1e-9), Verdict::kWithin);
  EXPECT_EQ(verdict(0.25 + 1e-9), Verdict::kWithin);
  EXPECT_EQ(verdict(0.24999), Verdict::kWorse);
}

TEST(Comparisons, ARunThatFailedHasNoFigures) {
  PolicyRun run = RunOf(0);
  run.report.failed = "s.json: no unit runs alexnet";
  const auto changes = Compared({{"makespan_ns", {0.0, {}}}, {"winner", {"sjf", {}}}}, run, {}, "sjf");
  EXPECT_EQ(changes.at(0).verdict, Verdict::kDifferent);
  EXPECT_EQ(changes.at(0).after, FigureValue());
  EXPECT_EQ(changes.at(0).why, "the policy cannot run it any more: s.json: no unit runs alexnet");
  EXPECT_EQ(changes.at(1).verdict, Verdict::kSame);
}

TEST(Comparisons, WhatHasOneNameIsToldApart) {
  std::vector<FigureChange> changes(4);
  for (FigureChange& change : changes) {
    change.scenario = "s";
    change.policy = "eft";
    change.engine = "virtual";
    change.baseline = "b";
    change.file = "b.json";
    change.figure = *FindFigure("makespan");
  }
  changes[1].seed = 2;
  changes[2].seed = 2;
  changes[2].baseline = "c";
  changes[3].figure = *FindFigure("missed");
  TellApart(changes);
  EXPECT_EQ(changes[0].Text(), "s / eft (virtual, seed 1) / makespan_ns");
  EXPECT_EQ(changes[1].Text(), "s / eft (virtual, seed 2, b) / makespan_ns");
  EXPECT_EQ(changes[2].Text(), "s / eft (virtual, seed 2, c) / makespan_ns");
  EXPECT_EQ(changes[3].Text(), "s / eft / missed");
}

TEST(Comparisons, AnotherWinnerIsDifferent) {
  const KeptFigures kept = {{"winner", {"sjf", {}}}};
  EXPECT_EQ(Compared(kept, RunOf(1)).at(0).verdict, Verdict::kDifferent);
  EXPECT_EQ(Compared(kept, RunOf(1), {}, "sjf").at(0).verdict, Verdict::kSame);
  EXPECT_EQ(Compared(kept, RunOf(1), {}, "").at(0).verdict, Verdict::kDifferent) << "none can be named";
}

TEST(Comparisons, WhatCanNoLongerBeToldIsDifferent) {
  EXPECT_EQ(Compared({{"energy_j", {1.0, {}}}}, RunOf(1)).at(0).verdict, Verdict::kDifferent);
  EXPECT_EQ(Compared({{"energy_j", {FigureValue(), {}}}}, RunOf(1)).at(0).verdict, Verdict::kSame);
}

TEST(Comparisons, FromNothingTheRelativeChangeIsUnknown) {
  const FigureChange change = Compared({{"missed", {0.0, {}}}}, RunOf(1, 3)).at(0);
  EXPECT_EQ(change.verdict, Verdict::kWorse);
  EXPECT_FALSE(change.change);
}

TEST(Comparisons, OnlyTheFiguresThatAreAskedForAreLookedAt) {
  const KeptFigures kept = {{"makespan_ns", {1.0, {}}}, {"missed", {0.0, {}}}};
  const auto changes = Compared(kept, RunOf(2), Bars({{"misses"}, {}, {}}));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].figure.Text(), "missed");
}

TEST(Comparisons, WhatTheBaselineLacksIsMissing) {
  const Baseline baseline{"b.json", "b", "0.1.0", "", {}, {}};
  const auto changes = CompareCase(baseline, Kept({{"missed", {0.0, {}}}}), RunOf(5), "eft",
                                   {*FindFigure("missed"), *FindFigure("makespan")}, {});
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[1].verdict, Verdict::kMissing);
  EXPECT_EQ(changes[1].after, FigureValue(5.0));
}

TEST(Comparisons, TheWorstComeFirst) {
  KeptFigures kept = {{"missed", {1.0, {}}}, {"makespan_ns", {50.0, {}}}, {"throughput_per_s", {1.0, {}}}};
  std::vector<FigureChange> changes = Compared(kept, RunOf(100, 4));
  SortWorstFirst(changes);
  EXPECT_EQ(changes[0].figure.Text(), "missed") << "four times as many";
  EXPECT_EQ(changes[1].figure.Text(), "makespan_ns") << "twice as long";
  EXPECT_EQ(changes[2].verdict, Verdict::kBetter);
}

TEST(Comparisons, BetterFailsOnlyWhereThatIsAskedFor) {
  Regression all;
  all.figures = Compared({{"makespan_ns", {200.0, {}}}}, RunOf(100));
  EXPECT_FALSE(all.Fails(all.figures[0]));
  all.strict = true;
  EXPECT_TRUE(all.Fails(all.figures[0]));
}

TEST(BarsOfACommandLine, AreToldWhatIsWrong) {
  const auto error = [](const Bars::Words& words) { return ErrorOf([&] { (void)Bars(words); }); };
  EXPECT_EQ(error({{"p98"}, {}, {}}).substr(0, 28), "--only: unknown figure \"p98\"");
  EXPECT_EQ(error({{}, {"p99"}, {}}),
            "--fail: expected FIGURE:P% such as p99:5%, or FIGURE:AMOUNT in the figure's unit, not \"p99\"");
  EXPECT_EQ(
      error({{}, {}, {"p99:-1%"}}),
      "--warn: expected FIGURE:P% such as p99:5%, or FIGURE:AMOUNT in the figure's unit, not \"p99:-1%\"");
}

TEST(BarsOfACommandLine, MeanEachStreamUnlessTheyNameOne) {
  const Bars bars({{"p99"}, {"p99:5%", "streams.a.p99:1%"}, {}});
  EXPECT_TRUE(bars.LooksAt(*FindFigure("streams.a.p99")));
  EXPECT_FALSE(bars.LooksAt(*FindFigure("streams.a.p50")));
  EXPECT_EQ(bars.Fail(*FindFigure("streams.b.p99"), {}), (Tolerance{5, true}));
  EXPECT_EQ(bars.Fail(*FindFigure("streams.a.p99"), {}), (Tolerance{1, true}));
}

}  // namespace
}  // namespace tandem
