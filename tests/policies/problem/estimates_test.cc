// Does a simulation say what it took for want of a measurement, and no more than that?
#include "policies/problem/estimates.h"

#include <gtest/gtest.h>

#include "tests/support/json_scenario.h"
#include "tests/support/scenario_in_place.h"

namespace tandem {
namespace {

using Sentences = std::vector<std::string>;

constexpr const char* kModel = R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]},
                                   {"name": "a", "op": "relu", "inputs": ["in"]},
                                   {"name": "b", "op": "tanh", "inputs": ["a"]}])";

// Two models on two units; u1 is loaded. `slowdowns`: the profile's "background"; `more`: of the scenario.
Sentences EstimatesWith(const std::string& slowdowns, const std::string& background,
                        Granularity granularity = Granularity::kModel) {
  const std::string entry = R"(", "unit": "u1", "layers": ["a"], "median_us": 1}, )";
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "cpu", "memory": "dram"},
                                                    {"name": "u1", "kind": "cpu", "memory": "dram"}])",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 9},
                     {"model": "m1.json", "unit": "u0", "layers": "*", "median_us": 9},
                     {"model": "m0.json)" +
          entry + R"({"model": "m0.json", "unit": "u1", "layers": ["b"], "median_us": 1},
                     {"model": "m1.json)" +
          entry + R"({"model": "m1.json", "unit": "u1", "layers": ["b"], "median_us": 1}],
         "background": [)" +
          slowdowns + "]",
      {kModel, kModel},
      R"("transfer": "none", "background": [)" + background + R"(],
         "streams": [{"name": "s", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}},
                     {"name": "t", "model": "m1.json", "count": 1, "arrival": {"type": "offline"}}])"};
  const Scenario scenario = json.Read();
  return EstimatesOf(Problem(scenario, granularity));
}

constexpr const char* kLoaded = R"({"unit": "u1", "load_pct": 40})";

TEST(Estimates, ALoadWithoutMeasuredSlowdownsIsOne) {
  EXPECT_EQ(
      EstimatesWith("", kLoaded),
      Sentences{"unit \"u1\" under a load of 40 %: no profile has a measured slowdown, taken is 1.667 = "
                "1 / (1 - load)"});
  EXPECT_EQ(EstimatesWith(R"({"unit": "u1", "load_pct": 60, "slowdown": 3},
                             {"unit": "u0", "load_pct": 40, "slowdown": 3})",
                          kLoaded)
                .size(),
            1u)
      << "that is another load, and another unit";
}

TEST(Estimates, NothingIsSaidOfWhatIsMeasuredOrNotThere) {
  EXPECT_EQ(EstimatesWith("", ""), Sentences{});
  EXPECT_EQ(EstimatesWith("", R"({"unit": "u1", "load_pct": 0})"), Sentences{});
  EXPECT_EQ(EstimatesWith(R"({"unit": "u1", "load_pct": 40, "slowdown": 1.5})", kLoaded), Sentences{});
}

TEST(Estimates, ModelsWithoutAMeasuredSlowdownAreNamed) {
  EXPECT_EQ(EstimatesWith(R"({"unit": "u1", "load_pct": 40, "model": "m0.json", "slowdown": 1.5})", kLoaded),
            Sentences{"unit \"u1\" under a load of 40 %: for model \"m1.json\" no profile has a measured "
                      "slowdown, taken is 1.667 = 1 / (1 - load)"});
}

TEST(Estimates, ALayersSlowdownIsNotTheModels) {
  const std::string layers =
      R"({"unit": "u1", "load_pct": 40, "model": "m0.json", "layers": ["a"], "slowdown": 2},
                                {"unit": "u1", "load_pct": 40, "model": "m1.json", "slowdown": 2})";
  EXPECT_EQ(EstimatesWith(layers, kLoaded, Granularity::kLayer).size(), 1u) << "layer b is without";
  EXPECT_EQ(EstimatesWith(layers, kLoaded, Granularity::kModel).size(), 1u);
  EXPECT_EQ(EstimatesWith(R"({"unit": "u1", "load_pct": 40, "model": "m0.json", "slowdown": 2}, )" + layers,
                          kLoaded, Granularity::kLayer),
            Sentences{});
}

TEST(Estimates, WhatAProgramCostsIsNotKnown) {
  EXPECT_EQ(EstimatesWith("", R"({"command": ["stress", "-c", "1"]}, {"command": ["stress"]})"),
            Sentences{"background: what the program \"stress\" costs is not known and counts nothing"});
}

