// Is what a request hands on read from where it was made, and does it stay there where nobody else reads it?
#include <gtest/gtest.h>

#include "policies/bounds/bound.h"
#include "policies/kinds/make_plan.h"
#include "tests/support/error_of.h"
#include "tests/support/json_scenario.h"
#include "tests/support/judged_run.h"
#include "tests/support/run_policy.h"
#include "tests/support/span_lines.h"

namespace tandem {
namespace {

// 64 bytes in and out: a copy takes 1 us.
const std::string kProgram =
    R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";
// It reads 32 bytes.
const std::string kHalfProgram =
    R"([{"name": "in", "op": "input", "shape": [1, 1, 2, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";
const std::string kCardAndCore =
    R"("memories": [{"name": "dram"}, {"name": "vram"}],
       "links": [{"from": "dram", "to": "vram", "latency_us": 0, "bandwidth_bytes_per_s": 64000000}],
       "units": [{"name": "cpu", "kind": "cpu", "memory": "dram"},
                 {"name": "gpu", "kind": "gpu", "memory": "vram"}])";
const std::string kTimesOfPipeline =
    R"("entries": [{"model": "m0.json", "unit": "gpu", "layers": "*", "median_us": 10},
                   {"model": "m1.json", "unit": "gpu", "layers": "*", "median_us": 20},
                   {"model": "m2.json", "unit": "cpu", "layers": "*", "median_us": 5}])";

// A frame of 10 us on the card, 20 us on the card that follow it, and 5 us of a core that follow these.
Scenario Pipeline(const std::string& second, const std::string& third, const std::string& more = "",
                  const std::string& last_model = kProgram) {
  const JsonScenario json{kCardAndCore,
                          kTimesOfPipeline,
                          {kProgram, kProgram, last_model},
                          R"("transfer": "copy", "streams": [
       {"name": "camera", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}},
       {"name": "second", "model": "m1.json", "depends_on": {"stream": "camera")" +
                              second + R"(}},
       {"name": "third", "model": "m2.json", "depends_on": {"stream": "second")" +
                              third + "}}" + more + "]"};
  return json.Read();
}

const std::string kHandedOn = R"(, "data": true)";

TEST(HandedData, WithoutItAllComesByTheFirstMemory) {
  EXPECT_EQ(SpansOf(Pipeline("", "")),
            (std::vector<std::string>{"u1 transfer #0 0-1000", "u1 compute #0 1000-11000",
                                      "u1 transfer #0 11000-12000", "u1 transfer #0 12000-13000",
                                      "u1 compute #0 13000-33000", "u1 transfer #0 33000-34000",
                                      "u0 compute #0 34000-39000"}));
}

TEST(HandedData, ItIsReadWhereItWasMadeAndBroughtFromThere) {
  // The second finds it on the card; the core brings what that made itself, before its work.
  EXPECT_EQ(SpansOf(Pipeline(kHandedOn, kHandedOn)),
            (std::vector<std::string>{"u1 transfer #0 0-1000", "u1 compute #0 1000-11000",
                                      "u1 compute #0 11000-31000", "u0 transfer #0 31000-32000",
                                      "u0 compute #0 32000-37000"}));
}

TEST(HandedData, WhatAnotherOneReadsFromTheFirstMemoryIsBroughtBackToo) {
  // Nothing that the frame makes is brought back; what the second makes is: the third reads it there.
  EXPECT_EQ(SpansOf(Pipeline(kHandedOn, "")),
            (std::vector<std::string>{"u1 transfer #0 0-1000", "u1 compute #0 1000-11000",
                                      "u1 compute #0 11000-31000", "u1 transfer #0 31000-32000",
                                      "u0 compute #0 32000-37000"}));
  // It follows the frame and waits for the second, whose outputs it reads in the first memory.
  const Scenario joined = Pipeline(
      kHandedOn, kHandedOn,
      R"(, {"name": "all", "model": "m2.json", "depends_on": {"stream": "camera", "joins": ["second"]}})");
  EXPECT_FALSE(joined.streams[0].stays) << "\"all\" follows the frame without \"data\"";
  EXPECT_FALSE(joined.streams[1].stays) << "\"all\" joins it";
  EXPECT_EQ(SpansOf(joined),
            (std::vector<std::string>{"u1 transfer #0 0-1000", "u1 compute #0 1000-11000",
                                      "u1 transfer #0 11000-12000", "u1 compute #0 12000-32000",
                                      "u1 transfer #0 32000-33000", "u0 compute #0 33000-38000",
                                      "u0 compute #0 38000-43000"}));
}

TEST(HandedData, SoManyBytesComeAsAreRead) {
  const std::vector<std::string> spans = SpansOf(Pipeline(kHandedOn, kHandedOn, "", kHalfProgram));
  ASSERT_EQ(spans.size(), 5U);
  EXPECT_EQ(spans[3], "u0 transfer #0 31000-31500");
  EXPECT_EQ(spans[4], "u0 compute #0 31500-36500");
}

TEST(HandedData, EachOfThoseThatFollowBringsItsOwn) {
  const std::vector<std::string> spans =
      SpansOf(Pipeline(kHandedOn, R"(, "data": true, "times": [0, 0, 1])", "", kHalfProgram));
  ASSERT_EQ(spans.size(), 7U);
  EXPECT_EQ(spans[5], "u0 transfer #0 36500-37000");
}

TEST(HandedData, WithoutTransfersNothingMoves) {
  const JsonScenario json{kCardAndCore,
                          kTimesOfPipeline,
                          {kProgram, kProgram, kProgram},
                          R"("transfer": "none", "streams": [
       {"name": "camera", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}},
       {"name": "third", "model": "m2.json", "depends_on": {"stream": "camera", "data": true}}])"};
  EXPECT_EQ(SpansOf(json.Read()),
            (std::vector<std::string>{"u1 compute #0 0-10000", "u0 compute #0 10000-15000"}));
}

