// Operators that change the shape of a tensor or the order of its axes, or put tensors together.
#include <algorithm>

#include "profiles/importers/tflite/layout.h"
#include "profiles/importers/tflite/ops.h"

namespace tandem::tflite_ops {
namespace {

std::vector<bool> MarkedAxes(const TfliteNode& node, const std::vector<std::int64_t>& axes,
                             std::size_t rank) {
  std::vector<bool> marked(rank, false);
  for (const std::int64_t axis : axes) marked[node.Axis(axis, rank)] = true;
  return marked;
}

TfliteActivation Joined(TfliteNode& node, const std::vector<TfliteActivation>& inputs, std::int64_t axis) {
  const std::size_t rank = inputs[0].shape.size();
  const auto of_layer = static_cast<std::int64_t>(LayerAxis(node.Axis(axis, rank), rank));
  return node.Layer(Op::kConcat, AxisAttributes{of_layer}, inputs);
}

std::vector<std::int64_t> AskedShape(const TfliteNode& node) {
  if (node.Has(1)) return node.IntsOf(1);
  const auto* shape = node.OptionsAs<tfl::ReshapeOptions>().new_shape();
  if (shape == nullptr) node.Fail("it names no shape");
  return {shape->begin(), shape->end()};
}

// The layer's order of axes from the file's.
std::vector<std::int64_t> LayerOrder(const TfliteNode& node, const std::vector<std::int64_t>& of_file,
                                     std::size_t rank) {
  const std::vector<bool> named = MarkedAxes(node, of_file, rank);
  if (of_file.size() != rank || std::find(named.begin(), named.end(), false) != named.end()) {
    node.Fail("its order does not name every axis of its input once");
  }
  std::vector<std::int64_t> order(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    order[LayerAxis(i, rank)] = static_cast<std::int64_t>(LayerAxis(node.Axis(of_file[i], rank), rank));
  }
  return order;
}

}  // namespace

Shape ReshapeTarget(const TfliteNode& node, const Shape& in, Shape& asked) {
  asked = AskedShape(node);
  Shape out = asked;
  Shape known = out;
  std::replace(known.begin(), known.end(), std::int64_t{-1}, std::int64_t{1});
  const std::int64_t rest = node.Elements(known), elements = node.Elements(in);
  const auto inferred = std::find(out.begin(), out.end(), -1);
  if (inferred != out.end() && rest > 0) *inferred = elements / rest;
  if (std::find(out.begin(), out.end(), -1) != out.end() || node.Elements(out) != elements) {
    node.Fail("cannot turn " + ShapeText(in) + " into " + ShapeText(asked));
  }
  return out;
}

Shape SqueezedShape(const TfliteNode& node, const Shape& in) {
  const auto* given = node.OptionsAs<tfl::SqueezeOptions>().squeeze_dims();
  std::vector<std::int64_t> axes;
  if (given != nullptr) axes.assign(given->begin(), given->end());
  const std::vector<bool> squeezed = MarkedAxes(node, axes, in.size());
  Shape out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (squeezed[i] && in[i] != 1)
      node.Fail("cannot squeeze axis " + std::to_string(i) + " of " + ShapeText(in));
    if (!squeezed[i] && (!axes.empty() || in[i] != 1)) out.push_back(in[i]);
  }
  return out;
}

Shape ExpandedShape(const TfliteNode& node, const Shape& in) {
  const std::vector<std::int64_t> axis = node.IntsOf(1);
  if (axis.size() != 1) node.Fail("its axis is not one number");
  Shape out = in;
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(node.Axis(axis[0], in.size() + 1)), 1);
  return out;
}

void Concatenation(TfliteNode& node) {
  const auto& options = node.OptionsAs<tfl::ConcatenationOptions>();
  std::vector<TfliteActivation> inputs;
  for (std::size_t i = 0; i < node.inputs(); ++i) inputs.push_back(node.Data(i));
  if (inputs.empty()) node.Fail("it has no inputs");
  node.Give(0, node.Activated(Joined(node, inputs, options.axis()), options.fused_activation_function()));
}

void Pack(TfliteNode& node) {
  const std::size_t rank = node.Data(0).shape.size() + 1;
  const std::size_t axis = node.Axis(node.OptionsAs<tfl::PackOptions>().axis(), rank);
  std::vector<TfliteActivation> inputs;
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    Shape one = FileShape(node.Data(i).shape);
    if (one.size() + 1 != rank) node.Fail("its inputs have not the same axes");
    one.insert(one.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    inputs.push_back(node.Reshaped(node.Data(i), one, "/" + std::to_string(i)));
  }
  node.Give(0, Joined(node, inputs, static_cast<std::int64_t>(axis)));
}

void Unpack(TfliteNode& node) {
  const TfliteActivation& in = node.Data(0);
  const std::size_t rank = in.shape.size();
  const std::size_t axis = node.Axis(node.OptionsAs<tfl::UnpackOptions>().axis(), rank);
  Shape one = FileShape(in.shape);
  if (one[axis] != static_cast<std::int64_t>(node.outputs())) {
    node.Fail("it takes " + std::to_string(one[axis]) + " apart into " + std::to_string(node.outputs()));
  }
  one.erase(one.begin() + static_cast<std::ptrdiff_t>(axis));
  const auto of_layer = static_cast<std::int64_t>(LayerAxis(axis, rank));
  for (std::size_t i = 0; i < node.outputs(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const std::string suffix = "/" + std::to_string(i);
    const TfliteActivation slice =
        node.Layer(Op::kSlice, SliceAttributes{{of_layer}, {at}, {at + 1}, {1}}, {in}, suffix);
    node.Give(i, node.Reshaped(slice, one, suffix + "/squeeze"));
  }
}

void Reshape(TfliteNode& node) {
  const TfliteActivation& in = node.Data(0);
  Shape asked;
  const Shape out = ReshapeTarget(node, FileShape(in.shape), asked);
  node.Give(0, node.Reshaped(in, out, "", asked));
}

void Squeeze(TfliteNode& node) {
  const TfliteActivation& in = node.Data(0);
  node.Give(0, node.Reshaped(in, SqueezedShape(node, FileShape(in.shape))));
}

void ExpandDims(TfliteNode& node) {
  const TfliteActivation& in = node.Data(0);
  node.Give(0, node.Reshaped(in, ExpandedShape(node, FileShape(in.shape))));
}

void Transpose(TfliteNode& node) {
  const TfliteActivation& in = node.Data(0);
  const std::vector<std::int64_t> order = LayerOrder(node, node.IntsOf(1), in.shape.size());
  if (std::is_sorted(order.begin(), order.end())) return node.Give(0, in);
  node.Give(0, node.Layer(Op::kTranspose, TransposeAttributes{order}, {in}));
}

}  // namespace tandem::tflite_ops
