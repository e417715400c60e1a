// Operators that change the shape of a tensor or the order of its axes.
#include <algorithm>
#include <numeric>

#include "profiles/importers/onnx/ops.h"

namespace tandem {
namespace {

void GiveReshaped(OnnxNode& node, const OnnxActivation& in, const Shape& out, const Shape& asked = {}) {
  node.Give(0, node.Layer(Op::kReshape, BatchlessReshape(in.shape, out, asked), {in}));
}

std::vector<bool> MarkAxes(const OnnxNode& node, const std::vector<std::int64_t>& axes, std::size_t rank) {
  std::vector<bool> marked(rank, false);
  for (const std::int64_t axis : axes) {
    const auto i = static_cast<std::size_t>(node.Axis(axis, rank));
    if (marked[i]) node.Fail("its axis " + std::to_string(axis) + " is given twice");
    marked[i] = true;
  }
  return marked;
}

std::int64_t KnownElements(const OnnxNode& node, const Shape& shape) {
  Shape known = shape;
  std::replace(known.begin(), known.end(), std::int64_t{-1}, std::int64_t{1});
  return node.Elements(known);
}

}  // namespace

Shape ReshapeTarget(const OnnxNode& node, const Shape& in) {
  Shape out = node.IntsOf(1);
  const bool zeros_are_meant = node.Int("allowzero", 0) != 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] != 0 || zeros_are_meant) continue;
    if (i >= in.size()) node.Fail("keeps an axis that its input of " + ShapeText(in) + " has not");
    out[i] = in[i];
  }
  const auto asked = ShapeText(out);
  const std::int64_t known = KnownElements(node, out);
  const std::int64_t elements = node.Elements(in);
  const auto inferred = std::find(out.begin(), out.end(), -1);
  if (inferred != out.end() && known > 0) *inferred = elements / known;
  if (std::find(out.begin(), out.end(), -1) != out.end() || node.Elements(out) != elements) {
    node.Fail("cannot turn " + ShapeText(in) + " into " + asked);
  }
  return out;
}

Shape SqueezedShape(const OnnxNode& node, const Shape& in) {
  const auto axes = node.opset() >= 13 ? node.IntsFrom("axes", 1) : node.Ints("axes");
  const std::vector<bool> squeezed = MarkAxes(node, axes.value_or(std::vector<std::int64_t>{}), in.size());
  Shape out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (squeezed[i] && in[i] != 1) {
      node.Fail("cannot squeeze axis " + std::to_string(i) + " of " + ShapeText(in));
    }
    if (!squeezed[i] && (axes || in[i] != 1)) out.push_back(in[i]);
  }
  return out;
}

Shape UnsqueezedShape(const OnnxNode& node, const Shape& in) {
  const auto axes = node.opset() >= 13 ? node.IntsFrom("axes", 1) : node.Ints("axes");
  if (!axes) node.Fail("its axes are missing");
  const std::vector<bool> added = MarkAxes(node, *axes, in.size() + axes->size());
  Shape out;
  auto next = in.begin();
  for (const bool one : added) out.push_back(one ? 1 : *next++);
  return out;
}

Shape FlattenedShape(const OnnxNode& node, const Shape& in) {
  const std::int64_t asked = node.Int("axis", 1);
  const auto rank = static_cast<std::int64_t>(in.size());
  const auto split = in.begin() + (asked == rank ? rank : node.Axis(asked, in.size()));
  return {node.Elements(Shape(in.begin(), split)), node.Elements(Shape(split, in.end()))};
}

std::vector<std::int64_t> TransposeOrder(const OnnxNode& node, std::size_t rank) {
  std::vector<std::int64_t> reversed(rank);
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  const std::vector<std::int64_t> order = node.Ints("perm").value_or(reversed);
  if (order.size() != rank) node.Fail("its perm does not name every axis of its input once");
  MarkAxes(node, order, rank);
  return order;
}

void TranslateConcat(OnnxNode& node) {
  std::vector<OnnxActivation> inputs;
  for (std::size_t i = 0; i < node.inputs(); ++i) inputs.push_back(node.Data(i));
  const std::int64_t axis = node.Axis(node.Int("axis", 1), inputs[0].shape.size());
  node.Give(0, node.Layer(Op::kConcat, AxisAttributes{axis}, inputs));
}

void TranslateFlatten(OnnxNode& node) {
  FlattenedShape(node, node.Data(0).shape);
  node.Give(0, node.Layer(Op::kFlatten, AxisAttributes{node.Int("axis", 1)}, {node.Data(0)}));
}

void TranslateReshape(OnnxNode& node) {
  const OnnxActivation& in = node.Data(0);
  GiveReshaped(node, in, ReshapeTarget(node, in.shape), node.IntsOf(1));
}

void TranslateSqueeze(OnnxNode& node) {
  GiveReshaped(node, node.Data(0), SqueezedShape(node, node.Data(0).shape));
}

void TranslateUnsqueeze(OnnxNode& node) {
  GiveReshaped(node, node.Data(0), UnsqueezedShape(node, node.Data(0).shape));
}

void TranslateTranspose(OnnxNode& node) {
  const OnnxActivation& in = node.Data(0);
  node.Give(0, node.Layer(Op::kTranspose, TransposeAttributes{TransposeOrder(node, in.shape.size())}, {in}));
}

void TranslateExpand(OnnxNode& node) {
  const Shape& in = node.Data(0).shape;
  const Shape target = node.IntsOf(1);
  bool same = target.size() <= in.size();
  for (std::size_t i = 0; same && i < target.size(); ++i) {
    const std::int64_t extent = target[target.size() - 1 - i];
    same = extent == 1 || extent == in[in.size() - 1 - i];
  }
  if (!same) node.Fail("repeating data is not supported: " + ShapeText(in) + " to " + ShapeText(target));
  node.Give(0, node.Layer(Op::kIdentity, NoAttributes{}, {node.Data(0)}));
}

}  // namespace tandem
