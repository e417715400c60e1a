// Is what exporters reckon with shapes worked out, and what tandem's layers cannot say refused?
#include <gtest/gtest.h>

#include "tests/support/tflite_test_graph.h"

namespace tandem {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;
using Type = tfl::TensorType;

auto Strides(int shrink) {
  return [=](Builder& builder) { return tfl::CreateStridedSliceOptions(builder, 0, 0, 0, 0, shrink); };
}

// How Keras flattens a batch of any size: the batch is picked out of the shape and put before the rest.
TEST(TfliteFold, AShapeThatIsReckonedIsAShape) {
  TfliteTestGraph graph;
  const int x = graph.Input("x", {2, 2, 3, 4}), shape = graph.Made("shape"), batch = graph.Made("batch");
  const int all = graph.Made("all"), y = graph.Made("y", {2, 24});
  graph.Add(TfliteOp::SHAPE, {x}, {shape});
  graph.Add(TfliteOp::STRIDED_SLICE,
            {shape, graph.Ints("b", {0}), graph.Ints("e", {1}), graph.Ints("s", {1})}, {batch}, Strides(1));
  graph.Add(TfliteOp::PACK, {batch, graph.Int("rest", 24)}, {all},
            [](Builder& builder) { return tfl::CreatePackOptions(builder, 2, 0); });
  graph.Add(TfliteOp::RESHAPE, {x, all}, {y});
  const Model model = graph.Import().model;
  EXPECT_EQ(OpsOfTflite(model), "input transpose flatten");
  EXPECT_EQ(model.WithBatch(5).layers().back().output, (Shape{5, 24}));
}

TEST(TfliteFold, NumbersOfShapesAreReckonedWith) {
  TfliteTestGraph graph;
  const int x = graph.Input("x", {1, 2, 3, 4}), shape = graph.Made("shape"), part = graph.Made("part");
  const int product = graph.Made("product"), twice = graph.Made("twice"), half = graph.Made("half");
  const int less = graph.Made("less"), more = graph.Made("more"), wide = graph.Made("wide"),
            all = graph.Made("all");
  graph.Add(TfliteOp::SHAPE, {x}, {shape});
  graph.Add(TfliteOp::GATHER, {shape, graph.Ints("of", {1, 3})}, {part},
            [](Builder& builder) { return tfl::CreateGatherOptions(builder, 0); });
  graph.Add(TfliteOp::REDUCE_PROD, {part, graph.Ints("axis", {0})}, {product},
            [](Builder& builder) { return tfl::CreateReducerOptions(builder, false); });
  graph.Add(TfliteOp::MUL, {product, graph.Int("two", 2)}, {twice});       // 16
  graph.Add(TfliteOp::FLOOR_DIV, {twice, graph.Int("three", 3)}, {half});  // 5
  graph.Add(TfliteOp::SUB, {half, graph.Int("one", 1)}, {less});           // 4
  graph.Add(TfliteOp::ADD, {less, graph.Int("again", 2)}, {more});         // 6
  graph.Add(TfliteOp::EXPAND_DIMS, {more, graph.Int("at", 0)}, {wide});
  graph.Add(TfliteOp::CONCATENATION, {graph.Ints("first", {1, 4}), wide}, {all},
            [](Builder& builder) { return tfl::CreateConcatenationOptions(builder, 0); });
  graph.Add(TfliteOp::RESHAPE, {x, all}, {graph.Made("y", {1, 4, 6})});
  EXPECT_EQ(graph.Import().model.layers().back().output, (Shape{1, 4, 6}));
}

TEST(TfliteFold, ConstantsMayBeTurnedBeforeTheyAreUsed) {
  TfliteTestGraph graph;
  const int x = graph.Input("x", {1, 2}), w = graph.Floats("w", {2, 3}), turned = graph.Made("turned");
  graph.Add(TfliteOp::TRANSPOSE, {w, graph.Ints("order", {1, 0})}, {turned});
  graph.Add(TfliteOp::FULLY_CONNECTED, {x, turned}, {graph.Made("y", {1, 3})},
            [](Builder& builder) { return tfl::CreateFullyConnectedOptions(builder); });
  EXPECT_EQ(graph.Import().weights.at({"y", "weight"}).values, (std::vector<float>{0, 3, 1, 4, 2, 5}));
}

// Errors begin with file, operator and its place.
class TfliteLimits : public testing::Test {
 protected:
  template <class... Options>
  void Expect(TfliteOp type, const Shape& shape, const std::vector<std::vector<int>>& more,
              const std::string& error, Options... options) {
    TfliteTestGraph graph;
    std::vector<int> inputs = {graph.Input("x", shape)};
    for (const std::vector<int>& values : more) inputs.push_back(graph.Ints("k", values));
    graph.Add(type, inputs, {graph.Made("y")}, options...);
    EXPECT_EQ(graph.Error(), "net.tflite: operator 0 \"y\" (" +
                                 std::string(tfl::EnumNameBuiltinOperator(type)) + "): " + error);
  }
};

TEST_F(TfliteLimits, AreToldWithTheirReasons) {
  const auto both = [](Builder& builder) { return tfl::CreateResizeBilinearOptions(builder, true, true); };
  Expect(TfliteOp::RESIZE_BILINEAR, {1, 3, 3, 1}, {{6, 6}}, "it has two rules for its corners", both);
  const auto nearest = [](Builder& builder) {
    return tfl::CreateResizeNearestNeighborOptions(builder, true, false);
  };
  Expect(TfliteOp::RESIZE_NEAREST_NEIGHBOR, {1, 3, 3, 1}, {{7, 3}},
         "its rule (align_corners) is not supported for 3 to 7", nearest);
  const auto gelu = [](Builder& builder) { return tfl::CreateGeluOptions(builder, true); };
  Expect(TfliteOp::GELU, {1, 3}, {},
         "its approximation by tanh is not supported; convert the network with the exact one", gelu);
  Expect(TfliteOp::RESHAPE, {1, 6}, {{4, 2}}, "cannot turn 1x6 into 4x2");
  Expect(TfliteOp::TRANSPOSE, {1, 6}, {{0, 0}}, "its order does not name every axis of its input once");
  Expect(TfliteOp::PAD, {1, 6}, {{1, 2, 3}}, "its paddings are 3 numbers for 2 axes");
  Expect(TfliteOp::SLICE, {1, 6}, {{0, 5}, {1, 2}}, "it ends outside of its input of 1x6");
  Expect(TfliteOp::STRIDED_SLICE, {1, 6}, {{0, 5}, {1, 0}, {1, -1}}, "its stride of -1 is not supported",
         Strides(0));
  const auto pool = [](Builder& builder) {
    return tfl::CreatePool2DOptions(builder, tfl::Padding::SAME, 0, 1, 2, 2);
  };
  Expect(TfliteOp::MAX_POOL_2D, {1, 4, 4, 1}, {}, "its kernel, stride or dilation of 0 is out of range",
         pool);
  Expect(TfliteOp::MAX_POOL_2D, {4, 4, 1}, {},
         "only images of 4 axes (batch, height, width, channels) are supported, its input is 4x4x1", pool);
  const auto block = [](Builder& builder) { return tfl::CreateSpaceToDepthOptions(builder, 3); };
  Expect(TfliteOp::SPACE_TO_DEPTH, {1, 4, 3, 1}, {}, "its 4 rows cannot be divided by 3", block);
  const auto mean = [](Builder& builder) { return tfl::CreateReducerOptions(builder); };
  Expect(TfliteOp::REDUCE_MAX, {1, 4, 3, 1}, {{3}}, "only a maximum over height and width is supported",
         mean);
  Expect(TfliteOp::MEAN, {1, 4}, {{2}}, "its axis 2 is outside of 2 axes", mean);
}

TEST(TfliteFilters, ThatDoNotFitAreToldWithBothShapes) {
  TfliteTestGraph graph;
  const int x = graph.Input("x", {1, 4, 4, 3}), w = graph.Floats("w", {2, 3, 3, 2});
  graph.Add(TfliteOp::CONV_2D, {x, w}, {graph.Made("y")},
            [](Builder& builder) { return tfl::CreateConv2DOptions(builder, tfl::Padding::SAME, 1, 1); });
  EXPECT_EQ(
      graph.Error(),
      "net.tflite: operator 0 \"y\" (CONV_2D): its filter of 2x3x3x2 does not fit its input of 1x4x4x3");
}

}  // namespace
}  // namespace tandem
