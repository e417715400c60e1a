// Layers whose output positions each look at one or two input positions along every axis: pad and upsample.
#include <cmath>
#include <cstring>

#include "device/backends/cpu/loops/kernels.h"
#include "device/backends/cpu/loops/simd.h"

namespace tandem {
namespace {

// Where the positions of a padded axis come from, -1 where padding is a constant.
std::vector<std::int64_t> PaddedSources(std::int64_t before, std::int64_t in, std::int64_t out,
                                        PadMode mode) {
  std::vector<std::int64_t> sources;
  for (std::int64_t at = -before; at < out - before; ++at) {
    const bool inside = at >= 0 && at < in;
    if (inside) sources.push_back(at);
    if (!inside && mode == PadMode::kConstant) sources.push_back(-1);
    if (!inside && mode == PadMode::kEdge) sources.push_back(at < 0 ? 0 : in - 1);
    if (!inside && mode == PadMode::kReflect) sources.push_back(at < 0 ? -at : 2 * (in - 1) - at);
  }
  return sources;
}

struct PadPlan {
  Shape in, out;
  std::vector<std::vector<std::int64_t>> sources;  // by axis
  std::int64_t before = 0;                         // of the last axis
  float value = 0;

  // The row of the input that the row `row` of the output shows, -1 for none.
  std::int64_t SourceRow(std::int64_t row) const {
    std::int64_t from = 0, step = 1;
    for (std::size_t axis = out.size() - 1; axis-- > 0;) {
      const std::int64_t source = sources[axis][static_cast<std::size_t>(row % out[axis])];
      if (source < 0) return -1;
      from += source * step;
      step *= in[axis];
      row /= out[axis];
    }
    return from;
  }

  void FillRow(const float* from, float* to) const {
    const auto& columns = sources.back();
    const auto at = [&](std::int64_t column) {
      const std::int64_t source = columns[static_cast<std::size_t>(column)];
      return source < 0 ? value : from[source];
    };
    for (std::int64_t column = 0; column < before; ++column) to[column] = at(column);
    std::memcpy(to + before, from, static_cast<std::size_t>(in.back()) * sizeof(float));
    for (std::int64_t column = before + in.back(); column < out.back(); ++column) to[column] = at(column);
  }
};

// The two neighbours of every output position along one axis, and the share of the second.
struct Blends {
  std::vector<std::int64_t> low, high;
  std::vector<float> share;

  Blends(std::int64_t in, std::int64_t out, double scale, const UpsampleAttributes& a) {
    const LinearPlaces places = PlacesOf(a.align, scale, in, out);
    for (std::int64_t at = 0; at < out; ++at) {
      const auto position = static_cast<double>(at);
      const bool linear = a.mode == UpsampleMode::kLinear;
      const double source = linear ? places.At(position) : std::floor(position / scale);
      low.push_back(std::min(static_cast<std::int64_t>(source), in - 1));
      high.push_back(std::min(low.back() + (linear ? 1 : 0), in - 1));
      share.push_back(linear ? static_cast<float>(source - static_cast<double>(low.back())) : 0);
    }
  }
};

struct UpsamplePlan {
  std::int64_t in_height, in_width, out_height, out_width;
  Blends rows, columns;

  // A row of the output from its two rows of the input, by way of `scratch`, as wide as the input.
  void Blend(const float* upper, const float* lower, float share, float* scratch, float* to) const {
    const std::int64_t in = in_width, out = out_width;
    const std::int64_t *const low = columns.low.data(), *const high = columns.high.data();
    const float* const shares = columns.share.data();
    RunSimd([=]() TANDEM_INLINE {
      for (std::int64_t x = 0; x < in; ++x) scratch[x] = (1 - share) * upper[x] + share * lower[x];
      for (std::int64_t x = 0; x < out; ++x) {
        to[x] = (1 - shares[x]) * scratch[low[x]] + shares[x] * scratch[high[x]];
      }
    });
  }
  void Repeat(const float* from, float* to) const {
    const std::int64_t out = out_width;
    const std::int64_t* const low = columns.low.data();
    if (out == 2 * in_width) {
      for (std::int64_t x = 0; x < in_width; ++x) to[2 * x] = to[2 * x + 1] = from[x];
      return;
    }
    for (std::int64_t x = 0; x < out; ++x) to[x] = from[low[x]];
  }
};

PlainKernel PlainPad(const PlainLayer& of) {
  if (of.in().empty()) {  // one number, and no axis to pad
    return [](std::span<const float* const> inputs, float* output) { output[0] = inputs[0][0]; };
  }
  const auto& a = of.As<PadAttributes>();
  PadPlan plan{of.in(), of.out(), {}, a.before.back(), static_cast<float>(a.value)};
  for (std::size_t axis = 0; axis < of.in().size(); ++axis) {
    plan.sources.push_back(PaddedSources(a.before[axis], of.in()[axis], of.out()[axis], a.mode));
  }
  return [plan = std::move(plan)](std::span<const float* const> inputs, float* output) {
    const std::int64_t width = plan.out.back();
    const float* const from = inputs[0];
    InParts(Elements(plan.out) / width, width, [&, from, output](std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first; row < last; ++row) {
        const std::int64_t source = plan.SourceRow(row);
        if (source < 0) {
          std::fill_n(output + row * width, width, plan.value);
        } else {
          plan.FillRow(from + source * plan.in.back(), output + row * width);
        }
      }
    });
  };
}

PlainKernel PlainUpsample(const PlainLayer& of) {
  const auto& a = of.As<UpsampleAttributes>();
  const Shape &in = of.in(), &out = of.out();
  UpsamplePlan plan{
      in[2], in[3], out[2], out[3], Blends(in[2], out[2], a.scale_h, a), Blends(in[3], out[3], a.scale_w, a)};
  const bool linear = a.mode == UpsampleMode::kLinear;
  const std::int64_t planes = in[0] * in[1];
  return [plan = std::move(plan), linear, planes](std::span<const float* const> inputs, float* output) {
    const std::int64_t height = plan.out_height, width = plan.out_width;
    InParts(planes, height * width, [&](std::int64_t first, std::int64_t last) {
      thread_local std::vector<float> scratch;
      if (linear) scratch.resize(static_cast<std::size_t>(plan.in_width));
      for (std::int64_t row = first * height; row < last * height; ++row) {
        const auto y = static_cast<std::size_t>(row % height);
        const float* const plane = inputs[0] + row / height * plan.in_height * plan.in_width;
        const float* const upper = plane + plan.rows.low[y] * plan.in_width;
        float* const to = output + row * width;
        if (linear) {
          plan.Blend(upper, plane + plan.rows.high[y] * plan.in_width, plan.rows.share[y], scratch.data(),
                     to);
        } else if (y > 0 && plan.rows.low[y] == plan.rows.low[y - 1]) {
          std::memcpy(to, to - width, static_cast<std::size_t>(width) * sizeof(float));
        } else {
          plan.Repeat(upper, to);
        }
      }
    });
  };
}

const PlainKernels kPads{{Op::kPad, PlainPad}, {Op::kUpsample, PlainUpsample}};

}  // namespace
}  // namespace tandem
