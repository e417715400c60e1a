// Do the kernels of the cuda backend compute what the reference does, for every layer that they serve?
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/device/kernel_layer.h"
#include "tests/support/device/operation_cases.h"
#include "tests/support/device/random_layer.h"
#include "tests/support/device/reference_run.h"

namespace tandem {
namespace {

double RelativeError(const std::vector<float>& computed, const std::vector<float>& expected) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double distance = static_cast<double>(computed[i]) - static_cast<double>(expected[i]);
    difference += distance * distance;
    norm += static_cast<double>(expected[i]) * static_cast<double>(expected[i]);
  }
  return std::sqrt(difference) / std::max(std::sqrt(norm), 1e-30);
}

constexpr double kMostFloat = 2e-6, kMostHalf = 1e-3;
constexpr KernelSetting kSettings[] = {{gpu::Element::kFloat, false},
                                       {gpu::Element::kFloat, true},
                                       {gpu::Element::kHalf, false},
                                       {gpu::Element::kHalf, true}};

struct Layers {
  Model model;
  Weights weights;
  std::vector<Tensor> inputs;

  Layers(const OperationCase& one, bool positive) : model(ModelOf(one)), weights(RandomWeights(model, 5)) {
    for (const LayerId id : model.Inputs()) {
      inputs.push_back(Scattered(model.layer(id).output, static_cast<std::uint32_t>(inputs.size()) + 1));
      for (float& value : inputs.back().values) value = positive ? std::abs(value) + 0.5F : value;
    }
  }
};

// False: kernels of ours do not compute it in this setting.
bool ExpectReference(const OperationCase& one, const KernelSetting& setting, bool positive = false) {
  Layers layers(one, positive);
  const bool half = setting.element == gpu::Element::kHalf;
  for (auto& [key, weight] : layers.weights) {
    if (half) RoundToHalf(weight);
  }
  std::vector<const Tensor*> inputs;
  const Layer& layer = layers.model.layers().back();
  for (const LayerId id : layer.inputs) {
    Tensor& input = layers.inputs[id.index()];
    if (half) RoundToHalf(input);
    inputs.push_back(&input);
  }
  const std::optional<Tensor> result = RunOnKernels(layer, layers.weights, inputs, setting);
  if (!result.has_value()) return false;
  const Tensor expected = RunReferenceLayer(layer, layers.weights, inputs);
  EXPECT_LE(RelativeError(result->values, expected.values), half ? kMostHalf : kMostFloat)
      << one.name << (half ? ", half" : ", float") << (setting.channels_last ? ", channels last" : "")
      << " of " << ShapeText(one.inputs[0]);
  return true;
}

void ExpectAll(gpu::Element element) {
  for (const OperationCase& one : OperationCases()) {
    const bool plain = ExpectReference(one, {element, false}), last = ExpectReference(one, {element, true});
    const Op op = one.layer.op;
    const bool library = op == Op::kConv || op == Op::kDeconv || op == Op::kMatmul;  // cuDNN's, cuBLAS's
    EXPECT_TRUE(plain || last || library) << one.name;
  }
  for (const OperationCase& one : PositiveCases()) {
    EXPECT_TRUE(ExpectReference(one, {element, false}, true)) << one.name;
    EXPECT_TRUE(ExpectReference(one, {element, true}, true)) << one.name;
  }
}

TEST(CudaLayers, AreThoseOfTheReference) { ExpectAll(gpu::Element::kFloat); }
TEST(CudaLayers, AreThoseOfTheReferenceInHalf) { ExpectAll(gpu::Element::kHalf); }

// Each in one setting after the other.
TEST(CudaLayers, AreThoseOfTheReferenceInAnyShape) {
  RandomLayer random(11);
  for (std::size_t i = 0; i < 160 && !HasFailure(); ++i) ExpectReference(random.Next(), kSettings[i % 4]);
}

TEST(CudaLayers, AreThoseOfTheReferenceForAnyDepthwiseWindow) {
  RandomLayer random(3);
  for (std::size_t i = 0; i < 200 && !HasFailure(); ++i) {
    EXPECT_TRUE(ExpectReference(random.Depthwise(), kSettings[i % 4]));
  }
}

}  // namespace
}  // namespace tandem
