// Is a model the graph that its layers say, and is a broken graph named for what it is?
#include "profiles/model/model.h"

#include <gtest/gtest.h>

#include "profiles/model/model_builder.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

LayerSpec Input(const std::string& name, const Shape& shape = {1, 2, 4, 4}) {
  return {name, Op::kInput, InputAttributes{shape}, {}};
}
LayerSpec Relu(const std::string& name, const std::string& from) { return {name, Op::kRelu, {}, {from}}; }
LayerSpec Sum(const std::string& name, const std::vector<std::string>& from) {
  return {name, Op::kAdd, ElementwiseAttributes{}, from};
}

std::string BuildError(const std::vector<LayerSpec>& layers) {
  return ErrorOf([&] { Model::Build("net", layers, "f.onnx"); });
}

std::vector<std::string> Names(const Model& model) {
  std::vector<std::string> names;
  for (const Layer& layer : model.layers()) names.push_back(layer.name);
  return names;
}

using Texts = std::vector<std::string>;

TEST(ModelErrors, NoLayer) { EXPECT_EQ(BuildError({}), "f.onnx: the model has no layers"); }

TEST(ModelErrors, ANameGivenTwice) {
  EXPECT_EQ(BuildError({Input("in"), Relu("a", "in"), Relu("a", "in")}),
            "f.onnx: two layers are called \"a\"");
}

TEST(ModelErrors, AnEmptyName) {
  EXPECT_EQ(BuildError({Input("in"), Relu("", "in")}), "f.onnx: layer 1 has an empty name");
}

TEST(ModelErrors, ADanglingInputWithTheNearestName) {
  EXPECT_EQ(BuildError({Input("data"), Relu("conv1", "data"), Relu("b", "cnov1")}),
            "f.onnx: layer \"b\" reads \"cnov1\", which no layer makes; did you mean \"conv1\"?");
  EXPECT_EQ(BuildError({Input("data"), Relu("b", "zzzzzzzz")}),
            "f.onnx: layer \"b\" reads \"zzzzzzzz\", which no layer makes; known: b, data");
}

TEST(ModelErrors, ACycleNamesAllItsLayersInOrder) {
  EXPECT_EQ(BuildError({Input("in"), Sum("a", {"in", "c"}), Relu("b", "a"), Relu("c", "b"), Relu("d", "c")}),
            "f.onnx: the layers form a cycle: \"a\" -> \"b\" -> \"c\" -> \"a\"");
}

TEST(ModelErrors, ALayerThatReadsItself) {
  EXPECT_EQ(BuildError({Input("in"), Sum("a", {"in", "a"})}),
            "f.onnx: the layers form a cycle: \"a\" -> \"a\"");
}

TEST(ModelErrors, ALongCycleIsCut) {
  std::vector<LayerSpec> layers = {Input("in"), Sum("l0", {"in", "l99"})};
  for (int i = 1; i < 100; ++i) layers.push_back(Relu("l" + std::to_string(i), "l" + std::to_string(i - 1)));
  const std::string error = BuildError(layers);
  EXPECT_NE(error.find("\"l11\" -> ... -> \"l0\""), std::string::npos) << error;
  EXPECT_EQ(error.find("\"l12\""), std::string::npos);
}

TEST(ModelErrors, ACycleBehindManyLayersIsFoundAtOnce) {
  std::vector<LayerSpec> layers = {Input("l0")};
  for (int i = 1; i < 20'000; ++i) {
    layers.push_back(Relu("l" + std::to_string(i), "l" + std::to_string(i - 1)));
  }
  layers.push_back(Sum("a", {"l19999", "b"}));
  layers.push_back(Relu("b", "a"));
  EXPECT_EQ(BuildError(layers), "f.onnx: the layers form a cycle: \"a\" -> \"b\" -> \"a\"");
}

TEST(ModelErrors, AShapeThatDoesNotFitNamesTheLayerAndItsOp) {
  EXPECT_EQ(
      BuildError({Input("in", {1, 10}), {"c", Op::kConv, SquareConv(8, 3), {"in"}}}),
      "f.onnx: layer \"c\" (conv): expects an input of 4 axes (batch, channels, height, width), has 1x10");
}

