// Does a policy that learns go round a unit that has become slow, come back to it, and do no harm where all
// is as profiled?
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>

#include "tests/support/error_of.h"
#include "tests/support/json_scenario.h"
#include "tests/support/run_policy.h"
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
  SpanLines seen;
  RunOptions options;
  options.spans = &seen;
  RunPolicy(scenario, kLearns, options);
  const auto& lines = seen.lines();
  const auto on_first = [](const std::string& line) { return line.starts_with("u0 "); };
  const auto late = lines.end() - 200;  // of 1000: long after it
  EXPECT_GT(std::count_if(late, lines.end(), on_first), 80);
  EXPECT_LT(MeanNanos(scenario, kLearns), MeanNanos(scenario, R"("eft")"));
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
  const auto lines = [&](const std::string& policy) {
    SpanLines seen;
    RunOptions options;
    options.spans = &seen;
    RunPolicy(scenario, policy, options);
    return seen.lines();
  };
  EXPECT_EQ(lines(kLearns), lines(R"("eft")"));
}

}  // namespace
}  // namespace tandem
