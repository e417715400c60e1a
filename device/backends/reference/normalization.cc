#include <algorithm>
#include <cmath>

#include "device/backends/reference/kernels.h"

namespace tandem::reference {
namespace {

// Calls visit(channel, first, count) for each run of elements that belong to one channel (axis 1).
template <class Visit>
void ForEachChannel(const Shape& shape, Visit visit) {
  const std::int64_t run = Elements(Shape(shape.begin() + 2, shape.end()));
  for (std::int64_t i = 0; i < shape[0] * shape[1]; ++i) visit(i % shape[1], i * run, run);
}

double Squared(float value) { return static_cast<double>(value) * static_cast<double>(value); }

// x / (k + alpha * mean of the squares)^beta, the mean over `size` neighbouring channels; those that are
// missing at the ends count as zero.
void LrnAcrossChannels(const Call& call, const LrnAttributes& a) {
  const Shape& shape = call.in_shape();
  const std::int64_t run = Elements(Shape(shape.begin() + 2, shape.end())), before = (a.size - 1) / 2;
  ForEachChannel(shape, [&](std::int64_t channel, std::int64_t first, std::int64_t count) {
    const std::int64_t low = std::max(std::int64_t{0}, channel - before);
    const std::int64_t high = std::min(shape[1], channel - before + a.size);
    for (std::int64_t i = first; i < first + count; ++i) {
      double sum = 0;
      for (std::int64_t other = low; other < high; ++other)
        sum += Squared(call.in()[i + (other - channel) * run]);
      const double divisor = std::pow(a.k + a.alpha / static_cast<double>(a.size) * sum, a.beta);
      call.out()[i] = static_cast<float>(static_cast<double>(call.in()[i]) / divisor);
    }
  });
}

// The same with the mean over a square of size x size positions of the channel, zeros around it.
void LrnWithinChannel(const Call& call, const LrnAttributes& a) {
  const Shape& shape = call.in_shape();
  const std::int64_t height = shape[2], width = shape[3], before = (a.size - 1) / 2;
  ForEachChannel(shape, [&](std::int64_t, std::int64_t first, std::int64_t count) {
    const float* plane = call.in() + first;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t top = i / width - before, left = i % width - before;
      double sum = 0;
      for (std::int64_t y = std::max(std::int64_t{0}, top); y < std::min(height, top + a.size); ++y) {
        for (std::int64_t x = std::max(std::int64_t{0}, left); x < std::min(width, left + a.size); ++x) {
          sum += Squared(plane[y * width + x]);
        }
      }
      const double divisor = std::pow(a.k + a.alpha / static_cast<double>(a.size * a.size) * sum, a.beta);
      call.out()[first + i] = static_cast<float>(static_cast<double>(plane[i]) / divisor);
    }
  });
}

void Lrn(const Call& call) {
  const auto& a = call.As<LrnAttributes>();
  a.within_channel ? LrnWithinChannel(call, a) : LrnAcrossChannels(call, a);
}

void BatchNorm(const Call& call) {
  const float *gamma = call.Weight("gamma"), *beta = call.Weight("beta");
  const float *mean = call.Weight("mean"), *variance = call.Weight("variance");
  const double epsilon = call.As<BatchNormAttributes>().epsilon;
  ForEachChannel(call.in_shape(), [&](std::int64_t channel, std::int64_t first, std::int64_t count) {
    const double deviation = std::sqrt(static_cast<double>(variance[channel]) + epsilon);
    const double factor = (gamma == nullptr ? 1.0 : static_cast<double>(gamma[channel])) / deviation;
    const double offset = beta == nullptr ? 0.0 : static_cast<double>(beta[channel]);
    for (std::int64_t i = first; i < first + count; ++i) {
      const double centred = static_cast<double>(call.in()[i]) - static_cast<double>(mean[channel]);
      call.out()[i] = static_cast<float>(centred * factor + offset);
    }
  });
}

void Scale(const Call& call) {
  const float *gamma = call.Weight("gamma"), *beta = call.Weight("beta");
  ForEachChannel(call.in_shape(), [&](std::int64_t channel, std::int64_t first, std::int64_t count) {
    const double offset = beta == nullptr ? 0.0 : static_cast<double>(beta[channel]);
    for (std::int64_t i = first; i < first + count; ++i) {
      call.out()[i] = static_cast<float>(
          static_cast<double>(call.in()[i]) * static_cast<double>(gamma[channel]) + offset);
    }
  });
}

void Prelu(const Call& call) {
  const float* slope = call.Weight("slope");
  const bool shared = call.As<PreluAttributes>().shared;
  if (shared) {
    for (std::size_t i = 0; i < call.size(); ++i) {
      call.out()[i] = call.in()[i] < 0 ? call.in()[i] * slope[0] : call.in()[i];
    }
    return;
  }
  ForEachChannel(call.in_shape(), [&](std::int64_t channel, std::int64_t first, std::int64_t count) {
    for (std::int64_t i = first; i < first + count; ++i) {
      call.out()[i] = call.in()[i] < 0 ? call.in()[i] * slope[channel] : call.in()[i];
    }
  });
}

void LayerNorm(const Call& call) {
  const auto& a = call.As<LayerNormAttributes>();
  const Shape& shape = call.in_shape();
  const auto axis = static_cast<std::ptrdiff_t>(AxisOf(a.axis, shape));
  const std::int64_t count = Elements(Shape(shape.begin() + axis, shape.end()));
  const float *gamma = call.Weight("gamma"), *beta = call.Weight("beta");
  for (std::int64_t first = 0; first < Elements(shape); first += count) {
    const float* x = call.in() + first;
    double mean = 0, variance = 0;
    for (std::int64_t i = 0; i < count; ++i) mean += static_cast<double>(x[i]) / static_cast<double>(count);
    for (std::int64_t i = 0; i < count; ++i) {
      const double centred = static_cast<double>(x[i]) - mean;
      variance += centred * centred / static_cast<double>(count);
    }
    const double deviation = std::sqrt(variance + a.epsilon);
    for (std::int64_t i = 0; i < count; ++i) {
      const double normal = (static_cast<double>(x[i]) - mean) / deviation;
      const double offset = beta == nullptr ? 0.0 : static_cast<double>(beta[i]);
      call.out()[first + i] = static_cast<float>(normal * static_cast<double>(gamma[i]) + offset);
    }
  }
}

void Softmax(const Call& call) {
  const Shape& shape = call.in_shape();
  const std::size_t axis = AxisOf(call.As<AxisAttributes>().axis, shape);
  const std::int64_t extent = shape[axis], step = Strides(shape)[axis];
  for (std::int64_t i = 0; i < Elements(shape) / extent; ++i) {
    const std::int64_t first = i / step * step * extent + i % step;
    const float* x = call.in() + first;
    double most = x[0], sum = 0;
    for (std::int64_t k = 0; k < extent; ++k) most = std::max(most, static_cast<double>(x[k * step]));
    for (std::int64_t k = 0; k < extent; ++k) sum += std::exp(static_cast<double>(x[k * step]) - most);
    for (std::int64_t k = 0; k < extent; ++k) {
      call.out()[first + k * step] =
          static_cast<float>(std::exp(static_cast<double>(x[k * step]) - most) / sum);
    }
  }
}

const Kernels kNormalization{{Op::kLrn, Lrn},     {Op::kBatchNorm, BatchNorm}, {Op::kLayerNorm, LayerNorm},
                             {Op::kScale, Scale}, {Op::kSoftmax, Softmax},     {Op::kPrelu, Prelu}};

}  // namespace
}  // namespace tandem::reference
