// SimGrid's own physics: closed forms of flows that meet, and the exact engines' result where nothing does.
#include <gtest/gtest.h>

#include <deque>

#include "policies/engine/copy_shares.h"
#include "policies/engine/virtual_runner.h"
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
  std::string arrival = R"({"type": "offline"})";
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
            R"(, "arrival": )" + arrival + "}]" + of_scenario};
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

// While it works u0 moves a fifth of what its memory gives and leaves u1 8000 of its 9000 bytes; the others
// come at 900 MB/s.
TEST(Fluid, ATaskMovesItsTrafficAtAnEvenPace) {
  FluidBoard board;
  board.memories = R"({"name": "dram", "bandwidth_bytes_per_s": 1000000000})";
  board.lists = R"("links": [])";
  board.units = {R"("memory": "dram")", R"("memory": "dram")"};
  board.of_profile = R"(, "traffic": [{"model": "m0.json", "unit": "u0", "bytes_per_s": 200000000},
                                     {"model": "m0.json", "unit": "u1", "bytes_per_s": 900000000}])";
  EXPECT_EQ(board.Spans(), (Lines{"u0 compute #0 0-10000", "u1 compute #1 0-11112"}));
}

// A profile's traffic is what others feel, and may be more than the board says of its memory.
TEST(Fluid, ATaskOfMoreTrafficThanItsMemoryGivesTakesAloneWhatItsProfileSays) {
  FluidBoard board;
  board.memories = R"({"name": "dram", "bandwidth_bytes_per_s": 1000000000})";
  board.lists = R"("links": [])";
  board.units = {R"("memory": "dram")", R"("memory": "dram")"};
  board.of_profile = R"(, "traffic": [{"model": "m0.json", "unit": "u0", "bytes_per_s": 6000000000},
                                     {"model": "m0.json", "unit": "u1", "bytes_per_s": 6000000000}])";
  EXPECT_EQ(board.Spans(), (Lines{"u0 compute #0 0-20000", "u1 compute #1 0-20000"}));
  board.count = 1;
  EXPECT_EQ(board.Spans(), (Lines{"u0 compute #0 0-10000"}));
}

TEST(Fluid, TasksOfATimeSharedUnitShareIt) {
  FluidBoard board;
  board.units = {R"("memory": "dram", "slots": 2, "time_shared": true)"};
  EXPECT_EQ(board.Spans(), (Lines{"u0 compute #0 0-20000", "u0 compute #1 0-20000"}));
}

// What a profile has seen of tasks that share a unit: of two each takes so many times as long, of four 5.
FluidBoard SharedUnit(int slots, const std::string& of_two) {
  FluidBoard board;
  board.units = {R"("memory": "dram", "time_shared": true, "slots": )" + std::to_string(slots)};
  board.of_profile = R"(, "sharing": [{"unit": "u0", "at_once": 2, "slowdown": )" + of_two +
                     R"(}, {"unit": "u0", "at_once": 4, "slowdown": 5}])";
  board.count = slots;
  return board;
}

TEST(Fluid, TasksLoseWhatAProfileSaysWhileTheyShareAUnit) {
  EXPECT_EQ(SharedUnit(2, "2.5").Spans(), (Lines{"u0 compute #0 0-25000", "u0 compute #1 0-25000"}));
  // 3.75, which lies between.
  EXPECT_EQ(SharedUnit(3, "2.5").Spans()[2], "u0 compute #2 0-37500");
  EXPECT_EQ(SharedUnit(8, "2.5").Spans()[7], "u0 compute #7 0-100000") << "as of four";
  EXPECT_EQ(SharedUnit(2, "1.6").Spans()[1], "u0 compute #1 0-16000") << "less than a fair part";
}

TEST(Fluid, WhoSharesAUnitForAWhileLosesForAWhile) {
  FluidBoard board = SharedUnit(2, "2.5");
  board.arrival = R"({"type": "periodic", "period_us": 5})";
  // Each has done half of its work when the other one comes, or goes; that half takes 12.5 us beside it.
  EXPECT_EQ(board.Spans(), (Lines{"u0 compute #0 0-17500", "u0 compute #1 5000-22500"}));
}

TEST(Fluid, ALossBySharingAndASpeedMultiply) {
  FluidBoard board = SharedUnit(2, "2.5");
  board.of_scenario = R"(, "speeds": [{"unit": "u0", "at_us": 0, "speed": 0.5}])";
  EXPECT_EQ(board.Spans()[1], "u0 compute #1 0-50000");
  board = SharedUnit(2, "2.5");
  board.units[0] += R"(, "preempts": true)";
  EXPECT_EQ(board.Spans()[1], "u0 compute #1 0-25000") << "both are as urgent";
}