TEST(KeptWhole, AreModelsThatCouldBeSplitAndHaveNoTimesOfParts) {
  const auto kept = [](const std::string& layers) {
    const JsonScenario json{
        R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}])",
        R"("entries": [{"model": "m0.json", "unit": "u0", "layers": )" + layers + R"(, "median_us": 8}])",
        {R"([{"name": "in", "op": "input", "shape": [1, 4, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"},
        R"("streams": [{"name": "s", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}}])"};
    const Scenario scenario = json.Read();
    return KeptWhole(Problem(scenario, Granularity::kModel));
  };
  EXPECT_EQ(
      kept(R"("*")"),
      Sentences{"unit \"u0\": model \"m0.json\" is kept whole, no profile has a time of anything but the "
                "whole model"});
  EXPECT_EQ(kept(R"(["a"])"), Sentences());
}

TEST(Estimates, PartsWithoutATimeOfTheirOwnAreSome) {
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}])",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": ["a"], "median_us": 8},
                     {"model": "m0.json", "unit": "u0", "layers": ["b"], "median_us": 8}])",
      {R"([{"name": "in", "op": "input", "shape": [1, 4, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]},
           {"name": "b", "op": "tanh", "inputs": ["a"]}])"},
      R"("streams": [{"name": "s", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}}])"};
  const Scenario scenario = json.Read();
  EXPECT_EQ(EstimatesOf(Problem(scenario, Granularity::kLayer)), Sentences());
  auto cuts = std::make_shared<CutPlan>();
  const LayerId a(std::size_t{1}), b(std::size_t{2});
  const LayerPart first{SplitAxis::kChannels, 0, 2}, second{SplitAxis::kChannels, 2, 4};
  cuts->cuts.push_back({ModelId(0), 1, {{{a}, first}, {{a}, second}, {{b}, std::nullopt}}});
  EXPECT_EQ(EstimatesOf(Problem(scenario, Granularity::kLayer, cuts)),
            Sentences{"unit \"u0\": parts of layers of model \"m0.json\" of which no profile has a time take "
                      "their share of the whole layer's"});
}

const std::string kPublished = R"("kind": "published", "source": "a sheet")";

// Units of one memory that run alexnet and squeezenet_1_1, all of which worked unless `worked` says
// otherwise.
Sentences TakenAsNone(const std::vector<std::string>& units, const std::string& slowdowns = "",
                      const std::string& origin = "", std::vector<char> worked = {}) {
  InPlace board;
  board.units = board.profile = "";
  if (!origin.empty()) board.origin = origin;
  for (const std::string& unit : units) {
    board.units +=
        (board.units.empty() ? "" : ", ") + (R"({"name": ")" + unit) + R"(", "kind": "cpu", "memory": "m"})";
    for (const std::string model : {"alexnet", "squeezenet_1_1"}) {
      board.profile += (board.profile.empty() ? "" : ", ") + (R"({"model": ")" + model) + R"(", "unit": ")" +
                       unit + R"(", "layers": "*", "median_us": 9})";
    }
  }
  board.profile = R"("entries": [)" + board.profile + "]" + slowdowns;
  board.streams = R"({"name": "a", "model": "alexnet", "count": 9, "arrival": {"type": "offline"}},
                     {"name": "s", "model": "squeezenet_1_1", "count": 9, "arrival": {"type": "offline"}})";
  const Scenario scenario = board.Read();
  if (worked.empty()) worked.assign(units.size(), 1);
  return SlowdownsTakenAsNone(Problem(scenario, Granularity::kModel), worked);
}

TEST(UnstableTimes, AreNamedWhereTheirUnitWorked) {
  const auto said = [](const std::string& cpu, const std::string& gpu, const std::vector<char>& worked) {
    InPlace board;
    board.units =
        R"({"name": "cpu", "kind": "cpu", "memory": "m"}, {"name": "gpu", "kind": "gpu", "memory": "n"})";
    board.profile = R"("entries": [)" + EntryOf("cpu", R"("samples_us": [10, 30, 90])" + cpu) + ", " +
                    EntryOf("gpu", R"("samples_us": [10, 30, 90])" + gpu) + "]";
    const Scenario scenario = board.Read();
    return UnstableTimes(Problem(scenario, Granularity::kModel), worked);
  };
  const std::string unstable = R"(, "unstable": true)";
  EXPECT_EQ(said("", "", {1, 1}), "");
  EXPECT_EQ(said(unstable, "", {0, 1}), "") << "it did nothing";
  EXPECT_EQ(
      said(unstable, "", {1, 1}),
      "samples of \"alexnet\" on \"cpu\" did not come together (unstable): their times are taken all the "
      "same");
  EXPECT_EQ(said(unstable, unstable, {1, 1}),
            "samples of \"alexnet\" on \"cpu\", \"alexnet\" on \"gpu\" did not come together (unstable): "
            "their times are taken all the same");
}

