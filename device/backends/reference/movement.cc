#include <algorithm>
#include <cmath>

#include "device/backends/reference/kernels.h"

namespace tandem::reference {
namespace {

using Position = std::vector<std::int64_t>;

// Calls visit(index, position) for every element of `shape`, the last axis fastest.
template <class Visit>
void ForEachPosition(const Shape& shape, Visit visit) {
  Position at(shape.size());
  const std::int64_t count = Elements(shape);
  for (std::int64_t i = 0; i < count; ++i, Advance(at, shape)) visit(i, at);
}

// Where `at` along a padded axis comes from in the input, -1 where padding is a constant.
std::int64_t PaddedSource(std::int64_t at, std::int64_t extent, PadMode mode) {
  if (at >= 0 && at < extent) return at;
  if (mode == PadMode::kConstant) return -1;
  if (mode == PadMode::kEdge) return std::clamp(at, std::int64_t{0}, extent - 1);
  return at < 0 ? -at : 2 * (extent - 1) - at;  // the border itself is not repeated
}

// The two neighbours of an output position along one axis and the share of the second.
struct Blend {
  std::int64_t low, high;
  double share;
};

Blend LinearSource(std::int64_t at, const LinearPlaces& places, std::int64_t extent) {
  const double source = places.At(static_cast<double>(at));
  const std::int64_t low = std::min(static_cast<std::int64_t>(source), extent - 1);
  return {low, std::min(low + 1, extent - 1), source - static_cast<double>(low)};
}

Blend NearestSource(std::int64_t at, const LinearPlaces& places, std::int64_t extent) {
  const std::int64_t source =
      std::min(static_cast<std::int64_t>(static_cast<double>(at) / places.scale), extent - 1);
  return {source, source, 0};
}

void Copy(const Call& call) { call.output.values = call.inputs[0]->values; }

void Concat(const Call& call) {
  const std::size_t axis = AxisOf(call.As<AxisAttributes>().axis, call.layer.output);
  const std::int64_t inner = Strides(call.layer.output)[axis];
  const std::int64_t row = call.layer.output[axis] * inner;
  std::int64_t column = 0;
  for (const Tensor* input : call.inputs) {
    const std::int64_t own_row = input->shape[axis] * inner;
    for (std::int64_t i = 0; i < Elements(input->shape) / own_row; ++i) {
      std::copy_n(input->values.data() + i * own_row, own_row, call.out() + i * row + column);
    }
    column += own_row;
  }
}

void Transpose(const Call& call) {
  const auto& order = call.As<TransposeAttributes>().order;
  const std::vector<std::int64_t> strides = Strides(call.in_shape());
  ForEachPosition(call.layer.output, [&](std::int64_t i, const Position& at) {
    std::int64_t from = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis)
      from += at[axis] * strides[static_cast<std::size_t>(order[axis])];
    call.out()[i] = call.in()[from];
  });
}

void Pad(const Call& call) {
  const auto& a = call.As<PadAttributes>();
  const Shape& in = call.in_shape();
  const std::vector<std::int64_t> strides = Strides(in);
  ForEachPosition(call.layer.output, [&](std::int64_t i, const Position& at) {
    std::int64_t from = 0;
    bool inside = true;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const std::int64_t source = PaddedSource(at[axis] - a.before[axis], in[axis], a.mode);
      inside = inside && source >= 0;
      from += source * strides[axis];
    }
    call.out()[i] = inside ? call.in()[from] : static_cast<float>(a.value);
  });
}

void Slice(const Call& call) {
  const auto& a = call.As<SliceAttributes>();
  const Shape& in = call.in_shape();
  const std::vector<std::int64_t> strides = Strides(in);
  Position starts(in.size(), 0), steps(in.size(), 1);
  for (std::size_t i = 0; i < a.axes.size(); ++i) {
    const std::size_t axis = AxisOf(a.axes[i], in);
    starts[axis] =
        std::clamp(a.starts[i] < 0 ? a.starts[i] + in[axis] : a.starts[i], std::int64_t{0}, in[axis]);
    steps[axis] = a.steps[i];
  }
  ForEachPosition(call.layer.output, [&](std::int64_t i, const Position& at) {
    std::int64_t from = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis)
      from += (starts[axis] + at[axis] * steps[axis]) * strides[axis];
    call.out()[i] = call.in()[from];
  });
}

void Upsample(const Call& call) {
  const auto& a = call.As<UpsampleAttributes>();
  const Shape &in = call.in_shape(), &out = call.layer.output;
  const auto source = a.mode == UpsampleMode::kLinear ? LinearSource : NearestSource;
  const LinearPlaces rows = PlacesOf(a.align, a.scale_h, in[2], out[2]);
  const LinearPlaces columns = PlacesOf(a.align, a.scale_w, in[3], out[3]);
  ForEachPosition(out, [&](std::int64_t i, const Position& at) {
    const float* plane = call.in() + (at[0] * in[1] + at[1]) * in[2] * in[3];
    const Blend y = source(at[2], rows, in[2]), x = source(at[3], columns, in[3]);
    const auto row = [&](std::int64_t r) {
      return (1 - x.share) * static_cast<double>(plane[r * in[3] + x.low]) +
             x.share * static_cast<double>(plane[r * in[3] + x.high]);
    };
    call.out()[i] = static_cast<float>((1 - y.share) * row(y.low) + y.share * row(y.high));
  });
}

void ReduceMean(const Call& call) {
  const Shape& in = call.in_shape();
  Shape kept = in;
  for (const std::int64_t axis : call.As<ReduceAttributes>().axes) kept[AxisOf(axis, in)] = 1;
  std::vector<std::int64_t> strides = Strides(kept);
  for (std::size_t axis = 0; axis < in.size(); ++axis) {
    if (kept[axis] != in[axis]) strides[axis] = 0;
  }
  std::vector<double> sums(call.size());
  ForEachPosition(in, [&](std::int64_t i, const Position& at) {
    std::int64_t to = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis) to += at[axis] * strides[axis];
    sums[static_cast<std::size_t>(to)] += static_cast<double>(call.in()[i]);
  });
  const double count = static_cast<double>(Elements(in)) / static_cast<double>(call.size());
  for (std::size_t i = 0; i < sums.size(); ++i) call.out()[i] = static_cast<float>(sums[i] / count);
}

const Kernels kMovement{{Op::kInput, Copy},        {Op::kDropout, Copy},         {Op::kIdentity, Copy},
                        {Op::kFlatten, Copy},      {Op::kReshape, Copy},         {Op::kConcat, Concat},
                        {Op::kPad, Pad},           {Op::kTranspose, Transpose},  {Op::kSlice, Slice},
                        {Op::kUpsample, Upsample}, {Op::kReduceMean, ReduceMean}};

}  // namespace
}  // namespace tandem::reference
