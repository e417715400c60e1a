#include <limits>

#include "device/backends/cpu/loops/kernels.h"
#include "device/backends/cpu/loops/simd.h"

namespace tandem {
namespace {

// What the windows along one axis look at.
struct PoolAxis {
  std::int64_t in, out;
  std::int64_t kernel = 0, stride = 0, pad = 0;  // kernel 0: every window is of its own kind
  std::int64_t dilation = 1;
  // By output position: [first, last) inside the input, in steps of `dilation`, and how many positions the
  // divisor counts.
  std::vector<std::int64_t> first, last, counted;

  static PoolAxis Whole(std::int64_t in) { return {in, 1, 0, 0, 0, 1, {0}, {in}, {in}}; }

  static PoolAxis Adaptive(std::int64_t in, std::int64_t out) {
    PoolAxis axis{in, out, 0, 0, 0, 1, {}, {}, {}};
    for (std::int64_t at = 0; at < out; ++at) {
      axis.first.push_back(at * in / out);
      axis.last.push_back(((at + 1) * in + out - 1) / out);
      axis.counted.push_back(axis.last.back() - axis.first.back());
    }
    return axis;
  }

  // Padding counts where `pad_after` is not below 0; what a window reaches beyond it never does.
  static PoolAxis Sliding(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
                          std::int64_t dilation, std::int64_t pad, std::int64_t pad_after) {
    PoolAxis axis{in, out, kernel, stride, pad, dilation, {}, {}, {}};
    const auto up = [dilation](std::int64_t distance) { return (distance + dilation - 1) / dilation; };
    for (std::int64_t at = 0; at < out; ++at) {
      const std::int64_t begin = at * stride - pad, end = begin + (kernel - 1) * dilation + 1;
      const std::int64_t first = begin >= 0 ? begin : begin + up(-begin) * dilation;
      const std::int64_t last = std::min(end, in);
      axis.first.push_back(first);
      axis.last.push_back(std::max(first, last));
      const std::int64_t inside = up(axis.last.back() - first);
      axis.counted.push_back(pad_after < 0 ? inside : up(std::min(end, in + pad_after) - begin));
    }
    return axis;
  }
};

struct PoolPlan {
  bool max = false;
  PoolAxis rows, columns;

  float Divisor(std::size_t y, std::size_t x) const {
    return static_cast<float>(std::max<std::int64_t>(1, rows.counted[y] * columns.counted[x]));
  }
};

template <bool kMax>
TANDEM_INLINE inline float Join(float a, float b) {
  if constexpr (kMax) return a < b ? b : a;
  return a + b;
}

// to[x] = to[x] and from[x * stride] for a run of output positions.
template <bool kMax, std::int64_t kStride>
TANDEM_INLINE inline void JoinRun(const float* from, float* to, std::int64_t count, std::int64_t stride) {
  const std::int64_t step = kStride == 0 ? stride : kStride;
  for (std::int64_t x = 0; x < count; ++x) to[x] = Join<kMax>(to[x], from[x * step]);
}

// A row of outputs at once, one element of the window after the other.
template <bool kMax>
TANDEM_INLINE inline void SlideRow(const PoolPlan& plan, const float* plane, std::size_t y, float* to) {
  const PoolAxis &rows = plan.rows, &columns = plan.columns;
  const float nothing = kMax ? -std::numeric_limits<float>::infinity() : 0;
  for (std::int64_t x = 0; x < columns.out; ++x) to[x] = nothing;
  for (std::int64_t row = rows.first[y]; row < rows.last[y]; row += rows.dilation) {
    for (std::int64_t k = 0; k < columns.kernel; ++k) {
      const std::int64_t offset = k * columns.dilation - columns.pad, stride = columns.stride;
      const std::int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
      const std::int64_t room = columns.in - 1 - offset;
      const std::int64_t last = room < 0 ? 0 : std::min(columns.out, room / stride + 1);
      const float* const from = plane + row * columns.in + first * stride + offset;
      if (stride == 1) JoinRun<kMax, 1>(from, to + first, last - first, 1);
      if (stride == 2) JoinRun<kMax, 2>(from, to + first, last - first, 2);
      if (stride > 2) JoinRun<kMax, 0>(from, to + first, last - first, stride);
    }
  }
  for (std::size_t x = 0; !kMax && x < columns.counted.size(); ++x) to[x] /= plan.Divisor(y, x);
}

// One window after the other: where there are few, of many elements.
template <bool kMax>
TANDEM_INLINE inline void WindowRow(const PoolPlan& plan, const float* plane, std::size_t y, float* to) {
  constexpr std::int64_t kLanes = 16;
  const PoolAxis &rows = plan.rows, &columns = plan.columns;
  for (std::size_t x = 0; x < columns.first.size(); ++x) {
    const std::int64_t first = columns.first[x], last = columns.last[x], step = columns.dilation;
    float lanes[kLanes];
    for (float& lane : lanes) lane = kMax ? -std::numeric_limits<float>::infinity() : 0;
    for (std::int64_t row = rows.first[y]; row < rows.last[y]; row += rows.dilation) {
      const float* const from = plane + row * columns.in;
      std::int64_t i = first;
      for (; step == 1 && i + kLanes <= last; i += kLanes) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane)
          lanes[lane] = Join<kMax>(lanes[lane], from[i + lane]);
      }
      for (std::int64_t lane = 0; i < last; i += step, lane = (lane + 1) % kLanes) {
        lanes[lane] = Join<kMax>(lanes[lane], from[i]);
      }
    }
    float total = lanes[0];
    for (std::int64_t lane = 1; lane < kLanes; ++lane) total = Join<kMax>(total, lanes[lane]);
    to[x] = kMax ? total : total / plan.Divisor(y, x);
  }
}