// One task of m0 and one of m1, which take 10 us alone and share a unit.
std::vector<Nanos> LatenciesOfTwo(const std::string& sharing) {
  const std::string layers =
      R"([{"name": "in", "op": "input", "shape": [1, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";
  const JsonScenario json{
      R"("memories": [{"name": "dram"}],
         "units": [{"name": "u0", "kind": "npu", "memory": "dram", "slots": 2, "time_shared": true}])",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10},
                     {"model": "m1.json", "unit": "u0", "layers": "*", "median_us": 10}],
         "sharing": [)" +
          sharing + "]",
      {layers, layers},
      R"("streams": [{"name": "a", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}},
                     {"name": "b", "model": "m1.json", "count": 1, "arrival": {"type": "offline"}}])"};
  const Outcome fluid = Fluid(json.Read(), "fcfs");
  return {fluid.streams[0].latencies[0], fluid.streams[1].latencies[0]};
}

TEST(Fluid, EachOfThoseThatShareLosesWhatItsOwnModelDoes) {
  EXPECT_EQ(LatenciesOfTwo(R"({"unit": "u0", "model": "m0.json", "at_once": 2, "slowdown": 2},
                              {"unit": "u0", "model": "m1.json", "at_once": 2, "slowdown": 4})"),
            (std::vector<Nanos>{Nanos{20000}, Nanos{25000}}))
      << "a quarter of its work in 20 us, then alone";
}

TEST(Fluid, EachOfThoseThatShareLosesWhatItDoesBesideTheOthersModel) {
  const std::string pair =
      R"({"unit": "u0", "model": "m0.json", "beside_model": "m1.json", "at_once": 2, "slowdown": 4},
         {"unit": "u0", "model": "m1.json", "beside_model": "m0.json", "at_once": 2, "slowdown": 1.25})";
  const std::vector<Nanos> latencies = {Nanos{19375}, Nanos{12500}};
  EXPECT_EQ(LatenciesOfTwo(pair), latencies) << "5/16 of its work in 12.5 us, then alone";
  EXPECT_EQ(LatenciesOfTwo(pair + R"(, {"unit": "u0", "at_once": 2, "slowdown": 3})"), latencies);
  EXPECT_EQ(
      LatenciesOfTwo(
          R"({"unit": "u0", "model": "m0.json", "beside_model": "m0.json", "at_once": 2, "slowdown": 4})"),
      (std::vector<Nanos>{Nanos{20000}, Nanos{20000}}))
      << "nobody is beside its like: a fair part";
}

TEST(Fluid, ALoadFromOutsideMakesWorkLonger) {
  FluidBoard board;
  board.units = {R"("memory": "dram")"};
  board.count = 1;
  board.of_scenario = R"(, "background": [{"unit": "u0", "load_pct": 75}])";
  EXPECT_EQ(board.Spans(), (Lines{"u0 compute #0 0-40000"})) << "a quarter is left";
  board.of_profile = R"(, "background": [{"unit": "u0", "load_pct": 75, "slowdown": 1.5}])";
  EXPECT_EQ(board.Spans(), (Lines{"u0 compute #0 0-15000"})) << "as measured";
  board = SharedUnit(2, "2.5");
  board.of_scenario = R"(, "background": [{"unit": "u0", "load_pct": 75}])";
  EXPECT_EQ(board.Spans()[1], "u0 compute #1 0-100000") << "beside what tasks lose that share it";
}

// Five streams of a priority each, on one unit: those that come later are the more urgent ones, by so much.
Scenario FivePriorities(int phase_us) {
  std::string streams;
  for (int p = 0; p < 5; ++p) {
    streams += (p == 0 ? "" : ", ") + (R"({"name": "s)" + std::to_string(p)) +
               R"(", "model": "m0.json", "priority": )" + std::to_string(p) +
               R"(, "count": 2, "arrival": {"type": "periodic", "period_us": 700, "phase_us": )" +
               std::to_string(phase_us * p) + "}}";
  }
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "gpu", "kind": "gpu", "memory": "dram", "slots": 5,
          "time_shared": true, "preempts": true}])",
      R"("entries": [{"model": "m0.json", "unit": "gpu", "layers": "*", "median_us": 200}])",
      {R"([{"name": "in", "op": "input", "shape": [1, 1, 16, 16]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"},
      R"("transfer": "none", "streams": [)" + streams + "]"};
  return json.Read();
}

