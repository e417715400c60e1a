// SimGrid's own physics: closed forms of flows that meet, and the exact engines' result where nothing does.
#include <gtest/gtest.h>

#include "policies/kinds/make_plan.h"
#include "profiles/base/input_error.h"
#include "profiles/program/shipped.h"
#include "sim/engine/simgrid_runner.h"
#include "tests/support/json_scenario.h"
#include "tests/support/random_scenario.h"
#include "tests/support/read_scenario.h"
#include "tests/support/sanitized.h"
#include "tests/support/span_lines.h"

namespace tandem {
namespace {

using Lines = std::vector<std::string>;

Outcome Fluid(const Scenario& scenario, std::string_view policy, const RunOptions& options = {}) {
  const PolicySpec spec = PolicyByName(policy, scenario, "test");
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  return RunFluidOnSimGrid(*made.problem, *made.policy, options);
}

// Inputs and outputs of 1024 bytes, which 1024 MB/s bring in 1000 ns. A task's work takes 10 us.
struct FluidBoard {
  std::string memories = R"({"name": "dram"}, {"name": "stick"}, {"name": "other"})";
  std::string lists = R"("links": [{"from": "dram", "to": "stick", "bandwidth_bytes_per_s": 1024000000}])";
  std::vector<std::string> units = {R"("memory": "stick", "slots": 2)"};
  std::string of_profile, of_scenario;
  int count = 2;

  Lines Spans() const {
    std::string all, entries;
    for (std::size_t u = 0; u < units.size(); ++u) {
      const std::string name = "\"u" + std::to_string(u) + "\"", comma = u == 0 ? "" : ", ";
      all += comma + R"({"name": )" + name + R"(, "kind": "npu", )" + units[u] + "}";
      entries += comma + R"({"model": "m0.json", "unit": )" + name + R"(, "layers": "*", "median_us": 10})";
    }
    const JsonScenario json{
        R"("memories": [)" + memories + "], " + lists + R"(, "units": [)" + all + "]",
        R"("entries": [)" + entries + "]" + of_profile,
        {R"([{"name": "in", "op": "input", "shape": [1, 1, 16, 16]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"},
        R"("streams": [{"name": "s", "model": "m0.json", "count": )" + std::to_string(count) +
            R"(, "arrival": {"type": "offline"}}])" + of_scenario};
    SpanLines seen;
    RunOptions options;
    options.spans = &seen;
    Fluid(json.Read(), "fcfs", options);
    return seen.lines();
  }
};

const std::string kTwoLinks =
    R"("links": [{"from": "dram", "to": "stick", "bandwidth_bytes_per_s": 1024000000},
                                           {"from": "dram", "to": "other", "bandwidth_bytes_per_s": 1024000000}])";

TEST(Fluid, TwoEqualFlowsOnOneLinkTakeTwiceAsLong) {
  const Lines spans = FluidBoard().Spans();
  ASSERT_EQ(spans.size(), 6U);
  EXPECT_EQ(spans[0], "u0 transfer #0 0-2000");
  EXPECT_EQ(spans[1], "u0 transfer #1 0-2000");
  EXPECT_EQ(spans[2], "u0 compute #0 2000-12000");
  EXPECT_EQ(spans[5], "u0 transfer #1 12000-14000");
}

// One link has two of them, the other one.
TEST(Fluid, ThreeFlowsOnTwoLinks) {
  FluidBoard board;
  board.lists = kTwoLinks;
  board.units.emplace_back(R"("memory": "other")");
  board.count = 3;
  const Lines spans = board.Spans();
  EXPECT_EQ(spans[0], "u1 transfer #1 0-1000");
  EXPECT_EQ(spans[1], "u0 transfer #0 0-2000");
  EXPECT_EQ(spans[2], "u0 transfer #2 0-2000");
}

TEST(Fluid, AHubIsSharedByItsLinks) {
  FluidBoard board;
  board.lists = R"("hubs": [{"name": "usb", "bandwidth_bytes_per_s": 1024000000}],
      "links": [{"from": "dram", "to": "stick", "bandwidth_bytes_per_s": 1024000000, "hub": "usb"},
                {"from": "dram", "to": "other", "bandwidth_bytes_per_s": 1024000000, "hub": "usb"}])";
  board.units = {R"("memory": "stick")", R"("memory": "other")"};
  EXPECT_EQ(board.Spans()[1], "u1 transfer #1 0-2000");
}

