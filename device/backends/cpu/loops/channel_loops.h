// Loops over tensors of either layout, for what oneDNN has no one-pass primitive for.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "device/backends/cpu/loops/simd.h"
#include "profiles/model/layer.h"

namespace tandem {

// min(max(x < 0 ? slope * x : x, low), high): relu, leaky, clip and nothing at all.
struct SimpleActivation {
  float slope = 1;
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
  // Padding of zeros stays one.
  bool KeepsZero() const { return low <= 0 && high >= 0; }
};
TANDEM_INLINE inline float Activate(float x, const SimpleActivation& a) {
  x = x < 0 ? a.slope * x : x;
  x = x < a.low ? a.low : x;
  return x > a.high ? a.high : x;
}

// False where the layer is no such activation.
bool IsSimple(const Layer& layer, SimpleActivation& activation);

// Runs of numbers that share a factor and an offset: `lanes` of them side by side (a block of channels, or
// all), `length` positions.
struct AffineLoop {
  std::int64_t rows = 1;      // blocks, or channels where lanes is 1; of all images
  std::int64_t length = 0;    // positions of one
  std::int64_t lanes = 1;     // 1, 8, 16, or all channels
  std::int64_t channels = 0;  // rows repeat after channels / lanes of them
};
void RunAffine(const AffineLoop& loop, const float* factor, const float* offset,
               const SimpleActivation& activation, const float* from, float* to);
void RunSum(std::int64_t count, const SimpleActivation& activation, const float* a, const float* b,
            float* to);
void RunActivation(std::int64_t count, const SimpleActivation& activation, const float* from, float* to);

// Every position of the output is one of the input's or `value`: pads, slices and repetitions of a blocked
// tensor. Positions by axis, -1 for `value`.
struct BlockedGather {
  std::vector<std::int64_t> images, blocks, rows, columns;
  std::int64_t in_blocks = 0, in_height = 0, in_width = 0;
  std::int64_t lanes = 16;
  float value = 0;
};
void RunGather(const BlockedGather& gather, const float* from, float* to);

// One window per output position of a blocked tensor. Positions that lie outside are left out.
struct WindowAxis {
  std::vector<std::int64_t> first, last;  // by output position; inside the input, last excluded
  std::vector<std::int64_t> counted;      // how many positions the divisor counts
  std::int64_t step = 1;
};
struct BlockedPool {
  bool max = true;
  std::int64_t planes = 0;  // images x blocks
  std::int64_t in_height = 0, in_width = 0;
  std::int64_t lanes = 16;  // 8, 16, or all channels
  WindowAxis rows, columns;
};
void RunPool(const BlockedPool& pool, const float* from, float* to);

// Of each image: what lay in `rows` rows of `columns` lies in `columns` rows.
struct Transpose {
  std::int64_t images = 1, rows = 0, columns = 0;
};
void RunTranspose(const Transpose& transpose, const float* from, float* to);

}  // namespace tandem
