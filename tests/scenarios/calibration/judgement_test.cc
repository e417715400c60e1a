// Is a verdict of three values one that noise cannot soften? The runs are made up, the true error is known.
#include "scenarios/calibration/judgement.h"

#include <gtest/gtest.h>

#include "tests/support/synthetic_runs.h"

namespace tandem {
namespace {

constexpr double kBar = 0.09, kNinety = 0.9;
constexpr int kJudgedSeeds = 200;

TEST(VerdictOf, IsUnknownWhereTheIntervalStraddlesTheBar) {
  EXPECT_EQ(VerdictOf(Interval{-0.09, 0.05}, kBar), BarVerdict::kWithin);
  EXPECT_EQ(VerdictOf(Interval{0.0901, 0.2}, kBar), BarVerdict::kOutside);
  EXPECT_EQ(VerdictOf(Interval{-0.3, -0.0901}, kBar), BarVerdict::kOutside);
  EXPECT_EQ(VerdictOf(Interval{0.05, 0.1}, kBar), BarVerdict::kUnknown);
  EXPECT_EQ(VerdictOf(Interval{-0.1, 0.1}, kBar), BarVerdict::kUnknown);
  EXPECT_EQ(VerdictOf(std::nullopt, kBar), BarVerdict::kUnknown);
}

TEST(RunsNeeded, IsMoreTheNearerTheErrorIsToTheBar) {
  const auto far = RunsNeeded({0.02, Interval{-0.08, 0.12}}, kBar, 5, kNinety);
  const auto near = RunsNeeded({0.07, Interval{-0.03, 0.17}}, kBar, 5, kNinety);
  ASSERT_TRUE(far.needed && near.needed);
  EXPECT_GT(*far.needed, 5);
  EXPECT_GT(*near.needed, 4 * *far.needed);
  EXPECT_FALSE(RunsNeeded({0.09, Interval{0.08, 0.1}}, kBar, 5, kNinety).needed) << "it is on the bar";
  EXPECT_FALSE(RunsNeeded({0.02, std::nullopt}, kBar, 1, kNinety).needed);
}

TEST(RunsNeeded, AreMoreThanAnybodyMakesOrNoneWouldTell) {
  const RunsToTell many = RunsNeeded({0.0899, Interval{0.0, 0.18}}, kBar, 5, kNinety);
  EXPECT_FALSE(many.needed);
  EXPECT_TRUE(many.too_many);
  EXPECT_EQ(MoreRuns(many), "more than 1000 runs would tell.");
  for (const double bar : {kBar, -kBar}) {
    const RunsToTell none = RunsNeeded({bar, Interval{bar - 0.01, bar + 0.01}}, kBar, 5, kNinety);
    EXPECT_FALSE(none.needed || none.too_many);
    EXPECT_EQ(MoreRuns(none), "more runs would not tell.");
  }
  // The error is the bar's but for how it was rounded.
  const double rounded = 10.9 / 10.0 - 1;
  const RunsToTell none = RunsNeeded({rounded, Interval{rounded - 1e-15, rounded + 1e-15}}, kBar, 5, kNinety);
  EXPECT_FALSE(none.needed || none.too_many);
}

TEST(RunsNeeded, AreSaidOfThoseOfWhomTheyWouldTell) {
  const auto text_of = [](const std::vector<RunsToTell>& all) {
    std::vector<Judgement> judged(all.size() + 1);
    judged.back().verdict = BarVerdict::kWithin;
    std::vector<const Judgement*> figures = {&judged.back()};
    for (std::size_t i = 0; i < all.size(); ++i) {
      judged[i].runs = all[i];
      figures.push_back(&judged[i]);
    }
    return NeededText(figures);
  };
  const RunsToTell few{7, false}, some{28, false}, many{std::nullopt, true}, none{};
  EXPECT_EQ(text_of({}), "");
  EXPECT_EQ(text_of({none}), "");
  EXPECT_EQ(text_of({some, few}), " (about 28 runs would)");
  EXPECT_EQ(text_of({some, none}), " (about 28 runs would tell of 1 of these)");
  EXPECT_EQ(text_of({many, many}), " (more than 1000 runs would)");
  EXPECT_EQ(text_of({many, none}), " (more than 1000 runs would tell of 1 of these)");
  EXPECT_EQ(text_of({some, few, many, none}),
            " (about 28 runs would tell of 2, more than 1000 runs would tell of 1 of these)");
}

TEST(Verdicts, AnErrorThatIsTheBarsIsNotToldByMoreRuns) {
  std::vector<RoundSample> samples;
  for (std::int64_t round = 0; round < 5; ++round) samples.push_back({0, round, 1e7});
  const Judgement judged = Judged(1.09e7, 1e7, Rounds(samples, 1, kNinety), 0, kBar, kNinety);
  EXPECT_FALSE(judged.runs.needed || judged.runs.too_many);
}

// How often each verdict falls on the first policy, whose prediction is so far off.
struct Verdicts {
  int within = 0, outside = 0, unknown = 0;
};
Verdicts VerdictsOn(double error, const SyntheticRuns& made) {
  Verdicts verdicts;
  const double predicted = made.medians[0] * (1 + error);
  for (int seed = 0; seed < kJudgedSeeds; ++seed) {
    const Rounds rounds(made.Samples(static_cast<std::uint64_t>(seed)), made.medians.size(), kNinety);
    const Interval measured = *rounds.Median(0);
    const Judgement judged = Judged(predicted, (measured.low + measured.high) / 2, rounds, 0, kBar, kNinety);
    ++(judged.verdict == BarVerdict::kWithin    ? verdicts.within
       : judged.verdict == BarVerdict::kOutside ? verdicts.outside
                                                : verdicts.unknown);
  }
  return verdicts;
}

std::vector<SyntheticRuns> Machines() {
  std::vector<SyntheticRuns> machines;
  for (const std::int64_t runs : {2, 3, 5, 9}) {
    for (const double noise : {0.003, 0.03, 0.1}) {
      SyntheticRuns made;
      made.runs = runs;
      made.noise = noise;
      machines.push_back(made);
      made.round_noise = noise;
      machines.push_back(made);
    }
  }
  return machines;
}

TEST(Verdicts, NoNoiseMakesAnErrorJustAboveTheBarLookWithin) {
  for (const SyntheticRuns& made : Machines()) {
    const Verdicts verdicts = VerdictsOn(0.092, made);
    EXPECT_LE(verdicts.within, kJudgedSeeds * 0.08)
        << made.runs << " runs, noise " << made.noise << ", of rounds " << made.round_noise;
  }
}

TEST(Verdicts, NoNoiseMakesAnErrorJustBelowTheBarLookOutside) {
  for (const SyntheticRuns& made : Machines()) {
    EXPECT_LE(VerdictsOn(0.088, made).outside, kJudgedSeeds * 0.08)
        << made.runs << " runs, noise " << made.noise << ", of rounds " << made.round_noise;
  }
}

TEST(Verdicts, MoreNoiseLeadsToUnknownAlone) {
  SyntheticRuns made;
  made.runs = 5;
  for (const double error : {-0.15, 0.02, 0.15}) {
    int known = kJudgedSeeds + 1;
    for (const double noise : {0.001, 0.03, 0.2}) {
      made.noise = noise;
      const Verdicts verdicts = VerdictsOn(error, made);
      EXPECT_LE(kJudgedSeeds - verdicts.unknown, known) << error << " " << noise;
      known = kJudgedSeeds - verdicts.unknown;
      EXPECT_LE(std::abs(error) > kBar ? verdicts.within : verdicts.outside, kJudgedSeeds * 0.06);
    }
    EXPECT_LT(known, kJudgedSeeds / 4) << "with a noise of 20 % hardly anything can be told";
  }
}

TEST(Verdicts, CalmRunsTell) {
  SyntheticRuns made;
  made.noise = 0.002;
  made.runs = 5;
  EXPECT_EQ(VerdictsOn(0.08, made).within, kJudgedSeeds);
  EXPECT_EQ(VerdictsOn(-0.1, made).outside, kJudgedSeeds);
}

TEST(Verdicts, DriftAndRunsThatStandOutSoftenNothing) {
  SyntheticRuns made;
  made.runs = 9;
  made.noise = 0.003;
  made.drift = 0.1;
  EXPECT_GE(VerdictsOn(0.03, made).within, kJudgedSeeds * 0.95);
  EXPECT_EQ(VerdictsOn(0.2, made).outside, kJudgedSeeds);
  EXPECT_EQ(VerdictsOn(0.2, made).within, 0);
  made.drift = 0;
  made.outliers = 0.05;
  EXPECT_GE(VerdictsOn(0.02, made).within, kJudgedSeeds * 0.7);
  EXPECT_EQ(VerdictsOn(0.02, made).outside, 0);
  EXPECT_LE(VerdictsOn(0.092, made).within, kJudgedSeeds * 0.05);
}

TEST(Verdicts, OneRunIsUnknownAndNobodyKnowsHowManyItTakes) {
  const Rounds rounds({{0, 0, 100.0}}, 1, kNinety);
  const Judgement judged = Judged(200, 100, rounds, 0, kBar, kNinety);
  EXPECT_EQ(judged.verdict, BarVerdict::kUnknown);
  EXPECT_FALSE(judged.error.has_value());
  EXPECT_FALSE(judged.runs.needed.has_value());
}

TEST(Verdicts, OfOneRunTheOthersTellHowManyItTakes) {
  const Rounds rounds({{0, 0, 100}, {1, 0, 100}, {1, 1, 103}, {1, 2, 98}, {1, 3, 101}}, 2, kNinety);
  const Judgement judged = Judged(106, 100, rounds, 0, kBar, kNinety);
  EXPECT_EQ(judged.verdict, BarVerdict::kUnknown);
  EXPECT_FALSE(judged.error.has_value());
  ASSERT_TRUE(judged.runs.needed.has_value());
  EXPECT_GE(*judged.runs.needed, 2);
  EXPECT_LE(*judged.runs.needed, 10);
}

}  // namespace
}  // namespace tandem
