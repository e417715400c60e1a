// Is an operation one declaration and its kernels? This one is known to this file alone.
#include <gtest/gtest.h>

#include <cmath>

#include "device/backends/reference/kernels.h"
#include "device/processor/backend.h"
#include "profiles/estimate/layer_work.h"
#include "profiles/model/layer_parts.h"
#include "profiles/model/model_export.h"
#include "profiles/model/model_json.h"
#include "profiles/model/op_declaration.h"
#include "tests/support/device/cuda_on_host_backend.h"
#include "tests/support/device/executable_run.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

// x * sigmoid(beta * gain * x), the gain of each channel being its own.
struct SwishAttributes {
  double beta = 1;
};

std::vector<WeightRole> Gain(const LayerShapes& of) {
  return {{"gain", {of.in()[1]}, [](double, double) { return RandomSpread{1, 0.1}; }}};
}

const OpRegistration kSwish{
    {.name = "swish_by_channel",
     .attributes = Fields<SwishAttributes>().Optional("beta", &SwishAttributes::beta, as::AnyNumber()),
     .weights = Gain,
     .parts = PartRule::kEachNumber,
     .operations = [](const LayerShapes& of) { return 4 * of.ElementsWritten(); }}};

float Swish(double x, double factor) { return static_cast<float>(x / (1 + std::exp(-factor * x))); }

void RunSwish(const reference::Call& call) {
  const std::size_t channels = static_cast<std::size_t>(call.in_shape()[1]), run = call.size() / channels;
  for (std::size_t i = 0; i < call.size(); ++i) {
    const double gain = static_cast<double>(call.Weight("gain")[i / run % channels]);
    call.out()[i] = Swish(static_cast<double>(call.in()[i]), call.As<SwishAttributes>().beta * gain);
  }
}

const reference::Kernels kKernel{{kSwish.op, RunSwish}};

constexpr const char* kRefused = "has no kernel for operation \"swish_by_channel\" of layer \"swish\"";

Model ReadNet(const std::string& key = "beta") {
  const std::string text = R"({"tandem": "model/1", "name": "own", "layers": [
      {"name": "in", "op": "input", "shape": [1, 3, 2, 2]},
      {"name": "conv", "op": "conv", "inputs": ["in"], "out_channels": 4, "kernel": [1, 1]},
      {"name": "swish", "op": "swish_by_channel", "inputs": ["conv"], ")" +
                           key + R"(": 2.0}]})";
  return ReadModel(JsonDocument::Parse(text, "own.json").root()).model;
}

SegmentSpec Whole(Model source) {
  auto model = std::make_shared<const Model>(std::move(source));
  return WholeSegment(model, std::make_shared<const Weights>(RandomWeights(*model, 1)), "own");
}

std::string CompileError(const DeviceBackend& backend) {
  try {
    OpenUnit(backend)->Compile(Whole(ReadNet()));
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "no error";
}

TEST(OwnOperation, IsReadFromAModelFileAndWritten) {
  const Model model = ReadNet();
  EXPECT_EQ(model.layer(model.Find("swish")).As<SwishAttributes>().beta, 2);
  const std::string text = ModelJson(model, "");
  EXPECT_NE(text.find(R"("op": "swish_by_channel", "inputs": ["conv"], "beta": 2.0})"), std::string::npos)
      << text;
  EXPECT_EQ(ErrorOf([] { ReadNet("beto"); }),
            "own.json:/layers/2: unknown key \"beto\"; did you mean \"beta\"?");
}

TEST(OwnOperation, HasAShapeCountsPartsAndWork) {
  const Model model = ReadNet();
  const LayerId swish = model.Find("swish"), conv = model.Find("conv");
  EXPECT_EQ(model.layer(swish).output, (Shape{1, 4, 2, 2}));
  EXPECT_EQ(model.layer(swish).counts.params, 4);
  EXPECT_EQ(SplitRangeOf(model, std::vector<LayerId>{conv, swish}, SplitAxis::kChannels).extent, 4);
  const LayerWork work = WorkOf(model, swish);
  EXPECT_EQ(work.cost_class, CostClass::kElementwise);
  EXPECT_EQ(work.operations, 4 * 16);
  EXPECT_EQ(work.bytes, 4 * (16 + 16 + 4));
}

TEST(OwnOperation, RunsOnTheBackendThatHasAKernel) {
  const SegmentSpec spec = Whole(ReadNet());
  const LayerId in = spec.model->Find("in"), conv = spec.model->Find("conv"),
                swish = spec.model->Find("swish");
  const Tensor x = Scattered(spec.model->layer(in).output);
  const std::vector<Tensor> layers = RunReference(*spec.model, *spec.weights, {x});
  const float* gain = FindWeight(*spec.weights, spec.model->layer(swish), "gain");
  for (const DeviceBackend* backend : Backends()) {
    if (backend->name() != "reference") continue;
    TensorsByLayer tensors = {{in, x.values}};
    RunExecutable(*OpenUnit(*backend)->Compile(spec), spec, tensors);
    for (std::size_t i = 0; i < 16; ++i) {
      const double read = static_cast<double>(layers[conv.index()].values[i]);
      EXPECT_FLOAT_EQ(tensors.at(swish)[i], Swish(read, 2 * static_cast<double>(gain[i / 4])));
    }
  }
}

TEST(OwnOperation, IsRefusedByNameWhereThereIsNoKernel) {
  int refused = 0;
  for (const DeviceBackend* backend : CudaOnHostBackends()) {
    EXPECT_EQ(CompileError(*backend), std::string("own: swish: the backend cuda ") + kRefused);
    ++refused;
  }
  for (const DeviceBackend* backend : Backends()) {
    if (backend->name() != "cpu") continue;
    EXPECT_EQ(CompileError(*backend), std::string("the backend cpu ") + kRefused);
    ++refused;
  }
  EXPECT_GT(refused, 0);
}

TEST(OwnOperation, IsRefusedByNameByAFormatThatCannotSayIt) {
  const Model model = ReadNet();
  if (ModelExportFormats().find(".onnx") == std::string::npos) GTEST_SKIP() << "built without ONNX";
  EXPECT_EQ(ErrorOf([&] { ExportModel("own.onnx", model, RandomWeights(model, 1)); }),
            "own: layer \"swish\": nothing is known of how ONNX says \"swish_by_channel\"");
}

}  // namespace
}  // namespace tandem
