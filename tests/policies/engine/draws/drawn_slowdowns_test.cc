// Are slowdowns drawn as sure as profiles are of them, and those that nobody measured by what the board's
// others show?
#include "policies/engine/draws/drawn_slowdowns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "policies/engine/draws/sampled_times.h"
#include "scenarios/arrivals/random.h"
#include "tests/support/run_policy.h"
#include "tests/support/scenario_in_place.h"

namespace tandem {
namespace {

// Two units of one memory on which alexnet takes 50 us, and what is known of work beside other work.
InPlace SharedMemory(const std::string& co_running, const std::string& more = "") {
  InPlace board;
  board.units =
      R"({"name": "cpu", "kind": "cpu", "memory": "m"}, {"name": "gpu", "kind": "gpu", "memory": "m"})";
  board.profile = R"("entries": [)" + EntryOf("cpu", R"("median_us": 50)") + ", " +
                  EntryOf("gpu", R"("median_us": 50)") + more + R"(], "co_running": [)" + co_running + "]";
  board.streams = R"({"name": "a", "model": "alexnet", "count": 1000, "arrival": {"type": "offline"}})";
  return board;
}

TEST(DrawnSlowdowns, AreDrawnWithinTheirError) {
  const auto makespans = [](const std::string& error) {
    const InPlace board =
        SharedMemory(R"({"unit": "cpu", "beside": "gpu", "slowdown": 1.5)" + error +
                     R"(}, {"unit": "gpu", "beside": "cpu", "slowdown": 1.5)" + error + "}");
    const Scenario scenario = board.Read();
    const Problem problem(scenario, Granularity::kModel);
    std::vector<double> all;
    for (std::uint64_t draw = 1; draw < 30; ++draw) {
      const SampledTimes times(problem, draw);
      RunOptions options;
      times.SetIn(options);
      all.push_back(static_cast<double>(RunPolicy(scenario, "\"fcfs\"", options).makespan().count()));
    }
    return *std::max_element(all.begin(), all.end()) / *std::min_element(all.begin(), all.end());
  };
  EXPECT_EQ(makespans(R"(, "error": 0)"), 1);
  EXPECT_GT(makespans(R"(, "error": 0.05)"), 1.1);
  EXPECT_GT(makespans(""), makespans(R"(, "error": 0.05)")) << "without an error, half of the effect";
}

TEST(DrawnSlowdowns, OfALoadThatNobodyMeasuredNothingIsDrawn) {
  const auto is_drawn = [](const std::string& background) {
    InPlace board = SharedMemory("");
    board.profile += R"(, "background": [)" + background + "]";
    board.members = R"(, "background": [{"unit": "cpu", "load_pct": 40}])";
    const Scenario scenario = board.Read();
    return SampledTimes(Problem(scenario, Granularity::kModel)).any();
  };
  EXPECT_FALSE(is_drawn(""));
  EXPECT_TRUE(is_drawn(R"({"unit": "cpu", "load_pct": 40, "slowdown": 1.5})"));
}

// What nobody measured, alexnet beside alexnet, of a board where squeezenet's `entries` were.
std::vector<double> Unmeasured(const std::string& entries, const std::vector<std::uint64_t>& draws) {
  const std::string squeezenet = R"(, {"model": "squeezenet_1_1", "layers": "*", "median_us": 20, "unit": )";
  InPlace board = SharedMemory(entries, squeezenet + "\"cpu\"}" + squeezenet + "\"gpu\"}");
  board.streams +=
      R"(, {"name": "c", "model": "squeezenet_1_1", "count": 1, "arrival": {"type": "offline"}})";
  const Scenario scenario = board.Read();
  const Problem problem(scenario, Granularity::kModel);
  std::vector<double> slowdowns;
  for (const std::uint64_t draw : draws) {
    const SegmentId alexnet{std::size_t{0}};
    const auto drawn = DrawnSlowdowns(scenario).Draw(problem, Luck(1, draw));
    slowdowns.push_back(drawn->Of(alexnet, UnitId(std::size_t{0}), alexnet, UnitId(std::size_t{1})).slowdown);
  }
  return slowdowns;
}

std::string MeasuredBeside(const std::string& unit, const std::string& beside, const std::string& other,
                           const std::string& slowdown) {
  return R"({"unit": ")" + unit + R"(", "model": "squeezenet_1_1", "beside": ")" + beside +
         R"(", "beside_model": ")" + other + R"(", "slowdown": )" + slowdown + "}";
}

