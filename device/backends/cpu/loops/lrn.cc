#include <cmath>

#include "device/backends/cpu/loops/kernels.h"
#include "device/backends/cpu/loops/math.h"

namespace tandem {
namespace {

using plain_math::Exp;
using plain_math::Log;

struct LrnNumbers {
  float k, share, beta;  // `share` of the sum of squares is alpha times their mean
  std::int64_t size, before;
};

// x / (k + share * sum)^beta; the usual beta of 3/4 is two roots.
TANDEM_INLINE inline void Normalise(const LrnNumbers& a, const float* x, const float* sums, float* y,
                                    std::int64_t count) {
  if (a.beta == 0.75F) {
    for (std::int64_t i = 0; i < count; ++i) {
      const float root = std::sqrt(a.k + a.share * sums[i]);
      y[i] = x[i] / (root * std::sqrt(root));
    }
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) y[i] = x[i] * Exp(-a.beta * Log(a.k + a.share * sums[i]));
}

// Over neighbouring channels of an image, some positions at a time.
void AcrossChannels(const LrnNumbers& a, const float* in, float* out, std::int64_t channels,
                    std::int64_t run) {
  constexpr std::int64_t kPositions = 256;
  RunSimd([=]() TANDEM_INLINE {
    float sums[kPositions];
    for (std::int64_t at = 0; at < run; at += kPositions) {
      const std::int64_t count = std::min(kPositions, run - at);
      for (std::int64_t channel = 0; channel < channels; ++channel) {
        const std::int64_t low = std::max<std::int64_t>(0, channel - a.before);
        const std::int64_t high = std::min(channels, channel - a.before + a.size);
        for (std::int64_t i = 0; i < count; ++i) sums[i] = 0;
        for (std::int64_t other = low; other < high; ++other) {
          const float* const x = in + other * run + at;
          for (std::int64_t i = 0; i < count; ++i) sums[i] += x[i] * x[i];
        }
        Normalise(a, in + channel * run + at, sums, out + channel * run + at, count);
      }
    }
  });
}

// Over a square of positions of a channel: sums over rows first, by columns, then over these.
void WithinChannel(const LrnNumbers& a, const float* plane, float* out, std::int64_t height,
                   std::int64_t width, float* columns, float* sums) {
  RunSimd([=]() TANDEM_INLINE {
    for (std::int64_t y = 0; y < height; ++y) {
      const std::int64_t top = std::max<std::int64_t>(0, y - a.before);
      const std::int64_t bottom = std::min(height, y - a.before + a.size);
      for (std::int64_t x = 0; x < width; ++x) columns[x] = sums[x] = 0;
      for (std::int64_t row = top; row < bottom; ++row) {
        const float* const from = plane + row * width;
        for (std::int64_t x = 0; x < width; ++x) columns[x] += from[x] * from[x];
      }
      for (std::int64_t k = -a.before; k < a.size - a.before; ++k) {
        const std::int64_t first = std::max<std::int64_t>(0, -k), last = std::min(width, width - k);
        for (std::int64_t x = first; x < last; ++x) sums[x] += columns[x + k];
      }
      Normalise(a, plane + y * width, sums, out + y * width, width);
    }
  });
}

PlainKernel PlainLrn(const PlainLayer& of) {
  const auto& attributes = of.As<LrnAttributes>();
  const Shape& in = of.in();
  const std::int64_t size = attributes.size, window = attributes.within_channel ? size * size : size;
  const LrnNumbers a{static_cast<float>(attributes.k),
                     static_cast<float>(attributes.alpha / static_cast<double>(window)),
                     static_cast<float>(attributes.beta), size, (size - 1) / 2};
  if (!attributes.within_channel) {
    const std::int64_t channels = in[1], run = Extents(in, 2);
    return [=, images = in[0]](std::span<const float* const> inputs, float* output) {
      for (std::int64_t image = 0; image < images; ++image) {
        const std::int64_t first = image * channels * run;
        AcrossChannels(a, inputs[0] + first, output + first, channels, run);
      }
    };
  }
  const std::int64_t height = in[2], width = in[3];
  return [=, planes = in[0] * in[1]](std::span<const float* const> inputs, float* output) {
    const float* const from = inputs[0];
    InParts(planes, height * width * size, [=](std::int64_t first, std::int64_t last) {
      thread_local std::vector<float> scratch;
      scratch.resize(static_cast<std::size_t>(2 * width));
      for (std::int64_t at = first * height * width; at < last * height * width; at += height * width) {
        WithinChannel(a, from + at, output + at, height, width, scratch.data(), scratch.data() + width);
      }
    });
  };
}

const PlainKernels kLrn{{Op::kLrn, PlainLrn}};

}  // namespace
}  // namespace tandem
