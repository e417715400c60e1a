// Do policies that count copies know where what requests hand on lies, and what is not brought back?
#include <gtest/gtest.h>

#include "tests/support/json_scenario.h"
#include "tests/support/run_policy.h"
#include "tests/support/span_lines.h"

namespace tandem {
namespace {

// 64 bytes in and out.
const std::string kOneLayer =
    R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";
const std::string kFrames =
    R"({"name": "camera", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}})";

std::vector<std::string> SpansUnder(const std::string& policy, const Scenario& scenario) {
  SpanLines seen;
  RunOptions options;
  options.spans = &seen;
  RunPolicy(scenario, policy, options);
  return seen.lines();
}

// A frame of 10 us on the card, then 20 us there or `on_core` on the core, then 5 us on the card. A copy
// takes 1 us.
Scenario CardAndCore(const std::string& on_core, const std::string& second, const std::string& third) {
  const JsonScenario json{
      R"("memories": [{"name": "dram"}, {"name": "vram"}],
         "links": [{"from": "dram", "to": "vram", "latency_us": 0, "bandwidth_bytes_per_s": 64000000}],
         "units": [{"name": "cpu", "kind": "cpu", "memory": "dram"},
                   {"name": "gpu", "kind": "gpu", "memory": "vram"}])",
      R"("entries": [{"model": "m0.json", "unit": "gpu", "layers": "*", "median_us": 10},
                     {"model": "m1.json", "unit": "gpu", "layers": "*", "median_us": 20},
                     {"model": "m1.json", "unit": "cpu", "layers": "*", "median_us": )" +
          on_core + R"(},
                     {"model": "m2.json", "unit": "gpu", "layers": "*", "median_us": 5}])",
      {kOneLayer, kOneLayer, kOneLayer},
      R"("transfer": "copy", "streams": [)" + kFrames +
          R"(, {"name": "second", "model": "m1.json", "depends_on": {"stream": "camera")" + second + "}}" +
          third + "]"};
  return json.Read();
}

constexpr const char* kCopyCounters[] = {R"("dmda")", R"("heft")", R"("cpop")", R"("peft")"};

// In and back take 2 us on the card, which makes it slower than the core; but the input is there already.
TEST(HandedInputs, AreCountedFromWhereTheyLie) {
  for (const char* policy : kCopyCounters) {
    EXPECT_EQ(SpansUnder(policy, CardAndCore("21.5", R"(, "data": true)", "")),
              (std::vector<std::string>{"u1 transfer #0 0-1000", "u1 compute #0 1000-11000",
                                        "u1 compute #0 11000-31000", "u1 transfer #0 31000-32000"}))
        << policy;
    EXPECT_EQ(SpansUnder(policy, CardAndCore("21.5", "", "")),
              (std::vector<std::string>{"u1 transfer #0 0-1000", "u1 compute #0 1000-11000",
                                        "u1 transfer #0 11000-12000", "u0 compute #0 12000-33500"}))
        << policy << ": all comes by the first memory";
  }
}

// With a way back the card would take 21 us, the core with its copy 20.5; but there is none. (cpop goes by
// the time of the work alone, before it knows where inputs are.)
TEST(HandedInputs, WhatStaysHasNoWayBack) {
  const std::string third = R"(, {"name": "third", "model": "m2.json", "depends_on": {"stream": "second")";
  for (const char* policy : {R"("dmda")", R"("heft")", R"("peft")"}) {
    EXPECT_EQ(SpansUnder(policy, CardAndCore("19.5", R"(, "data": true)", third + R"(, "data": true}})")),
              (std::vector<std::string>{"u1 transfer #0 0-1000", "u1 compute #0 1000-11000",
                                        "u1 compute #0 11000-31000", "u1 compute #0 31000-36000",
                                        "u1 transfer #0 36000-37000"}))
        << policy;
  }
}

// The other core is a microsecond faster, and what the first has made takes 4 us to it.
TEST(HandedInputs, AreHandedOverInOneMemory) {
  const auto end = [](const std::string& policy, const std::string& data) {
    const JsonScenario json{
        R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "cpu", "memory": "dram"},
                                                     {"name": "u1", "kind": "cpu", "memory": "dram"}])",
        R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10},
                       {"model": "m1.json", "unit": "u0", "layers": "*", "median_us": 21},
                       {"model": "m1.json", "unit": "u1", "layers": "*", "median_us": 20}],
           "hand_overs": [{"from": "u0", "to": "u1", "bytes": 64, "median_us": 4}])",
        {kOneLayer, kOneLayer},
        R"("transfer": "copy", "streams": [)" + kFrames +
            R"(, {"name": "second", "model": "m1.json", "depends_on": {"stream": "camera")" + data + "}}]"};
    return RunPolicy(json.Read(), policy).makespan();
  };
  for (const char* policy : {R"("heft")", R"("peft")"}) {
    EXPECT_EQ(end(policy, R"(, "data": true)"), Nanos{31000}) << policy;
    EXPECT_EQ(end(policy, ""), Nanos{30000}) << policy;
  }
}

// By layers: both tasks of the second model find what they read on the card, or wait for it there.
TEST(HandedInputs, OfModelsInPartsTheFirstOnesReadThem) {
  const JsonScenario json{
      R"("memories": [{"name": "dram"}, {"name": "vram"}],
         "links": [{"from": "dram", "to": "vram", "latency_us": 0, "bandwidth_bytes_per_s": 64000000}],
         "units": [{"name": "cpu", "kind": "cpu", "memory": "dram"},
                   {"name": "gpu", "kind": "gpu", "memory": "vram"}])",
      R"("entries": [{"model": "m0.json", "unit": "gpu", "layers": "*", "median_us": 10},
                     {"model": "m1.json", "unit": "gpu", "layers": ["a"], "median_us": 20},
                     {"model": "m1.json", "unit": "cpu", "layers": ["a"], "median_us": 20.5},
                     {"model": "m1.json", "unit": "gpu", "layers": ["b"], "median_us": 5}])",
      {kOneLayer,
       R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]},
           {"name": "b", "op": "relu", "inputs": ["a"]}])"},
      R"("transfer": "copy", "streams": [)" + kFrames +
          R"(, {"name": "second", "model": "m1.json", "depends_on": {"stream": "camera", "data": true}}])"};
  EXPECT_EQ(SpansUnder(R"({"name": "dmda", "granularity": "layer"})", json.Read()),
            (std::vector<std::string>{"u1 transfer #0 0-1000", "u1 compute #0 1000-11000",
                                      "u1 compute #0 11000-31000", "u1 compute #0 31000-36000",
                                      "u1 transfer #0 36000-37000"}));
}

}  // namespace
}  // namespace tandem
