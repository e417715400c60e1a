// Operators that pick, repeat or surround elements.
#include <algorithm>
#include <numeric>
#include <set>

#include "profiles/importers/onnx/ops.h"

namespace tandem {
namespace {

std::vector<std::int64_t> FirstAxes(std::size_t count) {
  std::vector<std::int64_t> axes(count);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

std::vector<std::int64_t> ReadPads(const OnnxNode& node, std::size_t rank) {
  const auto given = node.opset() < 11 ? node.Ints("pads") : node.IntsOf(1);
  if (!given) node.Fail("its pads are missing");
  const std::vector<std::int64_t> axes = node.Has(3) ? node.IntsOf(3) : FirstAxes(rank);
  if (given->size() != 2 * axes.size()) {
    node.Fail("its pads have " + std::to_string(given->size()) + " numbers for " +
              std::to_string(axes.size()) + " axes");
  }
  std::vector<std::int64_t> pads(2 * rank, 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(node.Axis(axes[i], rank));
    pads[axis] = (*given)[i];
    pads[rank + axis] = (*given)[axes.size() + i];
  }
  return pads;
}

SliceAttributes OneRange(std::int64_t axis, std::int64_t start, std::int64_t end) {
  return {{axis}, {start}, {end}, {1}};
}

std::vector<std::int64_t> EvenParts(const OnnxNode& node, std::int64_t extent) {
  const auto parts = static_cast<std::int64_t>(node.outputs());
  const bool last_may_be_smaller = node.opset() >= 18;
  const std::int64_t part = (extent + parts - 1) / parts;
  if (extent % parts != 0 && !last_may_be_smaller) {
    node.Fail("cannot split " + std::to_string(extent) + " into " + std::to_string(parts) + " equal parts");
  }
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(parts), part);
  sizes.back() = extent - part * (parts - 1);
  return sizes;
}

void CheckParts(const OnnxNode& node, const std::vector<std::int64_t>& sizes, std::int64_t extent) {
  bool fits = sizes.size() == node.outputs();
  std::int64_t sum = 0;
  for (const std::int64_t size : sizes) {
    fits = fits && size >= 0 && size <= extent;
    if (fits) sum += size;
  }
  if (!fits || sum != extent) {
    node.Fail("its parts do not make up the " + std::to_string(extent) + " of its input");
  }
}

}  // namespace

void TranslatePad(OnnxNode& node) {
  const OnnxActivation& in = node.Data(0);
  const std::size_t rank = in.shape.size();
  const std::vector<std::int64_t> pads = ReadPads(node, rank);
  const auto none = [](std::int64_t pad) { return pad == 0; };
  if (std::all_of(pads.begin(), pads.end(), none)) {
    return node.Give(0, node.Layer(Op::kIdentity, NoAttributes{}, {in}));
  }
  PadAttributes a;
  const std::string mode = node.String("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge")
    node.Fail("its mode " + mode + " is not supported");
  a.mode = mode == "constant" ? PadMode::kConstant : mode == "edge" ? PadMode::kEdge : PadMode::kReflect;
  const auto half = pads.begin() + static_cast<std::ptrdiff_t>(rank);
  a.before.assign(pads.begin(), half);
  a.after.assign(half, pads.end());
  if (a.mode == PadMode::kConstant) {
    a.value = node.opset() < 11 ? node.Float("value", 0) : node.Has(2) ? node.FloatOf(2) : 0;
  }
  node.Give(0, node.Layer(Op::kPad, a, {in}));
}

SliceAttributes ReadSlice(const OnnxNode& node) {
  const bool inputs = node.opset() >= 10;
  const auto read = [&](const char* name, std::size_t input) {
    if (!inputs) return node.Ints(name);
    return node.Has(input) ? std::optional(node.IntsOf(input)) : std::nullopt;
  };
  const auto starts = read("starts", 1);
  const auto ends = read("ends", 2);
  if (!starts || !ends || starts->size() != ends->size())
    node.Fail("its starts and ends do not fit together");
  SliceAttributes a;
  a.starts = *starts;
  a.ends = *ends;
  a.axes = read("axes", 3).value_or(FirstAxes(starts->size()));
  a.steps = std::vector<std::int64_t>(starts->size(), 1);
  if (inputs) a.steps = read("steps", 4).value_or(a.steps);
  const std::size_t rank = node.ShapeOf(0).size();
  for (std::int64_t& axis : a.axes) axis = node.Axis(axis, rank);
  const std::size_t distinct = std::set<std::int64_t>(a.axes.begin(), a.axes.end()).size();
  if (a.axes.size() != starts->size() || a.steps.size() != starts->size() || distinct != a.axes.size()) {
    node.Fail("its axes and steps do not fit its starts");
  }
  return a;
}

void TranslateSlice(OnnxNode& node) { node.Give(0, node.Layer(Op::kSlice, ReadSlice(node), {node.Data(0)})); }

void TranslateSplit(OnnxNode& node) {
  const OnnxActivation& in = node.Data(0);
  const std::int64_t axis = node.Axis(node.Int("axis", 0), in.shape.size());
  const std::int64_t extent = in.shape[static_cast<std::size_t>(axis)];
  const auto given = node.opset() >= 13 ? node.IntsFrom("split", 1) : node.Ints("split");
  const std::vector<std::int64_t> sizes = given ? *given : EvenParts(node, extent);
  CheckParts(node, sizes, extent);
  std::int64_t start = 0;
  for (std::size_t i = 0; i < sizes.size(); start += sizes[i++]) {
    if (!node.HasOutput(i)) continue;
    const SliceAttributes range = OneRange(axis, start, start + sizes[i]);
    node.Give(i, node.Layer(Op::kSlice, range, {in}, "/" + std::to_string(i)));
  }
}

// A run of indices, as a slice; one index also takes its axis away.
void TranslateGather(OnnxNode& node) {
  const OnnxActivation& in = node.Data(0);
  const std::int64_t axis = node.Axis(node.Int("axis", 0), in.shape.size());
  const std::int64_t extent = in.shape[static_cast<std::size_t>(axis)];
  std::vector<std::int64_t> indices = node.IntsOf(1);
  if (indices.empty() || node.Constant(1).shape.size() > 1) node.Fail("only a run of indices is supported");
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < -extent || indices[i] >= extent) node.Fail("its index is outside of its input");
    if (indices[i] < 0) indices[i] += extent;
    if (i > 0 && indices[i] != indices[i - 1] + 1) node.Fail("only a run of indices is supported");
  }
  const SliceAttributes range = OneRange(axis, indices.front(), indices.back() + 1);
  const OnnxActivation slice = node.Layer(Op::kSlice, range, {in});
  if (!node.Constant(1).shape.empty()) return node.Give(0, slice);
  Shape out = slice.shape;
  out.erase(out.begin() + axis);
  node.Give(0, node.Layer(Op::kReshape, BatchlessReshape(slice.shape, out), {slice}, "/reshape"));
}

}  // namespace tandem
