#include <algorithm>
#include <cstring>

#include "device/backends/cuda/gpu/form.h"
#include "profiles/base/stored_numbers.h"
#include "tests/support/device/host_card_stream.h"

namespace tandem::gpu {
namespace {

double Load(Element element, const void* at, std::int64_t i) {
  if (element == Element::kFloat) return static_cast<double>(static_cast<const float*>(at)[i]);
  return static_cast<double>(FloatOf(static_cast<const std::uint16_t*>(at)[i]));
}

void Store(Element element, void* at, std::int64_t i, double value) {
  if (element == Element::kFloat) {
    static_cast<float*>(at)[i] = static_cast<float>(value);
  } else {
    static_cast<std::uint16_t*>(at)[i] = HalfOf(static_cast<float>(value));
  }
}

// All of a tensor as numbers, so that the loops need not know how it lies.
std::vector<double> Loaded(Element element, const void* at, std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = Load(element, at, i);
  return values;
}

std::int64_t At(const std::vector<std::int64_t>& strides, std::int64_t n, std::int64_t c, std::int64_t h,
                std::int64_t w) {
  return n * strides[0] + c * strides[1] + h * strides[2] + w * strides[3];
}

struct ConvSums {
  const CardConv& p;
  std::vector<std::int64_t> x_at, w_at, y_at;
  std::vector<double> x, weight, sums;

  ConvSums(const CardConv& problem, const ConvArguments& a) : p(problem) {
    const std::int64_t inner = (p.transposed ? p.out_c : p.in_c) / p.groups;
    const std::int64_t outer = p.transposed ? p.in_c : p.out_c;
    x_at = StridesOf({p.n, p.in_c, p.in_h, p.in_w}, p.format);
    y_at = StridesOf({p.n, p.out_c, p.out_h, p.out_w}, p.format);
    w_at = StridesOf({outer, inner, p.kernel.h, p.kernel.w}, p.format);
    x = Loaded(p.element, a.x, p.n * p.in_c * p.in_h * p.in_w);
    weight = Loaded(p.element, a.weight, outer * inner * p.kernel.h * p.kernel.w);
    sums.resize(static_cast<std::size_t>(p.n * p.out_c * p.out_h * p.out_w), 0.0);
  }

  // Input (n, i, ...) meets output (n, o, ...) through one element of the window; `near` is what the window
  // slides over by its strides, `far` what it looks at.
  void Add(std::int64_t n, std::int64_t i, std::int64_t o, std::int64_t kh, std::int64_t kw) {
    const std::int64_t group_in = p.in_c / p.groups, group_out = p.out_c / p.groups;
    const bool t = p.transposed;
    const std::int64_t w = t ? At(w_at, i, o % group_out, kh, kw) : At(w_at, o, i % group_in, kh, kw);
    const double factor = weight[static_cast<std::size_t>(w)];
    const std::int64_t near_h = t ? p.in_h : p.out_h, near_w = t ? p.in_w : p.out_w;
    const std::int64_t far_h = t ? p.out_h : p.in_h, far_w = t ? p.out_w : p.in_w;
    const double* const from = x.data() + At(x_at, n, i, 0, 0);
    double* const to = sums.data() + At(y_at, n, o, 0, 0);
    for (std::int64_t r = 0; r < near_h; ++r) {
      const std::int64_t far_r = r * p.stride.h - p.pad_h + kh * p.dilation.h;
      if (far_r < 0 || far_r >= far_h) continue;
      const double* const row = from + (t ? r : far_r) * x_at[2];
      double* const sum = to + (t ? far_r : r) * y_at[2];
      for (std::int64_t c = 0; c < near_w; ++c) {
        const std::int64_t far_c = c * p.stride.w - p.pad_w + kw * p.dilation.w;
        if (far_c < 0 || far_c >= far_w) continue;
        sum[(t ? far_c : c) * y_at[3]] += factor * row[(t ? c : far_c) * x_at[3]];
      }
    }
  }

  void AddAll() {
    const std::int64_t group_in = p.in_c / p.groups, group_out = p.out_c / p.groups;
    for (std::int64_t n = 0; n < p.n; ++n) {
      for (std::int64_t o = 0; o < p.out_c; ++o) {
        for (std::int64_t k = 0; k < group_in; ++k) {
          for (std::int64_t window = 0; window < p.kernel.h * p.kernel.w; ++window) {
            Add(n, o / group_out * group_in + k, o, window / p.kernel.w, window % p.kernel.w);
          }
        }
      }
    }
  }
};

}  // namespace

void RunHostConv(const HostConv& conv, const ConvArguments& a) {
  const CardConv& p = conv.problem;
  ConvSums sums(p, a);
  sums.AddAll();
  const std::int64_t inner = p.format == Format::kNhwc ? 1 : p.out_h * p.out_w;
  for (std::size_t i = 0; i < sums.sums.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    double value = sums.sums[i];
    if (p.bias) value += Load(p.element, a.bias, at / inner % p.out_c);
    if (p.added) value += Load(p.element, a.added, at);
    Store(p.element, a.y, at, p.relu ? std::max(value, 0.0) : value);
  }
}

void RunHostGemm(const GemmCall& call) {
  for (std::int64_t run = 0; run < call.batch; ++run) {
    for (std::int64_t at = 0; at < call.m * call.n; ++at) {
      const std::int64_t row = at / call.n, column = at % call.n;
      double sum = 0;
      for (std::int64_t k = 0; k < call.k; ++k) {
        const std::int64_t a = call.transpose_a ? k * call.m + row : row * call.k + k;
        const std::int64_t b = call.transpose_b ? column * call.k + k : k * call.n + column;
        sum += Load(call.element, call.a, run * call.a_stride + a) *
               Load(call.element, call.b, run * call.b_stride + b);
      }
      Store(call.element, call.c, run * call.c_stride + at, sum);
    }
  }
}

}  // namespace tandem::gpu
