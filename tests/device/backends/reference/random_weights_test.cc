// Do random weights keep every layer of every model of the zoo finite and alive?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "profiles/base/input_error.h"
#include "profiles/model/zoo.h"
#include "tests/support/device/reference_run.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

// A small input makes a test of milliseconds; a pool that only fits the usual input takes the whole plane
// instead.
Model Shrunk(const Model& model) {
  std::vector<LayerSpec> specs = model.Specs();
  for (LayerSpec& spec : specs) {
    if (spec.op == Op::kAvgPool) spec.attributes.As<PoolAttributes>().global = true;
  }
  for (const std::int64_t side : {32, 64, 96}) {
    specs[0].attributes = InputAttributes{{1, 3, side, side}};
    try {
      return Model::Build(model.name(), specs, model.name());
    } catch (const InputError&) {  // too small: a window does not fit
    }
  }
  throw InputError(model.name() + " cannot be made small");
}

struct Range {
  double most = 0, least = 0, alive = 0;  // alive: the share of numbers that are not zero
};

Range RangeOf(const Tensor& tensor) {
  Range range{tensor.values[0], tensor.values[0], 0};
  for (const float value : tensor.values) {
    if (!std::isfinite(value)) return {NAN, NAN, 0};
    range.most = std::max(range.most, static_cast<double>(value));
    range.least = std::min(range.least, static_cast<double>(value));
    range.alive += value != 0 ? 1.0 / static_cast<double>(tensor.values.size()) : 0;
  }
  return range;
}

class RandomWeightsOf : public testing::TestWithParam<std::string> {};

TEST_P(RandomWeightsOf, KeepEveryLayerFiniteAndAlive) {
  const Model model = Shrunk(FindInZoo(GetParam())->build());
  const Tensor input = Scattered(model.layer(model.Inputs()[0]).output);
  VisitReference(model, RandomWeights(model, 1), {input}, [&](LayerId id, const Tensor& output) {
    const Layer& layer = model.layer(id);
    const Range range = RangeOf(output);
    const double size = std::max(std::abs(range.most), std::abs(range.least));
    EXPECT_LT(size, 1000) << layer.name;  // false for NaN, too
    EXPECT_GT(size, 1e-4) << layer.name;
    EXPECT_GT(range.most - range.least, 0.01 * size) << layer.name << ": all numbers are alike";
    EXPECT_GT(range.alive, 0.1) << layer.name;
  });
}

std::vector<std::string> ZooNames() {
  std::vector<std::string> names;
  for (const ZooEntry& entry : Zoo()) names.push_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Zoo, RandomWeightsOf, testing::ValuesIn(ZooNames()),
                         [](const auto& zoo) { return zoo.param; });

Model TwoLayers(Op second) {
  return Model::Build("m",
                      {{"in", Op::kInput, InputAttributes{{1, 8}}, {}},
                       {"a", Op::kFc, FcAttributes{8}, {"in"}},
                       {"b", second, DefaultAttributes(second), {"a"}},
                       {"c", Op::kFc, FcAttributes{8}, {"b"}}},
                      "m");
}

TEST(RandomWeights, DependOnTheSeedAndTheLayersNameAlone) {
  const WeightKey a{"a", "weight"}, c{"c", "weight"};
  const Weights first = RandomWeights(TwoLayers(Op::kAbs), 1);
  EXPECT_EQ(first.at(a).values, RandomWeights(TwoLayers(Op::kAbs), 1).at(a).values);
  EXPECT_NE(first.at(a).values, RandomWeights(TwoLayers(Op::kAbs), 2).at(a).values);
  EXPECT_NE(first.at(a).values, first.at(c).values);
  EXPECT_EQ(first.at(c).values, RandomWeights(TwoLayers(Op::kNeg), 1).at(c).values);
}

// The first draws of seed 1 for layer "a", so that weights are the same on every machine and in every
// version.
TEST(RandomWeights, AreTheSameEverywhere) {
  const Weights weights = RandomWeights(TwoLayers(Op::kAbs), 1);
  const std::vector<float>& values = weights.at({"a", "weight"}).values;
  EXPECT_EQ(values[0], 0.00767355552f);
  EXPECT_EQ(values[1], -0.141167715f);
  EXPECT_EQ(values[63], 0.562313795f);
}

TEST(RandomWeights, ThatWouldTakeMoreThanIsMeantForThemAreRefusedBeforeTheyAreMade) {
  const Model model = Model::Build("m",
                                   {{"in", Op::kInput, InputAttributes{{1, 8}}, {}},
                                    {"small", Op::kFc, FcAttributes{8}, {"in"}},
                                    {"large", Op::kFc, FcAttributes{1 << 30}, {"small"}}},
                                   "m");
  const std::string refused = ErrorOf([&] { RandomWeights(model, 1); });
  EXPECT_NE(refused.find("model \"m\": its "), std::string::npos) << refused;
  EXPECT_NE(refused.find("of which layer \"large\" has the most"), std::string::npos) << refused;
  EXPECT_NE(refused.find("at most 8,192 MiB are made: give it a file with its weights"), std::string::npos)
      << refused;
}

TEST(RandomWeights, FitEveryRoleOfTheirLayer) {
  EXPECT_NO_THROW(CheckWeights(TwoLayers(Op::kPrelu), RandomWeights(TwoLayers(Op::kPrelu), 3), "w"));
}

}  // namespace
}  // namespace tandem
