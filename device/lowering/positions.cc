#include "device/lowering/positions.h"

#include <algorithm>

namespace tandem {
namespace {

AxisPositions Padded(const PadAttributes& a, const Shape& in, const Shape& to) {
  AxisPositions positions(in.size());
  for (std::size_t axis = 0; axis < in.size(); ++axis) {
    for (std::int64_t at = -a.before[axis]; at < to[axis] - a.before[axis]; ++at) {
      const bool inside = at >= 0 && at < in[axis];
      std::int64_t from = inside ? at : -1;
      if (!inside && a.mode == PadMode::kEdge) from = std::clamp<std::int64_t>(at, 0, in[axis] - 1);
      if (!inside && a.mode == PadMode::kReflect) from = at < 0 ? -at : 2 * (in[axis] - 1) - at;
      positions[axis].push_back(from);
    }
  }
  return positions;
}

AxisPositions Sliced(const SliceAttributes& a, const Shape& in, const Shape& to) {
  std::vector<std::int64_t> start(in.size(), 0), step(in.size(), 1);
  for (std::size_t i = 0; i < a.axes.size(); ++i) {
    const std::size_t axis = AxisFromFront(a.axes[i], in);
    start[axis] =
        std::clamp<std::int64_t>(a.starts[i] < 0 ? a.starts[i] + in[axis] : a.starts[i], 0, in[axis]);
    step[axis] = a.steps[i];
  }
  AxisPositions positions(in.size());
  for (std::size_t axis = 0; axis < in.size(); ++axis) {
    for (std::int64_t at = 0; at < to[axis]; ++at) positions[axis].push_back(start[axis] + at * step[axis]);
  }
  return positions;
}

AxisPositions Repeated(const UpsampleAttributes& a, const Shape& in, const Shape& to) {
  AxisPositions positions(in.size());
  const double scale[] = {1, 1, a.scale_h, a.scale_w};
  for (std::size_t axis = 0; axis < in.size(); ++axis) {
    for (std::int64_t at = 0; at < to[axis]; ++at) {
      const auto from = static_cast<std::int64_t>(static_cast<double>(at) / scale[axis]);
      positions[axis].push_back(std::min(from, in[axis] - 1));
    }
  }
  return positions;
}

}  // namespace

AxisPositions PositionsOf(const Layer& layer, const Shape& in) {
  if (layer.op == Op::kPad) return Padded(layer.As<PadAttributes>(), in, layer.output);
  if (layer.op == Op::kSlice) return Sliced(layer.As<SliceAttributes>(), in, layer.output);
  return Repeated(layer.As<UpsampleAttributes>(), in, layer.output);
}

std::size_t AxisFromFront(std::int64_t axis, const Shape& shape) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(shape.size()) : axis);
}

std::optional<AxisRange> OnlyRange(const SliceAttributes& a, const Shape& in, const Shape& result) {
  AxisRange range;
  int shortened = 0;
  for (std::size_t i = 0; i < a.axes.size(); ++i) {
    const std::size_t axis = AxisFromFront(a.axes[i], in);
    if (result[axis] == in[axis]) continue;
    if (a.steps[i] != 1) return std::nullopt;
    const std::int64_t start =
        a.starts[i] < 0 ? std::max<std::int64_t>(0, a.starts[i] + in[axis]) : a.starts[i];
    range = {axis, start, start + result[axis]};
    ++shortened;
  }
  return shortened == 1 ? std::optional(range) : std::nullopt;
}

}  // namespace tandem