TEST(ModelErrors, WorkBeyond64Bits) {
  // Convolutions of 2^60 multiply-accumulates: seven can be added up, eight cannot.
  const std::int64_t channels = std::int64_t{1} << 20, side = std::int64_t{1} << 10;
  std::vector<LayerSpec> layers = {Input("l0", {1, channels, side, side})};
  for (int i = 1; i <= 8; ++i) {
    layers.push_back(
        {"l" + std::to_string(i), Op::kConv, NoBias(SquareConv(channels, 1)), {"l" + std::to_string(i - 1)}});
    EXPECT_EQ(BuildError(layers), i < 8 ? "no error" : "f.onnx: its work or its weights are beyond 64 bits");
  }
}

TEST(ModelOrder, KeepsTheGivenOneWhereItCan) {
  const Model model =
      Model::Build("net", {Sum("z", {"b", "a"}), Input("in"), Relu("b", "in"), Relu("a", "in")}, "f");
  EXPECT_EQ(Names(model), (Texts{"in", "b", "a", "z"}));
  for (const Layer& layer : model.layers()) {
    for (const LayerId input : layer.inputs) EXPECT_LT(input, model.Find(layer.name));
  }
}

TEST(ModelGraph, UsersCountOncePerUse) {
  const Model model = Model::Build("net", {Input("in"), Relu("a", "in"), Sum("b", {"a", "a", "in"})}, "f");
  const LayerId in = model.Find("in"), a = model.Find("a"), b = model.Find("b");
  EXPECT_EQ(std::vector<LayerId>(model.users(a).begin(), model.users(a).end()), (std::vector{b, b}));
  EXPECT_EQ(std::vector<LayerId>(model.users(in).begin(), model.users(in).end()), (std::vector{a, b}));
  EXPECT_EQ(model.Inputs(), std::vector{in});
  EXPECT_EQ(model.Outputs(), std::vector{b});
  EXPECT_FALSE(model.Find("c").valid());
}

Model SmallNet() {
  ModelBuilder net("small");
  net.Input("in", {1, 3, 8, 8});
  net.Conv("conv", SquareConv(4, 3, 1, 1));
  net.Add("bn", Op::kBatchNorm);
  net.Fc("fc", 10);
  return net.Build();
}

TEST(ModelCounts, AddUpAndBytesAreFourAnElement) {
  const Model model = SmallNet();
  const LayerId conv = model.Find("conv");
  EXPECT_EQ(model.totals().params, (4 * 3 * 9 + 4) + 2 * 4 + (256 * 10 + 10));
  EXPECT_EQ(model.totals().state, 2 * 4);
  EXPECT_EQ(model.totals().macs, 64 * 4 * 27 + 2560);
  EXPECT_EQ(model.BytesIn(conv), 4 * 3 * 64);
  EXPECT_EQ(model.BytesOut(conv), 4 * 4 * 64);
  EXPECT_EQ(model.BytesOfWeights(), 4 * (model.totals().params + model.totals().state));
}

TEST(ModelVariants, ABatchScalesWorkAndNotWeights) {
  const Model one = SmallNet();
  const Model four = one.WithBatch(4);
  EXPECT_EQ(four.batch(), 4);
  EXPECT_EQ(four.name(), "small");
  EXPECT_EQ(four.totals().macs, 4 * one.totals().macs);
  EXPECT_EQ(four.totals().params, one.totals().params);
  EXPECT_EQ(Names(four), Names(one));
  EXPECT_EQ(ErrorOf([&] { one.WithBatch(0); }),
            "small at batch 0: layer \"in\" (input): an output extent of 0 is out of range");
}

TEST(ModelVariants, AnInputOfAnotherSize) {
  const Model model = SmallNet().WithInputShape({2, 3, 16, 8});
  EXPECT_EQ(model.layer(model.Find("conv")).output, (Shape{2, 4, 16, 8}));
  const Model two = Model::Build("two", {Input("a"), Input("b"), Sum("c", {"a", "b"})}, "f");
  EXPECT_EQ(ErrorOf([&] {
              two.WithInputShape({1, 2, 4, 4});
            }),
            "two: an input shape needs a model with one input, this has 2");
}

TEST(ModelVariants, SpecsBuildTheSameModelAgain) {
  const Model model = SmallNet();
  const Model again = Model::Build(model.name(), model.Specs(), "again");
  EXPECT_EQ(Names(again), Names(model));
  EXPECT_EQ(again.totals().params, model.totals().params);
}

}  // namespace
}  // namespace tandem
