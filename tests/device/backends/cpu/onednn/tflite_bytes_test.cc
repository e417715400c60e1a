// Does a quantised model of TensorFlow Lite run on kernels of whole numbers, and give what these are?
#include "device/backends/cpu/xnnpack/conv.h"
#include "device/processor/backend.h"
#include "tests/support/device/executable_run.h"
#include "tests/support/device/tflite_quantized.h"

namespace tandem::quantized {
namespace {

TEST(TfliteBytes, AConvolutionRunsOnWholeNumbers) {
  if (XnnVersion().empty()) GTEST_SKIP() << "built without XNNPACK";
  for (const auto& [from, to] : kGrids) {
    const QuantizedConv conv{from, to};
    const FileTensor in = conv.Input();
    const ImportedModel imported = conv.Graph(Fused::RELU).Import();
    const auto model = std::make_shared<const Model>(imported.model);
    const auto weights = std::make_shared<const Weights>(imported.weights);
    const SegmentSpec spec = SegmentOf(model, weights, "net", WorkingLayers(*model));
    const OpenUnit unit(BackendNamed("cpu"), 0, "int8");
    const auto executable = unit->Compile(spec);
    TensorsByLayer tensors{{model->Inputs()[0], MovedTo(in.shape, in.values, kTfliteToLayer)}};
    RunExecutable(*executable, spec, tensors);
    const FileTensor expected = conv.Expected(in, 0, 1e9);
    ExpectOnGrid(MovedTo({1, 4, 3, 4}, tensors.at(model->Outputs()[0]), kTfliteToFile), expected, to.scale);
    std::string steps;
    for (const ExecutionStep& step : executable->Steps()) steps += step.how + "; ";
    EXPECT_NE(steps.find("conv xnnpack, int8"), std::string::npos) << steps;
  }
}

}  // namespace
}  // namespace tandem::quantized