TEST(SlowdownsTakenAsNone, AreSaidOfMeasuredUnitsThatNobodyMeasuredBesideEachOther) {
  EXPECT_EQ(TakenAsNone({"cpu", "gpu"}),
            Sentences{"units \"cpu\" and \"gpu\" share a memory, and no profile says what they cost each "
                      "other: taken is nothing"});
  EXPECT_EQ(TakenAsNone({"cpu", "gpu"}, "", "", {1, 0}), Sentences()) << "one of them did nothing";
  EXPECT_EQ(TakenAsNone({"cpu", "gpu"}, "", kPublished), Sentences()) << "nobody measured anything";
}

TEST(SlowdownsTakenAsNone, AreOneSentenceOfHoweverManyUnits) {
  const Sentences said = TakenAsNone({"a", "b", "c", "d"});
  EXPECT_EQ(said,
            Sentences{"units \"a\" and \"b\", \"a\" and \"c\", \"a\" and \"d\" and 3 other pairs share a "
                      "memory, and no profile says what they cost each other: taken is nothing"});
}

TEST(SlowdownsTakenAsNone, AreSaidWhereOtherPairsOfUnitsAreKnownWhoeverPublishedThem) {
  const std::string known = R"(, "co_running": [{"unit": "cpu", "beside": "gpu", "slowdown": 1.2},
                                                {"unit": "gpu", "beside": "cpu", "slowdown": 1.1}])";
  EXPECT_EQ(TakenAsNone({"cpu", "gpu"}, known, kPublished), Sentences());
  EXPECT_EQ(
      TakenAsNone({"cpu", "gpu", "npu"}, known, kPublished),
      Sentences{"units \"cpu\" and \"npu\", \"gpu\" and \"npu\" share a memory, and no profile says what "
                "they cost each other: taken is nothing"});
}

TEST(SlowdownsTakenAsNone, NameTheModelsThatAreMissingAmongThoseThatWereMeasured) {
  const std::string some = R"(, "co_running": [
      {"unit": "cpu", "model": "alexnet", "beside": "gpu", "beside_model": "alexnet", "slowdown": 1.2},
      {"unit": "cpu", "model": "squeezenet_1_1", "beside": "gpu", "slowdown": 1},
      {"unit": "gpu", "beside": "cpu", "slowdown": 1.1}])";
  EXPECT_EQ(
      TakenAsNone({"cpu", "gpu"}, some),
      Sentences{"no profile has a slowdown of \"alexnet\" on \"cpu\" beside \"squeezenet_1_1\" on \"gpu\": "
                "taken is none"});
  const Sentences one_way = TakenAsNone({"cpu", "gpu"}, R"(, "co_running": [
      {"unit": "gpu", "beside": "cpu", "slowdown": 1.1}])");
  ASSERT_EQ(one_way.size(), 1u);
  EXPECT_NE(one_way[0].find("and 1 other pair: taken is none"), std::string::npos) << one_way[0];
}

TEST(SlowdownsTakenAsNone, AreNoneOfACurveAndTrafficThatIsKnown) {
  const std::string curves = R"(, "co_running": [
      {"unit": "cpu", "beside": "gpu", "beside_traffic_bytes_per_s": 1e9, "slowdown": 1.2},
      {"unit": "gpu", "beside": "cpu", "beside_traffic_bytes_per_s": 1e9, "slowdown": 1.2}], "traffic": [
      {"model": "alexnet", "unit": "cpu", "bytes_per_s": 1e9}, {"model": "alexnet", "unit": "gpu", "bytes_per_s": 1e9},
      {"model": "squeezenet_1_1", "unit": "cpu", "bytes_per_s": 1e9})";
  EXPECT_EQ(TakenAsNone({"cpu", "gpu"},
                        curves + R"(, {"model": "squeezenet_1_1", "unit": "gpu", "bytes_per_s": 1e9}])"),
            Sentences());
  EXPECT_EQ(
      TakenAsNone({"cpu", "gpu"}, curves + "]"),
      Sentences{"no profile has a slowdown of \"alexnet\" on \"cpu\" beside \"squeezenet_1_1\" on \"gpu\", "
                "\"squeezenet_1_1\" on \"cpu\" beside \"squeezenet_1_1\" on \"gpu\": taken is none"});
}

}  // namespace
}  // namespace tandem
