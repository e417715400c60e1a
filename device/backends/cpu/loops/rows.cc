// Layers that look at whole rows of numbers: softmax, layer norm, means.
#include <cmath>

#include "device/backends/cpu/loops/kernels.h"
#include "device/backends/cpu/loops/math.h"
#include "device/backends/cpu/loops/walk.h"

namespace tandem {
namespace {

using plain_math::Exp;

// Sums in double, several at once: one after the other they would wait for each other.
TANDEM_INLINE inline double Sum(const float* x, std::int64_t count) {
  constexpr std::int64_t kLanes = 16;
  double sums[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) sums[lane] += static_cast<double>(x[i + lane]);
  }
  double sum = 0;
  for (const double part : sums) sum += part;
  for (; i < count; ++i) sum += static_cast<double>(x[i]);
  return sum;
}

TANDEM_INLINE inline double SumOfSquares(const float* x, float middle, std::int64_t count) {
  constexpr std::int64_t kLanes = 16;
  double sums[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const auto centred = static_cast<double>(x[i + lane] - middle);
      sums[lane] += centred * centred;
    }
  }
  double sum = 0;
  for (const double part : sums) sum += part;
  for (; i < count; ++i) sum += static_cast<double>(x[i] - middle) * static_cast<double>(x[i] - middle);
  return sum;
}

// Up to kColumns softmaxes side by side, each over `extent` numbers that lie `step` apart.
constexpr std::int64_t kColumns = 64;
TANDEM_INLINE inline void SoftmaxColumns(const float* x, float* y, std::int64_t extent, std::int64_t step,
                                         std::int64_t columns) {
  float most[kColumns], sums[kColumns];
  for (std::int64_t c = 0; c < columns; ++c) {
    most[c] = x[c];
    sums[c] = 0;
  }
  for (std::int64_t k = 1; k < extent; ++k) {
    for (std::int64_t c = 0; c < columns; ++c)
      most[c] = most[c] < x[k * step + c] ? x[k * step + c] : most[c];
  }
  for (std::int64_t k = 0; k < extent; ++k) {
    for (std::int64_t c = 0; c < columns; ++c) {
      y[k * step + c] = Exp(x[k * step + c] - most[c]);
      sums[c] += y[k * step + c];
    }
  }
  for (std::int64_t c = 0; c < columns; ++c) sums[c] = 1 / sums[c];
  for (std::int64_t k = 0; k < extent; ++k) {
    for (std::int64_t c = 0; c < columns; ++c) y[k * step + c] *= sums[c];
  }
}

TANDEM_INLINE inline void SoftmaxRow(const float* x, float* y, std::int64_t count) {
  float most = x[0];
  for (std::int64_t i = 1; i < count; ++i) most = most < x[i] ? x[i] : most;
  for (std::int64_t i = 0; i < count; ++i) y[i] = Exp(x[i] - most);
  const auto factor = static_cast<float>(1 / Sum(y, count));
  for (std::int64_t i = 0; i < count; ++i) y[i] *= factor;
}

PlainKernel PlainSoftmax(const PlainLayer& of) {
  const std::size_t axis = AxisFromFront(of.As<AxisAttributes>().axis, of.in());
  const std::int64_t extent = of.in()[axis], step = Extents(of.in(), axis + 1), block = extent * step;
  return [=, blocks = Elements(of.in()) / block](std::span<const float* const> inputs, float* output) {
    const float* const from = inputs[0];
    InParts(blocks, 8 * block, [=](std::int64_t first, std::int64_t last) {
      RunSimd([=]() TANDEM_INLINE {
        for (std::int64_t at = first * block; at < last * block; at += block) {
          if (step == 1) SoftmaxRow(from + at, output + at, extent);
          for (std::int64_t column = 0; step > 1 && column < step; column += kColumns) {
            SoftmaxColumns(from + at + column, output + at + column, extent, step,
                           std::min(kColumns, step - column));
          }
        }
      });
    });
  };
}

PlainKernel PlainLayerNorm(const PlainLayer& of) {
  const auto& a = of.As<LayerNormAttributes>();
  const std::int64_t count = Extents(of.in(), AxisFromFront(a.axis, of.in()));
  const float* const gamma = of.Weight("gamma");
  std::vector<float> beta(static_cast<std::size_t>(count), 0);
  if (a.bias) beta.assign(of.Weight("beta"), of.Weight("beta") + count);
  return [=, rows = Elements(of.in()) / count, epsilon = a.epsilon, beta = std::move(beta)](
             std::span<const float* const> inputs, float* output) {
    const float *const from = inputs[0], *const offsets = beta.data();
    InParts(rows, 4 * count, [=](std::int64_t first, std::int64_t last) {
      RunSimd([=]() TANDEM_INLINE {
        for (std::int64_t row = first; row < last; ++row) {
          const float* const x = from + row * count;
          float* const y = output + row * count;
          const auto mean = static_cast<float>(Sum(x, count) / static_cast<double>(count));
          const double variance = SumOfSquares(x, mean, count) / static_cast<double>(count);
          const auto factor = static_cast<float>(1 / std::sqrt(variance + epsilon));
          for (std::int64_t i = 0; i < count; ++i) y[i] = (x[i] - mean) * factor * gamma[i] + offsets[i];
        }
      });
    });
  };
}

// Walks through the input row by row and adds every row to where its sums are.
PlainKernel PlainReduceMean(const PlainLayer& of) {
  const Shape& in = of.in();
  std::vector<bool> reduced(in.size(), false);
  for (const std::int64_t axis : of.As<ReduceAttributes>().axes) reduced[AxisFromFront(axis, in)] = true;
  std::vector<LoopAxis> around(in.size());
  std::int64_t step = 1;
  for (std::size_t i = in.size(); i-- > 0;) {
    around[i] = {in[i], reduced[i] ? 0 : step, Extents(in, i + 1), 0};
    if (!reduced[i]) step *= in[i];
  }
  around = MergeLoops(around);
  const LoopAxis inner = around.back();
  around.pop_back();
  const std::int64_t rows = Iterations(around);
  const double share = static_cast<double>(Elements(of.out())) / static_cast<double>(Elements(in));
  std::vector<double> sums(static_cast<std::size_t>(Elements(of.out())));
  return [=, around = std::move(around), sums = std::move(sums)](std::span<const float* const> inputs,
                                                                 float* output) mutable {
    std::fill(sums.begin(), sums.end(), 0.0);
    const float* const from = inputs[0];
    double* const totals = sums.data();
    const std::vector<LoopAxis>* const loops = &around;
    RunSimd([=]() TANDEM_INLINE {
      LoopWalk walk(*loops, 0);
      for (std::int64_t row = 0; row < rows; ++row, walk.Next()) {
        const float* const x = from + walk.a;
        double* const to = totals + walk.out;
        if (inner.out == 0) {
          to[0] += Sum(x, inner.count);
        } else {
          for (std::int64_t i = 0; i < inner.count; ++i) to[i] += static_cast<double>(x[i]);
        }
      }
    });
    for (std::size_t i = 0; i < sums.size(); ++i) output[i] = static_cast<float>(sums[i] * share);
  };
}

const PlainKernels kRows{
    {Op::kSoftmax, PlainSoftmax}, {Op::kLayerNorm, PlainLayerNorm}, {Op::kReduceMean, PlainReduceMean}};

}  // namespace
}  // namespace tandem
