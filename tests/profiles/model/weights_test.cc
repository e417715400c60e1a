// Do a model's weights fit it?
#include "profiles/model/weights.h"

#include <gtest/gtest.h>

#include <cmath>

#include "profiles/model/zoo.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

Model SmallModel() {
  return Model::Build("m",
                      {{"in", Op::kInput, InputAttributes{{1, 4, 6, 6}}, {}},
                       {"c", Op::kConv, ConvAttributes{6, {3, 2}, {}, {}, {}, 2}, {"in"}},
                       {"n", Op::kBatchNorm, BatchNormAttributes{}, {"c"}},
                       {"f", Op::kFc, FcAttributes{5, false}, {"n"}}},
                      "m");
}

// Of the right shapes, all zero.
Weights Fitting(const Model& model) {
  Weights weights;
  for (std::size_t i = 0; i < model.size(); ++i) {
    for (const auto& [role, shape] : WeightShapes(model, LayerId(i))) {
      weights[{model.layer(LayerId(i)).name, role}] = {
          shape, std::vector<float>(static_cast<std::size_t>(Elements(shape)))};
    }
  }
  return weights;
}

std::string Trouble(const Model& model, const Weights& weights) {
  return ErrorOf([&] { CheckWeights(model, weights, "w"); });
}

TEST(Weights, ShapesFollowFromTheLayer) {
  const Model model = SmallModel();
  using Roles = std::vector<std::pair<std::string, Shape>>;
  EXPECT_EQ(WeightShapes(model, LayerId(0)), (Roles{}));
  EXPECT_EQ(WeightShapes(model, LayerId(1)), (Roles{{"weight", {6, 2, 3, 2}}, {"bias", {6}}}));
  EXPECT_EQ(WeightShapes(model, LayerId(2)),
            (Roles{{"gamma", {6}}, {"beta", {6}}, {"mean", {6}}, {"variance", {6}}}));
  EXPECT_EQ(WeightShapes(model, LayerId(3)), (Roles{{"weight", {5, 120}}}));
}

TEST(Weights, TheirNumbersAreTheParamsAndStateOfEveryLayerOfTheZoo) {
  for (const ZooEntry& entry : Zoo()) {
    const Model model = entry.build();
    for (std::size_t i = 0; i < model.size(); ++i) {
      std::int64_t elements = 0;
      for (const auto& [role, shape] : WeightShapes(model, LayerId(i))) elements += Elements(shape);
      const Layer& layer = model.layer(LayerId(i));
      EXPECT_EQ(elements, layer.counts.params + layer.counts.state) << entry.name << " " << layer.name;
    }
  }
}

TEST(Weights, WhatIsMissingSuperfluousOrMisshapenIsNamed) {
  const Model model = SmallModel();
  Weights weights = Fitting(model);
  EXPECT_EQ(Trouble(model, weights), "no error");
  weights.erase({"n", "mean"});
  EXPECT_EQ(Trouble(model, weights), "w: the mean of layer \"n\" is missing");
  weights = Fitting(model);
  weights[{"f", "bias"}] = {{5}, std::vector<float>(5)};
  EXPECT_EQ(Trouble(model, weights), "w: the bias of layer \"f\" is more than its operation, fc, takes");
  weights = Fitting(model);
  weights[{"cc", "weight"}] = {{1}, {0}};
  EXPECT_EQ(Trouble(model, weights),
            "w: the weight of layer \"cc\" belongs to no layer of \"m\"; known: in, c, n, f");
  weights = Fitting(model);
  weights[{"c", "weight"}].shape = {6, 4, 3, 2};
  EXPECT_EQ(Trouble(model, weights),
            "w: the weight of layer \"c\" has the shape 6x4x3x2, its layer needs 6x2x3x2");
}

TEST(Weights, NoNumberIsRefusedWithItsPlace) {
  const Model model = SmallModel();
  Weights weights = Fitting(model);
  weights.at({"n", "gamma"}).values[2] = std::nanf("");
  EXPECT_EQ(Trouble(model, weights), "w: the gamma of layer \"n\" has NaN at position 2, which is no number");
}

}  // namespace
}  // namespace tandem
