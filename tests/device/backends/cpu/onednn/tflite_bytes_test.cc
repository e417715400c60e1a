// Does a quantised model of TensorFlow Lite run on kernels of whole numbers, and give what these are?
#include "device/backends/cpu/xnnpack/conv.h"
#include "device/processor/backend.h"
#include "tests/support/device/executable_run.h"
#include "tests/support/device/tflite_quantized.h"

namespace tandem::quantized {
namespace {

void ExpectWholeNumbers(const QuantizedConv& conv) {
  const FileTensor in = conv.Input();
  const ImportedModel imported = conv.Graph(Fused::RELU).Import();
  const auto model = std::make_shared<const Model>(imported.model);
  const auto weights = std::make_shared<const Weights>(imported.weights);
  const SegmentSpec spec = SegmentOf(model, weights, "net", WorkingLayers(*model));
  const OpenUnit unit(BackendNamed("cpu"), 0, "int8");
  const auto executable = unit->Compile(spec);
  const FileTensor expected = conv.Expected(in, 0, 1e9);
  for (int run = 0; run < 2; ++run) {
    TensorsByLayer tensors{{model->Inputs()[0], MovedTo(in.shape, in.values, kTfliteToLayer)}};
    RunExecutable(*executable, spec, tensors);
    ExpectOnGrid(MovedTo({1, 4, 3, 4}, tensors.at(model->Outputs()[0]), kTfliteToFile), expected,
                 conv.to.scale);
  }
  std::string steps;
  for (const ExecutionStep& step : executable->Steps()) steps += step.how + "; ";
  EXPECT_NE(steps.find("conv xnnpack, int8"), std::string::npos) << steps;
}

class TfliteBytes : public testing::Test {
 protected:
  void SetUp() override {
    if (XnnVersion().empty()) GTEST_SKIP() << "built without XNNPACK";
  }
};

TEST_F(TfliteBytes, AConvolutionRunsOnWholeNumbers) {
  for (const auto& [from, to] : kGrids) ExpectWholeNumbers({from, to});
}

// As TensorFlow quantised before it knew int8: without their zero point such weights are -187 to 67.
TEST_F(TfliteBytes, AConvolutionWhoseWeightsHaveAZeroPointDoesToo) {
  for (const auto& [from, to] : kGrids) {
    QuantizedConv conv{from, to};
    conv.steps = {0.01F, 0.01F, 0.01F, 0.01F};
    conv.weight_zero = 187;
    for (int& number : conv.weights) number -= 60;
    ExpectWholeNumbers(conv);
  }
}

}  // namespace
}  // namespace tandem::quantized