std::string CurvePoint(const std::string& traffic, const std::string& slowdown) {
  return R"({"unit": "cpu", "model": "squeezenet_1_1", "beside": "gpu", "beside_traffic_bytes_per_s": )" +
         traffic + R"(, "slowdown": )" + slowdown + R"(, "error": 0})";
}

TEST(DrawnSlowdowns, OfPairsThatNobodyMeasuredLieAroundThoseOfTheBoard) {
  const std::vector<std::uint64_t> draws = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto both = [](const std::string& slowdown) {
    return MeasuredBeside("cpu", "gpu", "squeezenet_1_1", slowdown) + ", " +
           MeasuredBeside("gpu", "cpu", "squeezenet_1_1", slowdown);
  };
  struct Case {
    std::string entries;
    double middle, spread, degrees;
  };
  const std::vector<Case> cases = {
      // One pair, both ways: 3 x 0.1^2 / 3 degrees x (1 + 1 / 1).
      {both(R"(0.7, "error": 0)"), 0.7, std::sqrt(0.02), 3},
      {both("1"), 1, std::sqrt(0.02), 3},
      // Without an error 0.5 / (2 x 1.5) = 1 / 6.
      {both("1.5"), 1.5, std::sqrt(2) / 6, 3},
      // Two, by ln 0.8 and ln 1.25, which are -0.2231436 and 0.2231436: (0.03 + 2 x 0.0497930) / 4 x (1 + 1 /
      // 2).
      {both(R"(0.8, "error": 0)") + ", " + MeasuredBeside("cpu", "gpu", "alexnet", R"(1.25, "error": 0)"), 1,
       std::sqrt(0.0485948), 4},
      // The same two, the first by a curve: the mean of ln 0.64 and ln 1 is ln 0.8.
      {CurvePoint("1e9", "0.64") + ", " + CurvePoint("2e9", "1") + ", " +
           MeasuredBeside("cpu", "gpu", "alexnet", R"(1.25, "error": 0)"),
       1, std::sqrt(0.0485948), 4}};
  for (const Case& of : cases) {
    const std::vector<double> slowdowns = Unmeasured(of.entries, draws);
    for (std::size_t i = 0; i < draws.size(); ++i) {
      const double t = Luck(1, draws[i]).Student(MixBits(5) + 1, of.degrees);  // cpu, the first, beside gpu
      EXPECT_NEAR(slowdowns[i], of.middle * std::clamp(std::exp(of.spread * t), 0.2, 5.0), 1e-6)
          << of.entries;
    }
  }
}

TEST(DrawnSlowdowns, OfPairsThatNobodyMeasuredMayBeFasterOrSlower) {
  std::vector<std::uint64_t> draws(200);
  std::iota(draws.begin(), draws.end(), std::uint64_t{1});
  const std::vector<double> slowdowns =
      Unmeasured(MeasuredBeside("cpu", "gpu", "squeezenet_1_1", "1"), draws);
  const auto faster = std::ranges::count_if(slowdowns, [](double slowdown) { return slowdown < 1; });
  EXPECT_GT(faster, 70);  // half of 200, which has a standard deviation of 7
  EXPECT_LT(faster, 130);
}

