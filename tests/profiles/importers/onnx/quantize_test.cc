// Are models with quantised weights and activations (QDQ) read with their scales, and what is no such model
// refused?
#include <gtest/gtest.h>

#include "profiles/importers/onnx/export.h"
#include "tests/support/onnx_test_graph.h"

namespace tandem {
namespace {

using Floats = std::vector<float>;

void AddIntegers(OnnxTestGraph& graph, const std::string& name, const Shape& shape,
                 onnx::TensorProto::DataType type, const std::vector<int>& values) {
  onnx::TensorProto& tensor = *graph.graph().add_initializer();
  tensor.set_name(name);
  tensor.mutable_dims()->Add(shape.begin(), shape.end());
  tensor.set_data_type(type);
  tensor.mutable_int32_data()->Add(values.begin(), values.end());
}
void AddBytes(OnnxTestGraph& graph, const std::string& name, const Shape& shape, bool is_signed,
              const std::vector<int>& values) {
  AddIntegers(graph, name, shape, is_signed ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8, values);
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

// Three outputs of two features with the steps 1, 2 and 3, as PyTorch's Linear keeps them.
OnnxTestGraph LinearWeights() {
  OnnxTestGraph graph;
  graph.Input("x", {1, 2}).Floats("ws", {3}, {1, 2, 3}).Ints("first", {0});
  AddBytes(graph, "w", {3, 2}, true, {1, 2, 3, -1, -2, -3});
  return graph;
}

void ExpectLinear(const ImportedModel& imported) {
  const Layer& fc = LastLayer(imported.model);
  ASSERT_EQ(fc.op, Op::kFc);
  EXPECT_TRUE(fc.As<FcAttributes>().quantized);
  EXPECT_EQ(imported.weights.at({fc.name, "weight"}).values, (Floats{1, 2, 6, -2, -6, -9}));
  EXPECT_EQ(imported.weights.at({fc.name, "step"}).values, (Floats{1, 2, 3}));
}

TEST(OnnxQuantized, WeightsThatAreMovedOnTheirWayKeepTheirSteps) {
  OnnxTestGraph numbers = LinearWeights();
  numbers.Node("DequantizeLinear", {"w", "ws"}, {"wd"}, {{"axis", 0}});
  ExpectLinear(numbers.Node("Transpose", {"wd"}, {"wt"}).Node("MatMul", {"x", "wt"}, {"y"}).Import());
  OnnxTestGraph integers = LinearWeights();
  integers.Node("Transpose", {"w"}, {"wt"}).Node("DequantizeLinear", {"wt", "ws"}, {"wd"}, {{"axis", 1}});
  ExpectLinear(integers.Node("MatMul", {"x", "wd"}, {"y"}).Import());
}

TEST(OnnxQuantized, StepsFollowTheirAxisThroughAReshapeOrAreLost) {
  OnnxTestGraph fewer = LinearWeights();
  fewer.Node("Unsqueeze", {"w", "first"}, {"wu"})
      .Node("DequantizeLinear", {"wu", "ws"}, {"wd"}, {{"axis", 1}});
  fewer.Node("Squeeze", {"wd", "first"}, {"wq"}).Node("Transpose", {"wq"}, {"wt"});
  ExpectLinear(fewer.Node("MatMul", {"x", "wt"}, {"y"}).Import());
  // The axis of three is cut up: the steps go along none.
  OnnxTestGraph lost = LinearWeights();
  lost.Ints("to", {2, 3}).Node("DequantizeLinear", {"w", "ws"}, {"wd"}, {{"axis", 0}});
  lost.Node("Reshape", {"wd", "to"}, {"wr"}).Node("MatMul", {"x", "wr"}, {"y"});
  EXPECT_FALSE(LastLayer(lost.Import().model).As<FcAttributes>().quantized);
}

TEST(OnnxQuantized, ARowAddedBehindAProductIsItsBias) {
  const auto added = [](const Shape& shape, const Floats& row, bool read_twice) {
    OnnxTestGraph graph = LinearWeights();
    graph.Floats("b", shape, row).Node("DequantizeLinear", {"w", "ws"}, {"wd"}, {{"axis", 0}});
    graph.Node("Transpose", {"wd"}, {"wt"}).Node("MatMul", {"x", "wt"}, {"m"});
    if (read_twice) graph.Node("Add", {"m", "m"}, {"twice"}).Node("Add", {"m", "b"}, {"a"});
    if (read_twice) return graph.Node("Add", {"twice", "a"}, {"y"}).Import();
    return graph.Node("Add", {"b", "m"}, {"y"}).Import();
  };
  const ImportedModel row = added({1, 3}, {5, 6, 7}, false);
  EXPECT_EQ(OpsOf(row.model), "input fc");
  EXPECT_EQ(row.weights.at({LastLayer(row.model).name, "bias"}).values, (Floats{5, 6, 7}));
  ExpectLinear(row);
  const ImportedModel one = added({}, {5}, false);
  EXPECT_EQ(one.weights.at({LastLayer(one.model).name, "bias"}).values, (Floats{5, 5, 5}));
  EXPECT_EQ(OpsOf(added({2, 3}, {1, 2, 3, 4, 5, 6}, false).model), "input fc add") << "two rows";
  EXPECT_EQ(OpsOf(added({1, 1, 3}, {5, 6, 7}, false).model), "input fc add") << "one axis more";
  EXPECT_EQ(OpsOf(added({3}, {5, 6, 7}, true).model), "input fc add add add")
      << "the product is read elsewhere";
}

TEST(OnnxQuantized, WeightsOfAnyZeroPointAreBytesAndWrittenAsSuch) {
  // 101 - 115 = -14 ... all within a byte around 115, then from -20 to 235, which no int8 holds.
  for (const auto& [integers, zero, values] :
       {std::tuple(std::vector<int>{101, 202, 103, 104}, 115, Floats{-7, 43.5F, -6, -5.5F}),
        {std::vector<int>{0, 255, 20, 21}, 20, Floats{-10, 117.5F, 0, 0.5F}}}) {
    OnnxTestGraph graph = SmallQdq({0.5F});
    AddBytes(graph, "u", {2, 2, 1, 1}, false, integers);
    AddBytes(graph, "uz", {}, false, {zero});
    graph.Floats("us", {}, {0.5F}).Node("DequantizeLinear", {"u", "us", "uz"}, {"ud"});
    const ImportedModel first = graph.Node("Conv", {"d", "ud"}, {"y"}).Import();
    const ImportedModel again = ImportOnnxBytes(OnnxBytes(first.model, first.weights), "again.onnx", {});
    for (const ImportedModel* imported : {&first, &again}) {
      const Layer& conv = LastLayer(imported->model);
      EXPECT_TRUE(conv.As<ConvAttributes>().quantized);
      EXPECT_EQ(imported->weights.at({conv.name, "weight"}).values, values);
      EXPECT_EQ(imported->weights.at({conv.name, "step"}).values, (Floats{0.5F, 0.5F}));
    }
  }
}

TEST(OnnxQuantized, AStepOfNothingIsNone) {
  OnnxTestGraph graph = SmallQdq({0, 0.5F});
  const ImportedModel imported = graph.Node("Conv", {"d", "wd"}, {"y"}).Import();
  EXPECT_FALSE(LastLayer(imported.model).As<ConvAttributes>().quantized);
}

// An input of uint8, of the grid 0.1 x (q - 128).
OnnxTestGraph OfBytes() {
  OnnxTestGraph graph = SmallQdq();
  graph.graph().clear_node();
  graph.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
      onnx::TensorProto::UINT8);
  return graph;
}

TEST(OnnxQuantized, AnInputOfIntegersIsPutOnTheGridThatTheNodeBehindItKnows) {
  OnnxTestGraph graph = OfBytes();
  graph.Node("DequantizeLinear", {"x", "s", "z"}, {"d"})
      .Node("DequantizeLinear", {"w", "ws"}, {"wd"}, {{"axis", 0}});
  const ImportedModel imported = graph.Node("Conv", {"d", "wd"}, {"y"}).Import();
  EXPECT_EQ(OpsOf(imported.model), "input quantize conv");
  const auto& grid = imported.model.layer(LayerId(1)).As<QuantizeAttributes>();
  EXPECT_EQ(grid, (QuantizeAttributes{static_cast<double>(0.1F), 128, GridType::kUint8}));
  OnnxTestGraph moved = OfBytes();
  moved.Node("Transpose", {"x"}, {"t"}).Node("DequantizeLinear", {"t", "s", "z"}, {"y"});
  EXPECT_EQ(OpsOf(moved.Import().model), "input transpose quantize");
}

TEST(OnnxQuantized, AnInputOfIntegersHasOneGridAndIsNoNumbersToo) {
  OnnxTestGraph two = OfBytes();
  two.Floats("t", {}, {0.2F}).Node("DequantizeLinear", {"x", "s", "z"}, {"d"});
  two.Node("DequantizeLinear", {"x", "t", "z"}, {"e"});
  EXPECT_EQ(
      two.Node("Add", {"d", "e"}, {"y"}).Error(),
      "net.onnx: node \"n_e\" (DequantizeLinear): its type, scale or zero point is another than that of "
      "the input, or of another node behind it");
  OnnxTestGraph numbers = OfBytes();
  numbers.Node("Cast", {"x"}, {"f"}, {{"to", 1}}).Node("DequantizeLinear", {"x", "s", "z"}, {"d"});
  EXPECT_EQ(
      numbers.Node("Add", {"d", "f"}, {"y"}).Error(),
      "net.onnx: node \"n_d\" (DequantizeLinear): its input 0 \"x\" is not what a QuantizeLinear gives, "
      "nor a constant, nor an input of INT8 or UINT8 that every node behind it takes for integers");
}

TEST(OnnxQuantized, IntegersMayBeMovedBetweenBothNodes) {
  const auto between = [](const std::string& type, const OnnxTestAttributes& attributes) {
    OnnxTestGraph graph;
    graph.Input("x", {1, 2, 4, 4}).Floats("s", {}, {0.1F}).Floats("t", {}, {0.2F});
    graph.Node("QuantizeLinear", {"x", "s"}, {"q"}).Node(type, {"q"}, {"m"}, attributes);
    graph.Node("DequantizeLinear", {"m", "s"}, {"y"});
    return OpsOf(graph.Import().model) + " " + LastShape(graph.Import().model);
  };
  EXPECT_EQ(between("MaxPool", {{"kernel_shape", std::vector<std::int64_t>{2, 2}}}),
            "input quantize max_pool 1x2x3x3");
  EXPECT_EQ(between("Flatten", {}), "input quantize flatten 1x32");
  EXPECT_EQ(between("Transpose", {}), "input quantize transpose 4x4x2x1");
  OnnxTestGraph joined;
  joined.Input("x", {1, 2}).Floats("s", {}, {0.1F}).Floats("t", {}, {0.2F});
  joined.Node("QuantizeLinear", {"x", "s"}, {"q"}).Node("QuantizeLinear", {"x", "t"}, {"r"});
  joined.Node("Concat", {"q", "r"}, {"c"}, {{"axis", 1}});
  EXPECT_EQ(joined.Node("DequantizeLinear", {"c", "s"}, {"y"}).Error(),
            "net.onnx: node \"n_c\" (Concat): its input 1 \"r\" is integers of another grid than its input 0 "
            "\"q\"");
}

// x on a grid of 0.5, and the output's grid of 2.
OnnxTestGraph OfQOperators(const Shape& shape) {
  OnnxTestGraph graph;
  graph.Input("x", shape).Floats("s", {}, {0.5F}).Floats("t", {}, {2}).Floats("ws", {2}, {0.5F, 0.25F});
  AddBytes(graph, "z", {}, false, {128});
  AddBytes(graph, "tz", {}, false, {3});
  AddBytes(graph, "wz", {2}, true, {0, 0});
  AddIntegers(graph, "b", {2}, onnx::TensorProto::INT32, {3, 4});
  return graph.Node("QuantizeLinear", {"x", "s", "z"}, {"q"});
}

void ExpectGridOfTwo(const ImportedModel& imported) {
  EXPECT_EQ(LastLayer(imported.model).As<QuantizeAttributes>(), (QuantizeAttributes{2, 3, GridType::kUint8}));
}

TEST(OnnxQuantized, OperatorsOnIntegersAreThoseOnNumbersBetweenBothNodes) {
  OnnxTestGraph conv = OfQOperators({1, 2, 4, 4});
  AddBytes(conv, "w", {2, 2, 1, 1}, true, {1, 2, 3, 4});
  conv.Node("QLinearConv", {"q", "s", "z", "w", "ws", "wz", "t", "tz", "b"}, {"c"},
            {{"strides", std::vector<std::int64_t>{2, 2}}});
  const ImportedModel of_conv = conv.Node("DequantizeLinear", {"c", "t", "tz"}, {"y"}).Import();
  EXPECT_EQ(OpsOf(of_conv.model), "input quantize conv quantize");
  EXPECT_EQ(LastShape(of_conv.model), "1x2x2x2");
  ExpectGridOfTwo(of_conv);
  EXPECT_EQ(of_conv.weights.at({"n_c", "weight"}).values, (Floats{0.5F, 1, 0.75F, 1}));
  EXPECT_EQ(of_conv.weights.at({"n_c", "step"}).values, (Floats{0.5F, 0.25F}));
  // 3 x 0.5 x 0.5 and 4 x 0.5 x 0.25
  EXPECT_EQ(of_conv.weights.at({"n_c", "bias"}).values, (Floats{0.75F, 0.5F}));

  OnnxTestGraph product = OfQOperators({1, 2});
  AddBytes(product, "w", {2, 2}, true, {1, 2, 3, 4});
  product.Node("QLinearMatMul", {"q", "s", "z", "w", "ws", "wz", "t", "tz"}, {"y"});
  const ImportedModel of_product = product.Import();
  EXPECT_EQ(OpsOf(of_product.model), "input quantize fc quantize");
  ExpectGridOfTwo(of_product);
  EXPECT_EQ(of_product.weights.at({"n_y", "weight"}).values, (Floats{0.5F, 1.5F, 0.5F, 1}));
}

TEST(OnnxQuantized, SoAreThoseOfOnnxRuntime) {
  const auto of = [](const std::string& type, const Shape& shape, const std::vector<std::string>& inputs,
                     const OnnxTestAttributes& attributes = {}) {
    OnnxTestGraph graph = OfQOperators(shape);
    AddBytes(graph, "w", {2, 2}, true, {1, 2, 3, 4});
    graph.Node(type, inputs, {"y"}, attributes);
    graph.graph().mutable_node(1)->set_domain("com.microsoft");
    return graph.Import();
  };
  const ImportedModel sum = of("QLinearAdd", {1, 2}, {"q", "s", "z", "q", "s", "z", "t", "tz"});
  EXPECT_EQ(OpsOf(sum.model), "input quantize add quantize");
  ExpectGridOfTwo(sum);
  const ImportedModel mean = of("QLinearGlobalAveragePool", {1, 2, 3, 3}, {"q", "s", "z", "t", "tz"});
  EXPECT_EQ(OpsOf(mean.model), "input quantize avg_pool quantize");
  const ImportedModel joined =
      of("QLinearConcat", {1, 2}, {"t", "tz", "q", "s", "z", "q", "s", "z"}, {{"axis", 1}});
  EXPECT_EQ(OpsOf(joined.model), "input quantize concat quantize");
  EXPECT_EQ(LastShape(joined.model), "1x4");
  const ImportedModel gemm =
      of("QGemm", {1, 2}, {"q", "s", "z", "w", "ws", "wz", "b", "t", "tz"}, {{"transB", 1}, {"alpha", 2.0F}});
  EXPECT_EQ(OpsOf(gemm.model), "input quantize fc quantize");
  EXPECT_EQ(gemm.weights.at({"n_y", "weight"}).values, (Floats{1, 2, 1.5F, 2}));
  // Twice 3 x 0.5 x 0.5 and 4 x 0.5 x 0.25: the factor is the bias's, too.
  EXPECT_EQ(gemm.weights.at({"n_y", "bias"}).values, (Floats{1.5F, 1}));
  EXPECT_EQ(OpsOf(of("QGemm", {1, 2}, {"q", "s", "z", "w", "ws", "wz"}).model), "input quantize fc")
      << "without a scale of its own the output is numbers";
}

TEST(OnnxQuantized, OtherOperatorsOnIntegersAreRefusedWithWhatToDo) {
  OnnxTestGraph other = OfQOperators({1, 2});
  other.Node("QLinearSoftmax", {"q", "s", "z", "t", "tz"}, {"y"});
  other.graph().mutable_node(1)->set_domain("com.microsoft");
  EXPECT_EQ(
      other.Error(),
      "net.onnx: node \"n_y\": the operator com.microsoft.QLinearSoftmax is not supported: it is of the "
      "QOperator format; quantise the model in the QDQ format (a QuantizeLinear and a DequantizeLinear "
      "around every operator)");
  OnnxTestGraph dynamic = OfQOperators({1, 2});
  EXPECT_EQ(
      dynamic.Node("DynamicQuantizeLinear", {"x"}, {"y", "ys", "yz"}).Error(),
      "net.onnx: node \"n_y\": the operator DynamicQuantizeLinear is not supported: it finds its grid "
      "while the network runs; quantise the model with fixed grids, in the QDQ format (a QuantizeLinear "
      "and a DequantizeLinear around every operator)");
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
            "DequantizeLinear behind that is supported (the QDQ format), or what moves numbers, and MaxPool");
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
