// Do units that share cores or a device take turns, and does none of them wait for ever for another?
#include <gtest/gtest.h>

#include "policies/engine/exclusion.h"
#include "tests/support/json_scenario.h"
#include "tests/support/run_policy.h"
#include "tests/support/span_lines.h"

namespace tandem {
namespace {

using std::chrono::microseconds;
using Lines = std::vector<std::string>;

Lines LinesOf(const std::string& units, const std::string& entries, const std::string& layers,
              const std::string& streams, const std::string& policy = R"("fcfs")",
              const std::string& capacity = "") {
  const JsonScenario json{R"("memories": [{"name": "dram")" + capacity + R"(}, {"name": "vram"}],
      "links": [{"from": "dram", "to": "vram", "latency_us": 0, "bandwidth_bytes_per_s": 1024000000,
                 "engine": true}], "units": [)" +
                              units + "]",
                          R"("entries": [)" + entries + "]",
                          {R"([{"name": "in", "op": "input", "shape": [1, 1, 16, 16]}, )" + layers + "]"},
                          streams};
  SpanLines seen;
  RunOptions options;
  options.spans = &seen;
  RunPolicy(json.Read(), policy, options);
  return seen.lines();
}

std::string Offline(int count) {
  return R"("streams": [{"name": "s", "model": "m0.json", "count": )" + std::to_string(count) +
         R"(, "arrival": {"type": "offline"}}])";
}

std::string UnitNamed(const std::string& name, const std::string& more) {
  return R"({"name": ")" + name + R"(", "kind": "cpu", )" + more + "}";
}
std::string Time(const std::string& unit, const std::string& layers, int us) {
  return R"({"model": "m0.json", "unit": ")" + unit + R"(", "layers": )" + layers + R"(, "median_us": )" +
         std::to_string(us) + "}";
}
const std::string kRelu = R"({"name": "a", "op": "relu", "inputs": ["in"]})";

TEST(Exclusion, UnitsThatShareCoresTakeTurnsAndOthersDoNotCare) {
  EXPECT_EQ(
      LinesOf(UnitNamed("u0", R"("memory": "dram", "cores": [0, 1])") + ", " +
                  UnitNamed("u1", R"("memory": "dram", "cores": [1, 2])") + ", " +
                  UnitNamed("u2", R"("memory": "dram", "cores": [3])"),
              Time("u0", R"("*")", 10) + ", " + Time("u1", R"("*")", 10) + ", " + Time("u2", R"("*")", 25),
              kRelu, Offline(4)),
      (Lines{"u0 compute #0 0-10000", "u0 compute #2 10000-20000", "u2 compute #1 0-25000",
             "u0 compute #3 20000-30000"}));
}

TEST(Exclusion, SoDoUnitsOfOneDevice) {
  const std::string gpu = R"("memory": "dram", "device": 0)";
  EXPECT_EQ(LinesOf(UnitNamed("u0", gpu) + ", " + UnitNamed("u1", gpu),
                    Time("u0", R"(["a"])", 10) + ", " + Time("u1", R"(["b"])", 5),
                    kRelu + R"(, {"name": "b", "op": "tanh", "inputs": ["in"]})", Offline(1),
                    R"({"name": "fcfs", "granularity": "layer"})"),
            (Lines{"u0 compute #0 0-10000", "u1 compute #0 10000-15000"}));
}

TEST(Exclusion, SlotsOfOneUnitRunBesideEachOther) {
  EXPECT_EQ(LinesOf(UnitNamed("u0", R"("memory": "dram", "slots": 2, "cores": [0])") + ", " +
                        UnitNamed("u1", R"("memory": "dram", "cores": [0])"),
                    Time("u0", R"("*")", 10) + ", " + Time("u1", R"("*")", 10), kRelu, Offline(3)),
            (Lines{"u0 compute #0 0-10000", "u0 compute #1 0-10000", "u0 compute #2 10000-20000"}));
}

// A tensor of 1024 bytes between the layers: for the third there is room when u1 has read one.
TEST(Exclusion, ATaskThatWaitsForRoomKeepsNobodyOff) {
  EXPECT_EQ(LinesOf(UnitNamed("u0", R"("memory": "dram", "cores": [0])") + ", " +
                        UnitNamed("u1", R"("memory": "dram", "cores": [0])"),
                    Time("u0", R"(["a"])", 10) + ", " + Time("u1", R"(["b"])", 5),
                    kRelu + R"(, {"name": "b", "op": "avg_pool", "inputs": ["a"], "global": true})",
                    Offline(3), R"({"name": "fcfs", "granularity": "layer"})", R"(, "capacity_bytes": 2100)"),
            (Lines{"u0 compute #0 0-10000", "u0 compute #1 10000-20000", "u1 compute #0 20000-25000",
                   "u0 compute #2 25000-35000", "u1 compute #1 35000-40000", "u1 compute #2 40000-45000"}));
}

TEST(Exclusion, ATaskThatWaitsForACopyEngineGoesOnWhenTheOthersAreDone) {
  EXPECT_EQ(LinesOf(UnitNamed("u0", R"("memory": "vram", "cores": [0])") + ", " +
                        UnitNamed("u1", R"("memory": "dram", "cores": [0])"),
                    Time("u0", R"("*")", 10) + ", " + Time("u1", R"("*")", 7), kRelu, Offline(2)),
            (Lines{"u2 transfer #0 0-1000", "u1 compute #1 0-7000", "u0 compute #0 7000-17000",
                   "u2 transfer #0 17000-18000"}));
}

TEST(Exclusion, UnitsThatShareAreFoundWithoutLookingAtEveryTwo) {
  Platform board;
  board.memories.push_back({"m", std::nullopt, std::nullopt});
  for (std::int64_t u = 0; u < 60; ++u) {
    Unit& unit = board.units.emplace_back();
    unit.memory = MemoryId(0);
    if (u % 3 == 0) unit.cores = {u * 7 % 11, 11 + u * 5 % 13};
    if (u % 4 == 1) unit.device = u % 5;
  }
  const auto found = ExcludedUnits(board);
  std::size_t pairs = 0;
  for (std::size_t a = 0; a < board.units.size(); ++a) {
    std::vector<UnitId> others;
    for (std::size_t b = 0; b < board.units.size(); ++b) {
      if (a != b && Exclude(board.units[a], board.units[b])) others.emplace_back(b);
    }
    EXPECT_EQ(found[a], others) << a;
    pairs += others.size();
  }
  EXPECT_GT(pairs, 60u);
}

}  // namespace
}  // namespace tandem
