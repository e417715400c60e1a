// Do convolutions and poolings of an ONNX file keep their window, however the file states it?
#include <gtest/gtest.h>

#include "tests/support/onnx_test_graph.h"

namespace tandem {
namespace {

using Ints = std::vector<std::int64_t>;

OnnxTestGraph Conv(const Shape& in, const Shape& weight, const OnnxTestAttributes& attributes) {
  OnnxTestGraph graph;
  graph.Input("x", in).Floats("w", weight).Node("Conv", {"x", "w"}, {"y"}, attributes);
  return graph;
}

std::string ConvShape(const OnnxTestAttributes& attributes) {
  return LastShape(Conv({1, 3, 7, 8}, {4, 3, 3, 3}, attributes).Import().model);
}

TEST(OnnxConv, TakesItsKernelFromTheWeightAndKnowsEveryWayToPad) {
  EXPECT_EQ(ConvShape({}), "1x4x5x6");
  EXPECT_EQ(ConvShape({{"pads", Ints{1, 0, 2, 1}}}), "1x4x8x7");
  EXPECT_EQ(ConvShape({{"auto_pad", "NOTSET"}, {"pads", Ints{1, 1, 1, 1}}}), "1x4x7x8");
  EXPECT_EQ(ConvShape({{"auto_pad", "VALID"}, {"strides", Ints{2, 2}}}), "1x4x3x3");
  EXPECT_EQ(ConvShape({{"auto_pad", "SAME_UPPER"}, {"strides", Ints{2, 2}}}), "1x4x4x4");
  EXPECT_EQ(ConvShape({{"dilations", Ints{2, 3}}}), "1x4x3x2");
}

TEST(OnnxConv, PadsTheEndMoreForSameUpperAndTheBeginningForSameLower) {
  const auto pad = [](const char* mode) {
    const OnnxTestAttributes attributes = {{"auto_pad", mode}, {"strides", Ints{2, 2}}};
    return LastLayer(Conv({1, 3, 7, 8}, {4, 3, 3, 3}, attributes).Import().model).As<ConvAttributes>().pad;
  };
  EXPECT_EQ(pad("SAME_UPPER"), (Padding{1, 0, 1, 1}));
  EXPECT_EQ(pad("SAME_LOWER"), (Padding{1, 1, 1, 0}));
}

TEST(OnnxConv, CountsGroupsAndBias) {
  OnnxTestGraph graph;
  graph.Input("x", {1, 8, 5, 5}).Floats("w", {8, 1, 3, 3}).Floats("b", {8});
  graph.Node("Conv", {"x", "w", "b"}, {"y"}, {{"group", 8}, {"kernel_shape", Ints{3, 3}}});
  const ImportedModel imported = graph.Import();
  EXPECT_EQ(LastLayer(imported.model).counts.params, 8 * 9 + 8);
  EXPECT_EQ(LastLayer(imported.model).counts.macs, 8 * 9 * 9);
  EXPECT_EQ(imported.weights.at({"n_y", "weight"}).shape, (Shape{8, 1, 3, 3}));
  EXPECT_EQ(imported.weights.at({"n_y", "bias"}).values[7], 7);
}

TEST(OnnxConv, RefusesWhatDoesNotFitItsWeight) {
  const std::string at = "net.onnx: node \"n_y\" (Conv): ";
  EXPECT_EQ(Conv({1, 3, 9}, {4, 3, 3}, {}).Error(),
            at + "only images of 4 axes (batch, channels, height, width) are supported, its input is 1x3x9");
  EXPECT_EQ(Conv({1, 3, 7, 7}, {4, 3, 3}, {}).Error(),
            at + "only windows over height and width are supported, its weight is 4x3x3");
  EXPECT_EQ(Conv({1, 5, 7, 7}, {4, 3, 3, 3}, {}).Error(),
            at + "its weight of 4x3x3x3 in 1 group(s) does not fit its input of 1x5x7x7");
  EXPECT_EQ(Conv({1, 3, 7, 7}, {4, 3, 3, 3}, {{"group", 2}}).Error(),
            at + "its 2 groups do not divide 3 input channels");
  EXPECT_EQ(Conv({1, 3, 7, 7}, {4, 3, 3, 3}, {{"group", 0}}).Error(),
            at + "its 0 groups do not divide 3 input channels");
  EXPECT_EQ(Conv({1, 3, 7, 7}, {4, 3, 3, 3}, {{"kernel_shape", Ints{5, 5}}}).Error(),
            at + "its kernel_shape does not fit its weight of 4x3x3x3");
  EXPECT_EQ(Conv({1, 3, 7, 7}, {4, 3, 3, 3}, {{"auto_pad", "SAME"}}).Error(),
            at + "its auto_pad SAME is unknown; known: NOTSET, VALID, SAME_UPPER, SAME_LOWER");
  EXPECT_EQ(Conv({1, 3, 7, 7}, {4, 3, 3, 3}, {{"strides", Ints{0, 1}}}).Error(),
            at + "its strides of 0 is out of range");
  EXPECT_EQ(Conv({1, 3, 7, 7}, {4, 3, 3, 3}, {{"strides", Ints{2}}}).Error(),
            at + "its strides has 1 numbers, two are expected: windows are supported over height and width");
  EXPECT_EQ(Conv({1, 3, 7, 7}, {4, 3, 3, 3}, {{"pads", Ints{1, 1}}}).Error(),
            at + "its pads have 2 numbers, not four");
  EXPECT_EQ(Conv({1, 3, 7, 7}, {4, 3, 3, 3}, {{"pads", Ints{-1, 0, 0, 0}}}).Error(),
            at + "its padding of -1 is out of range");
  EXPECT_EQ(Conv({1, 3, 7, 7}, {4, 3, 3, 3}, {{"pads", 1}}).Error(),
            at + "its attribute \"pads\" is of another type than INTS");
}

TEST(OnnxConv, RefusesAWeightThatALayerComputes) {
  OnnxTestGraph graph;
  graph.Input("x", {1, 3, 7, 7}).Input("z", {4, 3, 3, 3}).Node("Relu", {"z"}, {"w"});
  graph.Node("Conv", {"x", "w"}, {"y"});
  EXPECT_EQ(graph.Error(),
            "net.onnx: node \"n_y\" (Conv): its input 1 \"w\" is no constant, which is not supported there");
}

OnnxTestGraph Deconv(const OnnxTestAttributes& attributes) {
  OnnxTestGraph graph;
  graph.Input("x", {1, 6, 5, 5}).Floats("w", {6, 2, 3, 3});
  graph.Node("ConvTranspose", {"x", "w"}, {"y"}, attributes);
  return graph;
}

TEST(OnnxConvTranspose, KnowsOutputPaddingOutputShapeAndGroups) {
  const Ints two = {2, 2};
  EXPECT_EQ(LastShape(Deconv({}).Import().model), "1x2x7x7");
  EXPECT_EQ(LastShape(Deconv({{"group", 3}}).Import().model), "1x6x7x7");
  EXPECT_EQ(LastShape(Deconv({{"strides", two}, {"pads", Ints{1, 1, 1, 1}}, {"output_padding", Ints{1, 1}}})
                          .Import()
                          .model),
            "1x2x10x10");
  EXPECT_EQ(LastShape(Deconv({{"strides", two}, {"auto_pad", "SAME_UPPER"}}).Import().model), "1x2x10x10");
  const Model model = Deconv({{"strides", two}, {"output_shape", Ints{10, 9}}}).Import().model;
  EXPECT_EQ(LastShape(model), "1x2x10x9");
  EXPECT_EQ(LastLayer(model).As<ConvAttributes>().pad, (Padding{1, 1, 0, 1}));
  EXPECT_EQ(LastLayer(model).counts.params, 6 * 2 * 9);
}

TEST(OnnxConvTranspose, RefusesAnOutputThatItCannotMake) {
  const std::string at = "net.onnx: node \"n_y\" (ConvTranspose): ";
  EXPECT_EQ(Deconv({{"output_shape", Ints{100, 100}}}).Error(),
            at + "its output is asked to be larger than it can be");
  EXPECT_EQ(Deconv({{"output_padding", Ints{-1, 0}}}).Error(),
            at + "its output_padding is not two numbers from 0 on");
}

Model Pool(int opset, const std::string& type, const OnnxTestAttributes& attributes) {
  OnnxTestGraph graph(opset);
  graph.Input("x", {1, 3, 8, 8}).Node(type, {"x"}, {"y"}, attributes);
  return graph.Import().model;
}

TEST(OnnxPool, RoundsAndCountsItsPaddingAsTheFileSays) {
  const Ints three = {3, 3};
  const Ints two = {2, 2};
  EXPECT_EQ(LastShape(Pool(8, "MaxPool", {{"kernel_shape", three}, {"strides", two}})), "1x3x3x3");
  EXPECT_EQ(LastShape(Pool(10, "MaxPool", {{"kernel_shape", three}, {"strides", two}, {"ceil_mode", 1}})),
            "1x3x4x4");
  EXPECT_EQ(LastShape(Pool(12, "MaxPool", {{"kernel_shape", three}, {"dilations", two}})), "1x3x4x4");
  EXPECT_EQ(LastShape(Pool(9, "AveragePool", {{"kernel_shape", two}, {"auto_pad", "SAME_LOWER"}})),
            "1x3x8x8");
  EXPECT_FALSE(
      LastLayer(Pool(9, "AveragePool", {{"kernel_shape", two}})).As<PoolAttributes>().count_include_pad);
  EXPECT_TRUE(LastLayer(Pool(9, "AveragePool", {{"kernel_shape", two}, {"count_include_pad", 1}}))
                  .As<PoolAttributes>()
                  .count_include_pad);
}

TEST(OnnxPool, OverTheWholeImage) {
  EXPECT_EQ(OpsOf(Pool(9, "GlobalAveragePool", {})), "input avg_pool");
  EXPECT_EQ(OpsOf(Pool(9, "GlobalMaxPool", {})), "input max_pool");
  EXPECT_EQ(LastShape(Pool(9, "GlobalMaxPool", {})), "1x3x1x1");
}

TEST(OnnxPool, RefusesWhatIsMissingAndWhoReadsTheIndices) {
  OnnxTestGraph graph;
  graph.Input("x", {1, 3, 8, 8}).Node("MaxPool", {"x"}, {"y"});
  EXPECT_EQ(graph.Error(), "net.onnx: node \"n_y\" (MaxPool): its kernel_shape is missing");
  OnnxTestGraph indices;
  indices.Input("x", {1, 3, 8, 8}).Node("MaxPool", {"x"}, {"y", "i"}, {{"kernel_shape", Ints{2, 2}}});
  EXPECT_EQ(OpsOf(indices.Import().model), "input max_pool");
  indices.Node("Relu", {"i"}, {"z"});
  EXPECT_EQ(
      indices.Error(),
      "net.onnx: node \"n_z\" (Relu): its input 0 \"i\" is an output that has no meaning when a network "
      "only runs");
}

TEST(OnnxLrn, HasTheDefaultsOfOnnx) {
  const LrnAttributes a = LastLayer(Pool(9, "LRN", {{"size", 5}, {"alpha", 0.001F}})).As<LrnAttributes>();
  EXPECT_EQ(a.size, 5);
  EXPECT_EQ(a.alpha, 0.001);
  EXPECT_EQ(a.beta, 0.75);
  EXPECT_EQ(a.k, 1);
}

}  // namespace
}  // namespace tandem
