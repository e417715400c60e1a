// A quantised convolution as a TensorFlow Lite file has it, and what it gives, reckoned in whole numbers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/device/tflite_run.h"

namespace tandem::quantized {

using Builder = flatbuffers::FlatBufferBuilder;
using Fused = tfl::ActivationFunctionType;
using Type = tfl::TensorType;
using Ints = std::vector<int>;

struct Grid {
  double scale;
  int zero;
  Type type = Type::INT8;

  int Least() const { return type == Type::INT8 ? -128 : 0; }
  int Nearest(double value) const {
    return static_cast<int>(std::clamp(std::nearbyint(value / scale) + zero, Least() * 1.0, Least() + 255.0));
  }
  double Value(int whole) const { return (whole - zero) * scale; }
  TfliteTestScales Scales() const { return {{static_cast<float>(scale)}, {zero}}; }
};

inline Ints Scattered(std::size_t count, int seed) {
  Ints numbers(count);
  for (std::size_t i = 0; i < count; ++i)
    numbers[i] = static_cast<int>((i * 73 + static_cast<std::size_t>(seed) * 31) % 255) - 127;
  return numbers;
}

// A convolution of 3 x 3, 5 channels to 4, and what it gives of `in`, reckoned in whole numbers.
struct QuantizedConv {
  Grid from, to;
  std::vector<float> steps = {0.01F, 0.02F, 0.005F, 0.03F};
  Ints weights = Scattered(4 * 3 * 3 * 5, 1), bias = {100, -2000, 3000, 0};
  Shape shape = {1, 6, 7, 5};
  int weight_zero = 0;  // another one: stored without a sign, of one step

  TfliteTestGraph Graph(Fused fused = Fused::NONE) const {
    TfliteTestGraph graph;
    const int x = graph.Input("x", shape, from.type, from.Scales());
    const int w =
        weight_zero == 0
            ? graph.Stored("w", {4, 3, 3, 5}, Type::INT8, weights, {steps, {0, 0, 0, 0}, 0})
            : graph.Stored("w", {4, 3, 3, 5}, Type::UINT8, StoredWeights(), {{steps[0]}, {weight_zero}});
    std::vector<float> scales;
    for (const float step : steps) scales.push_back(step * static_cast<float>(from.scale));
    const int b = graph.Stored("b", {4}, Type::INT32, bias, {scales, {0, 0, 0, 0}, 0});
    const int y = graph.Made("y", {1, 3, 4, 4}, to.type, to.Scales());
    graph.Add(TfliteOp::CONV_2D, {x, w, b}, {y}, [=](Builder& builder) {
      return tfl::CreateConv2DOptions(builder, tfl::Padding::SAME, 2, 2, fused);
    });
    return graph;
  }

  Ints StoredWeights() const {
    Ints stored = weights;
    for (int& number : stored) number += weight_zero;
    return stored;
  }

  FileTensor Input() const {
    FileTensor in = CountedUp(shape);
    for (float& value : in.values)
      value = static_cast<float>(from.Value(from.Least() + static_cast<int>(value) * 11 % 256));
    return in;
  }

  // Of 7 columns and a stride of 2, the first window begins one in front; of 6 rows none does.
  FileTensor Expected(const FileTensor& in, double low, double high) const {
    return Filled({1, 3, 4, 4}, [&](auto, auto y, auto x, auto o) {
      std::int64_t sum = bias[static_cast<std::size_t>(o)];
      for (std::int64_t k = 0; k < 9 * 5; ++k) {
        const std::int64_t row = y * 2 + k / 15, column = x * 2 + k / 5 % 3 - 1;
        if (!in.Has(row, column)) continue;
        const auto number = static_cast<std::int64_t>(std::lround(in.at(0, row, column, k % 5) / from.scale));
        sum += number * weights[static_cast<std::size_t>(o * 45 + k)];
      }
      const double real = static_cast<double>(sum) * from.scale * steps[static_cast<std::size_t>(o)];
      return to.Value(to.Nearest(std::clamp(real, low, high)));
    });
  }
};

// A sum in the middle of two numbers of the grid may go either way.
inline void ExpectOnGrid(const std::vector<float>& found, const FileTensor& expected, double scale) {
  ASSERT_EQ(found.size(), expected.values.size());
  std::size_t apart = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double steps = std::abs(found[i] - expected.values[i]) / scale;
    ASSERT_LT(steps, 1.01) << i;
    apart += steps > 0.5 ? 1 : 0;
  }
  EXPECT_LE(apart, found.size() / 20);
}

inline const std::vector<std::pair<Grid, Grid>> kGrids = {{{0.05, -3}, {0.4, 10}},
                                                          {{0.05, 120, Type::UINT8}, {0.4, 128, Type::UINT8}},
                                                          {{0.02, -128}, {0.25, -128}}};

}  // namespace tandem::quantized
