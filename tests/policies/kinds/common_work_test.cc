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

// An NPU of three cores, which one model takes one by one (30 us) or together (12 us).
Scenario ThreeCores(int count, const std::string& arrival) {
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
                     {"model": "m0.json", "unit": "npu2", "layers": "*", "median_us": 30}])",
      {model},
      R"("transfer": "none", "streams": [{"name": "s", "model": "m0.json", "count": )" +
          std::to_string(count) + R"(, "arrival": )" + arrival + "}]"};
  return json.Read();
}

TEST(CommonWork, PoliciesTakeTheWidthThatIsWorthIt) {
  for (const char* policy : {R"("eft")", R"("dmda")"}) {
    const Outcome alone = RunPolicy(ThreeCores(10, R"({"type": "periodic", "period_us": 50})"), policy);
    EXPECT_EQ(alone.makespan(), Nanos{9 * 50'000 + 12'000}) << policy << ": one at a time has all cores";
    EXPECT_EQ(alone.units[0].tasks, 10) << policy;
    const Outcome many = RunPolicy(ThreeCores(30, R"({"type": "offline"})"), policy);
    EXPECT_GT(many.units[1].tasks, 0) << policy;
    EXPECT_LT(many.makespan(), Nanos{30 * 12'000})
        << policy << ": a core each does more in all than one after the other";
  }
}

}  // namespace
}  // namespace tandem
