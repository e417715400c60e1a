// Tensors of a TensorFlow Lite file: their types, grids and numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/importers/tflite/tandem_tflite_generated.h"
#include "profiles/model/attributes.h"
#include "profiles/model/shape.h"

namespace tandem {

// Numbers that the file states, or that follow from such while it is imported. They are in one of the three
// places.
struct TfliteConstant {
  Shape shape;                          // in the file's order of axes
  const tfl::Tensor* stored = nullptr;  // decoded when asked for: weights are copied once
  std::string_view bytes = {};          // of `stored`
  std::shared_ptr<const std::vector<std::int64_t>> ints = {};
  std::shared_ptr<const std::vector<float>> floats = {};
};

TfliteConstant MakeTfliteConstant(Shape shape, std::vector<std::int64_t> values);
TfliteConstant MakeTfliteConstant(Shape shape, std::vector<float> values);

std::string TfliteTypeText(tfl::TensorType type);  // "INT8", or a number where it has no name

// The functions below throw InputError with a plain sentence; the caller names file and tensor.

Shape TfliteShape(const tfl::Tensor& tensor);  // no extent below 0, at most 2^40 elements
// The grid of what an operator makes or the network is given; nothing for numbers of floating point.
std::optional<QuantizeAttributes> TfliteGrid(const tfl::Tensor& tensor);
// Checks type, quantization and the size of `bytes`.
TfliteConstant TfliteStored(const tfl::Tensor& tensor, std::string_view bytes);

// Quantised ones as the numbers that they stand for.
std::vector<float> TfliteFloats(const TfliteConstant& constant);
std::vector<std::int64_t> TfliteInts(const TfliteConstant& constant);
// The steps of the constant's grid, one for each of `outputs` along the axis; nothing: it has none, or one
// whose numbers, without their zero point, do not fit into a byte.
std::optional<std::vector<float>> TfliteSteps(const TfliteConstant& constant, std::size_t axis,
                                              std::int64_t outputs);

}  // namespace tandem