template <bool kMax>
void PoolPlanes(const PoolPlan& plan, const float* from, float* to, std::int64_t planes) {
  const std::int64_t in = plan.rows.in * plan.columns.in, height = plan.rows.out, width = plan.columns.out;
  const bool slides = plan.columns.kernel > 0 && width >= 4;
  InParts(planes, in, [=, &plan](std::int64_t first, std::int64_t last) {
    const PoolPlan* const windows = &plan;
    RunSimd([=]() TANDEM_INLINE {
      for (std::int64_t row = first * height; row < last * height; ++row) {
        const float* const plane = from + row / height * in;
        const auto y = static_cast<std::size_t>(row % height);
        if (slides) {
          SlideRow<kMax>(*windows, plane, y, to + row * width);
        } else {
          WindowRow<kMax>(*windows, plane, y, to + row * width);
        }
      }
    });
  });
}

PoolPlan PlanOf(const PoolAttributes& a, bool max, const Shape& in, const Shape& out) {
  if (a.global) return {max, PoolAxis::Whole(in[2]), PoolAxis::Whole(in[3])};
  if (!(a.adaptive == Extent{0, 0})) {
    return {max, PoolAxis::Adaptive(in[2], out[2]), PoolAxis::Adaptive(in[3], out[3])};
  }
  const bool padded = a.count_include_pad;
  return {max,
          PoolAxis::Sliding(in[2], out[2], a.kernel.h, a.stride.h, a.dilation.h, a.pad.top,
                            padded ? a.pad.bottom : -1),
          PoolAxis::Sliding(in[3], out[3], a.kernel.w, a.stride.w, a.dilation.w, a.pad.left,
                            padded ? a.pad.right : -1)};
}

PlainKernel PlainPool(const PlainLayer& of) {
  const bool max = of.layer.op == Op::kMaxPool;
  PoolPlan plan = PlanOf(of.As<PoolAttributes>(), max, of.in(), of.out());
  const std::int64_t planes = of.in()[0] * of.in()[1];
  return [plan = std::move(plan), planes](std::span<const float* const> inputs, float* output) {
    plan.max ? PoolPlanes<true>(plan, inputs[0], output, planes)
             : PoolPlanes<false>(plan, inputs[0], output, planes);
  };
}

const PlainKernels kPools{{Op::kMaxPool, PlainPool}, {Op::kAvgPool, PlainPool}};

}  // namespace
}  // namespace tandem