// Two cores of one memory: the first frame's maker is u0, and 64 bytes from u0 to u1 take 4 us.
TEST(HandedData, InOneMemoryItIsHandedOver) {
  const auto end = [](const std::string& data) {
    const JsonScenario json{
        R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "cpu", "memory": "dram"},
                                                     {"name": "u1", "kind": "cpu", "memory": "dram"}])",
        R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10},
                       {"model": "m1.json", "unit": "u1", "layers": "*", "median_us": 20}],
           "hand_overs": [{"from": "u0", "to": "u1", "bytes": 64, "median_us": 4}])",
        {kProgram, kProgram},
        R"("transfer": "copy", "streams": [
           {"name": "camera", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}},
           {"name": "second", "model": "m1.json", "depends_on": {"stream": "camera")" +
            data + "}}]"};
    const Scenario scenario = json.Read();
    const PolicySpec spec = PolicyByName("fcfs", scenario, "test");
    EXPECT_TRUE(
        JudgeRun(MakePolicy(spec, ProblemFor(spec, scenario)), spec, scenario, scenario).violations.empty());
    return RunPolicy(scenario, R"("fcfs")").makespan();
  };
  EXPECT_EQ(end(""), Nanos{30000});
  EXPECT_EQ(end(kHandedOn), Nanos{34000});
}

// Into a memory with little room one at a time: it is taken and given back as without.
TEST(HandedData, RoomIsReckonedAsOfRequestsOfOneTask) {
  const JsonScenario json{
      R"("memories": [{"name": "dram"}, {"name": "vram", "capacity_bytes": 200}],
         "links": [{"from": "dram", "to": "vram", "latency_us": 0, "bandwidth_bytes_per_s": 64000000}],
         "units": [{"name": "gpu", "kind": "gpu", "memory": "vram", "slots": 2}])",
      R"("entries": [{"model": "m0.json", "unit": "gpu", "layers": "*", "median_us": 10},
                     {"model": "m1.json", "unit": "gpu", "layers": "*", "median_us": 20}])",
      {kProgram, kProgram},
      R"("transfer": "copy", "streams": [
         {"name": "camera", "model": "m0.json", "count": 4, "arrival": {"type": "offline"}},
         {"name": "second", "model": "m1.json", "depends_on": {"stream": "camera", "data": true}}])"};
  const Scenario scenario = json.Read();
  const PolicySpec spec = PolicyByName("fcfs", scenario, "test");
  EXPECT_TRUE(
      JudgeRun(MakePolicy(spec, ProblemFor(spec, scenario)), spec, scenario, scenario).violations.empty());
  const Outcome outcome = RunPolicy(scenario, R"("fcfs")");
  EXPECT_EQ(outcome.streams[1].completed(), 4);
  // One after the other: each brings in 1 us and works 10, each that follows works 20 and brings back 1 us.
  EXPECT_EQ(outcome.makespan(), Nanos{4 * (11 + 21) * 1000});
}

TEST(HandedData, BoundsCountNoCopyOfIt) {
  const auto bound = [](const Scenario& scenario) {
    return LowerBound(Problem(scenario, Granularity::kModel)).makespan.value();
  };
  EXPECT_LE(bound(Pipeline(kHandedOn, kHandedOn)), Nanos{37000});
  EXPECT_GE(bound(Pipeline(kHandedOn, kHandedOn)), Nanos{36000}) << "all but the copy that it may need";
  EXPECT_GT(bound(Pipeline("", "")), Nanos{37000});
}

TEST(HandedData, TheJudgeOfTracesKnowsIt) {
  const Scenario handed = Pipeline(kHandedOn, kHandedOn), apart = Pipeline("", "");
  const PolicySpec spec = PolicyByName("fcfs", handed, "test");
  const auto judge = [&](const Scenario& run, const Scenario& judged) {
    return JudgeRun(MakePolicy(spec, ProblemFor(spec, run)), spec, run, judged).violations.empty();
  };
  EXPECT_TRUE(judge(handed, handed));
  EXPECT_TRUE(judge(apart, apart));
  EXPECT_FALSE(judge(handed, apart)) << "what the second reads is never brought in";
  EXPECT_FALSE(judge(apart, handed)) << "what stays is brought back";
}

TEST(HandedData, BatchesThatFormAndWhatIsNoSwitchAreRefused) {
  const auto error = [](const std::string& data, const std::string& batching) {
    return ErrorOf([&] {
      const JsonScenario json{kCardAndCore,
                              kTimesOfPipeline,
                              {kProgram, kProgram, kProgram},
                              R"("streams": [
         {"name": "camera", "model": "m0.json", "count": 1, "arrival": {"type": "offline"})" +
                                  batching + R"(},
         {"name": "second", "model": "m1.json", "depends_on": {"stream": "camera", "data": )" +
                                  data + "}}]"};
      json.Read();
    });
  };
  EXPECT_NE(error("true", R"(, "batching": {"most": 4})")
                .find("/streams/1/depends_on/data: requests of stream \"camera\" are brought together"),
            std::string::npos)
      << error("true", R"(, "batching": {"most": 4})");
  EXPECT_NE(error("1", "").find("/streams/1/depends_on/data"), std::string::npos) << error("1", "");
}

}  // namespace
}  // namespace tandem
