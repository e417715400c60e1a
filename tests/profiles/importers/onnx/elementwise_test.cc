// Does every operator that works element by element keep its operands, their order and its settings?
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/onnx_test_graph.h"

namespace tandem {
namespace {

using Floats = std::vector<float>;

OnnxTestGraph Unary(int opset, const std::string& type, const OnnxTestAttributes& attributes = {}) {
  OnnxTestGraph graph(opset);
  graph.Input("x", {1, 4, 2, 2}).Node(type, {"x"}, {"y"}, attributes);
  return graph;
}

TEST(OnnxActivation, HasItsOwnOperation) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"Relu", "relu"},         {"LeakyRelu", "leaky_relu"},
      {"Elu", "elu"},           {"Sigmoid", "sigmoid"},
      {"Tanh", "tanh"},         {"HardSwish", "hard_swish"},
      {"Erf", "erf"},           {"HardSigmoid", "hard_sigmoid"},
      {"Softplus", "softplus"}, {"Identity", "identity"},
      {"Exp", "exp"},           {"Dropout", "dropout"},
      {"Log", "log"},           {"Sqrt", "sqrt"},
      {"Abs", "abs"},           {"Neg", "neg"}};
  for (const auto& [type, op] : pairs)
    EXPECT_EQ(OpsOf(Unary(14, type).Import().model), "input " + op) << type;
  EXPECT_EQ(OpsOf(Unary(20, "Gelu").Import().model), "input gelu");
  EXPECT_EQ(OpsOf(Unary(18, "Mish").Import().model), "input softplus tanh mul");
  EXPECT_EQ(OpsOf(Unary(13, "Reciprocal").Import().model), "input div");
  EXPECT_EQ(Unary(20, "Gelu", {{"approximate", "tanh"}}).Error(),
            "net.onnx: node \"n_y\" (Gelu): its approximation by tanh is not supported");
}

TEST(OnnxActivation, KeepsItsSettings) {
  EXPECT_EQ(
      LastLayer(Unary(9, "LeakyRelu", {{"alpha", 0.1F}}).Import().model).As<LeakyReluAttributes>().slope,
      0.1);
  EXPECT_EQ(LastLayer(Unary(9, "LeakyRelu").Import().model).As<LeakyReluAttributes>().slope, 0.01);
  EXPECT_EQ(LastLayer(Unary(9, "Elu", {{"alpha", 2.0F}}).Import().model).As<EluAttributes>().alpha, 2);
  const Model hard = Unary(9, "HardSigmoid", {{"alpha", 0.25F}}).Import().model;
  EXPECT_EQ(LastLayer(hard).As<HardSigmoidAttributes>().alpha, 0.25);
  EXPECT_EQ(LastLayer(hard).As<HardSigmoidAttributes>().beta, 0.5);
  EXPECT_EQ(LastLayer(Unary(7, "Dropout", {{"ratio", 0.25F}}).Import().model).As<DropoutAttributes>().ratio,
            0.25);
}

TEST(OnnxDropout, TakesItsRatioFromAnInputAndHasAMaskNobodyReads) {
  OnnxTestGraph graph;
  graph.Input("x", {1, 4}).Floats("r", {}, {0.75F}).Node("Dropout", {"x", "r"}, {"y", "mask"});
  EXPECT_EQ(LastLayer(graph.Import().model).As<DropoutAttributes>().ratio, 0.75);
}

TEST(OnnxClip, IsRelu6OrReluWhereItsBoundsSaySo) {
  EXPECT_EQ(OpsOf(Unary(7, "Clip", {{"min", 0.0F}, {"max", 6.0F}}).Import().model), "input relu6");
  EXPECT_EQ(OpsOf(Unary(7, "Clip", {{"min", 0.0F}}).Import().model), "input relu");
  EXPECT_EQ(OpsOf(Unary(7, "Clip", {{"min", -1.0F}}).Import().model), "input clip");
  OnnxTestGraph graph(11);
  graph.Input("x", {1, 4}).Floats("six", {}, {6}).Floats("zero", {}, {0});
  graph.Node("Clip", {"x", "zero", "six"}, {"a"}).Node("Clip", {"a", "", "six"}, {"b"});
  const Model model = graph.Import().model;
  EXPECT_EQ(OpsOf(model), "input relu6 clip");
  EXPECT_EQ(LastLayer(model).As<ClipAttributes>().max, 6);
  EXPECT_EQ(LastLayer(model).As<ClipAttributes>().min, std::numeric_limits<float>::lowest());
  EXPECT_EQ(Unary(7, "Clip", {{"min", 2.0F}, {"max", 1.0F}}).Error(),
            "net.onnx: node \"n_y\" (Clip): its lower bound is not below its upper bound");
}

