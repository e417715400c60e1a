// Loads of models by SimGrid's own physics: closed forms of weights that meet copies, other weights, or
// nothing.
#include <gtest/gtest.h>

#include <algorithm>

#include "policies/kinds/make_plan.h"
#include "sim/engine/simgrid_runner.h"
#include "tests/support/json_scenario.h"
#include "tests/support/span_lines.h"

namespace tandem {
namespace {

using StepLines = std::vector<std::string>;

// u0 loads m1, of 1024 bytes of weights, before it runs it; u1 brings in 1024 bytes for m0 meanwhile, or
// loads m2, as large. 1024 MB/s carry either in 1000 ns.
struct LoadingBoard {
  std::string memories = R"({"name": "dram"}, {"name": "stick"})";
  std::string lists = R"("links": [{"from": "dram", "to": "stick", "bandwidth_bytes_per_s": 1024000000}])";
  std::string memory = "stick", of_units, of_scenario;
  double load_us = 1;
  bool second_loads = false, alone = false;

  // The first steps of u0 and u1.
  StepLines Begin() const {
    const std::string in = R"({"name": "in", "op": "input", "shape": )",
                      weights =
                          R"({"name": "a", "op": "opaque", "inputs": ["in"], "shape": [1, 4], "params": )",
                      small = "[" + in + "[1, 4]}, " + weights + "256}]";
    const std::string unit =
        R"(, "kind": "npu", "resident_models": 1, "memory": ")" + memory + "\"" + of_units;
    const std::string last = second_loads ? "2" : "0";
    const auto load = [&](const std::string& model, const std::string& on) {
      return R"({"model": ")" + model + R"(.json", "unit": ")" + on + R"(", "median_us": )" +
             std::to_string(load_us) + "}";
    };
    const auto entry = [&](const std::string& model, const std::string& on) {
      return R"({"model": ")" + model + R"(.json", "unit": ")" + on + R"(", "layers": "*", "median_us": 10})";
    };
    const auto stream = [&](const std::string& model) {
      return R"({"name": ")" + model + R"(", "model": ")" + model +
             R"(.json", "count": 1, "arrival": {"type": "offline"}})";
    };
    const JsonScenario json{R"("memories": [)" + memories + "], " + lists + R"(, "units": [{"name": "u0")" +
                                unit + R"(}, {"name": "u1")" + unit + "}]",
                            R"("entries": [)" + entry("m1", "u0") + ", " + entry("m" + last, "u1") +
                                R"(], "loads": [)" + load("m1", "u0") + ", " + load("m" + last, "u1") + "]",
                            {"[" + in + "[1, 1, 16, 16]}, " + weights + "0}]", small, small},
                            R"("streams": [)" + stream("m1") + (alone ? "" : ", " + stream("m" + last)) +
                                R"(], "resident": {"u0": [], "u1": [)" +
                                (second_loads || alone ? "" : R"("m0.json")") + "]}" + of_scenario};
    SpanLines seen;
    RunOptions options;
    options.spans = &seen;
    const Scenario scenario = json.Read();
    const PolicySpec spec = PolicyByName("fcfs", scenario, "test");
    const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
    RunFluidOnSimGrid(*made.problem, *made.policy, options);
    StepLines first;
    for (const std::string unit_name : {"u0", "u1"}) {
      const auto of = [&](const std::string& line) { return line.starts_with(unit_name); };
      const auto found = std::find_if(seen.lines().begin(), seen.lines().end(), of);
      if (found != seen.lines().end()) first.push_back(*found);
    }
    return first;
  }
};

TEST(FluidLoads, ALoadAndACopyOnOneLinkGetHalfEach) {
  LoadingBoard board;
  EXPECT_EQ(board.Begin(), (StepLines{"u0 load #0 0-2000", "u1 transfer #0 0-2000"}));
  board.alone = true;
  EXPECT_EQ(board.Begin(), (StepLines{"u0 load #0 0-1000"}));
}

