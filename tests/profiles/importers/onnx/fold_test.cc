// Is what an exporter computes on shapes and constants computed at import, to the same numbers?
#include <gtest/gtest.h>

#include "tests/support/onnx_test_graph.h"

namespace tandem {
namespace {

using Ints = std::vector<std::int64_t>;
using Floats = std::vector<float>;

// The target of a reshape of `in` by the value "s" that the nodes before make.
std::string ReshapedBy(OnnxTestGraph& graph) {
  graph.Node("Reshape", {"x", "s"}, {"y"});
  return LastShape(graph.Import().model);
}

TEST(OnnxFold, FlattensByTheShapeAsPyTorchWritesIt) {
  OnnxTestGraph graph(11);
  graph.Input("x", {-1, 8, 3, 3}).Int("zero", 0).Ints("rest", {-1});
  graph.Node("Shape", {"x"}, {"shape"}).Node("Gather", {"shape", "zero"}, {"n"}, {{"axis", 0}});
  graph.Node("Unsqueeze", {"n"}, {"n1"}, {{"axes", Ints{0}}});
  graph.Node("Concat", {"n1", "rest"}, {"s"}, {{"axis", 0}});
  EXPECT_EQ(ReshapedBy(graph), "1x72");
  EXPECT_EQ(OpsOf(graph.Import().model), "input reshape");
  EXPECT_EQ(LastShape(graph.Import().model.WithBatch(4)), "4x72");
}

TEST(OnnxFold, DividesChannelsAsAShuffleDoes) {
  OnnxTestGraph graph(13);
  graph.Input("x", {1, 8, 3, 3})
      .Int("one", 1)
      .Int("two", 2)
      .Ints("axis", {0})
      .Ints("head", {1})
      .Ints("tail", {3, 3});
  graph.Node("Shape", {"x"}, {"shape"}).Node("Gather", {"shape", "one"}, {"c"});
  graph.Node("Div", {"c", "two"}, {"half"}).Node("Cast", {"half"}, {"f"}, {{"to", 1}});
  graph.Node("Floor", {"f"}, {"g"}).Node("Cast", {"g"}, {"h"}, {{"to", 7}});
  graph.Node("Unsqueeze", {"h", "axis"}, {"h1"}).Node("Unsqueeze", {"two", "axis"}, {"t1"});
  graph.Node("Concat", {"head", "t1", "h1", "tail"}, {"s"}, {{"axis", 0}});
  EXPECT_EQ(ReshapedBy(graph), "1x2x4x3x3");
}

TEST(OnnxFold, KnowsTheArithmeticOfShapes) {
  const auto folded = [](const std::string& type, const Ints& a, const Ints& b) {
    OnnxTestGraph graph(13);
    graph.Input("x", {1, 24}).Ints("a", a).Ints("b", b).Node(type, {"a", "b"}, {"s"});
    return ReshapedBy(graph);
  };
  EXPECT_EQ(folded("Add", {1, 8}, {1, 4}), "2x12");
  EXPECT_EQ(folded("Sub", {5, 9}, {1, 3}), "4x6");
  EXPECT_EQ(folded("Mul", {2, 6}, {2, 1}), "4x6");
  EXPECT_EQ(folded("Div", {9, 12}, {2}), "4x6");
  EXPECT_EQ(folded("Mod", {12, 34}, {8, 28}), "4x6");
  EXPECT_EQ(folded("Min", {4, 8}, {9, 6}), "4x6");
  EXPECT_EQ(folded("Max", {4, 1}, {1, 6}), "4x6");
  EXPECT_EQ(folded("Pow", {2, 6}, {2, 1}), "4x6");
}

TEST(OnnxFold, ChoosesAndComparesAsAnExpandDoes) {
  OnnxTestGraph graph(13);
  graph.Input("x", {1, 24}).Ints("a", {-1, 6}).Ints("b", {4, 4}).Ints("two", {2});
  graph.Node("ConstantOfShape", {"two"}, {"ones"}, {{"value", OnnxTestTensor({1}, Ints{1})}});
  graph.Int("minus", -1).Node("Mul", {"ones", "minus"}, {"m"}).Node("Equal", {"a", "m"}, {"is"});
  graph.Node("Where", {"is", "b", "a"}, {"s"});
  EXPECT_EQ(ReshapedBy(graph), "4x6");
}

TEST(OnnxFold, ReducesRangesAndTiles) {
  OnnxTestGraph graph(13);
  graph.Input("x", {1, 24})
      .Int("start", 2)
      .Int("limit", 5)
      .Int("step", 1)
      .Ints("twice", {2})
      .Ints("cut", {1});
  graph.Ints("end", {2}).Ints("minus", {-1});
  graph.Node("Range", {"start", "limit", "step"}, {"r"});                        // 2 3 4
  graph.Node("ReduceProd", {"r"}, {"all"}).Node("Tile", {"r", "twice"}, {"t"});  // 24; 2 3 4 2 3 4
  graph.Node("Slice", {"t", "cut", "end"}, {"three"});                           // 3
  graph.Node("Div", {"all", "three"}, {"eight"}).Node("Concat", {"three", "eight"}, {"s"}, {{"axis", 0}});
  EXPECT_EQ(ReshapedBy(graph), "3x8");
}

TEST(OnnxFold, SlicesBackwards) {
  OnnxTestGraph graph(13);
  graph.Input("x", {2, 3, 4}).Ints("s0", {-1}).Ints("e0", {INT64_MIN}).Ints("a0", {0}).Ints("t0", {-1});
  graph.Node("Shape", {"x"}, {"shape"}).Node("Slice", {"shape", "s0", "e0", "a0", "t0"}, {"s"});
  EXPECT_EQ(ReshapedBy(graph), "4x3x2");
}

TEST(OnnxFold, KnowsSizesAndConstantsOfEveryKind) {
  OnnxTestGraph graph(15);
  graph.Input("x", {2, 3, 4}).Node("Size", {"x"}, {"n"});
  graph.Node("Constant", {}, {"six"}, {{"value_int", 6}}).Node("Div", {"n", "six"}, {"four"});
  graph.Node("Constant", {}, {"axes"}, {{"value_ints", Ints{0}}}).Node("Unsqueeze", {"four", "axes"}, {"f1"});
  graph.Node("Shape", {"x"}, {"front"}, {{"end", -2}})
      .Node("Constant", {}, {"t"}, {{"value", OnnxTestTensor({1}, Ints{3})}});
  graph.Node("Concat", {"f1", "t", "front"}, {"s"}, {{"axis", 0}});
  EXPECT_EQ(ReshapedBy(graph), "4x3x2");
}

TEST(OnnxFold, PassesWeightsThroughTheOperatorsInFrontOfThem) {
  OnnxTestGraph graph(13);
  graph.Input("x", {1, 2}).Floats("w", {3, 2}).Floats("k", {}, {10});
  graph.Node("Identity", {"w"}, {"a"}).Node("Mul", {"a", "k"}, {"b"});
  graph.Node("Transpose", {"b"}, {"c"}, {{"perm", Ints{1, 0}}}).Node("MatMul", {"x", "c"}, {"y"});
  const ImportedModel imported = graph.Import();
  EXPECT_EQ(OpsOf(imported.model), "input fc");
  EXPECT_EQ(imported.weights.at({"n_y", "weight"}).values, (Floats{0, 10, 20, 30, 40, 50}));
}

TEST(OnnxFold, JoinsAndPicksRowsOfWeights) {
  OnnxTestGraph graph(13);
  graph.Input("x", {1, 2}).Floats("a", {2, 1}, {1, 2}).Floats("b", {2, 2}, {3, 4, 5, 6}).Ints("i", {2, 0});
  graph.Node("Concat", {"a", "b"}, {"c"}, {{"axis", 1}});  // 1 3 4 / 2 5 6
  graph.Node("Gather", {"c", "i"}, {"w"}, {{"axis", 1}});  // 4 1 / 6 2
  graph.Node("Gemm", {"x", "w"}, {"y"}, {{"transB", 1}});
  EXPECT_EQ(graph.Import().weights.at({"n_y", "weight"}).values, (Floats{4, 1, 6, 2}));
}

TEST(OnnxFold, KeepsTheShapeOfWeightsThatTheFileLacks) {
  OnnxTestGraph graph(13);
  graph.Input("x", {1, 2}).Input("fc.weight", {3, 2});
  graph.Node("Transpose", {"fc.weight"}, {"c"}).Node("MatMul", {"x", "c"}, {"y"});
  const ImportedModel imported = graph.Import();
  EXPECT_EQ(OpsOf(imported.model), "input fc");
  EXPECT_EQ(imported.model.totals().params, 6);
  EXPECT_TRUE(imported.weights.empty());
}

TEST(OnnxFold, SaysWhatCannotBeComputed) {
  OnnxTestGraph zero(13);
  zero.Input("x", {1, 24}).Ints("a", {4, 6}).Ints("b", {0}).Node("Div", {"a", "b"}, {"s"});
  zero.Node("Reshape", {"x", "s"}, {"y"});
  EXPECT_EQ(zero.Error(), "net.onnx: node \"n_s\" (Div): divides by zero");
  OnnxTestGraph range(13);
  range.Input("x", {1, 24}).Int("a", 0).Int("b", INT64_MAX).Int("c", 1).Node("Range", {"a", "b", "c"}, {"s"});
  range.Node("Reshape", {"x", "s"}, {"y"});
  EXPECT_EQ(range.Error(), "net.onnx: node \"n_s\" (Range): its range is out of range");
  OnnxTestGraph activation(13);
  activation.Input("x", {1, 24}).Node("Floor", {"x"}, {"y"});
  EXPECT_EQ(activation.Error(), "net.onnx: node \"n_y\" (Floor): is supported on constants alone");
  OnnxTestGraph constant(13);
  constant.Input("x", {1, 24}).Floats("c", {24}).Node("Relu", {"c"}, {"d"}).Node("Add", {"x", "d"}, {"y"});
  EXPECT_EQ(constant.Error(),
            "net.onnx: node \"n_d\" (Relu): all its inputs are constants, which is not supported");
  OnnxTestGraph index(13);
  index.Input("x", {1, 24}).Ints("a", {4, 6}).Ints("i", {2}).Node("Gather", {"a", "i"}, {"s"});
  index.Node("Reshape", {"x", "s"}, {"y"});
  EXPECT_EQ(index.Error(), "net.onnx: node \"n_s\" (Gather): its index is outside of its input");
}

TEST(OnnxFold, NeverComputesMoreThanTheFileIsWorth) {
  OnnxTestGraph fill(13);
  fill.Input("x", {1, 24}).Ints("big", {1 << 20, 1 << 20}).Floats("k", {}, {2});
  fill.Node("ConstantOfShape", {"big"}, {"c"}).Node("Mul", {"c", "k"}, {"d"}).Node("Add", {"x", "d"}, {"y"});
  EXPECT_NE(fill.Error().find("numbers to be computed at import"), std::string::npos);
  OnnxTestGraph target(13);
  target.Input("x", {1, 24}).Ints("big", {1 << 30}).Node("ConstantOfShape", {"big"}, {"s"});
  target.Node("Reshape", {"x", "s"}, {"y"});
  EXPECT_NE(target.Error().find("numbers to be computed at import"), std::string::npos);
  OnnxTestGraph wrapped(13);
  wrapped.Input("x", {1, 24}).Ints("a", {INT64_MAX, INT64_MAX}).Node("Mul", {"a", "a"}, {"b"});
  wrapped.Node("ConstantOfShape", {"a"}, {"c"}).Node("Add", {"x", "c"}, {"y"});
  EXPECT_EQ(wrapped.Error(), "net.onnx: node \"n_c\" (ConstantOfShape): it has more than 2^40 elements");
}

}  // namespace
}  // namespace tandem
