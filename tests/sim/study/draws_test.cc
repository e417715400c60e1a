// Do nine of ten truths lie in the intervals of nine tenths, whatever the profile is made of?
#include "sim/study/draws.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "policies/engine/draws/luck.h"
#include "scenarios/arrivals/elementary.h"
#include "scenarios/report/json.h"
#include "tests/support/scenario_in_place.h"

namespace tandem {
namespace {

std::vector<Report> Simulated(const Scenario& scenario, const std::vector<std::string>& policies,
                              Wanted wanted = Wanted::kIntervals, double interval = kUsualInterval) {
  LongRun watch;
  std::vector<PolicySpec> specs;
  std::vector<Report> reports;
  const std::vector<PolicySpec> chosen = ChoosePolicies(scenario, policies);
  for (const PolicySpec& spec : chosen) {
    const PreparedRun run = Prepare(scenario, spec);
    reports.push_back(ReportOf(run, Engine::kVirtual, {}, RunOn(Engine::kVirtual, run)));
    specs.push_back(Decided(run));
  }
  AddDraws(scenario, specs, interval, wanted, reports, watch);
  return reports;
}

constexpr int kRequests = 20;

// Of so many worlds the share in which the makespan lies in the interval that a profile of that world gives.
// `world`: from its number, the profile and what the requests really take, in us.
double Covered(int worlds, const std::function<std::vector<double>(const Luck&, InPlace&)>& world) {
  int covered = 0;
  for (int w = 0; w < worlds; ++w) {
    InPlace board;
    board.seed = static_cast<std::uint64_t>(w);
    double truth = 0;
    for (const double request : world(Luck(static_cast<std::uint64_t>(w) + 77'777, 99), board)) {
      truth += std::floor(request * 1000);
    }
    // Where the medians over the draws are predicted, the intervals are those of the draws alone.
    const Report report = Simulated(board.Read(), {"fcfs"}, Wanted::kMediansToo)[0];
    EXPECT_TRUE(report.draws) << report.interval_why;
    covered += report.draws->MakespanInterval().Contains(truth) ? 1 : 0;
  }
  return static_cast<double>(covered) / worlds;
}

// Around 100 us, long ones farther away than short ones.
double Skewed(const Luck& luck, std::uint64_t what) { return 100 * Exp(0.2 * luck.Normal(what)); }

std::vector<double> Values(std::size_t count, std::uint64_t from,
                           const std::function<double(std::uint64_t)>& value) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(value(from + i));
  return values;
}

TEST(Intervals, CoverTheTruthOfAProfileOfFewOrManySamples) {
  for (const std::size_t samples : {8u, 40u, 201u}) {
    const double share = Covered(250, [&](const Luck& luck, InPlace& board) {
      const auto value = [&](std::uint64_t i) { return Skewed(luck, i); };
      board.profile = R"("entries": [)" + EntryOf("cpu", SamplesText(Values(samples, 0, value))) + "]";
      return Values(kRequests, 10'000, value);
    });
    EXPECT_GE(share, 0.85) << samples;
    EXPECT_LE(share, 0.95) << samples;
  }
}

TEST(Intervals, CoverTheTruthOfAProfileThatDrifted) {
  const double share = Covered(250, [](const Luck& luck, InPlace& board) {
    board.origin += R"(, "error": 0.1)";
    const double drift = Exp(0.1 * luck.Normal(1));
    board.profile = R"("entries": [)" + EntryOf("cpu", R"("median_us": 100)") + "]";
    return std::vector<double>(kRequests, 100 * drift);
  });
  EXPECT_GE(share, 0.85);
  EXPECT_LE(share, 0.95);
}

// Quiet or disturbed, for about ten at a time.
std::vector<double> Bursts(const Luck& luck, std::size_t count, std::uint64_t from) {
  std::vector<double> values;
  bool disturbed = luck.Uniform(from + 999'999) < 0.3;
  for (std::size_t i = 0; i < count; ++i) {
    if (luck.Uniform(from + 2 * i) < 0.1) disturbed = luck.Uniform(from + 2 * i + 1) < 0.3;
    values.push_back(disturbed ? 160 : 100);
  }
  return values;
}

std::vector<double> OutOfOrder(const std::vector<double>& values) {
  const Luck luck(5, 6);
  std::vector<std::pair<double, double>> by_chance;
  for (std::size_t i = 0; i < values.size(); ++i) by_chance.emplace_back(luck.Uniform(i), values[i]);
  std::sort(by_chance.begin(), by_chance.end());
  std::vector<double> others;
  for (const auto& [chance, value] : by_chance) others.push_back(value);
  return others;
}

TEST(Intervals, BlocksCoverBurstsThatDrawsOutOfOrderMiss) {
  const auto share = [](bool in_order) {
    return Covered(200, [in_order](const Luck& luck, InPlace& board) {
      std::vector<double> samples = Bursts(luck, 201, 0);
      if (!in_order) samples = OutOfOrder(samples);
      board.profile = R"("entries": [)" + EntryOf("cpu", SamplesText(samples)) + "]";
      return Bursts(luck, kRequests, 1'000'000);
    });
  };
  const double blocks = share(true), alone = share(false);
  EXPECT_GE(blocks, 0.8);
  EXPECT_LE(alone, 0.7);
}

const std::string kSkewedSamples =
    R"("samples_us": [100, 100, 101, 100, 200, 100, 102, 100, 190, 100, 101, 100])";

TEST(Draws, TheMedianOfThemKnowsOfTheLongOnes) {
  InPlace board;
  board.profile = R"("entries": [)" + EntryOf("cpu", kSkewedSamples) + "]";
  const Report report = Simulated(board.Read(), {"fcfs"})[0];
  EXPECT_EQ(report.makespan, Nanos{2'000'000});  // all at their median
  EXPECT_NEAR(static_cast<double>(report.draws->makespan.median.count()), 2'323'000, 80'000);
}

TEST(Draws, HaveTheRunOfMediansInTheirIntervalAndSayWhatElseToExpect) {
  InPlace board;
  const auto skewed = [](std::uint64_t i) { return i % 10 < 3 ? 160.0 : 100.0; };
  board.profile = R"("entries": [)" + EntryOf("cpu", SamplesText(Values(201, 0, skewed))) + "]";
  const Report report = Simulated(board.Read(), {"fcfs"})[0];
  EXPECT_EQ(report.makespan, Nanos{2'000'000});
  EXPECT_EQ(report.draws->makespan.low, report.makespan) << "no draw is as short";
  EXPECT_NEAR(static_cast<double>(report.draws->makespan.median.count()), 2'364'000, 60'000);
  EXPECT_EQ(*PredictionOf(report).makespan_median, report.draws->makespan.median);
  const std::string said = IntervalTexts({report}).back();
  EXPECT_NE(said.find("by the median over the draws: fcfs +1"), std::string::npos) << said;
}

// Of ten seconds the machine is twice as slow for one, half a second at a time.
InPlace DisturbedNowAndThen() {
  InPlace board;
  board.origin +=
      R"(, "machine": {"cpu": [{"lasts_ms": 4500, "slowdown": 1}, {"lasts_ms": 500, "slowdown": 2}]})";
  return board;
}

TEST(Draws, KnowWhatDisturbsTheMachineThoughNoSampleDoes) {
  InPlace board = DisturbedNowAndThen();
  board.profile =
      R"("entries": [)" + EntryOf("cpu", R"("samples_us": [100000, 100000, 100000, 100000, 100000])") + "]";
  const Report report = Simulated(board.Read(), {"fcfs"})[0];  // 20 requests, 2 s
  EXPECT_EQ(report.makespan, std::chrono::seconds{2});
  EXPECT_EQ(report.draws->makespan.low, std::chrono::seconds{2});
  EXPECT_NEAR(static_cast<double>(report.draws->makespan.high.count()), 2.25e9, 1e6);
}

TEST(Draws, OfAValidationBeginAndEndUndisturbedAsItsRunsDo) {
  InPlace board = DisturbedNowAndThen();
  board.profile =
      R"("entries": [)" + EntryOf("cpu", R"("samples_us": [10000, 10000, 10000, 10000, 10000])") + "]";
  // 0.2 s: they lie in a disturbance or do not; none that begins and ends outside meets one of 0.5 s.
  const Report as_it_comes = Simulated(board.Read(), {"fcfs"})[0],
               validated = Simulated(board.Read(), {"fcfs"}, Wanted::kMediansToo)[0];
  EXPECT_GT(as_it_comes.draws->makespan.high, std::chrono::milliseconds{300});
  EXPECT_EQ(validated.draws->makespan.high, std::chrono::milliseconds{200});
}

TEST(Draws, OfAMachineThatIsNeverQuietAreMadeAllTheSame) {
  InPlace board;
  board.origin += R"(, "machine": {"cpu": [{"lasts_ms": 10, "slowdown": 2}]})";
  board.profile = R"("entries": [)" + EntryOf("cpu", R"("samples_us": [100, 100, 100, 100, 100])") + "]";
  const Report report = Simulated(board.Read(), {"fcfs"}, Wanted::kMediansToo)[0];
  EXPECT_EQ(report.draws->makespan.median, std::chrono::milliseconds{4});
}

TEST(Draws, AreTheSameBytesAgain) {
  InPlace board;
  board.profile = R"("entries": [)" + EntryOf("cpu", kSkewedSamples) + "]";
  const Scenario scenario = board.Read();
  EXPECT_EQ(ReportJson(Simulated(scenario, {"fcfs"})[0]), ReportJson(Simulated(scenario, {"fcfs"})[0]));
  board.seed = 2;
  EXPECT_NE(ReportJson(Simulated(scenario, {"fcfs"})[0]), ReportJson(Simulated(board.Read(), {"fcfs"})[0]));
}

InPlace TwoUnits(const std::string& cpu, const std::string& gpu) {
  InPlace board;
  board.units =
      R"({"name": "cpu", "kind": "cpu", "memory": "m"}, {"name": "gpu", "kind": "gpu", "memory": "n"})";
  board.profile = R"("entries": [)" + EntryOf("cpu", cpu) + ", " + EntryOf("gpu", gpu) + "]";
  return board;
}

TEST(Draws, MeetEveryPolicyWithTheSameLuck) {
  const std::string close = R"("samples_us": [101, 101, 102, 101, 202, 101, 103, 101, 192, 101, 102, 101])";
  const Scenario scenario = TwoUnits(kSkewedSamples, close).Read();
  const auto reports = Simulated(scenario, {"fcfs", "sjf", R"(eft)"});
  // fcfs and sjf decide alike here: draw by draw they are the same run.
  EXPECT_EQ(reports[0].draws->objectives, reports[1].draws->objectives);
}

TEST(Draws, SayThatTheDriftWasNotMeasuredWhereTheProfileHasNoError) {
  InPlace board;
  board.profile = R"("entries": [)" + EntryOf("cpu", kSkewedSamples) + "]";
  const Report report = Simulated(board.Read(), {"fcfs"})[0];
  EXPECT_EQ(DriftText(report), "the drift of in place was not measured");
  EXPECT_EQ(PredictionOf(report).interval_lacks, DriftText(report));
  board.origin += R"(, "error": 0.02)";
  EXPECT_EQ(DriftText(Simulated(board.Read(), {"fcfs"})[0]), "");
}

TEST(Draws, LackTheArrivalsOfOtherSeedsWhereTheseAreRandom) {
  InPlace board;
  board.origin += R"(, "error": 0)";
  board.profile = R"("entries": [)" + EntryOf("cpu", kSkewedSamples) + "]";
  EXPECT_EQ(PredictionOf(Simulated(board.Read(), {"fcfs"})[0]).interval_lacks, "");
  board.seed = 5;
  board.streams =
      R"({"name": "a", "model": "alexnet", "count": 20, "arrival": {"type": "poisson", "rate_per_s": 100}})";
  EXPECT_EQ(PredictionOf(Simulated(board.Read(), {"fcfs"})[0]).interval_lacks,
            "arrivals are those of seed 5 alone");
}

TEST(Draws, AreNotMadeWhereNothingIsKnown) {
  const Scenario scenario = TwoUnits(kSkewedSamples, R"("median_us": 100)").Read();
  const Report report = Simulated(scenario, {"fcfs"})[0];
  EXPECT_FALSE(report.draws);
  EXPECT_NE(report.interval_why.find("medians alone"), std::string::npos) << report.interval_why;
  EXPECT_TRUE(Simulated(scenario, {"fcfs"}, Wanted::kMediansToo)[0].draws) << "for what varies";
}

TEST(Draws, OfFewSamplesThatAgreeAreNoIntervalOfNoWidth) {
  InPlace board;
  board.profile = R"("entries": [)" + EntryOf("cpu", R"("samples_us": [1000, 1000, 1000])") + "]";
  const Report report = Simulated(board.Read(), {"fcfs"})[0];
  EXPECT_FALSE(report.draws);
  EXPECT_NE(report.interval_why.find("may do so by chance"), std::string::npos) << report.interval_why;
}

TEST(Draws, OfUnitsThatShareACoreNeedNoPairOfThem) {
  InPlace board = TwoUnits(kSkewedSamples, kSkewedSamples);
  const auto units = [](const std::string& cores) {
    return R"({"name": "cpu", "kind": "cpu", "memory": "m", "cores": [0, 1]},
              {"name": "gpu", "kind": "cpu", "memory": "m", "cores": [)" +
           cores + "]}";
  };
  board.units = units("1");
  const Report share = Simulated(board.Read(), {"round_robin"})[0];
  EXPECT_TRUE(share.draws) << share.interval_why;
  board.units = units("2");
  const Report apart = Simulated(board.Read(), {"round_robin"})[0];
  EXPECT_NE(apart.interval_why.find("slow each other down"), std::string::npos) << apart.interval_why;
}

TEST(Draws, AWiderProbabilityTakesMoreOfThemAndIsWider) {
  InPlace board;
  board.profile = R"("entries": [)" + EntryOf("cpu", kSkewedSamples) + "]";
  const Scenario scenario = board.Read();
  const Report usual = Simulated(scenario, {"fcfs"})[0],
               wide = Simulated(scenario, {"fcfs"}, Wanted::kIntervals, 0.99)[0];
  EXPECT_EQ(wide.draws->runs, 199);
  EXPECT_LT(wide.draws->makespan.low, usual.draws->makespan.low);
  EXPECT_GT(wide.draws->makespan.high, usual.draws->makespan.high);
}

}  // namespace
}  // namespace tandem
