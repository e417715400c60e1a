// Does a policy that learns go round a unit that has become slow, come back to it, and do no harm where all
// is as profiled?
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>

#include "policies/engine/draws/sampled_times.h"
#include "profiles/base/input_error.h"
#include "tests/support/error_of.h"
#include "tests/support/json_scenario.h"
#include "tests/support/random_scenario.h"
#include "tests/support/run_policy.h"
#include "tests/support/scenario_in_place.h"
#include "tests/support/span_lines.h"

namespace tandem {
namespace {

constexpr const char* kLearns = R"({"name": "eft", "learns": 0.3})";

// A request every 14 us, for each of which the first unit takes 10 us and the second 15.
Scenario With(const std::string& speeds) {
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "gpu", "memory": "dram"},
                                                  {"name": "u1", "kind": "cpu", "memory": "dram"}])",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10},
                     {"model": "m0.json", "unit": "u1", "layers": "*", "median_us": 15}])",
      {R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"},
      R"("streams": [{"name": "s", "model": "m0.json", "count": 1000,
                      "arrival": {"type": "periodic", "period_us": 14}}], "speeds": [)" +
          speeds + "]"};
  return json.Read();
}

// "at_us": from then on the first unit takes five times as long.
const std::string kSlow = R"({"unit": "u0", "at_us": 900, "speed": 0.2})";
const std::string kSlowForAWhile = kSlow + R"(, {"unit": "u0", "at_us": 3000, "speed": 1})";

std::vector<std::string> LinesOf(const Scenario& scenario, const std::string& policy) {
  SpanLines seen;
  RunOptions options;
  options.spans = &seen;
  RunPolicy(scenario, policy, options);
  return seen.lines();
}

std::int64_t MeanNanos(const Scenario& scenario, const std::string& policy) {
  const Outcome outcome = RunPolicy(scenario, policy);
  const std::deque<Nanos>& latencies = outcome.streams[0].latencies;
  return std::accumulate(latencies.begin(), latencies.end(), Nanos{0}).count() /
         static_cast<std::int64_t>(latencies.size());
}

TEST(EftThatLearns, GoesRoundAUnitThatHasBecomeSlow) {
  const Scenario slow = With(kSlow);
  EXPECT_LT(5 * MeanNanos(slow, kLearns), 4 * MeanNanos(slow, R"("eft")"));
}

TEST(EftThatLearns, ComesBackToAUnitThatHasRecovered) {
  const Scenario scenario = With(kSlowForAWhile);
  const auto lines = LinesOf(scenario, kLearns);
  const auto on_first = [](const std::string& line) { return line.starts_with("u0 "); };
  const auto late = lines.end() - 200;  // of 1000: long after it
  EXPECT_GT(std::count_if(late, lines.end(), on_first), 80);
  EXPECT_LT(MeanNanos(scenario, kLearns), MeanNanos(scenario, R"("eft")"));
}

TEST(EftThatLearns, GoesRoundAUnitThatBecomesSlowerAndSlower) {
  std::string speeds;
  for (int step = 1; step <= 14; ++step) {
    speeds += (step == 1 ? "" : ", ") + std::string(R"({"unit": "u0", "at_us": )") +
              std::to_string(step * 500) + R"(, "speed": )" + std::to_string(1 - 0.06 * step) + "}";
  }
  const Scenario drifting = With(speeds);
  EXPECT_LT(5 * MeanNanos(drifting, kLearns), 4 * MeanNanos(drifting, R"("eft")"));
}

TEST(EftThatLearns, GoesRoundAUnitThatIsLoadedFromOutside) {
  Scenario loaded = With("");
  loaded.loads.push_back({UnitId(0), 70});
  EXPECT_LT(5 * MeanNanos(loaded, kLearns), 4 * MeanNanos(loaded, R"("eft")"));
}

