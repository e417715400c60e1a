#include <cmath>

#include "device/backends/cpu/loops/kernels.h"
#include "device/backends/cpu/loops/simd.h"

namespace tandem {
namespace {

// Elements are numbered by image, channel and position; a channel has its own `a` and `b`.
template <class Function>
PlainKernel PerChannel(const PlainLayer& of, std::vector<float> a, std::vector<float> b, Function function) {
  const auto channels = static_cast<std::int64_t>(a.size());
  const std::int64_t run = channels == 1 ? Elements(of.in()) : Extents(of.in(), 2);
  const std::int64_t rows = Elements(of.in()) / run;
  return [=, a = std::move(a), b = std::move(b)](std::span<const float* const> inputs, float* output) {
    const float* const from = inputs[0];
    const float *const first_a = a.data(), *const first_b = b.data();
    if (run == 1) {
      InParts(rows / channels, channels, [=](std::int64_t first, std::int64_t last) {
        RunSimd([=]() TANDEM_INLINE {
          for (std::int64_t image = first; image < last; ++image) {
            const float* const x = from + image * channels;
            float* const y = output + image * channels;
            for (std::int64_t c = 0; c < channels; ++c) y[c] = function(x[c], first_a[c], first_b[c]);
          }
        });
      });
      return;
    }
    InParts(rows, run, [=](std::int64_t first, std::int64_t last) {
      RunSimd([=]() TANDEM_INLINE {
        for (std::int64_t row = first; row < last; ++row) {
          const float row_a = first_a[row % channels], row_b = first_b[row % channels];
          const float* const x = from + row * run;
          float* const y = output + row * run;
          for (std::int64_t i = 0; i < run; ++i) y[i] = function(x[i], row_a, row_b);
        }
      });
    });
  };
}

PlainKernel PlainChannels(const PlainLayer& of) {
  const bool shared = of.layer.op == Op::kPrelu && of.As<PreluAttributes>().shared;
  const std::size_t channels = shared ? 1 : static_cast<std::size_t>(of.in()[1]);
  std::vector<float> a(channels, 1), b(channels, 0);
  if (of.layer.op == Op::kPrelu) {
    const float* slope = of.Weight("slope");
    a.assign(slope, slope + channels);
    return PerChannel(of, a, b, [](float x, float factor, float) TANDEM_INLINE {
      const float scaled = x * factor;
      return x < 0 ? scaled : x;
    });
  }
  const float *gamma = of.Weight("gamma"), *beta = of.Weight("beta");
  const float *mean = of.Weight("mean"), *variance = of.Weight("variance");
  for (std::size_t c = 0; c < channels; ++c) {
    double factor = gamma == nullptr ? 1.0 : static_cast<double>(gamma[c]);
    double offset = beta == nullptr ? 0.0 : static_cast<double>(beta[c]);
    if (of.layer.op == Op::kBatchNorm) {
      factor /= std::sqrt(static_cast<double>(variance[c]) + of.As<BatchNormAttributes>().epsilon);
      offset -= static_cast<double>(mean[c]) * factor;
    }
    a[c] = static_cast<float>(factor);
    b[c] = static_cast<float>(offset);
  }
  return PerChannel(of, a, b,
                    [](float x, float factor, float offset) TANDEM_INLINE { return x * factor + offset; });
}

const PlainKernels kChannels{
    {Op::kBatchNorm, PlainChannels}, {Op::kScale, PlainChannels}, {Op::kPrelu, PlainChannels}};

}  // namespace
}  // namespace tandem
