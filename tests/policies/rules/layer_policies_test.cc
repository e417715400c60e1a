// Do `single`, `layer_type` and `dmda` decide by their rules, and say what does not fit?
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "policies/kinds/fifo_queue.h"
#include "tests/support/error_of.h"
#include "tests/support/json_scenario.h"
#include "tests/support/read_scenario.h"
#include "tests/support/run_policy.h"
#include "tests/support/small_scenario.h"
#include "tests/support/span_lines.h"

namespace tandem {
namespace {

using Lines = std::vector<std::string>;

const std::string kStream = R"("streams": [
    {"name": "a", "model": "mobilenet_v2", "count": 2, "arrival": {"type": "offline"}}])";
const std::string kBoth = R"("streams": [
    {"name": "a", "model": "mobilenet_v2", "count": 1, "arrival": {"type": "offline"}},
    {"name": "b", "model": "resnet50", "count": 1, "arrival": {"type": "offline"}}])";

TEST(Single, RunsEverythingOnOneUnit) {
  const Scenario scenario = ReadMini(kStream);
  for (const char* policy : {R"("single:cpu")", R"({"name": "single", "unit": "cpu"})"}) {
    EXPECT_EQ(SpansOf(scenario, policy), (Lines{"u0 compute #0 0-400000", "u0 compute #1 400000-800000"}));
  }
  // What the npu holds is open; now it holds what it is to run.
  EXPECT_EQ(SpansOf(scenario, R"("single:npu")").front(), "u2 compute #0 0-100000");
}

TEST(Single, IsCalledByItsShortForm) {
  const Scenario scenario = ReadMini(kStream + R"(, "policies": ["single:cpu", "single:gpu",
      {"name": "single", "unit": "npu"}])");
  EXPECT_EQ(scenario.policies[0].label, "single:cpu");
  EXPECT_EQ(scenario.policies[1].label, "single:gpu");
  EXPECT_EQ(scenario.policies[2].label, "single");
  EXPECT_EQ(PolicyJson(scenario.policies[0], scenario),
            R"({"name": "single", "label": "single:cpu", "granularity": "model", "unit": "cpu"})");
  EXPECT_EQ(PolicyByName("single:gpu", scenario, "--policy").label, "single:gpu");
}

TEST(Single, SaysWhatIsWrong) {
  const auto of = [](const std::string& policy, const std::string& streams = kStream) {
    return MiniProblem(streams + R"(, "policies": [)" + policy + "]");
  };
  EXPECT_EQ(of(R"("single")"),
            ":/policies/0: policy \"single\" wants to know the unit: \"single:UNIT\" for short; known: cpu, "
            "gpu, npu");
  EXPECT_EQ(of(R"("single:")"), ":/policies/0: unknown unit \"\"; known: cpu, gpu, npu");
  EXPECT_EQ(of(R"("single:gup")"), ":/policies/0: unknown unit \"gup\"; did you mean \"gpu\"?");
  EXPECT_EQ(of(R"({"name": "single", "unit": "gup"})"),
            ":/policies/0/unit: unknown unit \"gup\"; did you mean \"gpu\"?");
  EXPECT_EQ(of(R"("singel:gpu")"), ":/policies/0: unknown policy \"singel\"; did you mean \"single\"?");
  EXPECT_EQ(of(R"({"name": "single:gpu", "label": "the GPU"})"),
            ":/policies/0/name: in an object nothing stands behind a colon: \"name\": \"single\", \"unit\": "
            "\"gpu\"");
  EXPECT_EQ(of(R"({"name": "singel:gpu"})"),
            ":/policies/0/name: unknown policy \"singel:gpu\"; `tandem policies list` shows what there is");
  EXPECT_EQ(of(R"("fcfs:gpu")"), ":/policies/0: policy \"fcfs\" takes nothing behind a colon");
  EXPECT_EQ(of(R"("single:npu")", kBoth),
            ":/policies/0: unit \"npu\" cannot run model \"resnet50\": unit \"npu\" has no time for model "
            "\"resnet50\"");
  const Scenario scenario = ReadMini(kStream);
  EXPECT_EQ(ErrorOf([&] { PolicyByName("single:gup", scenario, "--policy"); }),
            "--policy: unknown unit \"gup\"; did you mean \"gpu\"?");
  EXPECT_EQ(
      ErrorOf([&] { PolicyByName("single", scenario, "--policy"); }),
      "--policy: policy \"single\" wants to know the unit: \"single:UNIT\" for short; known: cpu, gpu, npu");
}

