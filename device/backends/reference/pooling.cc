#include <algorithm>
#include <limits>

#include "device/backends/reference/kernels.h"

namespace tandem::reference {
namespace {

// One axis of the window at one output position: it looks at first, first + dilation, ... before `end`, cut
// to the input's [0, input).
struct Reach {
  std::int64_t first, end, input, dilation;
};

Reach ReachOf(std::int64_t at, std::int64_t kernel, std::int64_t stride, std::int64_t dilation,
              std::int64_t pad, std::int64_t input) {
  const std::int64_t first = at * stride - pad;
  return {first, first + (kernel - 1) * dilation + 1, input, dilation};
}

Reach AdaptiveReach(std::int64_t at, std::int64_t output, std::int64_t input) {
  return {at * input / output, ((at + 1) * input + output - 1) / output, input, 1};
}

template <class Visit>
void ForEachInside(const Reach& reach, Visit visit) {
  for (std::int64_t at = reach.first; at < reach.end; at += reach.dilation) {
    if (at >= 0 && at < reach.input) visit(at);
  }
}

// How many of the window's positions lie inside the padded input: where the output was rounded up, a window
// may reach beyond the padding, and that part never counts.
std::int64_t CountPadded(const Reach& reach, std::int64_t pad_after) {
  std::int64_t count = 0;
  for (std::int64_t at = reach.first; at < std::min(reach.end, reach.input + pad_after);
       at += reach.dilation) {
    ++count;
  }
  return count;
}

// Calls pool(plane, rows, columns, attributes) for each output and keeps what it returns.
template <class PoolWindow>
void ForEachWindow(const Call& call, PoolWindow pool) {
  PoolAttributes a = call.As<PoolAttributes>();
  const Shape &in = call.in_shape(), &out = call.layer.output;
  if (a.global) {
    const bool count_include_pad = a.count_include_pad;
    a = PoolAttributes{};
    a.kernel = {in[2], in[3]};
    a.count_include_pad = count_include_pad;
  }
  const bool adaptive = !(a.adaptive == Extent{0, 0});
  if (adaptive) a.pad = {};
  float* result = call.out();
  for (std::int64_t plane = 0; plane < in[0] * in[1]; ++plane) {
    const float* values = call.in() + plane * in[2] * in[3];
    for (std::int64_t y = 0; y < out[2]; ++y) {
      const Reach rows = adaptive ? AdaptiveReach(y, out[2], in[2])
                                  : ReachOf(y, a.kernel.h, a.stride.h, a.dilation.h, a.pad.top, in[2]);
      for (std::int64_t x = 0; x < out[3]; ++x) {
        const Reach columns = adaptive ? AdaptiveReach(x, out[3], in[3])
                                       : ReachOf(x, a.kernel.w, a.stride.w, a.dilation.w, a.pad.left, in[3]);
        *result++ = static_cast<float>(pool(values, rows, columns, a));
      }
    }
  }
}

void MaxPool(const Call& call) {
  ForEachWindow(call, [](const float* plane, const Reach& rows, const Reach& columns, const PoolAttributes&) {
    float most = -std::numeric_limits<float>::infinity();
    ForEachInside(rows, [&](std::int64_t y) {
      ForEachInside(columns, [&](std::int64_t x) { most = std::max(most, plane[y * columns.input + x]); });
    });
    return most;
  });
}

void AvgPool(const Call& call) {
  ForEachWindow(
      call, [](const float* plane, const Reach& rows, const Reach& columns, const PoolAttributes& a) {
        double sum = 0;
        std::int64_t inside = 0;
        ForEachInside(rows, [&](std::int64_t y) {
          ForEachInside(columns, [&](std::int64_t x) {
            sum += static_cast<double>(plane[y * columns.input + x]);
            ++inside;
          });
        });
        const std::int64_t padded = CountPadded(rows, a.pad.bottom) * CountPadded(columns, a.pad.right);
        const std::int64_t count = a.count_include_pad ? padded : inside;
        return count == 0 ? 0 : sum / static_cast<double>(count);
      });
}

const Kernels kPools{{Op::kMaxPool, MaxPool}, {Op::kAvgPool, AvgPool}};

}  // namespace
}  // namespace tandem::reference
