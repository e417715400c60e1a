// Do shapes, parts and paddings of an ONNX file come out right, and at any batch?
#include <gtest/gtest.h>

#include "tests/support/onnx_test_graph.h"

namespace tandem {
namespace {

using Ints = std::vector<std::int64_t>;
using Floats = std::vector<float>;

OnnxTestGraph Reshape(const Shape& in, const Ints& target, const OnnxTestAttributes& attributes = {}) {
  OnnxTestGraph graph(14);
  graph.Input("x", in).Ints("s", target).Node("Reshape", {"x", "s"}, {"y"}, attributes);
  return graph;
}

TEST(OnnxReshape, HoldsAtAnyBatchWhereTheFileSaysOne) {
  const auto at_batch_3 = [](const Shape& in, const Ints& target) {
    return LastShape(Reshape(in, target).Import().model.WithBatch(3));
  };
  EXPECT_EQ(at_batch_3({1, 8, 2, 2}, {1, 32}), "3x32");
  EXPECT_EQ(at_batch_3({1, 8, 2, 2}, {1, -1}), "3x32");
  EXPECT_EQ(at_batch_3({1, 8, 2, 2}, {-1, 32}), "3x32");
  EXPECT_EQ(at_batch_3({1, 8, 2, 2}, {0, -1}), "3x32");
  EXPECT_EQ(at_batch_3({1, 8, 2, 2}, {1, 2, 4, 2, 2}), "3x2x4x2x2");
  EXPECT_EQ(at_batch_3({1, 8, 2, 2}, {4, 2, 4}), "12x2x4");
}

TEST(OnnxReshape, RefusesWhatDoesNotFit) {
  const std::string at = "net.onnx: node \"n_y\" (Reshape): ";
  EXPECT_EQ(Reshape({1, 8}, {1, 9}).Error(), at + "cannot turn 1x8 into 1x9");
  EXPECT_EQ(Reshape({1, 8}, {3, -1}).Error(), at + "cannot turn 1x8 into 3x-1");
  EXPECT_EQ(Reshape({1, 8}, {-1, -1}).Error(), at + "cannot turn 1x8 into -1x-1");
  EXPECT_EQ(Reshape({1, 8}, {1, 8, 0}).Error(), at + "keeps an axis that its input of 1x8 has not");
  EXPECT_EQ(Reshape({1, 8}, {-2, -4}).Error(), at + "its extent -2 is negative");
  EXPECT_EQ(Reshape({1, 8}, {0, 8}, {{"allowzero", 1}}).Error(), at + "cannot turn 1x8 into 0x8");
  EXPECT_EQ(Reshape({1, 8}, {std::int64_t{1} << 62, 4}).Error(), at + "it has more than 2^40 elements");
  OnnxTestGraph computed;
  computed.Input("x", {1, 8}).Input("s", {2}).Node("Relu", {"s"}, {"r"}).Node("Reshape", {"x", "r"}, {"y"});
  EXPECT_EQ(
      computed.Error(),
      "net.onnx: node \"n_y\" (Reshape): its input 1 \"r\" is no constant, which is not supported there");
}

TEST(OnnxFlatten, KnowsItsAxis) {
  const auto shape = [](const OnnxTestAttributes& attributes) {
    OnnxTestGraph graph;
    graph.Input("x", {2, 3, 4, 5}).Node("Flatten", {"x"}, {"y"}, attributes);
    return LastShape(graph.Import().model);
  };
  EXPECT_EQ(shape({}), "2x60");
  EXPECT_EQ(shape({{"axis", 0}}), "1x120");
  EXPECT_EQ(shape({{"axis", -1}}), "24x5");
  EXPECT_EQ(shape({{"axis", 4}}), "120x1");
}

TEST(OnnxSqueeze, TakesItsAxesAsAttributeOrInput) {
  OnnxTestGraph old(11);
  old.Input("x", {1, 8, 1, 1}).Node("Squeeze", {"x"}, {"y"}, {{"axes", Ints{2, 3}}});
  EXPECT_EQ(LastShape(old.Import().model.WithBatch(2)), "2x8");
  OnnxTestGraph newer(13);
  newer.Input("x", {1, 8, 1, 1}).Ints("a", {-1, 2}).Node("Squeeze", {"x", "a"}, {"y"});
  EXPECT_EQ(LastShape(newer.Import().model), "1x8");
  OnnxTestGraph all(13);
  all.Input("x", {1, 8, 1}).Node("Squeeze", {"x"}, {"y"});
  EXPECT_EQ(LastShape(all.Import().model), "8");
  OnnxTestGraph wrong(11);
  wrong.Input("x", {1, 8}).Node("Squeeze", {"x"}, {"y"}, {{"axes", Ints{1}}});
  EXPECT_EQ(wrong.Error(), "net.onnx: node \"n_y\" (Squeeze): cannot squeeze axis 1 of 1x8");
}

TEST(OnnxUnsqueeze, TakesItsAxesAsAttributeOrInput) {
  OnnxTestGraph old(11);
  old.Input("x", {1, 8}).Node("Unsqueeze", {"x"}, {"y"}, {{"axes", Ints{2, 3}}});
  EXPECT_EQ(LastShape(old.Import().model.WithBatch(2)), "2x8x1x1");
  OnnxTestGraph newer(13);
  newer.Input("x", {1, 8}).Ints("a", {-1, 0}).Node("Unsqueeze", {"x", "a"}, {"y"});
  EXPECT_EQ(LastShape(newer.Import().model), "1x1x8x1");
  OnnxTestGraph twice(11);
  twice.Input("x", {1, 8}).Node("Unsqueeze", {"x"}, {"y"}, {{"axes", Ints{2, 2}}});
  EXPECT_EQ(twice.Error(), "net.onnx: node \"n_y\" (Unsqueeze): its axis 2 is given twice");
}

TEST(OnnxTranspose, ShufflesChannelsAtAnyBatch) {
  OnnxTestGraph graph;
  graph.Input("x", {1, 6, 4, 4}).Ints("split", {1, 2, 3, 4, 4}).Ints("join", {1, 6, 4, 4});
  graph.Node("Reshape", {"x", "split"}, {"a"});
  graph.Node("Transpose", {"a"}, {"b"}, {{"perm", Ints{0, 2, 1, 3, 4}}});
  graph.Node("Reshape", {"b", "join"}, {"y"});
  EXPECT_EQ(OpsOf(graph.Import().model), "input reshape transpose reshape");
  EXPECT_EQ(LastShape(graph.Import().model.WithBatch(5)), "5x6x4x4");
  OnnxTestGraph reversed;
  reversed.Input("x", {1, 2, 3}).Node("Transpose", {"x"}, {"y"});
  EXPECT_EQ(LastShape(reversed.Import().model), "3x2x1");
  OnnxTestGraph wrong;
  wrong.Input("x", {1, 2, 3}).Node("Transpose", {"x"}, {"y"}, {{"perm", Ints{0, 1}}});
  EXPECT_EQ(wrong.Error(),
            "net.onnx: node \"n_y\" (Transpose): its perm does not name every axis of its input once");
}

TEST(OnnxPad, TakesItsPaddingAsAttributeOrInput) {
  OnnxTestGraph old(10);
  const Ints pads = {0, 0, 1, 2, 0, 0, 3, 4};
  old.Input("x", {1, 2, 5, 5}).Node("Pad", {"x"}, {"y"}, {{"pads", pads}, {"value", 1.5F}});
  EXPECT_EQ(LastShape(old.Import().model), "1x2x9x11");
  EXPECT_EQ(LastLayer(old.Import().model).As<PadAttributes>().value, 1.5);
  OnnxTestGraph newer(13);
  newer.Input("x", {1, 2, 5, 5}).Ints("p", pads).Floats("v", {}, {2}).Node("Pad", {"x", "p", "v"}, {"y"});
  EXPECT_EQ(LastLayer(newer.Import().model).As<PadAttributes>().before, (Ints{0, 0, 1, 2}));
  EXPECT_EQ(LastLayer(newer.Import().model).As<PadAttributes>().value, 2);
  OnnxTestGraph some(18);
  some.Input("x", {1, 2, 5, 5})
      .Ints("p", {1, 2})
      .Ints("a", {-1})
      .Node("Pad", {"x", "p", "", "a"}, {"y"}, {{"mode", "reflect"}});
  EXPECT_EQ(LastShape(some.Import().model), "1x2x5x8");
  EXPECT_EQ(LastLayer(some.Import().model).As<PadAttributes>().mode, PadMode::kReflect);
}

TEST(OnnxPad, OfNothingIsNothingAndOfUnknownKindAnError) {
  OnnxTestGraph none(13);
  none.Input("x", {1, 5}).Ints("p", {0, 0, 0, 0}).Node("Pad", {"x", "p"}, {"y"});
  EXPECT_EQ(OpsOf(none.Import().model), "input identity");
  OnnxTestGraph wrap(19);
  wrap.Input("x", {1, 5}).Ints("p", {0, 1, 0, 0}).Node("Pad", {"x", "p"}, {"y"}, {{"mode", "wrap"}});
  EXPECT_EQ(wrap.Error(), "net.onnx: node \"n_y\" (Pad): its mode wrap is not supported");
  OnnxTestGraph few(13);
  few.Input("x", {1, 5}).Ints("p", {0, 1}).Node("Pad", {"x", "p"}, {"y"});
  EXPECT_EQ(few.Error(), "net.onnx: node \"n_y\" (Pad): its pads have 2 numbers for 2 axes");
}

TEST(OnnxSlice, TakesItsRangesAsAttributesOrInputs) {
  OnnxTestGraph old(9);
  old.Input("x", {1, 8, 5})
      .Node("Slice", {"x"}, {"y"}, {{"starts", Ints{2}}, {"ends", Ints{-1}}, {"axes", Ints{1}}});
  EXPECT_EQ(LastShape(old.Import().model), "1x5x5");
  OnnxTestGraph newer(13);
  newer.Input("x", {1, 8, 5}).Ints("s", {1}).Ints("e", {INT64_MAX}).Ints("a", {-2}).Ints("t", {2});
  newer.Node("Slice", {"x", "s", "e", "a", "t"}, {"y"});
  EXPECT_EQ(LastShape(newer.Import().model), "1x4x5");
  EXPECT_EQ(LastLayer(newer.Import().model).As<SliceAttributes>().axes, (Ints{1}));
  OnnxTestGraph backwards(13);
  backwards.Input("x", {1, 8}).Ints("s", {7}).Ints("e", {0}).Ints("a", {1}).Ints("t", {-1});
  backwards.Node("Slice", {"x", "s", "e", "a", "t"}, {"y"});
  EXPECT_EQ(backwards.Error(), "net.onnx: node \"n_y\" (Slice): a slice needs a positive step");
}

TEST(OnnxSplit, GivesASlicePerPartThatIsRead) {
  OnnxTestGraph even(11);
  even.Input("x", {1, 6, 2}).Node("Split", {"x"}, {"a", "b"}, {{"axis", 1}});
  even.Node("Concat", {"b", "a"}, {"y"}, {{"axis", 1}});
  EXPECT_EQ(OpsOf(even.Import().model), "input slice slice concat");
  EXPECT_TRUE(even.Import().model.Find("n_a/1").valid());
  OnnxTestGraph sizes(13);
  sizes.Input("x", {1, 6, 2}).Ints("s", {1, 2, 3}).Node("Split", {"x", "s"}, {"a", "b", "c"}, {{"axis", -2}});
  sizes.Node("Relu", {"c"}, {"y"});
  EXPECT_EQ(OpsOf(sizes.Import().model), "input slice relu");
  EXPECT_EQ(LastShape(sizes.Import().model), "1x3x2");
  OnnxTestGraph rest(18);
  rest.Input("x", {1, 7}).Node("Split", {"x"}, {"a", "b"}, {{"axis", 1}, {"num_outputs", 2}});
  rest.Node("Relu", {"b"}, {"y"});
  EXPECT_EQ(LastShape(rest.Import().model), "1x3");
}

TEST(OnnxSplit, RefusesPartsThatDoNotMakeUpTheWhole) {
  OnnxTestGraph uneven(11);
  uneven.Input("x", {1, 7}).Node("Split", {"x"}, {"a", "b"}, {{"axis", 1}});
  EXPECT_EQ(uneven.Error(), "net.onnx: node \"n_a\" (Split): cannot split 7 into 2 equal parts");
  OnnxTestGraph sizes(11);
  sizes.Input("x", {1, 7}).Node("Split", {"x"}, {"a", "b"}, {{"axis", 1}, {"split", Ints{3, 3}}});
  EXPECT_EQ(sizes.Error(), "net.onnx: node \"n_a\" (Split): its parts do not make up the 7 of its input");
}

TEST(OnnxGather, OfOneIndexOrARunIsASlice) {
  OnnxTestGraph one;
  one.Input("x", {1, 6, 4}).Int("i", -1).Node("Gather", {"x", "i"}, {"y"}, {{"axis", 1}});
  EXPECT_EQ(OpsOf(one.Import().model), "input slice reshape");
  EXPECT_EQ(LastShape(one.Import().model.WithBatch(2)), "2x4");
  OnnxTestGraph run;
  run.Input("x", {1, 6, 4}).Ints("i", {2, 3}).Node("Gather", {"x", "i"}, {"y"}, {{"axis", 1}});
  EXPECT_EQ(LastShape(run.Import().model), "1x2x4");
  OnnxTestGraph wild;
  wild.Input("x", {1, 6, 4}).Ints("i", {2, 0}).Node("Gather", {"x", "i"}, {"y"}, {{"axis", 1}});
  EXPECT_EQ(wild.Error(), "net.onnx: node \"n_y\" (Gather): only a run of indices is supported");
  OnnxTestGraph outside;
  outside.Input("x", {1, 6, 4}).Int("i", 6).Node("Gather", {"x", "i"}, {"y"}, {{"axis", 1}});
  EXPECT_EQ(outside.Error(), "net.onnx: node \"n_y\" (Gather): its index is outside of its input");
}

TEST(OnnxConcat, RefusesAConstantAmongItsInputs) {
  OnnxTestGraph graph;
  graph.Input("x", {1, 2}).Floats("c", {1, 2}).Node("Concat", {"x", "c"}, {"y"}, {{"axis", -1}});
  EXPECT_EQ(graph.Error(),
            "net.onnx: node \"n_y\" (Concat): its input 1 \"c\" is a constant, which is not supported there");
}

TEST(OnnxExpand, IsSupportedWhereItRepeatsNothing) {
  OnnxTestGraph same;
  same.Input("x", {1, 4, 2}).Ints("s", {4, 1}).Node("Expand", {"x", "s"}, {"y"});
  EXPECT_EQ(OpsOf(same.Import().model), "input identity");
  OnnxTestGraph more;
  more.Input("x", {1, 4, 1}).Ints("s", {4, 3}).Node("Expand", {"x", "s"}, {"y"});
  EXPECT_EQ(more.Error(), "net.onnx: node \"n_y\" (Expand): repeating data is not supported: 1x4x1 to 4x3");
}

OnnxTestGraph Resize(const OnnxTestAttributes& attributes, const Floats& scales = {1, 1, 2, 2}) {
  OnnxTestGraph graph(13);
  graph.Input("x", {1, 3, 4, 5}).Floats("s", {4}, scales).Node("Resize", {"x", "", "s"}, {"y"}, attributes);
  return graph;
}

TEST(OnnxResize, TakesScalesOrSizesInEveryOperatorSet) {
  OnnxTestGraph seven(7);
  seven.Input("x", {1, 3, 4, 5}).Node("Upsample", {"x"}, {"y"}, {{"scales", Floats{1, 1, 2, 3}}});
  EXPECT_EQ(LastShape(seven.Import().model), "1x3x8x15");
  OnnxTestGraph nine(9);
  nine.Input("x", {1, 3, 4, 5}).Floats("s", {4}, {1, 1, 2, 2}).Node("Upsample", {"x", "s"}, {"y"});
  EXPECT_EQ(LastShape(nine.Import().model), "1x3x8x10");
  OnnxTestGraph ten(10);
  ten.Input("x", {1, 3, 4, 5}).Floats("s", {4}, {1, 1, 2, 2}).Node("Resize", {"x", "s"}, {"y"});
  EXPECT_EQ(LastShape(ten.Import().model), "1x3x8x10");
  EXPECT_EQ(LastShape(Resize({}).Import().model), "1x3x8x10");
  OnnxTestGraph sizes(11);
  sizes.Input("x", {1, 3, 7, 9}).Floats("none", {0}, {}).Ints("z", {1, 3, 17, 31});
  sizes.Node("Resize", {"x", "none", "none", "z"}, {"y"}, {{"mode", "linear"}});
  EXPECT_EQ(LastShape(sizes.Import().model), "1x3x17x31");
  EXPECT_EQ(LastLayer(sizes.Import().model).As<UpsampleAttributes>().mode, UpsampleMode::kLinear);
}

TEST(OnnxResize, BlendsByThreeRules) {
  const auto align = [](const char* rule) {
    const OnnxTestAttributes linear = {{"mode", "linear"}, {"coordinate_transformation_mode", rule}};
    return LastLayer(Resize(linear).Import().model).As<UpsampleAttributes>().align;
  };
  EXPECT_EQ(align("half_pixel"), UpsampleAlign::kCentres);
  EXPECT_EQ(align("align_corners"), UpsampleAlign::kCorners);
  EXPECT_EQ(align("asymmetric"), UpsampleAlign::kEdges);
}

TEST(OnnxResize, RefusesRulesThatShowOtherElements) {
  const std::string at = "net.onnx: node \"n_y\" (Resize): ";
  const OnnxTestAttributes asymmetric = {{"coordinate_transformation_mode", "asymmetric"},
                                         {"nearest_mode", "floor"}};
  EXPECT_EQ(Resize(asymmetric).Error(), "no error");
  EXPECT_EQ(Resize(asymmetric, {1, 1, 0.5F, 3}).Error(), "no error");
  EXPECT_EQ(
      Resize({{"nearest_mode", "ceil"}}).Error(),
      at + "its coordinate_transformation_mode half_pixel with the nearest_mode ceil is not supported for "
           "this scale");
  EXPECT_EQ(Resize({{"mode", "linear"}, {"coordinate_transformation_mode", "tf_half_pixel_for_nn"}}).Error(),
            at + "its coordinate_transformation_mode tf_half_pixel_for_nn is not supported for this scale");
  EXPECT_EQ(Resize({{"mode", "cubic"}}).Error(),
            at + "its mode cubic is not supported; known: nearest, linear");
  EXPECT_EQ(Resize({}, {1, 2, 2, 2}).Error(),
            at + "only images of 4 axes are resized, over height and width");
  OnnxTestGraph neither(13);
  neither.Input("x", {1, 3, 4, 5}).Node("Resize", {"x"}, {"y"});
  EXPECT_EQ(neither.Error(), at + "it has neither scales nor sizes");
}

}  // namespace
}  // namespace tandem