TEST(Single, TheUnitHasToHoldWhatItRuns) {
  // The npu has times for both models and holds one of them.
  const Scenario scenario = ReadMini(R"("streams": [
      {"name": "a", "model": "mobilenet_v2", "count": 1, "arrival": {"type": "offline"}},
      {"name": "b", "model": "resnet18", "count": 1, "arrival": {"type": "offline"}}])");
  const std::string error = ErrorOf([&] { RunPolicy(scenario, R"("single:npu")"); });
  EXPECT_NE(
      error.find("policy \"single:npu\": unit \"npu\" cannot hold model \"resnet18\" beside the others"),
      std::string::npos)
      << error;
}

TEST(Single, IsTriedOnEveryUnitByASearch) {
  const Scenario scenario = ReadMini(kStream);
  EXPECT_EQ(FindPolicy("single")->variants(scenario),
            (Lines{R"("single:cpu")", R"("single:gpu")", R"("single:npu")"}));
}

// Times of its three layers on a gpu and two cpus.
const std::string kNet = R"([{"name": "in", "op": "input", "shape": [1, 1, 8, 8]},
    {"name": "c", "op": "conv", "inputs": ["in"], "out_channels": 2, "kernel": [3, 3]},
    {"name": "r", "op": "relu", "inputs": ["c"]},
    {"name": "f", "op": "fc", "inputs": ["r"], "out_features": 5}])";

std::string TimesOn(const std::string& unit, int c, int r, int f) {
  std::string entries;
  const auto add = [&](const char* layer, int us) {
    if (us < 0) return;
    entries += std::string(R"(, {"model": "m0.json", "unit": ")") + unit + R"(", "layers": [")" + layer +
               R"("], "median_us": )" + std::to_string(us) + "}";
  };
  add("c", c);
  add("r", r);
  add("f", f);
  return entries.substr(2);
}

JsonScenario BoardOf(const std::string& entries, const std::string& streams) {
  return {R"("memories": [{"name": "dram"}],
             "units": [{"name": "gpu", "kind": "gpu", "memory": "dram"}, {"name": "cpu0", "kind": "cpu", "memory": "dram"},
                       {"name": "cpu1", "kind": "cpu", "memory": "dram"}])",
          R"("entries": [)" + entries + "]",
          {kNet},
          streams};
}

std::string Offline(int count) {
  return R"("streams": [{"name": "s", "model": "m0.json", "count": )" + std::to_string(count) +
         R"(, "arrival": {"type": "offline"}}])";
}

TEST(LayerType, SendsConvolutionsToTheGpuAndTheRestToTheCpus) {
  const Scenario scenario =
      BoardOf(TimesOn("gpu", 10, 1, 1) + "," + TimesOn("cpu0", 1, 4, 8) + "," + TimesOn("cpu1", 1, 4, 8),
              Offline(3))
          .Read();
  const Lines expected = {
      "u0 compute #0 0-10000",     "u1 compute #0 10000-14000", "u0 compute #1 10000-20000",
      "u1 compute #0 14000-22000", "u2 compute #1 20000-24000", "u0 compute #2 20000-30000",
      "u1 compute #1 24000-32000", "u2 compute #2 30000-34000", "u1 compute #2 34000-42000"};
  EXPECT_EQ(SpansOf(scenario, R"("layer_type")"), expected);  // by layer unless it is said
  EXPECT_EQ(SpansOf(scenario, R"({"name": "layer_type", "map": {"c?nv": ["gpu"], "*": ["cpu0", "cpu1"]}})"),
            expected);
}

// A whole model is as heavy as its heaviest layer.
TEST(LayerType, AWholeModelIsAConvolutionWhereItHasOne) {
  const Scenario scenario =
      BoardOf(TimesOn("gpu", 10, 1, 1) + "," + TimesOn("cpu0", 1, 1, 1), Offline(1)).Read();
  EXPECT_EQ(SpansOf(scenario, R"({"name": "layer_type", "granularity": "model"})"),
            (Lines{"u0 compute #0 0-12000"}));
}

