#include <algorithm>

#include "profiles/importers/onnx/fold.h"
#include "profiles/importers/onnx/ops.h"

namespace tandem {
namespace {

// The axis along which steps go may get another number; what it is merged into or cut up has none.
void MoveSteps(OnnxConstant& constant, const Shape& to) {
  const std::int64_t places = constant.shape[constant.step_axis];
  const std::int64_t inner = ContiguousSteps(constant.shape)[constant.step_axis];
  const std::vector<std::int64_t> widths = ContiguousSteps(to);
  for (std::size_t axis = 0; axis < to.size(); ++axis) {
    if (to[axis] != places || widths[axis] != inner) continue;
    constant.step_axis = axis;
    return;
  }
  constant.steps.reset();
}

OnnxConstant Reshaped(OnnxNode& node, Shape shape) {
  OnnxConstant constant = node.Constant(0);
  if (constant.steps && constant.steps->size() > 1) MoveSteps(constant, shape);
  constant.shape = std::move(shape);
  return constant;
}

template <class T>
std::vector<T> Pick(const std::vector<T>& from, const OnnxStrides& strides) {
  std::vector<T> to;
  to.reserve(static_cast<std::size_t>(CheckedElements(strides.out)));
  ForEachPlace(strides, [&](std::size_t place) { to.push_back(from[place]); });
  return to;
}

// The part of an axis that a slice means: `start`, and how many elements from there.
struct Run {
  std::int64_t start = 0, count = 0;
};
Run RunOf(std::int64_t start, std::int64_t end, std::int64_t step, std::int64_t extent) {
  const std::int64_t lowest = step > 0 ? 0 : -1;
  const std::int64_t highest = step > 0 ? extent : extent - 1;
  const auto clamp = [&](std::int64_t at) { return std::clamp(at < 0 ? at + extent : at, lowest, highest); };
  const std::int64_t first = clamp(start);
  // Beyond the beginning of a walk backwards: what an end of -extent - 1 or less means.
  const std::int64_t last = clamp(end);
  const std::int64_t length = step > 0 ? last - first : first - last;
  const std::int64_t width = step > 0 ? step : -step;
  return {first, length < 1 ? 0 : (length - 1) / width + 1};
}

template <class T>
void Append(std::vector<T>& to, const std::vector<T>& from, std::size_t row, std::size_t width) {
  const auto start = from.begin() + static_cast<std::ptrdiff_t>(row * width);
  to.insert(to.end(), start, start + static_cast<std::ptrdiff_t>(width));
}

// Rows of all parts in turn; a row is what lies behind the axis and the axis itself.
template <class T>
std::vector<T> Interleave(const std::vector<std::vector<T>>& parts, std::size_t rows) {
  std::vector<T> joined;
  for (std::size_t row = 0; row < rows; ++row) {
    for (const std::vector<T>& part : parts) Append(joined, part, row, part.size() / rows);
  }
  return joined;
}

Shape JoinedShape(const OnnxNode& node, std::size_t axis) {
  Shape out = node.Constant(0).shape;
  for (std::size_t i = 1; i < node.inputs(); ++i) {
    Shape other = node.Constant(i).shape;
    const bool same_rank = other.size() == out.size();
    const std::int64_t more = same_rank ? other[axis] : 0;
    if (same_rank) other[axis] = out[axis];
    if (other != out)
      node.Fail("cannot join " + ShapeText(out) + " and " + ShapeText(node.Constant(i).shape));
    out[axis] += more;
  }
  node.Elements(out);
  return out;
}

OnnxConstant Empty(const Shape& shape, bool integer) {
  return integer ? MakeConstant(shape, std::vector<std::int64_t>{})
                 : MakeConstant(shape, std::vector<float>{});
}

bool AllKnown(const OnnxNode& node) {
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    if (!node.Constant(i).known()) return false;
  }
  return true;
}

}  // namespace

