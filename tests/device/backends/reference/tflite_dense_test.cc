// Do matrix products, means and softmax take a TensorFlow Lite file's axes and order of numbers?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/device/tflite_run.h"

namespace tandem {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;
using Fused = tfl::ActivationFunctionType;
using Floats = std::vector<float>;

// The weights of a matrix count the numbers of an image in the file's order.
TEST(TfliteDense, AMatrixReadsAnImageInTheFilesOrder) {
  const FileTensor in = Waving({2, 2, 3, 4}), matrix = Waving({3, 24}, 5);
  Floats expected;
  for (int n = 0; n < 2; ++n) {
    for (std::size_t o = 0; o < 3; ++o) {
      double sum = static_cast<double>(o);
      for (std::size_t i = 0; i < 24; ++i)
        sum += in.values[static_cast<std::size_t>(n) * 24 + i] * matrix.values[o * 24 + i];
      expected.push_back(static_cast<float>(sum));
    }
  }
  const auto expect = [&](bool flattened, bool rectified, const std::string& ops) {
    TfliteTestGraph graph;
    int x = graph.Input("x", in.shape);
    const int w = graph.Floats("w", matrix.shape, matrix.values), b = graph.Floats("b", {3}, {0, 1, 2});
    if (flattened) {
      const int rows = graph.Made("rows");
      graph.Add(TfliteOp::RESHAPE, {x, graph.Ints("to", {2, 24})}, {rows});
      x = rows;
    }
    if (rectified) {
      const int two = graph.Made("two");
      graph.Add(TfliteOp::ADD, {x, graph.Floats("zero", {}, {0})}, {two},
                [](Builder& builder) { return tfl::CreateAddOptions(builder); });
      x = two;
    }
    graph.Add(TfliteOp::FULLY_CONNECTED, {x, w, b}, {graph.Made("y")},
              [](Builder& builder) { return tfl::CreateFullyConnectedOptions(builder); });
    ExpectNear(RunTflite(graph, {in}), FileTensor{{2, 3}, expected});
    EXPECT_EQ(OpsOfTflite(graph.Import().model), ops);
  };
  expect(false, false, "input flatten fc");
  expect(true, false, "input flatten fc");
  expect(true, true, "input transpose flatten add fc");
}

TEST(TfliteDense, AMatrixMayKeepTheAxesOfItsInput) {
  const FileTensor matrix = Waving({3, 4}, 5);
  for (const Shape& shape : {Shape{1, 2, 3, 4}, Shape{2, 3, 4}}) {
    const FileTensor in = Waving(shape);
    Floats expected;
    for (std::size_t row = 0; row < in.values.size() / 4; ++row) {
      for (std::size_t o = 0; o < 3; ++o) {
        double sum = 0;
        for (std::size_t i = 0; i < 4; ++i) sum += in.values[row * 4 + i] * matrix.values[o * 4 + i];
        expected.push_back(static_cast<float>(sum));
      }
    }
    for (const bool keeps : {true, false}) {
      TfliteTestGraph graph;
      const int x = graph.Input("x", shape), w = graph.Floats("w", matrix.shape, matrix.values);
      graph.Add(TfliteOp::FULLY_CONNECTED, {x, w, -1}, {graph.Made("y")}, [=](Builder& builder) {
        return tfl::CreateFullyConnectedOptions(builder, Fused::NONE,
                                                tfl::FullyConnectedOptionsWeightsFormat::DEFAULT, keeps);
      });
      Shape out = keeps ? shape : Shape{Elements(shape) / 4, 3};
      out.back() = 3;
      ExpectNear(RunTflite(graph, {in}), FileTensor{out, expected});
    }
  }
}

FileTensor Reduced(TfliteOp type, const FileTensor& in, const std::vector<int>& axes, bool keep) {
  TfliteTestGraph graph;
  const int x = graph.Input("x", in.shape), over = graph.Ints("axes", axes);
  graph.Add(type, {x, over}, {graph.Made("y")},
            [=](Builder& builder) { return tfl::CreateReducerOptions(builder, keep); });
  return RunTflite(graph, {in});
}

TEST(TfliteDense, MeansAndSumsAreOverTheFilesAxes) {
  const FileTensor in = Waving({2, 3, 4, 5});
  Floats spatial(10), channels(24), rows(40);
  for (int n = 0; n < 2; ++n) {
    for (int y = 0; y < 3; ++y) {
      for (int x = 0; x < 4; ++x) {
        for (int c = 0; c < 5; ++c) {
          spatial[static_cast<std::size_t>(n * 5 + c)] += in.at(n, y, x, c) / 12;
          channels[static_cast<std::size_t>((n * 3 + y) * 4 + x)] += in.at(n, y, x, c) / 5;
          rows[static_cast<std::size_t>((n * 4 + x) * 5 + c)] += in.at(n, y, x, c) / 3;
        }
      }
    }
  }
  ExpectNear(Reduced(TfliteOp::MEAN, in, {1, 2}, false), FileTensor{{2, 5}, spatial});
  ExpectNear(Reduced(TfliteOp::MEAN, in, {2, 1}, true), FileTensor{{2, 1, 1, 5}, spatial});
  ExpectNear(Reduced(TfliteOp::MEAN, in, {-1}, false), FileTensor{{2, 3, 4}, channels});
  ExpectNear(Reduced(TfliteOp::MEAN, in, {3}, true), FileTensor{{2, 3, 4, 1}, channels});
  ExpectNear(Reduced(TfliteOp::MEAN, in, {1}, false), FileTensor{{2, 4, 5}, rows});
  for (float& value : spatial) value *= 12;
  ExpectNear(Reduced(TfliteOp::SUM, in, {1, 2}, false), FileTensor{{2, 5}, spatial});
  const FileTensor most = Reduced(TfliteOp::REDUCE_MAX, in, {1, 2}, false);
  EXPECT_EQ(most.values[0], [&] {
    float greatest = -9;
    for (int y = 0; y < 3; ++y) {
      for (int x = 0; x < 4; ++x) greatest = std::max(greatest, in.at(0, y, x, 0));
    }
    return greatest;
  }());
}

TEST(TfliteDense, ASoftmaxIsOverTheLastAxisOfTheFile) {
  const FileTensor in = Waving({1, 2, 3, 4});
  TfliteTestGraph graph;
  const int x = graph.Input("x", in.shape), y = graph.Made("y");
  graph.Add(TfliteOp::SOFTMAX, {x}, {y},
            [](Builder& builder) { return tfl::CreateSoftmaxOptions(builder, 2); });
  ExpectNear(RunTflite(graph, {in}), Filled(in.shape, [&](auto n, auto row, auto column, auto c) {
               double sum = 0;
               for (int k = 0; k < 4; ++k) sum += std::exp(2.0 * in.at(n, row, column, k));
               return std::exp(2.0 * in.at(n, row, column, c)) / sum;
             }));
}

}  // namespace
}  // namespace tandem