TEST(LayerType, AGroupIsFullyConnectedWhereItHasNoConvolution) {
  const std::string group = R"({"model": "m0.json", "unit": "cpu1", "layers": ["r", "f"], "median_us": 5})";
  const Scenario scenario = BoardOf(TimesOn("gpu", 10, 1, 1) + "," + group, Offline(1)).Read();
  EXPECT_EQ(SpansOf(scenario, R"({"name": "layer_type", "granularity": "group",
                              "map": {"relu": ["gpu"], "fc": ["cpu1"], "*": ["gpu"]}})"),
            (Lines{"u0 compute #0 0-10000", "u2 compute #0 10000-15000"}));
}

TEST(LayerType, AUnitOfTheSetThatCannotRunALayerIsPassedOver) {
  const Scenario scenario =
      BoardOf(TimesOn("gpu", 10, 1, 1) + "," + TimesOn("cpu0", 1, -1, 8) + "," + TimesOn("cpu1", 1, 4, 8),
              Offline(1))
          .Read();
  EXPECT_EQ(SpansOf(scenario, R"("layer_type")"),
            (Lines{"u0 compute #0 0-10000", "u2 compute #0 10000-14000", "u1 compute #0 14000-22000"}));
}

// One queue: what became ready first comes first, whatever request it is of.
TEST(LayerType, QueuesByTheTimeOfReadinessOrOtherwise) {
  const std::string two = R"("streams": [
      {"name": "a", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}},
      {"name": "b", "model": "m0.json", "count": 2, "arrival": {"type": "periodic", "period_us": 3, "phase_us": 5}}])";
  const Scenario scenario = BoardOf(TimesOn("cpu0", 10, 20, 1), two).Read();
  const auto order = [&](const std::string& queue) {
    std::string indices;
    for (const std::string& line :
         SpansOf(scenario, R"({"name": "layer_type", "map": {"*": ["cpu0"]}, "queue": ")" + queue + "\"}")) {
      indices += line.substr(line.rfind('-') + 1) + " ";
    }
    return indices;
  };
  // a.c at 0, then b0.c, b1.c (5, 8), a.r (10), b0.r (20), b1.r (30), a.f (50), ...
  EXPECT_EQ(order("fifo"), "10000 20000 30000 50000 70000 90000 91000 92000 93000 ");
  // All of a, then of b0, then of b1.
  EXPECT_EQ(order("task_order"), "10000 30000 31000 41000 61000 62000 72000 92000 93000 ");
  // The shortest first: fully connected, convolutions, the others.
  EXPECT_EQ(order("sjf"), "10000 20000 30000 50000 51000 71000 72000 92000 93000 ");
}

TEST(LayerType, SaysWhatIsWrong) {
  const auto of = [](const std::string& keys) {
    return MiniProblem(kStream + R"(, "policies": [{"name": "layer_type", "granularity": "model", )" + keys +
                       "}]");
  };
  EXPECT_EQ(of(R"("map": {"convv": ["gpu"]})"),
            ":/policies/0/map/convv: no type of layer matches \"convv\"; did you mean \"conv\"?");
  EXPECT_EQ(of(R"("map": {"*": []})"), ":/policies/0/map/*: a set of units must not be empty");
  EXPECT_EQ(of(R"("map": {"*": ["gup"]})"),
            ":/policies/0/map/*/0: unknown unit \"gup\"; did you mean \"gpu\"?");
  EXPECT_EQ(of(R"("map": {"*": ["gpu", "cpu", "gpu"]})"),
            ":/policies/0/map/*/2: unit \"gpu\" is in this set already");
  EXPECT_EQ(of(R"("queue": "fiffo")"), ":/policies/0/queue: unknown queue \"fiffo\"; did you mean \"fifo\"?");
  const Scenario scenario =
      BoardOf(TimesOn("gpu", 10, 1, -1) + "," + TimesOn("cpu0", 1, -1, 1), Offline(1)).Read();
  const auto run = [&](const std::string& keys) {
    const std::string error = ErrorOf([&] { RunPolicy(scenario, R"({"name": "layer_type")" + keys + "}"); });
    return error.substr(error.find(": ") + 2);
  };
  EXPECT_EQ(
      run(""),
      "policy \"layer_type\": none of the units for layers of type relu (\"cpu0\", \"cpu1\") can run layer "
      "\"r\" of model \"m0.json\"");
  EXPECT_EQ(run(R"(, "map": {"conv": ["gpu"], "fc": ["cpu0"]})"),
            "policy \"layer_type\": no pattern of \"map\" matches type relu of layer \"r\"; \"*\" matches "
            "everything");
}

