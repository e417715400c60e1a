// Do operators that slide a window compute what TensorFlow Lite says, in the file's order of axes? Expected
// are plain loops of its own rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/device/tflite_run.h"

namespace tandem {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;
using Fused = tfl::ActivationFunctionType;

struct Window {
  int kernel_h, kernel_w, stride, dilation;
  tfl::Padding padding;

  // Of an axis of that extent: how many positions, and where the first begins.
  std::int64_t Reach(int kernel) const { return (kernel - 1) * dilation + 1; }
  std::int64_t Positions(std::int64_t in, int kernel) const {
    return padding == tfl::Padding::SAME ? (in + stride - 1) / stride : (in - Reach(kernel)) / stride + 1;
  }
  std::int64_t Before(std::int64_t in, int kernel) const {
    const std::int64_t total = (Positions(in, kernel) - 1) * stride + Reach(kernel) - in;
    return padding == tfl::Padding::SAME ? std::max<std::int64_t>(total, 0) / 2 : 0;
  }
};

// Calls visit(row, column, ky, kx) for what lies inside of the image under the window at (y, x).
template <class Visit>
void UnderWindow(const Window& w, const FileTensor& in, std::int64_t y, std::int64_t x, Visit visit) {
  for (int ky = 0; ky < w.kernel_h; ++ky) {
    for (int kx = 0; kx < w.kernel_w; ++kx) {
      const std::int64_t row = y * w.stride - w.Before(in.shape[1], w.kernel_h) + ky * w.dilation;
      const std::int64_t column = x * w.stride - w.Before(in.shape[2], w.kernel_w) + kx * w.dilation;
      if (in.Has(row, column)) visit(row, column, ky, kx);
    }
  }
}

Shape OutOf(const Window& w, const FileTensor& in, std::int64_t channels) {
  return {in.shape[0], w.Positions(in.shape[1], w.kernel_h), w.Positions(in.shape[2], w.kernel_w), channels};
}

TfliteTestGraph ConvGraph(const Window& w, const FileTensor& in, const FileTensor& filter,
                          const std::vector<float>& bias, Fused fused) {
  TfliteTestGraph graph;
  const int x = graph.Input("x", in.shape);
  const int f = graph.Floats("f", filter.shape, filter.values);
  const int b = graph.Floats("b", {static_cast<std::int64_t>(bias.size())}, bias);
  const int y = graph.Made("y", OutOf(w, in, filter.shape[0]));
  graph.Add(TfliteOp::CONV_2D, {x, f, b}, {y}, [=](Builder& builder) {
    return tfl::CreateConv2DOptions(builder, w.padding, w.stride, w.stride, fused, w.dilation, w.dilation);
  });
  return graph;
}

FileTensor PlainConv(const Window& w, const FileTensor& in, const FileTensor& filter,
                     const std::vector<float>& bias, std::int64_t groups) {
  const std::int64_t each = filter.shape[0] / groups, channels = filter.shape[3];
  return Filled(OutOf(w, in, filter.shape[0]), [&](auto n, auto y, auto x, auto o) {
    double sum = bias[static_cast<std::size_t>(o)];
    UnderWindow(w, in, y, x, [&](auto row, auto column, auto ky, auto kx) {
      for (std::int64_t c = 0; c < channels; ++c) {
        sum += in.at(n, row, column, o / each * channels + c) * filter.at(o, ky, kx, c);
      }
    });
    return sum;
  });
}

const std::vector<Window> kWindows = {{3, 3, 2, 1, tfl::Padding::SAME},  {3, 2, 1, 1, tfl::Padding::SAME},
                                      {2, 2, 2, 1, tfl::Padding::SAME},  {5, 3, 3, 1, tfl::Padding::SAME},
                                      {3, 3, 1, 2, tfl::Padding::SAME},  {1, 1, 2, 1, tfl::Padding::SAME},
                                      {3, 2, 2, 1, tfl::Padding::VALID}, {2, 3, 1, 2, tfl::Padding::VALID}};

TEST(TfliteWindows, ConvolutionsOfEveryPadding) {
  for (const Shape& shape : {Shape{2, 7, 8, 3}, Shape{1, 6, 9, 3}}) {
    const FileTensor in = Waving(shape);
    for (const Window& w : kWindows) {
      SCOPED_TRACE(testing::Message() << w.kernel_h << "x" << w.kernel_w << " / " << w.stride);
      const FileTensor filter = Waving({4, w.kernel_h, w.kernel_w, 3}, 2);
      const std::vector<float> bias = {0.5F, -1, 0, 2};
      FileTensor expected = PlainConv(w, in, filter, bias, 1);
      ExpectNear(RunTflite(ConvGraph(w, in, filter, bias, Fused::NONE), {in}), expected);
      for (float& value : expected.values) value = std::min(std::max(value, 0.0F), 6.0F);
      ExpectNear(RunTflite(ConvGraph(w, in, filter, bias, Fused::RELU6), {in}), expected);
    }
  }
}

TEST(TfliteWindows, AFilterOfFewerChannelsIsOfGroups) {
  const FileTensor in = Waving({1, 5, 5, 6}), filter = Waving({4, 3, 3, 3}, 2);
  const Window w{3, 3, 1, 1, tfl::Padding::SAME};
  const std::vector<float> bias = {1, 2, 3, 4};
  ExpectNear(RunTflite(ConvGraph(w, in, filter, bias, Fused::NONE), {in}), PlainConv(w, in, filter, bias, 2));
}

FileTensor PlainDepthwise(const Window& w, const FileTensor& in, const FileTensor& filter) {
  const std::int64_t multiplier = filter.shape[3] / in.shape[3];
  return Filled(OutOf(w, in, filter.shape[3]), [&](auto n, auto y, auto x, auto o) {
    double sum = 0;
    UnderWindow(w, in, y, x, [&](auto row, auto column, auto ky, auto kx) {
      sum += in.at(n, row, column, o / multiplier) * filter.at(0, ky, kx, o);
    });
    return sum;
  });
}

int AddDepthwise(TfliteTestGraph& graph, const Window& w, int x, const FileTensor& filter, int multiplier) {
  const int f = graph.Floats("f", filter.shape, filter.values), y = graph.Made("y");
  const int b =
      graph.Floats("b", {filter.shape[3]}, std::vector<float>(static_cast<std::size_t>(filter.shape[3])));
  graph.Add(TfliteOp::DEPTHWISE_CONV_2D, {x, f, b}, {y}, [=](Builder& builder) {
    return tfl::CreateDepthwiseConv2DOptions(builder, w.padding, w.stride, w.stride, multiplier, Fused::NONE,
                                             w.dilation, w.dilation);
  });
  return y;
}

TEST(TfliteWindows, DepthwiseConvolutionsWithAndWithoutMultiplier) {
  const FileTensor in = Waving({1, 7, 6, 4});
  for (const Window& w : kWindows) {
    for (const int multiplier : {1, 3}) {
      SCOPED_TRACE(testing::Message() << w.kernel_h << "x" << w.kernel_w << " times " << multiplier);
      const FileTensor filter = Waving({1, w.kernel_h, w.kernel_w, 4 * multiplier}, 3);
      TfliteTestGraph graph;
      AddDepthwise(graph, w, graph.Input("x", in.shape), filter, multiplier);
      ExpectNear(RunTflite(graph, {in}), PlainDepthwise(w, in, filter));
    }
  }
}

TEST(TfliteWindows, ZerosPutAroundBeforeAreTheConvolutionsOwn) {
  const FileTensor in = Waving({1, 6, 6, 4}), filter = Waving({1, 3, 3, 4}, 3);
  const Window valid{3, 3, 2, 1, tfl::Padding::VALID};
  TfliteTestGraph graph;
  const int x = graph.Input("x", in.shape);
  const int pads = graph.Stored("pads", {4, 2}, tfl::TensorType::INT32, {0, 0, 0, 1, 1, 2, 0, 0});
  const int padded = graph.Made("padded");
  graph.Add(TfliteOp::PAD, {x, pads}, {padded});
  AddDepthwise(graph, valid, padded, filter, 1);
  FileTensor wide = Filled({1, 7, 9, 4}, [&](auto, auto y, auto column, auto c) {
    return in.Has(y, column - 1) ? in.at(0, y, column - 1, c) : 0.0F;
  });
  ExpectNear(RunTflite(graph, {in}), PlainDepthwise(valid, wide, filter));
  EXPECT_EQ(OpsOfTflite(graph.Import().model), "input conv");
  graph.outputs = {padded, graph.outputs[0]};
  EXPECT_EQ(OpsOfTflite(graph.Import().model), "input pad conv") << "who else reads it still has it";
}

// Each number of the image is spread over a window of the output.
FileTensor PlainDeconv(const Window& w, const FileTensor& in, const FileTensor& filter, const Shape& shape) {
  FileTensor out{shape, std::vector<float>(static_cast<std::size_t>(Elements(shape)))};
  for (std::int64_t y = 0; y < in.shape[1]; ++y) {
    for (std::int64_t x = 0; x < in.shape[2]; ++x) {
      for (int ky = 0; ky < w.kernel_h; ++ky) {
        for (int kx = 0; kx < w.kernel_w; ++kx) {
          const std::int64_t row = y * w.stride - w.Before(shape[1], w.kernel_h) + ky;
          const std::int64_t column = x * w.stride - w.Before(shape[2], w.kernel_w) + kx;
          if (!out.Has(row, column)) continue;
          for (std::int64_t o = 0; o < shape[3]; ++o) {
            float& sum = out.values[static_cast<std::size_t>((row * shape[2] + column) * shape[3] + o)];
            for (std::int64_t c = 0; c < in.shape[3]; ++c) sum += in.at(0, y, x, c) * filter.at(o, ky, kx, c);
          }
        }
      }
    }
  }
  return out;
}

TEST(TfliteWindows, TransposedConvolutionsOfEverySize) {
  const FileTensor in = Waving({1, 3, 4, 3});
  const auto expect = [&](const Window& w, int height, int width) {
    SCOPED_TRACE(testing::Message() << w.kernel_h << " / " << w.stride << " to " << height);
    const FileTensor filter = Waving({2, w.kernel_h, w.kernel_w, 3}, 2);
    TfliteTestGraph graph;
    const int x = graph.Input("x", in.shape), size = graph.Ints("size", {1, height, width, 2});
    const int f = graph.Floats("f", filter.shape, filter.values), b = graph.Floats("b", {2}, {0, 0});
    const int y = graph.Made("y", {1, height, width, 2});
    graph.Add(TfliteOp::TRANSPOSE_CONV, {size, f, x, b}, {y}, [=](Builder& builder) {
      return tfl::CreateTransposeConvOptions(builder, w.padding, w.stride, w.stride);
    });
    ExpectNear(RunTflite(graph, {in}), PlainDeconv(w, in, filter, {1, height, width, 2}));
  };
  expect({3, 3, 2, 1, tfl::Padding::SAME}, 6, 8);
  expect({3, 3, 2, 1, tfl::Padding::SAME}, 5, 7);
  expect({2, 2, 2, 1, tfl::Padding::SAME}, 6, 8);
  expect({4, 4, 2, 1, tfl::Padding::SAME}, 6, 8);
  expect({3, 3, 1, 1, tfl::Padding::SAME}, 3, 4);
  expect({2, 2, 2, 1, tfl::Padding::VALID}, 6, 8);
  expect({3, 3, 2, 1, tfl::Padding::VALID}, 7, 9);
  expect({2, 2, 3, 1, tfl::Padding::VALID}, 9, 11);  // columns that no window reaches
}

TfliteTestGraph PoolGraph(TfliteOp type, const Window& w, const Shape& shape) {
  TfliteTestGraph graph;
  const int x = graph.Input("x", shape), y = graph.Made("y");
  graph.Add(type, {x}, {y}, [=](Builder& builder) {
    return tfl::CreatePool2DOptions(builder, w.padding, w.stride, w.stride, w.kernel_w, w.kernel_h,
                                    Fused::NONE);
  });
  return graph;
}

TEST(TfliteWindows, PoolingsCountWhatLiesInside) {
  const FileTensor in = Waving({2, 7, 8, 3});
  for (const Window& w : kWindows) {
    if (w.dilation != 1) continue;
    SCOPED_TRACE(testing::Message() << w.kernel_h << "x" << w.kernel_w << " / " << w.stride);
    const Shape out = OutOf(w, in, 3);
    ExpectNear(RunTflite(PoolGraph(TfliteOp::AVERAGE_POOL_2D, w, in.shape), {in}),
               Filled(out, [&](auto n, auto y, auto x, auto c) {
                 double sum = 0, count = 0;
                 UnderWindow(w, in, y, x, [&](auto row, auto column, auto, auto) {
                   sum += in.at(n, row, column, c);
                   ++count;
                 });
                 return sum / count;
               }));
    ExpectNear(RunTflite(PoolGraph(TfliteOp::MAX_POOL_2D, w, in.shape), {in}),
               Filled(out, [&](auto n, auto y, auto x, auto c) {
                 double most = -9;
                 UnderWindow(w, in, y, x, [&](auto row, auto column, auto, auto) {
                   most = std::max<double>(most, in.at(n, row, column, c));
                 });
                 return most;
               }));
  }
  const TfliteTestGraph whole =
      PoolGraph(TfliteOp::AVERAGE_POOL_2D, {7, 8, 1, 1, tfl::Padding::VALID}, in.shape);
  EXPECT_TRUE(whole.Import().model.layers().back().As<PoolAttributes>().global);
}

TEST(TfliteWindows, ResponsesAreNormalisedByTheSumOfSquares) {
  const FileTensor in = Waving({1, 2, 2, 7});
  TfliteTestGraph graph;
  const int x = graph.Input("x", in.shape), y = graph.Made("y");
  graph.Add(TfliteOp::LOCAL_RESPONSE_NORMALIZATION, {x}, {y}, [](Builder& builder) {
    return tfl::CreateLocalResponseNormalizationOptions(builder, 2, 1.5F, 0.25F, 0.75F);
  });
  ExpectNear(RunTflite(graph, {in}), Filled(in.shape, [&](auto n, auto row, auto column, auto c) {
               double sum = 0;
               for (std::int64_t k = std::max<std::int64_t>(0, c - 2); k <= std::min<std::int64_t>(6, c + 2);
                    ++k)
                 sum += std::pow(in.at(n, row, column, k), 2);
               return in.at(n, row, column, c) / std::pow(1.5 + 0.25 * sum, 0.75);
             }));
  TfliteTestGraph unit;
  const int u = unit.Input("x", in.shape), v = unit.Made("y");
  unit.Add(TfliteOp::L2_NORMALIZATION, {u}, {v},
           [](Builder& builder) { return tfl::CreateL2NormOptions(builder); });
  ExpectNear(RunTflite(unit, {in}), Filled(in.shape, [&](auto n, auto row, auto column, auto c) {
               double sum = 0;
               for (std::int64_t k = 0; k < 7; ++k) sum += std::pow(in.at(n, row, column, k), 2);
               return in.at(n, row, column, c) / std::sqrt(sum);
             }));
}

}  // namespace
}  // namespace tandem