std::vector<std::int64_t> ContiguousSteps(const Shape& shape) {
  std::vector<std::int64_t> steps(shape.size());
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0; step *= shape[i]) steps[i] = step;
  return steps;
}

OnnxStrides BroadcastStrides(const Shape& shape, const Shape& out) {
  OnnxStrides strides{out, std::vector<std::int64_t>(out.size(), 0), 0};
  const std::vector<std::int64_t> own = ContiguousSteps(shape);
  const std::size_t ahead = out.size() - shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) strides.steps[ahead + i] = shape[i] == 1 ? 0 : own[i];
  return strides;
}

Shape BroadcastShapes(const OnnxNode& node, const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      node.Fail("its inputs do not fit together: " + ShapeText(a) + " and " + ShapeText(b));
    }
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  node.Elements(out);
  return out;
}

OnnxConstant Rearranged(OnnxNode& node, std::size_t i, const OnnxStrides& strides) {
  const OnnxConstant& from = node.Constant(i);
  OnnxConstant to;
  to.shape = strides.out;
  to.integer = from.integer;
  if (from.integer) to.type = from.type;
  to.fill = from.fill;
  if (!from.known() || from.fill || !node.Spend(node.Elements(strides.out))) return to;
  if (from.integer) {
    to = MakeConstant(strides.out, Pick(node.IntsOf(i), strides));
    to.type = from.type;
    return to;
  }
  return MakeConstant(strides.out, Pick(node.FloatsOf(i), strides));
}

OnnxConstant FoldReshape(OnnxNode& node) { return Reshaped(node, ReshapeTarget(node, node.ShapeOf(0))); }
OnnxConstant FoldSqueeze(OnnxNode& node) { return Reshaped(node, SqueezedShape(node, node.ShapeOf(0))); }
OnnxConstant FoldUnsqueeze(OnnxNode& node) { return Reshaped(node, UnsqueezedShape(node, node.ShapeOf(0))); }
OnnxConstant FoldFlatten(OnnxNode& node) { return Reshaped(node, FlattenedShape(node, node.ShapeOf(0))); }
OnnxConstant FoldIdentity(OnnxNode& node) { return node.Constant(0); }

OnnxConstant FoldTranspose(OnnxNode& node) {
  const OnnxConstant& from = node.Constant(0);
  const Shape& in = from.shape;
  const std::vector<std::int64_t> steps = ContiguousSteps(in);
  OnnxStrides strides;
  std::size_t step_axis = 0;
  for (const std::int64_t axis : TransposeOrder(node, in.size())) {
    const auto i = static_cast<std::size_t>(node.Axis(axis, in.size()));
    if (i == from.step_axis) step_axis = strides.out.size();
    strides.out.push_back(in[i]);
    strides.steps.push_back(steps[i]);
  }
  OnnxConstant to = Rearranged(node, 0, strides);
  to.steps = from.steps;
  to.step_axis = step_axis;
  return to;
}

OnnxConstant FoldSlice(OnnxNode& node) {
  const SliceAttributes a = ReadSlice(node);
  OnnxStrides strides{node.ShapeOf(0), ContiguousSteps(node.ShapeOf(0)), 0};
  for (std::size_t i = 0; i < a.axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(a.axes[i]);
    const std::int64_t step = a.steps[i];
    if (step == 0 || step < -strides.out[axis] - 1) node.Fail("its step is out of range");
    const Run run = RunOf(a.starts[i], a.ends[i], step, strides.out[axis]);
    strides.offset += run.start * strides.steps[axis];
    strides.steps[axis] *= run.count > 1 ? step : 1;
    strides.out[axis] = run.count;
  }
  return Rearranged(node, 0, strides);
}