TEST(EftThatLearns, LearnsNothingOfBatches) {
  Scenario scenario = With("");
  scenario.streams[0].batching = Batching{2, Nanos{0}, {}};
  const std::string error = ErrorOf([&] { RunPolicy(scenario, kLearns); });
  EXPECT_NE(error.find("\"learns\" is of requests that run one by one, and some form batches"),
            std::string::npos)
      << error;
}

TEST(EftThatLearns, DoesTheSameWhereAllIsAsProfiled) {
  const Scenario scenario = With("");
  EXPECT_EQ(LinesOf(scenario, kLearns), LinesOf(scenario, R"("eft")"));
}

// Loads, copies by an engine, and units that slow each other down, of which `eft` knows nothing beforehand.
TEST(EftThatLearns, DoesTheSameWithLoadsCopiesAndContention) {
  for (const std::string name : {"models-stay-loaded", "slow-link", "better-alone"}) {
    const Scenario scenario =
        ReadScenarioFile(TANDEM_TEST_DIR "/../scenarios/policies/" + name + ".scenario.json");
    EXPECT_EQ(LinesOf(scenario, kLearns), LinesOf(scenario, R"("eft")")) << name;
  }
}

TEST(EftThatLearns, DoesTheSameInAnyScenarioWhereNothingDisturbs) {
  std::size_t lines = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Scenario scenario = RandomScenario(seed);
    scenario.speeds.clear();
    scenario.heat.clear();
    scenario.loads.clear();
    try {
      const auto plain = LinesOf(scenario, R"("eft")");
      EXPECT_EQ(LinesOf(scenario, kLearns), plain) << seed;
      lines += plain.size();
    } catch (const InputError&) {  // some have too little room, or models that run in parts alone
    }
  }
  EXPECT_GT(lines, 3000U);
}

// A fast unit and a slow one. The times of both are drawn; some tasks take much longer than most.
InPlace DrawnBoard(const std::vector<double>& most, const std::vector<double>& some) {
  const auto samples = [&](double micros) {
    std::vector<double> times;
    for (const double share : most) times.push_back(micros * share);
    for (const double share : some) times.push_back(micros * share);
    return SamplesText(times);
  };
  InPlace board;
  board.units =
      R"({"name": "cpu", "kind": "cpu", "memory": "m"}, {"name": "gpu", "kind": "gpu", "memory": "m"})";
  board.profile = R"("entries": [)" + EntryOf("cpu", samples(15)) + ", " + EntryOf("gpu", samples(10)) + "]";
  board.streams = R"({"name": "a", "model": "alexnet", "count": 2000,
                      "arrival": {"type": "poisson", "rate_per_s": 110000}})";
  return board;
}

// Of many draws, whose luck is the same for every policy.
double MeanOfDraws(const Scenario& scenario, const std::string& policy) {
  constexpr int kDraws = 20;
  const Problem problem(scenario, Granularity::kModel);
  const SampledTimes times(problem);
  double sum = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const SampledTimes drawn = times.Another(static_cast<std::uint64_t>(draw));
    RunOptions options;
    drawn.SetIn(options);
    const Outcome outcome = RunPolicy(scenario, policy, options);
    const std::deque<Nanos>& latencies = outcome.streams[0].latencies;
    sum += static_cast<double>(std::accumulate(latencies.begin(), latencies.end(), Nanos{0}).count());
  }
  return sum / kDraws;
}

TEST(EftThatLearns, DoesNoHarmWhereTimesVary) {
  const std::vector<double> even = {0.9, 0.95, 1, 1, 1, 1.05, 1.1}, wide = {0.6, 0.8, 0.9, 1, 1.1, 1.2, 1.4},
                            held_up = {3.5};
  for (const InPlace& board : {DrawnBoard(even, {}), DrawnBoard(wide, {}), DrawnBoard(even, held_up)}) {
    const Scenario scenario = board.Read();
    EXPECT_LT(MeanOfDraws(scenario, kLearns), 1.01 * MeanOfDraws(scenario, R"("eft")")) << board.profile;
  }
}

}  // namespace
}  // namespace tandem
