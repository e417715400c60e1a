// Do matrix products, normalisation and reductions of an ONNX file become the right layers and weights?
#include <gtest/gtest.h>

#include "tests/support/onnx_test_graph.h"

namespace tandem {
namespace {

using Ints = std::vector<std::int64_t>;
using Floats = std::vector<float>;

TEST(OnnxGemm, TransposesItsMatrixUnlessTheFileDid) {
  OnnxTestGraph graph;
  graph.Input("x", {1, 3}).Floats("w", {3, 2}).Floats("b", {2}).Node("Gemm", {"x", "w", "b"}, {"y"});
  const ImportedModel plain = graph.Import();
  EXPECT_EQ(OpsOf(plain.model), "input fc");
  EXPECT_EQ(plain.model.totals().params, 8);
  EXPECT_EQ(plain.weights.at({"n_y", "weight"}).shape, (Shape{2, 3}));
  EXPECT_EQ(plain.weights.at({"n_y", "weight"}).values, (Floats{0, 2, 4, 1, 3, 5}));
  OnnxTestGraph other;
  other.Input("x", {1, 3}).Floats("w", {2, 3}).Node("Gemm", {"x", "w"}, {"y"}, {{"transB", 1}});
  EXPECT_EQ(other.Import().weights.at({"n_y", "weight"}).values, (Floats{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(other.Import().model.totals().params, 6);
}

TEST(OnnxGemm, FoldsItsFactorsIntoTheWeights) {
  OnnxTestGraph graph;
  graph.Input("x", {1, 2}).Floats("w", {2, 2}).Floats("b", {1, 2});
  graph.Node("Gemm", {"x", "w", "b"}, {"y"}, {{"alpha", 0.5F}, {"beta", 2.0F}, {"transB", 1}});
  const Weights weights = graph.Import().weights;
  EXPECT_EQ(weights.at({"n_y", "weight"}).values, (Floats{0, 0.5, 1, 1.5}));
  EXPECT_EQ(weights.at({"n_y", "bias"}).values, (Floats{0, 2}));
}

TEST(OnnxGemm, TakesEveryThirdOperandThatBroadcasts) {
  OnnxTestGraph single;
  single.Input("x", {1, 2}).Floats("w", {2, 4}).Floats("b", {1}, {7}).Node("Gemm", {"x", "w", "b"}, {"y"});
  EXPECT_EQ(single.Import().weights.at({"n_y", "bias"}).values, (Floats{7, 7, 7, 7}));
  OnnxTestGraph matrix;
  matrix.Input("x", {3, 2}).Floats("w", {2, 4}).Floats("b", {3, 4}).Node("Gemm", {"x", "w", "b"}, {"y"});
  EXPECT_EQ(OpsOf(matrix.Import().model), "input fc add");
  OnnxTestGraph computed;
  computed.Input("x", {3, 2}).Input("b", {3, 4}).Floats("w", {2, 4}).Node("Relu", {"b"}, {"c"});
  computed.Node("Gemm", {"x", "w", "c"}, {"y"}, {{"beta", 3.0F}});
  EXPECT_EQ(OpsOf(computed.Import().model), "input input relu fc add");
  EXPECT_EQ(LastLayer(computed.Import().model).As<ElementwiseAttributes>().coefficients,
            (std::vector<double>{1, 3}));
}

TEST(OnnxGemm, OfTwoActivationsIsAMatrixProduct) {
  OnnxTestGraph graph;
  graph.Input("x", {2, 3}).Input("z", {4, 2}).Node("Relu", {"z"}, {"r"});
  graph.Node("Gemm", {"x", "r"}, {"y"}, {{"transA", 1}, {"transB", 1}});
  EXPECT_EQ(OpsOf(graph.Import().model), "input input relu transpose transpose matmul");
  EXPECT_EQ(LastShape(graph.Import().model), "3x4");
}

TEST(OnnxGemm, RefusesWhatDoesNotFit) {
  OnnxTestGraph graph;
  graph.Input("x", {1, 3}).Floats("w", {4, 2}).Node("Gemm", {"x", "w"}, {"y"});
  EXPECT_EQ(graph.Error(), "net.onnx: node \"n_y\" (Gemm): cannot multiply 1x3 by a constant of 4x2");
  OnnxTestGraph bias;
  bias.Input("x", {1, 4}).Floats("w", {4, 2}).Floats("b", {3}).Node("Gemm", {"x", "w", "b"}, {"y"});
  EXPECT_EQ(bias.Error(), "net.onnx: node \"n_y\" (Gemm): its bias has the shape 3 where 2 is expected");
  OnnxTestGraph image;
  image.Input("x", {1, 4, 1, 1}).Floats("w", {4, 2}).Node("Gemm", {"x", "w"}, {"y"});
  EXPECT_EQ(image.Error(), "net.onnx: node \"n_y\" (Gemm): expects a matrix, has 1x4x1x1");
}

TEST(OnnxMatMul, ByAConstantIsFullyConnectedOverTheLastAxis) {
  OnnxTestGraph graph;
  graph.Input("x", {1, 5, 3}).Floats("w", {3, 2}).Floats("b", {2});
  graph.Node("MatMul", {"x", "w"}, {"m"}).Node("Add", {"b", "m"}, {"y"});
  const ImportedModel imported = graph.Import();
  EXPECT_EQ(OpsOf(imported.model), "input fc add");
  EXPECT_EQ(LastShape(imported.model), "1x5x2");
  EXPECT_EQ(imported.model.totals().params, 8);
  EXPECT_EQ(imported.model.totals().macs, 30);
  EXPECT_EQ(imported.weights.at({"n_m", "weight"}).values, (Floats{0, 2, 4, 1, 3, 5}));
}

TEST(OnnxMatMul, OfTwoActivationsHasNoParameters) {
  OnnxTestGraph graph;
  graph.Input("x", {1, 5, 3}).Input("z", {1, 3, 4}).Node("MatMul", {"x", "z"}, {"y"});
  EXPECT_EQ(OpsOf(graph.Import().model), "input input matmul");
  EXPECT_EQ(graph.Import().model.totals().params, 0);
}

TEST(OnnxMatMul, RefusesAConstantOnTheLeft) {
  OnnxTestGraph graph;
  graph.Input("x", {3, 3}).Floats("w", {3, 3}).Node("MatMul", {"w", "x"}, {"y"});
  EXPECT_EQ(graph.Error(),
            "net.onnx: node \"n_y\" (MatMul): its input 0 \"w\" is a constant, which is not supported there");
}

OnnxTestGraph Norm(int opset, const OnnxTestAttributes& attributes, const std::vector<std::string>& outputs) {
  OnnxTestGraph graph(opset);
  graph.Input("x", {1, 4, 2, 2}).Floats("g", {4}).Floats("b", {4}).Floats("m", {4}).Floats("v", {4});
  graph.Node("BatchNormalization", {"x", "g", "b", "m", "v"}, outputs, attributes);
  return graph;
}

TEST(OnnxBatchNormalization, HasTwoParametersAndTwoStatisticsPerChannel) {
  const ImportedModel imported = Norm(9, {{"epsilon", 0.001F}}, {"y"}).Import();
  EXPECT_EQ(imported.model.totals().params, 8);
  EXPECT_EQ(imported.model.totals().state, 8);
  EXPECT_EQ(LastLayer(imported.model).As<BatchNormAttributes>().epsilon, 0.001);
  for (const char* role : {"gamma", "beta", "mean", "variance"}) {
    EXPECT_EQ(imported.weights.at({"n_y", role}).values, (Floats{0, 1, 2, 3})) << role;
  }
}

TEST(OnnxBatchNormalization, IgnoresTheOutputsOfTraining) {
  EXPECT_EQ(OpsOf(Norm(7, {{"spatial", 1}}, {"y", "m2", "v2", "m3", "v3"}).Import().model),
            "input batch_norm");
  EXPECT_EQ(OpsOf(Norm(14, {{"training_mode", 1}}, {"y", "m2", "v2"}).Import().model), "input batch_norm");
  EXPECT_EQ(
      Norm(7, {{"spatial", 0}}, {"y"}).Error(),
      "net.onnx: node \"n_y\" (BatchNormalization): statistics per pixel (spatial = 0) are not supported");
}

TEST(OnnxBatchNormalization, RefusesStatisticsOfAnotherSize) {
  OnnxTestGraph graph;
  graph.Input("x", {1, 4, 2, 2}).Floats("g", {4}).Floats("m", {3});
  graph.Node("BatchNormalization", {"x", "g", "g", "m", "g"}, {"y"});
  EXPECT_EQ(graph.Error(),
            "net.onnx: node \"n_y\" (BatchNormalization): its mean has the shape 3 where 4 is expected");
  OnnxTestGraph missing;
  missing.Input("x", {1, 4, 2, 2}).Floats("g", {4}).Node("BatchNormalization", {"x", "g", "g"}, {"y"});
  EXPECT_EQ(missing.Error(), "net.onnx: node \"n_y\" (BatchNormalization): its input 3 is missing");
}

TEST(OnnxLayerNormalization, KnowsItsAxisAndItsBias) {
  OnnxTestGraph graph(17);
  graph.Input("x", {1, 5, 6})
      .Floats("g", {5, 6})
      .Node("LayerNormalization", {"x", "g"}, {"y"}, {{"axis", 1}});
  EXPECT_EQ(OpsOf(graph.Import().model), "input layer_norm");
  EXPECT_EQ(graph.Import().model.totals().params, 30);
}

std::string SoftmaxOps(int opset, const Shape& in, const OnnxTestAttributes& attributes) {
  OnnxTestGraph graph(opset);
  graph.Input("x", in).Node("Softmax", {"x"}, {"y"}, attributes);
  const Model model = graph.Import().model;
  EXPECT_EQ(LastLayer(model).output, in);
  EXPECT_EQ(model.WithBatch(2).batch(), 2);
  return OpsOf(model);
}

TEST(OnnxSoftmax, WentOverAllAxesFromItsOwnOnBeforeOperatorSet13) {
  EXPECT_EQ(SoftmaxOps(9, {1, 10}, {}), "input softmax");
  EXPECT_EQ(SoftmaxOps(9, {1, 10, 1, 1}, {}), "input softmax");
  EXPECT_EQ(SoftmaxOps(9, {1, 10, 2, 2}, {}), "input flatten softmax reshape");
  EXPECT_EQ(SoftmaxOps(13, {1, 10, 2, 2}, {{"axis", 1}}), "input softmax");
  OnnxTestGraph newer;
  newer.Input("x", {1, 2, 3}).Node("LogSoftmax", {"x"}, {"y"});
  EXPECT_EQ(OpsOf(newer.Import().model), "input softmax log");
  EXPECT_EQ(newer.Import().model.layers()[1].As<AxisAttributes>().axis, 2);
}

TEST(OnnxReduceMean, OverTheImageIsGlobalPooling) {
  OnnxTestGraph graph(11);
  graph.Input("x", {1, 4, 5, 5}).Node("ReduceMean", {"x"}, {"y"}, {{"axes", Ints{-1, 2}}, {"keepdims", 0}});
  EXPECT_EQ(OpsOf(graph.Import().model), "input avg_pool flatten");
  EXPECT_EQ(LastShape(graph.Import().model), "1x4");
  OnnxTestGraph newer(18);
  newer.Input("x", {1, 4, 5, 5}).Ints("a", {2, 3}).Node("ReduceMean", {"x", "a"}, {"y"});
  EXPECT_EQ(OpsOf(newer.Import().model), "input avg_pool");
  OnnxTestGraph max(11);
  max.Input("x", {1, 4, 5, 5}).Node("ReduceMax", {"x"}, {"y"}, {{"axes", Ints{2, 3}}});
  EXPECT_EQ(OpsOf(max.Import().model), "input max_pool");
}

TEST(OnnxReduceMean, OverOtherAxesIsALayerOfItsOwn) {
  OnnxTestGraph graph(11);
  graph.Input("x", {1, 5, 5, 4}).Node("ReduceMean", {"x"}, {"y"}, {{"axes", Ints{1, 2}}, {"keepdims", 0}});
  EXPECT_EQ(OpsOf(graph.Import().model), "input reduce_mean");
  EXPECT_EQ(LastShape(graph.Import().model), "1x4");
  OnnxTestGraph max(11);
  max.Input("x", {1, 5, 5, 4}).Node("ReduceMax", {"x"}, {"y"}, {{"axes", Ints{1}}});
  EXPECT_EQ(max.Error(),
            "net.onnx: node \"n_y\" (ReduceMax): only a maximum over height and width is supported");
}

}  // namespace
}  // namespace tandem