OnnxConstant FoldGather(OnnxNode& node) {
  const OnnxConstant& from = node.Constant(0);
  const auto axis = static_cast<std::size_t>(node.Axis(node.Int("axis", 0), from.shape.size()));
  const std::vector<std::int64_t> indices = node.IntsOf(1);
  const std::int64_t extent = from.shape[axis];
  const auto at = static_cast<std::ptrdiff_t>(axis);
  const Shape before(from.shape.begin(), from.shape.begin() + at);
  const Shape behind(from.shape.begin() + at + 1, from.shape.end());
  Shape out = before;
  out.insert(out.end(), node.ShapeOf(1).begin(), node.ShapeOf(1).end());
  out.insert(out.end(), behind.begin(), behind.end());
  OnnxConstant result;
  result.shape = out;
  result.integer = from.integer;
  const std::int64_t elements = node.Elements(out);
  if (elements == 0) return Empty(out, from.integer);
  if (!from.known() || !node.Spend(elements)) return result;
  const auto collect = [&](const auto& values) {
    std::decay_t<decltype(values)> picked;
    const auto width = static_cast<std::size_t>(node.Elements(behind));
    for (std::int64_t row = 0; row < node.Elements(before); ++row) {
      for (const std::int64_t index : indices) {
        if (index < -extent || index >= extent) node.Fail("its index is outside of its input");
        Append(picked, values, static_cast<std::size_t>(row * extent + (index < 0 ? index + extent : index)),
               width);
      }
    }
    return MakeConstant(out, std::move(picked));
  };
  return from.integer ? collect(node.IntsOf(0)) : collect(node.FloatsOf(0));
}

OnnxConstant FoldConcat(OnnxNode& node) {
  const OnnxConstant& first = node.Constant(0);
  const auto axis = static_cast<std::size_t>(node.Axis(node.Int("axis", 1), first.shape.size()));
  OnnxConstant result;
  result.shape = JoinedShape(node, axis);
  result.integer = first.integer;
  const std::int64_t elements = node.Elements(result.shape);
  if (elements == 0) return Empty(result.shape, result.integer);
  if (!AllKnown(node) || !node.Spend(elements)) return result;
  const Shape before(first.shape.begin(), first.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  const auto rows = static_cast<std::size_t>(node.Elements(before));
  if (result.integer) {
    std::vector<std::vector<std::int64_t>> parts;
    for (std::size_t i = 0; i < node.inputs(); ++i) parts.push_back(node.IntsOf(i));
    return MakeConstant(result.shape, Interleave(parts, rows));
  }
  std::vector<std::vector<float>> parts;
  for (std::size_t i = 0; i < node.inputs(); ++i) parts.push_back(node.FloatsOf(i));
  return MakeConstant(result.shape, Interleave(parts, rows));
}

OnnxConstant FoldExpand(OnnxNode& node) {
  const Shape out = BroadcastShapes(node, node.ShapeOf(0), node.IntsOf(1));
  return Rearranged(node, 0, BroadcastStrides(node.ShapeOf(0), out));
}

// Repeats are one more axis in front of each, over which the input does not move.
OnnxConstant FoldTile(OnnxNode& node) {
  const Shape& in = node.ShapeOf(0);
  const std::vector<std::int64_t> repeats = node.IntsOf(1);
  const std::vector<std::int64_t> steps = ContiguousSteps(in);
  if (repeats.size() != in.size()) node.Fail("its repeats are not as many as the axes of its input");
  OnnxStrides strides;
  Shape out;
  node.Elements(repeats);
  for (std::size_t i = 0; i < in.size(); ++i) {
    strides.out.insert(strides.out.end(), {repeats[i], in[i]});
    strides.steps.insert(strides.steps.end(), {0, steps[i]});
    if (repeats[i] > 0 && in[i] > (std::int64_t{1} << 40) / repeats[i]) node.Fail("it has too many elements");
    out.push_back(repeats[i] * in[i]);
  }
  OnnxConstant result = Rearranged(node, 0, strides);
  result.shape = out;
  return result;
}

}  // namespace tandem
