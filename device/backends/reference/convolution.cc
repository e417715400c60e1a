#include <algorithm>

#include "device/backends/reference/kernels.h"

namespace tandem::reference {
namespace {

// One axis of a window that slides over an input.
struct Axis {
  std::int64_t input, output, stride, dilation, pad;

  // Where the window's element `k` lies when the window stands at output position `at`.
  std::int64_t At(std::int64_t at, std::int64_t k) const { return at * stride - pad + k * dilation; }
  // The output positions [first, last) for which that lies inside the input.
  std::int64_t First(std::int64_t k) const {
    const std::int64_t before = pad - k * dilation;
    return before <= 0 ? 0 : (before + stride - 1) / stride;
  }
  std::int64_t Last(std::int64_t k) const {
    const std::int64_t room = input - 1 + pad - k * dilation;
    return room < 0 ? 0 : std::min(output, room / stride + 1);
  }
};

// sums[output] += weight * plane[input], for one weight of the window.
void AddProduct(const float* plane, double weight, const Axis& rows, std::int64_t k_row, const Axis& columns,
                std::int64_t k_column, double* sums) {
  const std::int64_t first = columns.First(k_column), last = columns.Last(k_column);
  const std::int64_t step = columns.stride, offset = columns.At(0, k_column);
  for (std::int64_t y = rows.First(k_row); y < rows.Last(k_row); ++y) {
    const float* from = plane + rows.At(y, k_row) * columns.input;
    double* to = sums + y * columns.output;
    for (std::int64_t x = first; x < last; ++x)
      to[x] += weight * static_cast<double>(from[offset + x * step]);
  }
}

void Conv(const Call& call) {
  const auto& a = call.As<ConvAttributes>();
  const Shape &in = call.in_shape(), &out = call.layer.output;
  const Axis rows{in[2], out[2], a.stride.h, a.dilation.h, a.pad.top};
  const Axis columns{in[3], out[3], a.stride.w, a.dilation.w, a.pad.left};
  const std::int64_t group_in = in[1] / a.groups, group_out = out[1] / a.groups;
  const std::int64_t plane = in[2] * in[3], window = a.kernel.h * a.kernel.w;
  const float* weight = call.Weight("weight");
  const float* bias = call.Weight("bias");
  float* result = call.out();
  std::vector<double> sums(static_cast<std::size_t>(out[2] * out[3]));
  for (std::int64_t image = 0; image < out[0]; ++image) {
    for (std::int64_t channel = 0; channel < out[1]; ++channel) {
      std::fill(sums.begin(), sums.end(), bias == nullptr ? 0.0 : bias[channel]);
      const std::int64_t first_in = image * in[1] + channel / group_out * group_in;
      for (std::int64_t i = 0; i < group_in; ++i) {
        for (std::int64_t k = 0; k < window; ++k) {
          const double factor = weight[(channel * group_in + i) * window + k];
          AddProduct(call.in() + (first_in + i) * plane, factor, rows, k / a.kernel.w, columns,
                     k % a.kernel.w, sums.data());
        }
      }
      for (const double sum : sums) *result++ = static_cast<float>(sum);
    }
  }
}

// Every input spreads over the window of outputs that it would have been read from: the output of element `k`
// for input position `at` is where a convolution's window would look, with the roles of both exchanged.
void Deconv(const Call& call) {
  const auto& a = call.As<ConvAttributes>();
  const Shape &in = call.in_shape(), &out = call.layer.output;
  const Axis rows{out[2], in[2], a.stride.h, a.dilation.h, a.pad.top};
  const Axis columns{out[3], in[3], a.stride.w, a.dilation.w, a.pad.left};
  const std::int64_t group_in = in[1] / a.groups, group_out = out[1] / a.groups;
  const std::int64_t plane_in = in[2] * in[3], plane_out = out[2] * out[3], window = a.kernel.h * a.kernel.w;
  const float* weight = call.Weight("weight");
  const float* bias = call.Weight("bias");
  std::vector<double> sums(static_cast<std::size_t>(plane_out));
  for (std::int64_t o = 0; o < out[0] * out[1]; ++o) {
    const std::int64_t image = o / out[1], channel = o % out[1], group = channel / group_out;
    std::fill(sums.begin(), sums.end(), bias == nullptr ? 0.0 : bias[channel]);
    for (std::int64_t i = group * group_in; i < (group + 1) * group_in; ++i) {
      const float* from = call.in() + (image * in[1] + i) * plane_in;
      for (std::int64_t k = 0; k < window; ++k) {
        const std::int64_t k_row = k / a.kernel.w, k_column = k % a.kernel.w;
        const double factor = weight[(i * group_out + channel % group_out) * window + k];
        for (std::int64_t y = rows.First(k_row); y < rows.Last(k_row); ++y) {
          for (std::int64_t x = columns.First(k_column); x < columns.Last(k_column); ++x) {
            const std::int64_t at = rows.At(y, k_row) * out[3] + columns.At(x, k_column);
            sums[static_cast<std::size_t>(at)] += factor * static_cast<double>(from[y * in[3] + x]);
          }
        }
      }
    }
    for (std::int64_t i = 0; i < plane_out; ++i) {
      call.out()[o * plane_out + i] = static_cast<float>(sums[static_cast<std::size_t>(i)]);
    }
  }
}

const Kernels kConvolutions{{Op::kConv, Conv}, {Op::kDeconv, Deconv}};

}  // namespace
}  // namespace tandem::reference