TEST(LayerType, WithoutAMapNeedsUnitsOfBothKinds) {
  SmallScenario board({1, 1});
  board.AddStream(board.AddModel({{1, 1}}), 1);
  Scenario scenario = board.Build();
  EXPECT_EQ(SpansOf(scenario, R"("layer_type")").size(), 1U);  // there is no convolution
  for (Unit& unit : scenario.platform->units) unit.kind = UnitKind::kGpu;
  EXPECT_EQ(
      ErrorOf([&] { RunPolicy(scenario, R"("layer_type")"); }),
      "small: policy \"layer_type\": the platform has no unit of kind cpu for layer \"l0\" of type relu; "
      "\"map\" says which units take which types of layers");
}

TEST(FifoQueue, KeepsTaskOrderWithinAnInstantAndForgetsWhatIsRemoved) {
  FifoQueue queue(1, {{1}});
  const auto task = [](std::int32_t index) { return Task{Nanos{0}, index, -1, StreamId(0), SegmentId(0)}; };
  for (const std::int32_t index : {3, 1, 2}) queue.Add(task(index), Nanos{5});
  queue.Add(task(0), Nanos{6});
  queue.Remove(task(2));
  std::string order;
  for (Task taken; queue.Take(UnitId(0), taken);) order += std::to_string(taken.index);
  EXPECT_EQ(order, "130");
}

// 256 elements in fp32: a microsecond over the link.
const std::string kFork = R"([{"name": "in", "op": "input", "shape": [1, 1, 16, 16]},
    {"name": "a", "op": "relu", "inputs": ["in"]}, {"name": "b", "op": "tanh", "inputs": ["a"]},
    {"name": "c", "op": "sigmoid", "inputs": ["a"]}, {"name": "d", "op": "add", "inputs": ["a", "c"]}])";

const std::string kChain = R"([{"name": "in", "op": "input", "shape": [1, 1, 16, 16]},
    {"name": "a", "op": "relu", "inputs": ["in"]}, {"name": "b", "op": "tanh", "inputs": ["a"]}])";
const std::string kTwoReaders = R"([{"name": "in", "op": "input", "shape": [1, 1, 16, 16]},
    {"name": "a", "op": "relu", "inputs": ["in"]}, {"name": "b", "op": "tanh", "inputs": ["a"]},
    {"name": "c", "op": "sigmoid", "inputs": ["a"]}])";

JsonScenario TwoMemories(const std::vector<std::array<int, 4>>& times, const std::string& units) {
  std::string entries;
  for (std::size_t u = 0; u < times.size(); ++u) {
    for (std::size_t l = 0; l < 4; ++l) {
      if (times[u][l] < 0) continue;
      entries += std::string(entries.empty() ? "" : ", ") + R"({"model": "m0.json", "unit": "u)" +
                 std::to_string(u) + R"(", "layers": [")" + "abcd"[l] + R"("], "median_us": )" +
                 std::to_string(times[u][l]) + "}";
    }
  }
  return {R"("memories": [{"name": "dram"}, {"name": "vram"}],
             "links": [{"from": "dram", "to": "vram", "latency_us": 0, "bandwidth_bytes_per_s": 1024000000}],
             "units": [)" +
              units + "]",
          R"("entries": [)" + entries + "]",
          {kFork},
          Offline(1)};
}

const std::string kDram = R"({"name": "u0", "kind": "cpu", "memory": "dram"})";
const std::string kVram = R"({"name": "u1", "kind": "gpu", "memory": "vram"})";