TEST(FluidLoads, TwoLoadsOverOneHubGetHalfEach) {
  LoadingBoard board;
  board.second_loads = true;
  EXPECT_EQ(board.Begin(), (StepLines{"u0 load #0 0-2000", "u1 load #0 0-2000"}));
  board.lists = R"("hubs": [{"name": "usb", "bandwidth_bytes_per_s": 512000000}],
      "links": [{"from": "dram", "to": "stick", "bandwidth_bytes_per_s": 1024000000, "hub": "usb"}])";
  board.load_us = 2;
  EXPECT_EQ(board.Begin(), (StepLines{"u0 load #0 0-4000", "u1 load #0 0-4000"}));
}

// What it takes alone is what a profile says, whatever the link could carry.
TEST(FluidLoads, ALoadAsksForItsBytesOverItsTime) {
  LoadingBoard board;
  board.load_us = 4;  // a quarter of the link; the copy has the rest
  EXPECT_EQ(board.Begin(), (StepLines{"u0 load #0 0-4000", "u1 transfer #0 0-1334"}));
  board.load_us = 0.5;  // not all of its bytes have come over the link
  board.alone = true;
  EXPECT_EQ(board.Begin(), (StepLines{"u0 load #0 0-500"}));
}

TEST(FluidLoads, ALoadGoesOverAllLinksOfItsWayAtOnce) {
  LoadingBoard board;
  board.memories =
      R"({"name": "dram"}, {"name": "between", "bandwidth_bytes_per_s": 1024000000}, {"name": "stick"})";
  board.lists = R"("links": [{"from": "dram", "to": "between", "bandwidth_bytes_per_s": 2048000000},
                            {"from": "between", "to": "stick", "bandwidth_bytes_per_s": 2048000000}])";
  board.alone = true;
  EXPECT_EQ(board.Begin(), (StepLines{"u0 load #0 0-1000"}));
  board.alone = false;
  board.second_loads = true;
  EXPECT_EQ(board.Begin(), (StepLines{"u0 load #0 0-2000", "u1 load #0 0-2000"}));
}

TEST(FluidLoads, ALoadOfAModelIsLongerUnderALoadFromOutside) {
  LoadingBoard board;
  board.alone = true;
  board.of_scenario = R"(, "background": [{"unit": "u0", "load_pct": 50}])";
  EXPECT_EQ(board.Begin(), (StepLines{"u0 load #0 0-2000"}));
  board.alone = false;  // it then asks for half of the link alone
  EXPECT_EQ(board.Begin(), (StepLines{"u0 load #0 0-2000", "u1 transfer #0 0-2000"}));
}

TEST(FluidLoads, LoadsIntoTheFirstMemoryShareWhatItGives) {
  LoadingBoard board;
  board.memory = "dram";
  board.second_loads = true;
  EXPECT_EQ(board.Begin(), (StepLines{"u0 load #0 0-1000", "u1 load #0 0-1000"})) << "if that is known";
  board.memories = R"({"name": "dram", "bandwidth_bytes_per_s": 1024000000}, {"name": "stick"})";
  EXPECT_EQ(board.Begin(), (StepLines{"u0 load #0 0-2000", "u1 load #0 0-2000"}));
}

// A chip of 512 bytes: that many of each model stay on it, which are brought at 512 MB/s, and the link
// carries 1024.
TEST(FluidLoads, AChipLoadsWhatStaysOnIt) {
  LoadingBoard board;
  board.second_loads = true;
  board.of_units = R"(, "on_chip_bytes": 512, "stream_bytes_per_s": 512000000)";
  EXPECT_EQ(board.Begin(), (StepLines{"u0 load #0 0-1000", "u1 load #0 0-1000"}));
  board.lists = R"("links": [{"from": "dram", "to": "stick", "bandwidth_bytes_per_s": 512000000}])";
  EXPECT_EQ(board.Begin(), (StepLines{"u0 load #0 0-2000", "u1 load #0 0-2000"}));
}

}  // namespace
}  // namespace tandem
