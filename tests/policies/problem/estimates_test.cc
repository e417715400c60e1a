// Does a simulation say what it took for want of a measurement, and no more than that?
#include "policies/problem/estimates.h"

#include <gtest/gtest.h>

#include "tests/support/json_scenario.h"

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

}  // namespace
}  // namespace tandem
