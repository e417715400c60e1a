// Are copies, loads and dispatch drawn as sure as a profile is of them, and else left as they are?
#include "policies/engine/drawn_moves.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "policies/engine/dispatcher.h"
#include "policies/engine/draws/sampled_times.h"
#include "tests/support/json_scenario.h"
#include "tests/support/run_policy.h"

namespace tandem {
namespace {

// Two models in turn on a card that holds one: it has to load what it runs (100 us), bring in 4096 bytes (10
// us), and start it (5 us); the work takes 20 us.
Scenario OnCard(const std::string& lists) {
  return JsonScenario{
      R"("memories": [{"name": "dram"}, {"name": "vram"}],
      "links": [{"from": "dram", "to": "vram", "latency_us": 10, "bandwidth_bytes_per_s": 100000000000000}],
      "units": [{"name": "gpu", "kind": "gpu", "memory": "vram", "resident_models": 1, "dispatch_us": 5}])",
      R"("entries": [{"model": "m0.json", "unit": "gpu", "layers": "*", "median_us": 20},
                                     {"model": "m1.json", "unit": "gpu", "layers": "*", "median_us": 20}], )" +
          lists,
      {R"([{"name": "in", "op": "input", "shape": [1, 1024]}, {"name": "a", "op": "relu", "inputs": ["in"]}])",
       R"([{"name": "in", "op": "input", "shape": [1, 1024]}, {"name": "a", "op": "abs", "inputs": ["in"]}])"},
      R"("transfer": "copy", "resident": {"gpu": ["m1.json"]}, "streams": [
         {"name": "x", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}},
         {"name": "y", "model": "m1.json", "count": 1, "arrival": {"type": "offline"}}])"}
      .Read();
}

std::string Copies(const std::string& times) {
  return R"("transfers": [{"from": "dram", "to": "vram", "bytes": 4096, )" + times + "}]";
}
std::string Load(const std::string& times) {
  return R"("loads": [{"model": "m1.json", "unit": "gpu", "median_us": 101}, {"model": "m0.json", "unit": "gpu", )" +
         times + "}]";
}
std::string Dispatch(const std::string& times) { return R"("dispatch": [{"unit": "gpu", )" + times + "}]"; }
const std::string kLoads = Load(R"("median_us": 100)");

// How much longer than by the medians all takes in each of 20 draws.
std::set<std::int64_t> LongerBy(const std::string& lists) {
  const Scenario scenario = OnCard(lists);
  const auto takes = [&](const RunOptions& options) {
    return RunPolicy(scenario, R"("fcfs")", options).makespan().count();
  };
  const std::int64_t median = takes({});
  std::set<std::int64_t> longer;
  for (std::uint64_t draw = 1; draw <= 20; ++draw) {
    const Problem problem(scenario, Granularity::kModel);
    const SampledTimes sampled(problem, draw);
    RunOptions options;
    sampled.SetIn(options);
    longer.insert(takes(options) - median);
  }
  return longer;
}

TEST(Moves, OfMediansAloneStayWhatTheyAre) {
  EXPECT_EQ(LongerBy(kLoads), std::set<std::int64_t>{0});
  EXPECT_EQ(LongerBy(Copies(R"("median_us": 10)") + ", " + kLoads + ", " + Dispatch(R"("median_us": 7)")),
            std::set<std::int64_t>{0});
}

TEST(Moves, ThatWereMeasuredAreAsSureAsTheirSamples) {
  const std::string samples = R"("samples_us": [8, 10, 12])";
  for (const std::string& lists : {Copies(samples) + ", " + kLoads, Load(R"("samples_us": [90, 100, 110])"),
                                   kLoads + ", " + Dispatch(samples)}) {
    const std::set<std::int64_t> longer = LongerBy(lists);
    EXPECT_GT(longer.size(), 10U) << lists;
    EXPECT_LT(*longer.begin(), 0) << lists;
    EXPECT_GT(*longer.rbegin(), 0) << lists;
  }
  EXPECT_EQ(LongerBy(Load(R"("samples_us": [100, 100, 100])")), std::set<std::int64_t>{0}) << "they agree";
}

TEST(Moves, AreOneTruthForAllPolicies) {
  const Scenario scenario = OnCard(Load(R"("samples_us": [90, 100, 110])"));
  const auto takes = [&](const std::string& policy) {
    const Problem problem(scenario, Granularity::kModel);
    const SampledTimes sampled(problem, 3);
    RunOptions options;
    sampled.SetIn(options);
    return RunPolicy(scenario, policy, options).makespan();
  };
  EXPECT_EQ(takes(R"("fcfs")"), takes(R"("eft")"));
}

}  // namespace
}  // namespace tandem