TEST(Fluid, OneCopyOnANarrowHubTakesWhatTheExactEnginesSayAndTwoTwiceThat) {
  FluidBoard board;
  board.lists = R"("hubs": [{"name": "usb", "bandwidth_bytes_per_s": 256000000}],
      "links": [{"from": "dram", "to": "stick", "bandwidth_bytes_per_s": 1024000000, "hub": "usb"}])";
  board.count = 1;
  EXPECT_EQ(board.Spans()[0], "u0 transfer #0 0-4000");
  board.count = 2;
  EXPECT_EQ(board.Spans()[0], "u0 transfer #0 0-8000");
  // What is measured is of the whole way.
  board.of_profile = R"(, "transfers": [{"from": "dram", "to": "stick", "bytes": 1024, "median_us": 1.5}])";
  board.count = 1;
  EXPECT_EQ(board.Spans()[0], "u0 transfer #0 0-1500");
}

TEST(Fluid, OneCopyIsNoFasterThanAMemoryAtItsEnd) {
  FluidBoard board;
  board.memories =
      R"({"name": "dram"}, {"name": "stick", "bandwidth_bytes_per_s": 512000000}, {"name": "other"})";
  board.count = 1;
  EXPECT_EQ(board.Spans()[0], "u0 transfer #0 0-2000");
}

TEST(Fluid, ACopyPaysItsLatencyAlone) {
  FluidBoard board;
  board.lists =
      R"("links": [{"from": "dram", "to": "stick", "latency_us": 3, "bandwidth_bytes_per_s": 1024000000}])";
  EXPECT_EQ(board.Spans()[0], "u0 transfer #0 0-5000");  // by tandem's own rules 8000
}

// Of 10 us of work each, at 600 MB/s from a memory of 1000 MB/s.
TEST(Fluid, TasksOfKnownTrafficShareTheirMemory) {
  FluidBoard board;
  board.memories = R"({"name": "dram", "bandwidth_bytes_per_s": 1000000000})";
  board.lists = R"("links": [])";
  board.units = {R"("memory": "dram")", R"("memory": "dram")"};
  board.of_profile = R"(, "traffic": [{"model": "m0.json", "unit": "u0", "bytes_per_s": 600000000},
                                     {"model": "m0.json", "unit": "u1", "bytes_per_s": 600000000}])";
  EXPECT_EQ(board.Spans(), (Lines{"u0 compute #0 0-12000", "u1 compute #1 0-12000"}));
  board.count = 1;
  EXPECT_EQ(board.Spans(), (Lines{"u0 compute #0 0-10000"}));
}

TEST(Fluid, TasksOfATimeSharedUnitShareIt) {
  FluidBoard board;
  board.units = {R"("memory": "dram", "slots": 2, "time_shared": true)"};
  EXPECT_EQ(board.Spans(), (Lines{"u0 compute #0 0-20000", "u0 compute #1 0-20000"}));
}

TEST(Fluid, AUnitThatWarmsUpGoesSlowerFromTheSameDateOn) {
  FluidBoard board;
  board.units = {R"("memory": "dram")"};
  board.of_scenario = R"(, "heat": [{"unit": "u0", "time_constant_ms": 1, "hot": 0.01, "speed": 0.5}])";
  // A hundredth of the way is gone after -ln 0.99 of a millisecond: 10,051 ns. The first task takes 10 us.
  EXPECT_EQ(board.Spans(), (Lines{"u0 compute #0 0-10000", "u0 compute #1 10000-29949"}));
}

TEST(Fluid, WhatAUnitHadWhenItLeftIsBegunAgain) {
  FluidBoard board;
  board.units = {R"("memory": "dram")"};
  board.of_scenario = R"(, "away": [{"unit": "u0", "from_us": 4, "until_us": 6}])";
  EXPECT_EQ(board.Spans(),
            (Lines{"u0 lost #0 0-4000", "u0 compute #0 6000-16000", "u0 compute #1 16000-26000"}));
}

TEST(Fluid, GivesTheWorkedExampleToTheNanosecond) {
  const Scenario scenario = ReadScenarioFile(FindFile("study-003", "", "scenarios", ".scenario.json"));
  EXPECT_EQ(Fluid(scenario, "fcfs").makespan(), Nanos{4048341000});
  EXPECT_EQ(Fluid(scenario, "eft").makespan(), Nanos{3083670000});
}

TEST(Fluid, EverythingIsDoneWhateverBoardAndStreams) {
  std::size_t ran = 0;
  for (std::uint64_t seed = 0; seed < (kSanitized ? 10 : 60); ++seed) {
    const Scenario scenario = RandomScenario(seed);
    try {
      const PolicySpec spec = PolicyByName("fcfs", scenario, "test");
      const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
      const Outcome fluid = RunFluidOnSimGrid(*made.problem, *made.policy);
      EXPECT_GT(fluid.makespan(), Nanos{0}) << "seed " << seed;
      for (const StreamOutcome& stream : fluid.streams) {
        EXPECT_EQ(static_cast<std::int64_t>(stream.latencies.size()) + stream.dropped, stream.released)
            << "seed " << seed;
      }
      ++ran;
    } catch (const InputError&) {
      continue;  // nowhere to run
    }
  }
  EXPECT_GT(ran, 5U);
}

}  // namespace
}  // namespace tandem
