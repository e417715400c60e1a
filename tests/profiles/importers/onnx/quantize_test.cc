// Are models with quantised weights and activations (QDQ) read with their scales, and what is no such model
// refused?
#include <gtest/gtest.h>

#include "profiles/importers/onnx/export.h"
#include "tests/support/onnx_test_graph.h"

namespace tandem {
namespace {

using Floats = std::vector<float>;

void AddBytes(OnnxTestGraph& graph, const std::string& name, const Shape& shape, bool is_signed,
              const std::vector<int>& values) {
  onnx::TensorProto& tensor = *graph.graph().add_initializer();
  tensor.set_name(name);
  tensor.mutable_dims()->Add(shape.begin(), shape.end());
  tensor.set_data_type(is_signed ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8);
  tensor.mutable_int32_data()->Add(values.begin(), values.end());
}

// x, on a grid, through a convolution of 1 x 1 with a step for each output.
OnnxTestGraph SmallQdq(const Floats& steps = {0.5F, 0.25F}) {
  OnnxTestGraph graph;
  graph.Input("x", {1, 2, 1, 1})
      .Floats("s", {}, {0.1F})
      .Floats("ws", {static_cast<std::int64_t>(steps.size())}, steps);
  AddBytes(graph, "z", {}, false, {128});
  AddBytes(graph, "w", {2, 2, 1, 1}, true, {1, -2, 127, -128});
  graph.Node("QuantizeLinear", {"x", "s", "z"}, {"q"}).Node("DequantizeLinear", {"q", "s", "z"}, {"d"});
  graph.Node("DequantizeLinear", {"w", "ws"}, {"wd"}, {{"axis", 0}});
  return graph;
}

TEST(OnnxQuantized, BothNodesAreOneLayerAndWeightsKeepTheirSteps) {
  OnnxTestGraph graph = SmallQdq();
  const ImportedModel imported = graph.Node("Conv", {"d", "wd"}, {"y"}).Import();
  EXPECT_EQ(OpsOf(imported.model), "input quantize conv");
  const auto& grid = imported.model.layer(LayerId(1)).As<QuantizeAttributes>();
  EXPECT_FLOAT_EQ(static_cast<float>(grid.scale), 0.1F);
  EXPECT_EQ(grid.zero_point, 128);
  EXPECT_EQ(grid.type, GridType::kUint8);
  EXPECT_EQ(grid.least(), -128);
  const Layer& conv = LastLayer(imported.model);
  EXPECT_TRUE(conv.As<ConvAttributes>().quantized);
  EXPECT_EQ(imported.weights.at({conv.name, "weight"}).values, (Floats{0.5F, -1, 31.75F, -32}));
  EXPECT_EQ(imported.weights.at({conv.name, "step"}).values, (Floats{0.5F, 0.25F}));
  EXPECT_EQ(conv.counts.params, 4) << "a step is no parameter";
}

TEST(OnnxQuantized, OneScaleIsEachOutputsAndOneAlongTheInputsIsNone) {
  OnnxTestGraph one = SmallQdq({0.5F});
  const ImportedModel imported = one.Node("Conv", {"d", "wd"}, {"y"}).Import();
  EXPECT_EQ(imported.weights.at({LastLayer(imported.model).name, "step"}).values, (Floats{0.5F, 0.5F}));
  OnnxTestGraph along = SmallQdq();
  along.Node("DequantizeLinear", {"w", "ws"}, {"other"}, {{"axis", 1}});
  const ImportedModel others = along.Node("Conv", {"d", "other"}, {"y"}).Import();
  EXPECT_FALSE(LastLayer(others.model).As<ConvAttributes>().quantized);
  EXPECT_EQ(others.weights.at({LastLayer(others.model).name, "weight"}).values,
            (Floats{0.5F, -0.5F, 63.5F, -32}));
}

TEST(OnnxQuantized, MatricesOfEitherOrderAreQuantizedToo) {
  OnnxTestGraph graph;
  graph.Input("x", {1, 2}).Floats("ws", {3}, {1, 2, 3});
  AddBytes(graph, "w", {2, 3}, true, {1, 2, 3, -1, -2, -3});
  graph.Node("DequantizeLinear", {"w", "ws"}, {"wd"}, {{"axis", 1}}).Node("MatMul", {"x", "wd"}, {"y"});
  const ImportedModel imported = graph.Import();
  const Layer& fc = LastLayer(imported.model);
  EXPECT_TRUE(fc.As<FcAttributes>().quantized);
  EXPECT_EQ(imported.weights.at({fc.name, "weight"}).values, (Floats{1, -1, 4, -4, 9, -9}));
  EXPECT_EQ(imported.weights.at({fc.name, "step"}).values, (Floats{1, 2, 3}));
}

TEST(OnnxQuantized, ConstantsThatTheFileHasAsNumbersAreRoundedToTheirGrid) {
  OnnxTestGraph graph = SmallQdq();
  graph.Floats("f", {1, 2, 1, 1}, {0.74F, 1000}).Floats("fs", {}, {0.5F});
  AddBytes(graph, "fz", {}, true, {0});
  graph.Node("QuantizeLinear", {"f", "fs", "fz"}, {"fq"})
      .Node("DequantizeLinear", {"fq", "fs", "fz"}, {"fd"});
  const ImportedModel imported = graph.Node("Conv", {"d", "fd"}, {"y"}).Import();
  const Layer& conv = LastLayer(imported.model);
  EXPECT_TRUE(conv.As<ConvAttributes>().quantized);
  EXPECT_EQ(imported.weights.at({conv.name, "weight"}).values, (Floats{0.5F, 63.5F}));
}

TEST(OnnxQuantized, WhatIsNoPairIsRefusedWithItsPlace) {
  OnnxTestGraph alone = SmallQdq();
  EXPECT_EQ(alone.Node("Relu", {"q"}, {"y"}).Error(),
            "net.onnx: node \"n_y\" (Relu): its input 0 \"q\" is what QuantizeLinear gives: only a "
            "DequantizeLinear behind that is supported (the QDQ format)");
  OnnxTestGraph other = SmallQdq();
  other.Floats("t", {}, {0.2F});
  EXPECT_EQ(other.Node("DequantizeLinear", {"q", "t", "z"}, {"y"}).Error(),
            "net.onnx: node \"n_y\" (DequantizeLinear): its scale or zero point is another than that of the "
            "QuantizeLinear before it");
  OnnxTestGraph channels = SmallQdq();
  EXPECT_EQ(channels.Node("QuantizeLinear", {"x", "ws"}, {"y"}).Error(),
            "net.onnx: node \"n_y\" (QuantizeLinear): its scale of 2 is for each channel, which is supported "
            "of constants alone");
  OnnxTestGraph none = SmallQdq();
  none.Floats("t", {}, {0});
  EXPECT_EQ(none.Node("QuantizeLinear", {"x", "t"}, {"y"}).Error(),
            "net.onnx: node \"n_y\" (QuantizeLinear): its scale is not above 0");
  OnnxTestGraph few = SmallQdq({1, 2, 3});
  EXPECT_EQ(few.Node("Conv", {"d", "wd"}, {"y"}).Error(),
            "net.onnx: node \"n_wd\" (DequantizeLinear): it has 3 scales for 2 places of its axis");
}

TEST(OnnxQuantized, WhatIsWrittenIsReadAgainTheSame) {
  OnnxTestGraph graph = SmallQdq();
  const ImportedModel first = graph.Node("Conv", {"d", "wd"}, {"y"}).Import();
  const ImportedModel again = ImportOnnxBytes(OnnxBytes(first.model, first.weights), "again.onnx", {});
  EXPECT_EQ(OpsOf(again.model), "input quantize conv");
  EXPECT_EQ(again.model.layer(LayerId(1)).As<QuantizeAttributes>(),
            first.model.layer(LayerId(1)).As<QuantizeAttributes>());
  for (const char* role : {"weight", "step"}) {
    EXPECT_EQ(again.weights.at({LastLayer(again.model).name, role}).values,
              first.weights.at({LastLayer(first.model).name, role}).values);
  }
}

}  // namespace
}  // namespace tandem
