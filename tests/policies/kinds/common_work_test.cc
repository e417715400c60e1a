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
  for (std::size_t u = 0; u < has.size(); ++u)
    before.push_back(common.Before(UnitId(u), work(UnitId(u)), work).count());
  EXPECT_EQ(before, (std::vector<std::int64_t>{1 + 8 + 16, 2 + 8 + 16, 4 + 16, 2 + 8 + 16, 2 + 8 + 16, 32}));
}

TEST(CommonWork, CountsADeviceAsACore) {
  Platform platform;
  platform.units.resize(3);
  platform.units[0].device = platform.units[1].device = 0;
  platform.units[2].device = 1;
  const CommonWork common(platform);
  const auto work = [](UnitId unit) { return Nanos{static_cast<std::int64_t>(unit.index()) + 1}; };
  EXPECT_EQ(common.Before(UnitId(0), Nanos{1}, work), Nanos{3});
  EXPECT_EQ(common.Before(UnitId(2), Nanos{3}, work), Nanos{3});
}

// An NPU of three cores, which one model takes one by one (30 us) or together (12 us); another one keeps the
// first core busy for 100 us.
Scenario ThreeCores(const std::string& streams, const std::string& more = "",
                    const std::string& co_running = "") {
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
                     {"model": "m1.json", "unit": "npu0", "layers": "*", "median_us": 100}], "co_running": [)" +
          co_running + "]",
      {model, model},
      R"("transfer": "none", "streams": [)" + streams + "]" + more};
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

std::string BesideEachOther(const std::string& slowdown) {
  std::string co_running;
  for (const char* unit : {"npu0", "npu1", "npu2"}) {
    for (const char* beside : {"npu0", "npu1", "npu2"}) {
      if (std::string(unit) == beside) continue;
      co_running += std::string(co_running.empty() ? "" : ", ") + R"({"unit": ")" + unit +
                    R"(", "model": "m0.json", "beside": ")" + beside + R"(", "slowdown": )" + slowdown + "}";
    }
  }
  return co_running;
}

// Three requests take the group 36 us, and the cores 30 us, were it not for what these cost each other.
TEST(CommonWork, CoresAreAsSlowAsTheProfileKnowsThemBesideEachOther) {
  const auto makespan = [](const std::string& slowdown) {
    return RunPolicy(
               ThreeCores(R"({"name": "s", "model": "m0.json", "count": 3, "arrival": {"type": "offline"}})",
                          "", BesideEachOther(slowdown)),
               R"("width")")
        .makespan();
  };
  EXPECT_EQ(makespan("1"), Nanos{30'000});
  EXPECT_EQ(makespan("1.05"), Nanos{33'077}) << "at 907 thousandths of the rate";
  EXPECT_EQ(makespan("1.5"), Nanos{36'000}) << "67.5 us on the cores";
}

TEST(CommonWork, AGroupThatIsAwayKeepsNobodyOff) {
  const Scenario without =
      ThreeCores(R"({"name": "s", "model": "m0.json", "count": 6, "arrival": {"type": "offline"}})",
                 R"(, "away": [{"unit": "npu", "from_us": 0}])");
  for (const char* policy : {R"("eft")", R"("dmda")", R"("width")", R"("fcfs")"}) {
    const Outcome outcome = RunPolicy(without, policy);
    EXPECT_EQ(outcome.makespan(), Nanos{60'000}) << policy << ": two on each core";
  }
}

// Alone an image takes all cores; six at once take a core each, which is sooner done: 60 us and not 72.
TEST(Width, IsWhatTheBacklogIsSoonestDoneBy) {
  const auto run = [](int count, const char* arrival) {
    return RunPolicy(ThreeCores(R"({"name": "s", "model": "m0.json", "count": )" + std::to_string(count) +
                                R"(, "arrival": )" + arrival + "}"),
                     R"("width")");
  };
  const Outcome alone = run(10, R"({"type": "periodic", "period_us": 50})");
  EXPECT_EQ(alone.units[0].tasks, 10);
  EXPECT_EQ(alone.makespan(), Nanos{9 * 50'000 + 12'000});
  const Outcome six = run(6, R"({"type": "offline"})");
  EXPECT_EQ(six.units[0].tasks, 0);
  EXPECT_EQ(six.makespan(), Nanos{60'000});
  const Outcome two = run(2, R"({"type": "offline"})");
  EXPECT_EQ(two.units[0].tasks, 2) << "24 us one after the other, 30 side by side";
  const Outcome seven = run(7, R"({"type": "offline"})");
  EXPECT_LE(seven.makespan(), Nanos{84'000}) << "no later than all on all cores";
}

TEST(Width, WaitsForTheGroupWhereThatIsSoonerDone) {
  // When the second image comes the first has all cores for 2 us more: 2 + 12 is less than 30.
  const Outcome outcome = RunPolicy(
      ThreeCores(
          R"({"name": "s", "model": "m0.json", "count": 2, "arrival": {"type": "periodic", "period_us": 10}})"),
      R"("width")");
  EXPECT_EQ(outcome.units[0].tasks, 2);
  EXPECT_EQ(outcome.makespan(), Nanos{24'000});
}

// Where another model is on the first core for 100 us, nobody waits for all of them.
TEST(Width, DoesNotWaitForALongTask) {
  const Outcome outcome = RunPolicy(
      ThreeCores(R"({"name": "long", "model": "m1.json", "count": 1, "arrival": {"type": "offline"}},
                    {"name": "s", "model": "m0.json", "count": 2,
                     "arrival": {"type": "periodic", "period_us": 1, "phase_us": 5}})"),
      R"("width")");
  EXPECT_EQ(outcome.units[0].tasks, 0);
  EXPECT_EQ(outcome.streams[1].last_completion, Nanos{36'000});
}

// The search looks at both widths, too: all cores for what comes alone, a core each for a backlog, both where
// neither alone is best, and all cores again where cores cost each other too much.
TEST(Width, IsWhatTheSearchChoosesByTheLoad) {
  const auto run = [](int count, const std::string& slowdown) {
    return RunPolicy(ThreeCores(R"({"name": "s", "model": "m0.json", "count": )" + std::to_string(count) +
                                    R"(, "arrival": {"type": "offline"}})",
                                R"(, "objective": "makespan")", BesideEachOther(slowdown)),
                     R"({"name": "best", "evaluations": 50})");
  };
  const Outcome alone = run(1, "1");
  EXPECT_EQ(alone.makespan(), Nanos{12'000});
  EXPECT_EQ(alone.units[0].tasks, 1);
  const Outcome six = run(6, "1");
  EXPECT_EQ(six.makespan(), Nanos{60'000}) << "72 us on all cores one after the other";
  EXPECT_EQ(six.units[0].tasks, 0);
  const Outcome seven = run(7, "1");
  EXPECT_EQ(seven.makespan(), Nanos{72'000}) << "84 us by all cores alone, 90 by single ones";
  EXPECT_EQ(seven.units[0].tasks, 1);
  const Outcome slow = run(6, "1.5");
  EXPECT_EQ(slow.makespan(), Nanos{72'000}) << "135 us on a core each";
  EXPECT_EQ(slow.units[0].tasks, 6);
}

}  // namespace
}  // namespace tandem