// Alexnet and squeezenet, which share the time of one unit; what each costs its like is known for sure.
Scenario Sharers(const std::string& pairs) {
  const auto its_like = [](const std::string& model) {
    const std::string of = R"({"unit": "cpu", "error": 0, "model": ")" + model + R"(", "at_once": )";
    return of + R"(2, "slowdown": 2}, )" + of + R"(3, "slowdown": 3}, )";
  };
  InPlace board;
  board.units = R"({"name": "cpu", "kind": "cpu", "memory": "m", "slots": 3, "time_shared": true})";
  board.profile = R"("entries": [)" + EntryOf("cpu", R"("median_us": 50)") +
                  R"(, {"model": "squeezenet_1_1", "layers": "*", "median_us": 20, "unit": "cpu"}],
                  "sharing": [)" +
                  its_like("alexnet") + its_like("squeezenet_1_1") + pairs + "]";
  board.streams = R"({"name": "a", "model": "alexnet", "count": 2, "arrival": {"type": "offline"}},
                     {"name": "c", "model": "squeezenet_1_1", "count": 2, "arrival": {"type": "offline"}})";
  return board.Read();
}

std::string MeasuredBesideSqueezenet(const std::string& at_once, const std::string& slowdown) {
  return R"({"unit": "cpu", "model": "alexnet", "beside_model": "squeezenet_1_1", "error": 0, "at_once": )" +
         at_once + R"(, "slowdown": )" + slowdown + "}";
}

TEST(DrawnSlowdowns, OfGroupsThatShareAndThatNobodyMeasuredAreAsFarOffAsPairsAre) {
  const SegmentId alexnet{std::size_t{0}}, squeezenet{std::size_t{1}};
  const UnitId cpu{std::size_t{0}};
  const auto drawn = [&](const Scenario& scenario, const std::vector<SegmentId>& others, std::uint64_t draw) {
    const Problem problem(scenario, Granularity::kModel);
    const auto slowdowns = DrawnSlowdowns(scenario).Draw(problem, Luck(1, draw));
    return slowdowns->SharingWith(alexnet, cpu, others, false);
  };
  const std::string pair = MeasuredBesideSqueezenet("2", "3");
  const Scenario of_pair = Sharers(pair), of_more = Sharers(pair + ", " + MeasuredBesideSqueezenet("3", "4"));
  // One pair, half as much again as beside its like: 4 degrees, (3 x 0.1^2 + ln(1.5)^2) / 4. Of two pairs
  // more.
  const double spread = std::sqrt((0.03 + std::pow(std::log(1.5), 2)) / 4);
  const double of_two = std::sqrt((0.03 + std::pow(std::log(1.5), 2) + std::pow(std::log(4.0 / 3), 2)) / 5);
  for (const std::uint64_t draw : {1, 2, 3, 4}) {
    const double off = std::exp(spread * Luck(1, draw).Student(MixBits(9), 4));
    EXPECT_DOUBLE_EQ(drawn(of_pair, {squeezenet}, draw), 3) << "measured";
    EXPECT_DOUBLE_EQ(drawn(of_pair, {alexnet, alexnet}, draw), 3) << "measured";
    EXPECT_NEAR(drawn(of_pair, {squeezenet, squeezenet}, draw), 4.5 * off, 1e-6);
    EXPECT_NEAR(drawn(of_pair, {alexnet, squeezenet}, draw), 3.75 * off, 1e-6);
    EXPECT_DOUBLE_EQ(drawn(of_more, {squeezenet, squeezenet}, draw), 4) << "measured";
    EXPECT_NEAR(drawn(of_more, {squeezenet, alexnet}, draw),
                3.5 * std::exp(of_two * Luck(1, draw).Student(MixBits(9), 5)), 1e-6);
  }
}

TEST(DrawnSlowdowns, OfSharersOfWhichNoPairWasMeasuredAreAsTheirLike) {
  const Scenario scenario = Sharers(R"({"unit": "cpu", "error": 0, "at_once": 2, "slowdown": 2})");
  const Problem problem(scenario, Granularity::kModel);
  EXPECT_FALSE(DrawnSlowdowns(scenario).Draw(problem, Luck(1, 1))->sharing_by_pairs());
}

}  // namespace
}  // namespace tandem
