// Do operators that move, pick or combine numbers give them as TensorFlow Lite says, in the file's order of
// axes?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/device/tflite_run.h"

namespace tandem {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;
using Floats = std::vector<float>;

template <class Options>
auto With(flatbuffers::Offset<Options> (*make)(Builder&, std::int32_t), std::int32_t value) {
  return [=](Builder& builder) { return make(builder, value); };
}

// x through one operator; what else it reads comes after x.
TfliteTestGraph OfOne(TfliteOp type, const Shape& shape) {
  TfliteTestGraph graph;
  graph.Input("x", shape);
  graph.Add(type, {0}, {graph.Made("y")});
  return graph;
}
void Read(TfliteTestGraph& graph, int tensor) { graph.nodes.back().inputs.push_back(tensor); }

FileTensor Reshaped(const Shape& from, const std::vector<int>& to) {
  TfliteTestGraph graph = OfOne(TfliteOp::RESHAPE, from);
  Read(graph, graph.Ints("to", to));
  return RunTflite(graph, {CountedUp(from)});
}

TEST(TfliteShapes, AReshapeKeepsTheFilesOrderOfNumbers) {
  const auto expect = [](const Shape& from, const std::vector<int>& to, const Shape& shape) {
    SCOPED_TRACE(ShapeText(from) + " to " + ShapeText(shape));
    ExpectNear(Reshaped(from, to), FileTensor{shape, CountedUp(from).values});
  };
  expect({1, 2, 3, 4}, {1, 24}, {1, 24});
  expect({2, 2, 3, 4}, {-1, 24}, {2, 24});
  expect({2, 2, 3, 4}, {48}, {48});
  expect({1, 3, 3, 8}, {1, 18, 4}, {1, 18, 4});
  expect({1, 18, 4}, {1, 3, 3, 8}, {1, 3, 3, 8});
  expect({1, 24}, {1, 2, 3, 4}, {1, 2, 3, 4});
  expect({1, 4, 2, 3}, {1, 2, 4, 3}, {1, 2, 4, 3});
  expect({1, 1, 1, 12}, {1, -1}, {1, 12});
  expect({1, 12}, {1, 1, 1, 12}, {1, 1, 1, 12});
  expect({1, 2, 2, 6}, {1, 2, 2, 2, 3}, {1, 2, 2, 2, 3});
  expect({1, 2, 2, 2, 3}, {1, 2, 2, 6}, {1, 2, 2, 6});
}

TEST(TfliteShapes, WhatMovesNoNumbersNeedsNoTranspose) {
  const auto ops = [](const Shape& from, const std::vector<int>& to) {
    TfliteTestGraph graph = OfOne(TfliteOp::RESHAPE, from);
    Read(graph, graph.Ints("to", to));
    return OpsOfTflite(graph.Import().model);
  };
  EXPECT_EQ(ops({1, 1, 1, 12}, {1, 12}), "input flatten");
  EXPECT_EQ(ops({4, 1, 1, 12}, {4, 12}), "input flatten");
  EXPECT_EQ(ops({1, 3, 5, 1}, {1, 15}), "input flatten");
  EXPECT_EQ(ops({1, 12}, {1, 1, 1, 12}), "input reshape");
  EXPECT_EQ(ops({1, 2, 2, 3}, {1, 12}), "input transpose flatten");
  EXPECT_EQ(ops({1, 12}, {1, 2, 2, 3}), "input reshape transpose");
}

TEST(TfliteShapes, ChannelsAreShuffledThroughFiveAxes) {
  TfliteTestGraph graph;
  const int x = graph.Input("x", {1, 2, 2, 6}), apart = graph.Made("apart"), moved = graph.Made("moved");
  graph.Add(TfliteOp::RESHAPE, {x, graph.Ints("five", {1, 2, 2, 2, 3})}, {apart});
  graph.Add(TfliteOp::TRANSPOSE, {apart, graph.Ints("order", {0, 1, 2, 4, 3})}, {moved});
  graph.Add(TfliteOp::RESHAPE, {moved, graph.Ints("four", {1, 2, 2, 6})}, {graph.Made("y")});
  const FileTensor in = CountedUp({1, 2, 2, 6});
  ExpectNear(RunTflite(graph, {in}), Filled(in.shape, [&](auto n, auto y, auto column, auto c) {
               return in.at(n, y, column, c % 2 * 3 + c / 2);
             }));
}

TEST(TfliteShapes, ATransposeIsOfTheFilesAxes) {
  const FileTensor in = CountedUp({2, 3, 4, 5});
  const auto run = [&](const std::vector<int>& order) {
    TfliteTestGraph graph = OfOne(TfliteOp::TRANSPOSE, in.shape);
    Read(graph, graph.Ints("order", order));
    return RunTflite(graph, {in});
  };
  ExpectNear(run({0, 3, 1, 2}),
             Filled({2, 5, 3, 4}, [&](auto n, auto c, auto y, auto x) { return in.at(n, y, x, c); }));
  ExpectNear(run({0, 2, 1, 3}),
             Filled({2, 4, 3, 5}, [&](auto n, auto x, auto y, auto c) { return in.at(n, y, x, c); }));
  ExpectNear(run({3, 1, 0, 2}),
             Filled({5, 3, 2, 4}, [&](auto c, auto y, auto n, auto x) { return in.at(n, y, x, c); }));
  ExpectNear(run({0, 1, 2, 3}), in);
}

FileTensor Joined(int axis) {
  TfliteTestGraph graph;
  const int a = graph.Input("a", {1, 2, 2, 3}), b = graph.Input("b", {1, 2, 2, 3});
  graph.Add(
      TfliteOp::CONCATENATION, {a, b}, {graph.Made("y")},
      With(
          +[](Builder& builder, std::int32_t at) { return tfl::CreateConcatenationOptions(builder, at); },
          axis));
  FileTensor second = CountedUp({1, 2, 2, 3});
  for (float& value : second.values) value += 100;
  return RunTflite(graph, {CountedUp({1, 2, 2, 3}), second});
}

TEST(TfliteShapes, TensorsAreJoinedAlongTheFilesAxis) {
  const FileTensor a = CountedUp({1, 2, 2, 3});
  for (const int axis : {3, -1}) {
    ExpectNear(Joined(axis), Filled({1, 2, 2, 6}, [&](auto n, auto y, auto x, auto c) {
                 return a.at(n, y, x, c % 3) + (c < 3 ? 0 : 100);
               }));
  }
  ExpectNear(Joined(1), Filled({1, 4, 2, 3}, [&](auto n, auto y, auto x, auto c) {
               return a.at(n, y % 2, x, c) + (y < 2 ? 0 : 100);
             }));
  ExpectNear(Joined(2), Filled({1, 2, 4, 3}, [&](auto n, auto y, auto x, auto c) {
               return a.at(n, y, x % 2, c) + (x < 2 ? 0 : 100);
             }));
}

TEST(TfliteShapes, SlicesAreOfTheFilesAxes) {
  const FileTensor in = CountedUp({1, 4, 5, 3});
  TfliteTestGraph slice = OfOne(TfliteOp::SLICE, in.shape);
  Read(slice, slice.Ints("begin", {0, 1, 2, 1}));
  Read(slice, slice.Ints("size", {1, 2, -1, 1}));
  ExpectNear(RunTflite(slice, {in}), Filled({1, 2, 3, 1}, [&](auto n, auto y, auto x, auto c) {
               return in.at(n, y + 1, x + 2, c + 1);
             }));

  TfliteTestGraph graph;
  const int x = graph.Input("x", in.shape);
  const std::vector<int> from = {x, graph.Ints("begin", {0, -3, 9, 2}), graph.Ints("end", {1, 9, 9, 9}),
                                 graph.Ints("stride", {1, 2, 2, 1})};
  graph.Add(TfliteOp::STRIDED_SLICE, from, {graph.Made("y")},
            [](Builder& builder) { return tfl::CreateStridedSliceOptions(builder, 4, 4, 0, 0, 8); });
  const FileTensor found = RunTflite(graph, {in});
  Floats expected;
  for (const int row : {1, 3}) {
    for (const int column : {0, 2, 4}) expected.push_back(in.at(0, row, column, 2));
  }
  ExpectNear(found, FileTensor{{1, 2, 3}, expected});
}

TEST(TfliteShapes, PartsOfASplitAreSlices) {
  const FileTensor in = CountedUp({1, 2, 2, 6});
  TfliteTestGraph graph;
  const int axis = graph.Int("axis", 3), x = graph.Input("x", in.shape), a = graph.Made("a"),
            b = graph.Made("b");
  graph.Add(TfliteOp::SPLIT, {axis, x}, {a, b});
  const auto parts = RunTflite(graph.Import(), {in});
  ASSERT_EQ(parts.size(), 2U);
  ExpectNear(parts[1],
             Filled({1, 2, 2, 3}, [&](auto n, auto y, auto c, auto k) { return in.at(n, y, c, k + 3); }));

  TfliteTestGraph uneven;
  const int u = uneven.Input("x", in.shape), sizes = uneven.Ints("sizes", {2, -1}),
            at = uneven.Int("axis", -1);
  uneven.Add(TfliteOp::SPLIT_V, {u, sizes, at}, {uneven.Made("a"), uneven.Made("b")});
  ExpectNear(RunTflite(uneven.Import(), {in}).at(1),
             Filled({1, 2, 2, 4}, [&](auto n, auto y, auto c, auto k) { return in.at(n, y, c, k + 2); }));
}

TEST(TfliteShapes, PackedTensorsGetAnAxisAndUnpackedOnesLoseIt) {
  TfliteTestGraph graph;
  const int a = graph.Input("a", {1, 2, 3}), b = graph.Input("b", {1, 2, 3}), packed = graph.Made("packed");
  graph.Add(TfliteOp::PACK, {a, b}, {packed},
            [](Builder& builder) { return tfl::CreatePackOptions(builder, 2, 1); });
  const FileTensor first = CountedUp({1, 2, 3}), second = Waving({1, 2, 3});
  Floats both = first.values;
  both.insert(both.end(), second.values.begin(), second.values.end());
  ExpectNear(RunTflite(graph, {first, second}), FileTensor{{1, 2, 2, 3}, both});
  const int c = graph.Made("c"), d = graph.Made("d");
  graph.Add(TfliteOp::UNPACK, {packed}, {c, d},
            [](Builder& builder) { return tfl::CreateUnpackOptions(builder, 2, 1); });
  const auto again = RunTflite(graph.Import(), {first, second});
  ExpectNear(again.at(0), first);
  ExpectNear(again.at(1), second);
}

TEST(TfliteShapes, AxesAreAddedTakenAwayAndPicked) {
  TfliteTestGraph graph;
  const int x = graph.Input("x", {1, 3, 4}), wide = graph.Made("wide"), picked = graph.Made("picked");
  graph.Add(TfliteOp::EXPAND_DIMS, {x, graph.Int("axis", 1)}, {wide});
  graph.Add(TfliteOp::GATHER, {wide, graph.Ints("of", {1, 2})}, {picked},
            [](Builder& builder) { return tfl::CreateGatherOptions(builder, 2); });
  graph.Add(TfliteOp::SQUEEZE, {picked}, {graph.Made("y")}, [](Builder& builder) {
    return tfl::CreateSqueezeOptions(builder, builder.CreateVector(std::vector<std::int32_t>{1}));
  });
  ExpectNear(RunTflite(graph, {CountedUp({1, 3, 4})}), FileTensor{{1, 2, 4}, {4, 5, 6, 7, 8, 9, 10, 11}});
}

TEST(TfliteShapes, PaddingsAreOfTheFilesAxes) {
  const FileTensor in = CountedUp({1, 2, 3, 2});
  TfliteTestGraph graph = OfOne(TfliteOp::PADV2, in.shape);
  Read(graph, graph.Stored("pads", {4, 2}, tfl::TensorType::INT32, {0, 0, 1, 0, 0, 2, 0, 1}));
  Read(graph, graph.Floats("value", {}, {7}));
  ExpectNear(RunTflite(graph, {in}), Filled({1, 3, 5, 3}, [&](auto n, auto y, auto x, auto c) {
               return in.Has(y - 1, x) && c < 2 ? in.at(n, y - 1, x, c) : 7.0F;
             }));
  for (const auto mode : {tfl::MirrorPadMode::REFLECT, tfl::MirrorPadMode::SYMMETRIC}) {
    TfliteTestGraph mirror;
    const int x = mirror.Input("x", in.shape);
    const int pads = mirror.Stored("pads", {4, 2}, tfl::TensorType::INT32, {0, 0, 1, 0, 0, 1, 0, 0});
    mirror.Add(TfliteOp::MIRROR_PAD, {x, pads}, {mirror.Made("y")},
               [=](Builder& builder) { return tfl::CreateMirrorPadOptions(builder, mode); });
    const bool reflects = mode == tfl::MirrorPadMode::REFLECT;
    ExpectNear(RunTflite(mirror, {in}), Filled({1, 3, 4, 2}, [&](auto n, auto y, auto column, auto c) {
                 const auto row = y == 0 ? (reflects ? 1 : 0) : y - 1;
                 return in.at(n, row, column < 3 ? column : reflects ? 1 : 2, c);
               }));
  }
}

TEST(TfliteShapes, SquaresMoveIntoChannelsAndBack) {
  const FileTensor in = CountedUp({1, 4, 6, 3});
  TfliteTestGraph graph;
  const int x = graph.Input("x", in.shape), deep = graph.Made("deep"), y = graph.Made("y");
  graph.Add(TfliteOp::SPACE_TO_DEPTH, {x}, {deep},
            [](Builder& builder) { return tfl::CreateSpaceToDepthOptions(builder, 2); });
  ExpectNear(RunTflite(graph, {in}), Filled({1, 2, 3, 12}, [&](auto n, auto row, auto column, auto c) {
               return in.at(n, row * 2 + c / 6, column * 2 + c / 3 % 2, c % 3);
             }));
  graph.Add(TfliteOp::DEPTH_TO_SPACE, {deep}, {y},
            [](Builder& builder) { return tfl::CreateDepthToSpaceOptions(builder, 2); });
  ExpectNear(RunTflite(graph, {in}), in);
}

TEST(TfliteShapes, SquaresMoveIntoTheBatchAndBack) {
  const FileTensor in = CountedUp({1, 3, 4, 2});
  TfliteTestGraph graph;
  const int x = graph.Input("x", in.shape), block = graph.Ints("block", {2, 2}), many = graph.Made("many");
  const int pads = graph.Stored("pads", {2, 2}, tfl::TensorType::INT32, {1, 0, 0, 2});
  graph.Add(TfliteOp::SPACE_TO_BATCH_ND, {x, block, pads}, {many});
  ExpectNear(RunTflite(graph, {in}), Filled({4, 2, 3, 2}, [&](auto n, auto row, auto column, auto c) {
               const auto from = row * 2 + n / 2 - 1, at = column * 2 + n % 2;
               return in.Has(from, at) ? in.at(0, from, at, c) : 0.0F;
             }));
  graph.Add(TfliteOp::BATCH_TO_SPACE_ND, {many, block, pads}, {graph.Made("y")});
  ExpectNear(RunTflite(graph, {in}), in);
}

TEST(TfliteShapes, ImagesAreResized) {
  const FileTensor in = Waving({1, 3, 4, 2});
  TfliteTestGraph nearest;
  const int x = nearest.Input("x", in.shape), size = nearest.Ints("size", {6, 8});
  nearest.Add(TfliteOp::RESIZE_NEAREST_NEIGHBOR, {x, size}, {nearest.Made("y")},
              [](Builder& builder) { return tfl::CreateResizeNearestNeighborOptions(builder); });
  ExpectNear(RunTflite(nearest, {in}), Filled({1, 6, 8, 2}, [&](auto n, auto row, auto column, auto c) {
               return in.at(n, row / 2, column / 2, c);
             }));
}

// Where a position of the output lies between elements of the input.
double PlaceOf(int rule, double at, double in, double out) {
  if (rule == 0) return std::clamp((at + 0.5) * in / out - 0.5, 0.0, in - 1);
  return std::min(rule == 1 ? at * (in - 1) / (out - 1) : at * in / out, in - 1);
}

TEST(TfliteShapes, ImagesAreBlendedByEachOfThreeRules) {
  const FileTensor in = Waving({1, 3, 4, 2});
  for (const int rule : {0, 1, 2}) {
    SCOPED_TRACE(rule);
    TfliteTestGraph linear;
    const int x = linear.Input("x", in.shape), to = linear.Ints("size", {6, 7});
    linear.Add(TfliteOp::RESIZE_BILINEAR, {x, to}, {linear.Made("y")}, [=](Builder& builder) {
      return tfl::CreateResizeBilinearOptions(builder, rule == 1, rule == 0);
    });
    ExpectNear(RunTflite(linear, {in}), Filled({1, 6, 7, 2}, [&](auto n, auto row, auto column, auto c) {
                 const double y = PlaceOf(rule, static_cast<double>(row), 3, 6);
                 const double z = PlaceOf(rule, static_cast<double>(column), 4, 7);
                 const auto top = static_cast<std::int64_t>(y), left = static_cast<std::int64_t>(z);
                 const auto low = std::min<std::int64_t>(top + 1, 2),
                            right = std::min<std::int64_t>(left + 1, 3);
                 const double down = y - static_cast<double>(top), over = z - static_cast<double>(left);
                 return (1 - down) * ((1 - over) * in.at(n, top, left, c) + over * in.at(n, top, right, c)) +
                        down * ((1 - over) * in.at(n, low, left, c) + over * in.at(n, low, right, c));
               }));
  }
}

}  // namespace
}  // namespace tandem
