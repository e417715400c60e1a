// Do the fast loops on plain tensors compute what the reference does, for every operation, shape and size?
#include "device/backends/cpu/loops/ops.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/device/operation_cases.h"
#include "tests/support/device/random_layer.h"
#include "tests/support/device/reference_run.h"

namespace tandem {
namespace {

constexpr double kMostError = 1e-5;

double RelativeError(const std::vector<float>& computed, const std::vector<float>& expected) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double distance = static_cast<double>(computed[i]) - static_cast<double>(expected[i]);
    difference += distance * distance;
    norm += static_cast<double>(expected[i]) * static_cast<double>(expected[i]);
  }
  return std::sqrt(difference) / std::max(std::sqrt(norm), 1e-30);
}

// Twice: what the first run leaves behind must not show in the second.
double ErrorOf(const Model& model, const Weights& weights, const std::vector<Tensor>& inputs) {
  const Layer& layer = model.layers().back();
  std::vector<Shape> shapes;
  std::vector<const float*> values;
  std::vector<const Tensor*> tensors;
  for (const LayerId id : layer.inputs) {
    const Tensor& input = inputs[id.index()];
    shapes.push_back(input.shape);
    values.push_back(input.values.data());
    tensors.push_back(&input);
  }
  const Tensor expected = RunReferenceLayer(layer, weights, tensors);
  const PlainKernel kernel = MakePlainKernel(layer, weights, shapes);
  double worst = 0;
  for (int run = 0; run < 2; ++run) {
    std::vector<float> output(expected.values.size(), std::numeric_limits<float>::quiet_NaN());
    kernel(values, output.data());
    const double error = RelativeError(output, expected.values);
    worst = error <= worst ? worst : error;  // NaN stays
  }
  return worst;
}

std::vector<Tensor> InputsOf(const Model& model, bool positive) {
  std::vector<Tensor> inputs;
  for (const LayerId id : model.Inputs()) {
    inputs.push_back(Scattered(model.layer(id).output, static_cast<std::uint32_t>(inputs.size()) + 1));
    for (float& value : inputs.back().values) value = positive ? std::abs(value) + 0.5F : value;
  }
  return inputs;
}

TEST(PlainLayers, AreThoseOfTheReference) {
  const auto expect_all = [](const std::vector<OperationCase>& cases, bool positive) {
    for (const OperationCase& one : cases) {
      const Model model = ModelOf(one);
      EXPECT_LE(ErrorOf(model, RandomWeights(model, 5), InputsOf(model, positive)), kMostError) << one.name;
    }
  };
  expect_all(OperationCases(), false);
  expect_all(PositiveCases(), true);
}

TEST(PlainLayersOfAnyShape, AreThoseOfTheReference) {
  RandomLayer random(7);
  for (int i = 0; i < 400; ++i) {
    const OperationCase c = random.Next();
    const Model model = ModelOf(c);
    ASSERT_LE(ErrorOf(model, RandomWeights(model, 1), InputsOf(model, false)), kMostError)
        << c.name << " number " << i << " of " << ShapeText(c.inputs[0]);
  }
}

// Far out and near zero.
TEST(PlainFunctions, KeepTheirPrecisionEverywhere) {
  for (const Op op : {Op::kElu, Op::kSigmoid, Op::kTanh, Op::kSoftplus, Op::kErf, Op::kExp, Op::kLog}) {
    const Model model = ModelOf(OneLayer("x", op, DefaultAttributes(op), {{1, 64}}));
    for (double size = 1e-6; size < 100; size *= 1.7) {
      std::vector<Tensor> inputs = InputsOf(model, op == Op::kLog);
      for (float& value : inputs[0].values) value *= static_cast<float>(size);
      EXPECT_LE(ErrorOf(model, {}, inputs), kMostError) << OpName(op) << " around " << size;
    }
  }
}

// At the ends of the number line and at what is no number.
TEST(PlainFunctions, KnowInfinityAndNoNumber) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const auto compute = [](Op op, float x) {
    const Model model = ModelOf(OneLayer("x", op, NoAttributes{}, {{1, 1}}));
    float result = 0;
    const std::vector<const float*> inputs = {&x};
    MakePlainKernel(model.layers().back(), {}, {{1, 1}})(inputs, &result);
    return result;
  };
  EXPECT_EQ(compute(Op::kExp, kInfinity), kInfinity);
  EXPECT_EQ(compute(Op::kExp, -kInfinity), 0);
  EXPECT_EQ(compute(Op::kLog, 0), -kInfinity);
  EXPECT_EQ(compute(Op::kLog, kInfinity), kInfinity);
  EXPECT_NEAR(compute(Op::kLog, 1e-40F), std::log(1e-40F), 1e-4);
  EXPECT_TRUE(std::isnan(compute(Op::kLog, -1)));
  EXPECT_EQ(compute(Op::kTanh, -kInfinity), -1);
  EXPECT_EQ(compute(Op::kErf, kInfinity), 1);
  EXPECT_EQ(compute(Op::kSigmoid, -kInfinity), 0);
  for (const Op op : {Op::kExp, Op::kLog, Op::kTanh, Op::kErf, Op::kSigmoid, Op::kSoftplus, Op::kRelu}) {
    EXPECT_TRUE(std::isnan(compute(op, kNan))) << OpName(op);
  }
}

}  // namespace
}  // namespace tandem