// One at a time, whichever is most urgent, or two that are as urgent: half each is a whole number of
// thousandths.
TEST(Fluid, FivePrioritiesPreemptAsInTheExactEngines) {
  for (const int phase_us : {0, 10, 130}) {
    const Scenario scenario = FivePriorities(phase_us);
    const PolicySpec spec = PolicyByName("fcfs", scenario, "test");
    const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
    const Outcome exact = RunVirtual(*made.problem, *made.policy), fluid = Fluid(scenario, "fcfs");
    for (std::size_t s = 0; s < 5; ++s) {
      ASSERT_EQ(exact.streams[s].latencies.size(), 2U);
      ASSERT_EQ(fluid.streams[s].latencies.size(), 2U);
      for (std::size_t r = 0; r < 2; ++r) {
        EXPECT_EQ(fluid.streams[s].latencies[r], exact.streams[s].latencies[r])
            << "s" << s << " #" << r << ", phase " << phase_us;
      }
    }
  }
}

TEST(Fluid, TheMostUrgentOfFiveWaitsForNobody) {
  const Outcome fluid = Fluid(FivePriorities(0), "fcfs");
  EXPECT_EQ(fluid.streams[4].latencies[0], Nanos{200000});
}

// The second urgent one comes in the instant in which the first one ends.
TEST(Fluid, WhatGoesOnAndIsHeldUpInOneInstantLeavesTheUnitToTheUrgent) {
  const std::string layers =
      R"([{"name": "in", "op": "input", "shape": [1, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "gpu", "kind": "gpu", "memory": "dram", "slots": 2,
          "time_shared": true, "preempts": true}])",
      R"("entries": [{"model": "m0.json", "unit": "gpu", "layers": "*", "median_us": 200}])",
      {layers},
      R"("transfer": "none",
         "streams": [{"name": "patient", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}},
                     {"name": "urgent", "model": "m0.json", "count": 2, "priority": 1,
                      "arrival": {"type": "periodic", "period_us": 200, "phase_us": 10}}])"};
  const Outcome fluid = Fluid(json.Read(), "fcfs");
  EXPECT_EQ(fluid.streams[1].latencies, (std::deque<Nanos>{Nanos{200'000}, Nanos{200'000}}));
  EXPECT_EQ(fluid.streams[0].latencies, std::deque<Nanos>{Nanos{600'000}});
}

TEST(Fluid, AUnitThatWarmsUpGoesSlowerFromTheSameDateOn) {
  FluidBoard board;
  board.units = {R"("memory": "dram")"};
  board.of_scenario = R"(, "heat": [{"unit": "u0", "time_constant_ms": 1, "hot": 0.01, "speed": 0.5}])";
  // A hundredth of the way is gone after -ln 0.99 of a millisecond: 10,051 ns. The first task takes 10 us.
  EXPECT_EQ(board.Spans(), (Lines{"u0 compute #0 0-10000", "u0 compute #1 10000-29949"}));
}

FluidBoard AtSpeed(const std::string& speeds) {
  FluidBoard board;
  board.units = {R"("memory": "stick")"};
  board.count = 1;
  board.of_scenario = R"(, "speeds": [)" + speeds + "]";
  return board;
}
const std::string kHalf = R"({"unit": "u0", "at_us": 0, "speed": 0.5})",
                  kTwice = R"({"unit": "u0", "at_us": 0, "speed": 2})";

TEST(Fluid, ACopyGoesByTheSpeedOfTheUnitWhoseSlotMakesIt) {
  EXPECT_EQ(AtSpeed(kHalf).Spans(),
            (Lines{"u0 transfer #0 0-2000", "u0 compute #0 2000-22000", "u0 transfer #0 22000-24000"}));
  // Half of it has come by then.
  EXPECT_EQ(AtSpeed(R"({"unit": "u0", "at_us": 0.5, "speed": 0.5})").Spans()[0], "u0 transfer #0 0-1500");
  EXPECT_EQ(AtSpeed(kHalf + R"(, {"unit": "u0", "at_us": 1, "speed": 1})").Spans()[0],
            "u0 transfer #0 0-1500");
  EXPECT_EQ(AtSpeed(kTwice).Spans()[0], "u0 transfer #0 0-1000") << "a link carries no more than it can";
  FluidBoard board = AtSpeed(kHalf);
  board.lists =
      R"("links": [{"from": "dram", "to": "stick", "latency_us": 3, "bandwidth_bytes_per_s": 1024000000}])";
  EXPECT_EQ(board.Spans()[0], "u0 transfer #0 0-8000");
  board = AtSpeed(kHalf);
  board.lists =
      R"("links": [{"from": "dram", "to": "stick", "bandwidth_bytes_per_s": 1024000000, "engine": true}])";
  EXPECT_EQ(board.Spans()[0], "u1 transfer #0 0-1000") << "an engine has a speed of its own";
}

TEST(Fluid, ACopyIsLongerUnderALoadFromOutsideAndHeat) {
  FluidBoard board = AtSpeed("");
  board.of_scenario = R"(, "background": [{"unit": "u0", "load_pct": 75}])";
  EXPECT_EQ(board.Spans()[0], "u0 transfer #0 0-4000");
  board.of_scenario = R"(, "heat": [{"unit": "u0", "time_constant_ms": 1, "hot": 0.01, "speed": 0.5}])";
  // From 10,051 ns on, when 949 of the task's are left, it has half of its speed.
  EXPECT_EQ(board.Spans(),
            (Lines{"u0 transfer #0 0-1000", "u0 compute #0 1000-11949", "u0 transfer #0 11949-13949"}));
}

// 256 MB/s are a quarter of the link: it leaves 1024 bytes of another unit the other three.
TEST(Fluid, ASlowUnitsCopyLeavesTheLinkToOthers) {
  FluidBoard board = AtSpeed(R"({"unit": "u0", "at_us": 0, "speed": 0.25})");
  board.units.emplace_back(R"("memory": "stick")");
  board.count = 2;
  const Lines spans = board.Spans();
  EXPECT_EQ(spans[0], "u1 transfer #1 0-1334");
  EXPECT_EQ(spans[1], "u0 transfer #0 0-4000");
}

// Both move 600 MB/s at their full speed, and the memory gives 1000.
TEST(Fluid, ATaskMovesItsTrafficAsFastAsItGoes) {
  FluidBoard board = AtSpeed(kHalf);
  board.memories = R"({"name": "dram", "bandwidth_bytes_per_s": 1000000000})";
  board.lists = R"("links": [])";
  board.units = {R"("memory": "dram")", R"("memory": "dram")"};
  board.of_profile = R"(, "traffic": [{"model": "m0.json", "unit": "u0", "bytes_per_s": 600000000},
                                     {"model": "m0.json", "unit": "u1", "bytes_per_s": 600000000}])";
  board.count = 2;
  const Lines half = {"u1 compute #1 0-10000", "u0 compute #0 0-20000"};
  EXPECT_EQ(board.Spans(), half) << "300 and 600 MB/s";
  board.of_scenario = R"(, "background": [{"unit": "u0", "load_pct": 50}])";
  EXPECT_EQ(board.Spans(), half) << "the same bytes in twice the time";
  board.count = 1;
  board.of_scenario = R"(, "speeds": [)" + kTwice + "]";
  EXPECT_EQ(board.Spans(), (Lines{"u0 compute #0 0-6000"})) << "1200 MB/s, of which the memory gives 1000";
  board.memories = R"({"name": "dram", "bandwidth_bytes_per_s": 1200000000})";
  EXPECT_EQ(board.Spans(), (Lines{"u0 compute #0 0-5000"}));
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

// Where nothing meets there is nothing that the two sets of rules could see otherwise.
TEST(Fluid, GivesTheExactMakespanOfEveryShippedScenarioInWhichNothingMeets) {
  std::size_t alike = 0, apart = 0;
  for (const std::string& name : ShippedNames("scenarios", ".scenario.json")) {
    const Scenario scenario = ReadScenarioFile(FindFile(name, "", "scenarios", ".scenario.json"));
    // LoadGen's have hundreds of thousands of requests; others are for a device.
    const bool long_one = std::any_of(scenario.streams.begin(), scenario.streams.end(),
                                      [](const Stream& stream) { return stream.loadgen.has_value(); });
    if (long_one || !scenario.platform || !scenario.costs) continue;
    const PolicySpec spec = PolicyByName("fcfs", scenario, "test");
    const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
    const Nanos exact = RunVirtual(*made.problem, *made.policy).makespan(),
                fluid = Fluid(scenario, "fcfs").makespan();
    const auto& units = scenario.platform->units;
    const bool shared = std::any_of(units.begin(), units.end(),
                                    [](const Unit& unit) { return unit.time_shared && !unit.preempts; });
    if (shared || made.problem->slowdowns().on() || CopyShares(*made.problem).on()) {
      apart += exact == fluid ? 0 : 1;
      continue;
    }
    EXPECT_EQ(fluid, exact) << name;
    ++alike;
  }
  EXPECT_GT(alike, 25U);
  EXPECT_GT(apart, 1U);
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
