// Are the parts of a cut model models of their own that give what the others read?
#include "sim/emit/segment_model.h"

#include <gtest/gtest.h>

#include "profiles/base/joined.h"
#include "profiles/model/model_builder.h"
#include "tests/support/json_scenario.h"

namespace tandem {
namespace {

using Names = std::vector<std::string>;

// in, a, b of a, c of a, d of b and c.
Model Diamond() {
  ModelBuilder net("diamond");
  net.Input("in", {1, 2, 4, 4});
  net.Conv("a", SquareConv(3, 1), "in");
  net.Relu("b", "a");
  net.Conv("c", SquareConv(3, 1), "a");
  net.Sum("d", "b", "c");
  return net.Build();
}

Names LayersOf(const Model& model) {
  Names names;
  for (const Layer& layer : model.layers()) names.push_back(layer.name);
  return names;
}

SegmentModel Part(const Model& model, const Names& names) {
  std::vector<LayerId> layers;
  for (const std::string& name : names) layers.push_back(model.Find(name));
  return SegmentModelOf(model, layers, "part");
}

TEST(SegmentModel, WhatIsReadInsideAndOutsideIsAnOutputToo) {
  const SegmentModel part = Part(Diamond(), {"a", "b"});
  EXPECT_EQ(part.inputs, Names({"in"}));
  EXPECT_EQ(part.outputs, Names({"b", "a"}));
  EXPECT_EQ(LayersOf(part.model), Names({"in", "a", "b", "a:out"}));
}

TEST(SegmentModel, ReadsWhatOthersMakeUnderItsName) {
  const Model whole = Diamond();
  const SegmentModel part = Part(whole, {"c", "d"});
  EXPECT_EQ(part.inputs, Names({"a", "b"}));
  EXPECT_EQ(part.outputs, Names({"d"}));
  EXPECT_EQ(part.model.layer(part.model.Find("a")).output, whole.layer(whole.Find("a")).output);
  EXPECT_EQ(part.model.totals().macs, 3 * 3 * 16);
}

TEST(SegmentModel, HasTheWeightsOfItsLayersAlone) {
  const Model whole = Diamond();
  const Weights weights = RandomWeights(whole, 1);
  const SegmentModel part = Part(whole, {"c", "d"});
  const Weights of_part = WeightsOf(part.model, weights);
  ASSERT_EQ(of_part.size(), 2U);
  EXPECT_EQ(of_part.begin()->second.values, weights.at({"c", "bias"}).values);
}

// A plan may leave out what costs nothing; the cut has it all the same.
TEST(LayersOfSegments, TakeInWhatACutLeavesOut) {
  const Scenario scenario =
      JsonScenario{
          R"("memories": [{"name": "m"}], "units": [{"name": "u", "kind": "cpu", "memory": "m"}])",
          R"("entries": [{"model": "./m0.json", "unit": "u", "layers": ["a"], "median_us": 1},
                                  {"model": "./m0.json", "unit": "u", "layers": ["c"], "median_us": 1}])",
          {R"([{"name": "in", "op": "input", "shape": [1, 2, 2, 2]},
                        {"name": "a", "op": "relu", "inputs": ["in"]}, {"name": "b", "op": "dropout", "inputs": ["a"]},
                        {"name": "c", "op": "relu", "inputs": ["b"]}, {"name": "d", "op": "identity", "inputs": ["c"]}])"},
          R"("streams": [{"name": "s", "model": "./m0.json", "count": 1, "arrival": {"type": "offline"}}])"}
          .Read();
  auto plan = std::make_shared<CutPlan>();
  const Model& model = *scenario.models[0].model;
  plan->cuts = {{ModelId(0), 1, {{{model.Find("a")}, {}}, {{model.Find("c")}, {}}}}};
  const Cuts cuts(scenario, Granularity::kLayer, plan);
  const auto layers = LayersOfSegments(cuts, cuts.cuts()[0]);
  const auto text = [&](const std::vector<LayerId>& of) {
    return Joined(of, " ", [&](LayerId layer) { return model.layer(layer).name; });
  };
  ASSERT_EQ(layers.size(), 2U);
  EXPECT_EQ(text(layers[0]), "a b");
  EXPECT_EQ(text(layers[1]), "c d");
}

}  // namespace
}  // namespace tandem
