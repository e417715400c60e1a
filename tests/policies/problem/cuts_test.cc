// Does every way to cut a model keep all of its layers, once each, in an order in which they can run?
#include <gtest/gtest.h>

#include <set>

#include "policies/problem/cut_model.h"
#include "profiles/program/shipped.h"
#include "tests/support/run_policy.h"

namespace tandem {
namespace {

Scenario Shipped(std::string_view name) {
  return ReadScenarioFile(FindFile(name, "", "scenarios", ".scenario.json"));
}

void ExpectWhole(const Model& model, const CutSegments& made) {
  if (made.segments.size() == 1) {
    EXPECT_TRUE(made.segments[0].layers.empty());
    return;
  }
  std::set<LayerId> seen;
  for (const Segment& segment : made.segments) {
    EXPECT_FALSE(segment.layers.empty());
    for (const LayerId layer : segment.layers) EXPECT_TRUE(seen.insert(layer).second);
  }
  EXPECT_EQ(seen.size() + model.Inputs().size(), model.size());
}

void ExpectOrdered(const CutSegments& made) {
  std::vector<std::int32_t> fed(made.segments.size());
  for (std::size_t s = 0; s < made.segments.size(); ++s) {
    for (const SegmentId next : made.segments[s].feeds) {
      EXPECT_GT(next.index(), s);
      ++fed[next.index()];
    }
  }
  std::vector<SegmentId> sources;
  for (std::size_t s = 0; s < made.segments.size(); ++s) {
    EXPECT_EQ(fed[s], made.segments[s].waits_for);
    if (fed[s] == 0) sources.emplace_back(s);
  }
  EXPECT_EQ(made.cut.sources, sources);
}

void ExpectTensorsMatch(const Model& model, const CutSegments& made) {
  std::size_t leaving = 0;
  for (std::size_t t = 0; t < made.cut.tensors.size(); ++t) {
    const CutTensor& tensor = made.cut.tensors[t];
    EXPECT_GT(tensor.elements, 0);
    leaving += tensor.leaves ? 1 : 0;
    for (const SegmentId reader : tensor.consumers) {
      const auto& reads = made.segments[reader.index()].reads;
      EXPECT_EQ(std::count(reads.begin(), reads.end(), static_cast<std::int32_t>(t)), 1);
      EXPECT_NE(reader, tensor.producer);
    }
  }
  EXPECT_EQ(leaving, model.Outputs().size());
}

class EachScenariosCuts : public testing::TestWithParam<std::string> {};

TEST_P(EachScenariosCuts, KeepEveryLayerOnceInOrder) {
  const Scenario scenario = Shipped(GetParam());
  for (const auto& [name, granularity] : kGranularityNames) {
    for (std::size_t m = 0; m < scenario.models.size(); ++m) {
      SCOPED_TRACE(std::string(name) + " of " + scenario.models[m].name);
      const CutSegments made = CutModel(scenario, ModelId(m), 1, granularity);
      ExpectWhole(*scenario.models[m].model, made);
      ExpectOrdered(made);
      ExpectTensorsMatch(*scenario.models[m].model, made);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, EachScenariosCuts,
                         testing::Values("study-000-b", "study-001", "study-002", "study-003", "study-004"),
                         [](const auto& name) {
                           std::string text = name.param;
                           std::replace(text.begin(), text.end(), '-', '_');
                           return text;
                         });

TEST(Cuts, LayersAreFinerThanGroupsAndGroupsThanModels) {
  const Scenario scenario = Shipped("study-002");
  const auto count = [&](Granularity g) { return CutModel(scenario, ModelId(0), 1, g).segments.size(); };
  EXPECT_EQ(count(Granularity::kModel), 1U);
  EXPECT_GE(count(Granularity::kGroup), count(Granularity::kModel));
  EXPECT_GT(count(Granularity::kLayer), 100U);
  EXPECT_LT(count(Granularity::kLayer), scenario.models[0].model->size());  // dropout goes with its neighbour
}

TEST(Cuts, ASingleRequestByLayerTakesAsLongAsTheModelWhereOneUnitIsTheBest) {
  const Scenario scenario = Shipped("study-002-zero-copy");
  const Outcome whole = RunPolicy(scenario, R"({"name": "eft"})");
  const Outcome layers = RunPolicy(scenario, R"({"name": "eft", "granularity": "layer"})");
  EXPECT_EQ(layers.streams[0].completed(), 100);
  EXPECT_LE(layers.makespan(), whole.makespan());
}

}  // namespace
}  // namespace tandem