// b is quicker on u1, by less than its copies take; eft does not see that.
TEST(Dmda, StaysWhereTheDataIs) {
  JsonScenario json = TwoMemories({{{4, 20, -1, -1}}, {{100, 19, -1, -1}}}, kDram + "," + kVram);
  json.models = {kChain};
  const Scenario scenario = json.Read();
  EXPECT_EQ(SpansOf(scenario, R"({"name": "dmda", "granularity": "layer"})"),
            (Lines{"u0 compute #0 0-4000", "u0 compute #0 4000-24000"}));
  EXPECT_EQ(SpansOf(scenario, R"({"name": "eft", "granularity": "layer"})").back(),
            "u1 transfer #0 24000-25000");
}

// What b brings to u1 is there for c: of two readers only the first one's copy counts.
TEST(Dmda, WhatIsOnItsWayCostsNothingMore) {
  const auto first_of_c = [](int c_on_u0) {
    const Scenario scenario =
        TwoMemories({{{4, -1, c_on_u0, 50}}, {{-1, 5, 5, -1}}}, kDram + "," + kVram).Read();
    const Lines lines = SpansOf(scenario, R"({"name": "dmda", "granularity": "layer"})");
    const auto ends = [&](const std::string& line) {
      return std::find(lines.begin(), lines.end(), line) != lines.end();
    };
    // On u1 c follows b: 4 + 1 (copy) + 5 + 1 (b's output back) + 5.
    return ends("u1 compute #0 11000-16000")                                   ? "u1"
           : ends("u0 compute #0 4000-" + std::to_string(4 + c_on_u0) + "000") ? "u0"
                                                                               : "?";
  };
  EXPECT_STREQ(first_of_c(11), "u0");  // 4 + 11: one less than on u1
  EXPECT_STREQ(first_of_c(12), "u0");  // as early: the first unit
  EXPECT_STREQ(first_of_c(13), "u1");  // with a copy of its own it would come after 17
}

TEST(Dmda, CountsWhatWaitsAndWhatRuns) {
  SmallScenario board({1, 1});
  board.AddStream(board.AddModel({{10, 25}}), 4);
  EXPECT_EQ(SpansOf(board.Build(), R"("dmda")"),
            (Lines{"u0 compute #0 0-10000", "u0 compute #1 10000-20000", "u1 compute #2 0-25000",
                   "u0 compute #3 20000-30000"}));
}

// y's a ends first and its b runs; x, which comes first in task order, joins when c of y has its input there.
TEST(Dmda, SortedTakesTheTaskWithTheMostInputsThere) {
  const std::string slots = R"({"name": "u0", "kind": "cpu", "memory": "dram", "slots": 2})";
  JsonScenario json = TwoMemories({{{5, -1, -1, -1}}, {{-1, 20, 20, -1}}}, slots + "," + kVram);
  json.models = {kTwoReaders, kTwoReaders};
  json.profile.insert(json.profile.size() - 1,
                      R"(, {"model": "m1.json", "unit": "u0", "layers": ["a"], "median_us": 1},
      {"model": "m1.json", "unit": "u1", "layers": ["b"], "median_us": 10},
      {"model": "m1.json", "unit": "u1", "layers": ["c"], "median_us": 10})");
  json.scenario =
      R"("streams": [{"name": "x", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}},
                                 {"name": "y", "model": "m1.json", "count": 1, "arrival": {"type": "offline"}}])";
  const Scenario scenario = json.Read();
  const auto work = [&](const std::string& sorted) {
    Lines lines = SpansOf(scenario, R"({"name": "dmda", "granularity": "layer", "sorted": )" + sorted + "}");
    std::erase_if(lines, [](const std::string& line) { return !line.starts_with("u1 compute"); });
    return lines;
  };
  EXPECT_EQ(work("false"), (Lines{"u1 compute #0 2000-12000", "u1 compute #0 14000-34000",
                                  "u1 compute #0 35000-55000", "u1 compute #0 56000-66000"}));
  EXPECT_EQ(work("true"), (Lines{"u1 compute #0 2000-12000", "u1 compute #0 13000-23000",
                                 "u1 compute #0 25000-45000", "u1 compute #0 46000-66000"}));
}

TEST(Dmda, SaysWhatIsWrong) {
  EXPECT_EQ(MiniProblem(kStream + R"(, "policies": [{"name": "dmda", "sorted": 1}])"),
            ":/policies/0/sorted: expected true or false, found 1");
}

}  // namespace
}  // namespace tandem