TEST(OnnxPRelu, HasOneSlopeOrOnePerChannel) {
  const auto graph = [](const Shape& slope) {
    OnnxTestGraph built;
    built.Input("x", {1, 4, 2, 3}).Floats("s", slope).Node("PRelu", {"x", "s"}, {"y"});
    return built;
  };
  for (const Shape& shape : {Shape{4, 1, 1}, Shape{1, 4, 1, 1}, Shape{4}}) {
    const ImportedModel imported = graph(shape).Import();
    EXPECT_FALSE(LastLayer(imported.model).As<PreluAttributes>().shared);
    EXPECT_EQ(imported.weights.at({"n_y", "slope"}).shape, (Shape{4}));
  }
  EXPECT_TRUE(LastLayer(graph({1}).Import().model).As<PreluAttributes>().shared);
  EXPECT_EQ(graph({2, 3}).Error(),
            "net.onnx: node \"n_y\" (PRelu): its slopes of 2x3 are neither one number nor one per channel of "
            "1x4x2x3");
}

TEST(OnnxBinary, OfTwoActivationsBroadcasts) {
  for (const auto& [type, op] : std::vector<std::pair<std::string, std::string>>{
           {"Add", "add"}, {"Sub", "sub"}, {"Mul", "mul"}, {"Div", "div"}, {"Pow", "pow"}, {"Max", "max"}}) {
    OnnxTestGraph graph(8);
    graph.Input("x", {1, 4, 2, 2}).Input("z", {1, 4, 1, 1}).Node(type, {"z", "x"}, {"y"});
    EXPECT_EQ(OpsOf(graph.Import().model), "input input " + op);
    EXPECT_EQ(LastShape(graph.Import().model), "1x4x2x2");
  }
  OnnxTestGraph graph;
  graph.Input("x", {1, 4}).Input("z", {1, 3}).Node("Add", {"x", "z"}, {"y"});
  EXPECT_NE(graph.Error().find("net.onnx: node \"n_y\" (Add): its inputs do not fit together"),
            std::string::npos);
}

TEST(OnnxBinary, KeepsAConstantOperandAndItsPlace) {
  OnnxTestGraph graph;
  graph.Input("x", {1, 4, 2, 2}).Floats("c", {4, 1, 1}).Node("Sub", {"c", "x"}, {"y"});
  const ImportedModel imported = graph.Import();
  const auto& a = LastLayer(imported.model).As<ElementwiseAttributes>();
  EXPECT_TRUE(a.has_constant && a.constant_first);
  EXPECT_EQ(imported.model.totals().params, 4);
  EXPECT_EQ(imported.weights.at({"n_y", "constant"}).values, (Floats{0, 1, 2, 3}));
  OnnxTestGraph behind;
  behind.Input("x", {1, 4}).Floats("c", {}, {2}).Node("Div", {"x", "c"}, {"y"});
  EXPECT_FALSE(LastLayer(behind.Import().model).As<ElementwiseAttributes>().constant_first);
}

TEST(OnnxBinary, CountsAConstantThatTwoLayersShareInEach) {
  OnnxTestGraph graph;
  graph.Input("x", {1, 4}).Floats("c", {4}).Node("Add", {"x", "c"}, {"a"}).Node("Mul", {"a", "c"}, {"y"});
  EXPECT_EQ(graph.Import().model.totals().params, 8);
  EXPECT_EQ(graph.Import().weights.size(), 2U);
}

TEST(OnnxVariadic, SumsAndAverages) {
  OnnxTestGraph graph;
  graph.Input("x", {1, 4}).Input("z", {1, 4}).Floats("c", {4}, {2, 4, 6, 8});
  graph.Node("Sum", {"x", "z", "x"}, {"s"}).Node("Mean", {"s", "z", "c", "x"}, {"y"});
  const ImportedModel imported = graph.Import();
  EXPECT_EQ(OpsOf(imported.model), "input input add add add");
  EXPECT_EQ(imported.model.layers()[3].As<ElementwiseAttributes>().coefficients,
            (std::vector<double>{0.25, 0.25, 0.25}));
  EXPECT_EQ(imported.weights.at({"n_y/constant", "constant"}).values, (Floats{0.5, 1, 1.5, 2}));
  OnnxTestGraph one;
  one.Input("x", {1, 4}).Node("Max", {"x"}, {"y"});
  EXPECT_EQ(OpsOf(one.Import().model), "input identity");
}

TEST(OnnxCast, BetweenFloatingPointTypesIsNothing) {
  EXPECT_EQ(OpsOf(Unary(13, "Cast", {{"to", 10}}).Import().model), "input identity");
  EXPECT_EQ(Unary(13, "Cast", {{"to", 7}}).Error(),
            "net.onnx: node \"n_y\" (Cast): only a cast to a floating-point type is supported");
}

}  // namespace
}  // namespace tandem
