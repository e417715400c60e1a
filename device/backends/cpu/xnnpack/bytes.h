// Operators of XNNPACK's on whole numbers of a byte, channels side by side: image, row, column, channel.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/backends/cpu/xnnpack/conv.h"
#include "device/backends/cpu/xnnpack/layer.h"

namespace tandem {

// What a byte q means: (q - zero) * scale.
struct ByteGrid {
  float scale = 1;
  std::int32_t zero = 0;  // -128 to 127
  friend bool operator==(const ByteGrid&, const ByteGrid&) = default;
};
struct ByteRange {  // what is less or more becomes that
  std::int8_t low = -128, high = 127;
};

using XnnBytes = XnnLayer<std::int8_t>;

// All of these: null where XNNPACK has none for what is asked. `low` and `high` of a problem mean nothing
// here. So many of OpenMP's threads share the work.
//
// A product's, in the order of MakeXnnConv: of each output (q - zero) * its step. Where `zero` is not 0 all
// steps are one. `bias`, which may be none, in whole multiples of the input's scale times the step.
struct ByteWeights {
  std::vector<float> steps;
  std::vector<std::int8_t> values;
  std::int32_t zero = 0;  // -128 to 127
  std::vector<std::int32_t> bias;
};
std::unique_ptr<XnnBytes> MakeXnnByteConv(const XnnConvProblem& problem, ByteGrid in, ByteGrid out,
                                          ByteRange range, const ByteWeights& weights, std::size_t threads);
// Of as many numbers each.
std::unique_ptr<XnnBytes> MakeXnnByteSum(std::int64_t count, ByteGrid a, ByteGrid b, ByteGrid out,
                                         ByteRange range, std::size_t threads);
// The problem's channels, window and padding alone.
std::unique_ptr<XnnBytes> MakeXnnByteMaxPool(const XnnConvProblem& problem, std::size_t threads);
// Of all positions of an image.
std::unique_ptr<XnnBytes> MakeXnnByteMean(std::int64_t images, std::int64_t positions, std::int64_t channels,
                                          ByteGrid in, ByteGrid out, ByteRange range, std::size_t threads);

}  // namespace tandem
