// Does a group of cores wait for the busiest of them, and a core for the groups that it belongs to?
#include "policies/kinds/common_work.h"

#include <gtest/gtest.h>

#include "tests/support/json_scenario.h"
#include "tests/support/run_policy.h"

namespace tandem {
namespace {

Unit OfCores(std::vector<std::int64_t> cores) {
  Unit unit;
  unit.cores = std::move(cores);
  return unit;
}

TEST(CommonWork, CountsByCore) {
  Platform platform;
  platform.units = {OfCores({0}),    OfCores({1}),       OfCores({2}),
                    OfCores({0, 1}), OfCores({0, 1, 2}), OfCores({7})};
  const std::vector<int> has = {1, 2, 4, 8, 16, 32};
  const auto work = [&](UnitId unit) { return Nanos{has[unit.index()]}; };
  const CommonWork common(platform);
  std::vector<std::int64_t> before;
  for (std::size_t u = 0; u < has.size(); ++u) before.push_back(common.Before(UnitId(u), work).count());
  EXPECT_EQ(before, (std::vector<std::int64_t>{1 + 8 + 16, 2 + 8 + 16, 4 + 16, 2 + 8 + 16, 2 + 8 + 16, 32}));
}

TEST(CommonWork, CountsADeviceAsACore) {
  Platform platform;
  platform.units.resize(3);
  platform.units[0].device = platform.units[1].device = 0;
  platform.units[2].device = 1;
  const CommonWork common(platform);
  const auto work = [](UnitId unit) { return Nanos{static_cast<std::int64_t>(unit.index()) + 1}; };
  EXPECT_EQ(common.Before(UnitId(0), work), Nanos{3});
  EXPECT_EQ(common.Before(UnitId(2), work), Nanos{3});
}

// An NPU of three cores, which one model takes one by one (30 us) or together (12 us); another one keeps the
// first core busy for 100 us.
Scenario ThreeCores(const std::string& streams) {
  const std::string model =
      R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";
  const JsonScenario json{
      R"("memories": [{"name": "dram"}],
         "units": [{"name": "npu", "kind": "npu", "memory": "dram", "cores": [0, 1, 2]},
                   {"name": "npu0", "kind": "npu", "memory": "dram", "cores": [0]},
                   {"name": "npu1", "kind": "npu", "memory": "dram", "cores": [1]},
                   {"name": "npu2", "kind": "npu", "memory": "dram", "cores": [2]}])",
      R"("entries": [{"model": "m0.json", "unit": "npu", "layers": "*", "median_us": 12},
                     {"model": "m0.json", "unit": "npu0", "layers": "*", "median_us": 30},
                     {"model": "m0.json", "unit": "npu1", "layers": "*", "median_us": 30},
                     {"model": "m0.json", "unit": "npu2", "layers": "*", "median_us": 30},
                     {"model": "m1.json", "unit": "npu0", "layers": "*", "median_us": 100}])",
      {model, model},
      R"("transfer": "none", "streams": [)" + streams + "]"};
  return json.Read();
}

TEST(CommonWork, AllCoresGoToWhatComesAlone) {
  const Scenario alone = ThreeCores(
      R"({"name": "s", "model": "m0.json", "count": 10, "arrival": {"type": "periodic", "period_us": 50}})");
  for (const char* policy : {R"("eft")", R"("dmda")"}) {
    const Outcome outcome = RunPolicy(alone, policy);
    EXPECT_EQ(outcome.makespan(), Nanos{9 * 50'000 + 12'000}) << policy;
    EXPECT_EQ(outcome.units[0].tasks, 10) << policy;
  }
}

TEST(CommonWork, AGroupIsNotFreeBecauseItsOwnQueueIsEmpty) {
  const Scenario beside = ThreeCores(
      R"({"name": "long", "model": "m1.json", "count": 1, "arrival": {"type": "offline"}},
         {"name": "s", "model": "m0.json", "count": 2, "arrival": {"type": "offline"}})");
  for (const char* policy : {R"("eft")", R"("dmda")"}) {
    const Outcome outcome = RunPolicy(beside, policy);
    EXPECT_EQ(outcome.units[0].tasks, 0) << policy << ": its first core is busy for 100 us";
    EXPECT_EQ(outcome.streams[1].last_completion, Nanos{30'000}) << policy;
  }
}

}  // namespace
}  // namespace tandem
