// Operators on constants: shapes that exporters reckon with, and weights that they have packed.
#include <algorithm>
#include <array>

#include "profiles/base/input_error.h"
#include "profiles/importers/tflite/layout.h"
#include "profiles/importers/tflite/ops.h"

namespace tandem::tflite_ops {
namespace {

using Ints = std::vector<std::int64_t>;

constexpr std::int64_t kMostFolded = std::int64_t{1} << 16;

// Of shapes: a row of numbers, or one.
Ints RowOf(const TfliteNode& node, std::size_t i) {
  const Shape& shape = node.Constant(i).shape;
  if (shape.size() > 1 || node.Elements(shape) > kMostFolded)
    node.Fail("is supported on constants of one axis alone");
  return node.IntsOf(i);
}

TfliteConstant RowFrom(Ints row) {
  const auto size = static_cast<std::int64_t>(row.size());
  return MakeTfliteConstant({size}, std::move(row));
}

std::int64_t Wrapped(std::uint64_t value) { return static_cast<std::int64_t>(value); }

// As every runtime has it, whole numbers wrap around.
std::int64_t Reckoned(const TfliteNode& node, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  switch (node.type()) {
    case tfl::BuiltinOperator::ADD:
      return Wrapped(x + y);
    case tfl::BuiltinOperator::SUB:
      return Wrapped(x - y);
    case tfl::BuiltinOperator::MUL:
      return Wrapped(x * y);
    default:
      if (b == 0) node.Fail("divides by zero");
      if (b == -1) return Wrapped(0 - x);
      return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
  }
}

}  // namespace

TfliteConstant FoldShape(TfliteNode& node) { return RowFrom(node.ShapeOf(0)); }

TfliteConstant FoldSame(TfliteNode& node) {
  TfliteConstant constant = node.Constant(0);
  const Shape in = constant.shape;
  Shape asked;
  switch (node.type()) {
    case tfl::BuiltinOperator::RESHAPE:
      constant.shape = ReshapeTarget(node, in, asked);
      break;
    case tfl::BuiltinOperator::SQUEEZE:
      constant.shape = SqueezedShape(node, in);
      break;
    case tfl::BuiltinOperator::EXPAND_DIMS:
      constant.shape = ExpandedShape(node, in);
      break;
    default:
      break;
  }
  return constant;
}

TfliteConstant FoldPack(TfliteNode& node) {
  Ints row;
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    if (!node.Constant(i).shape.empty()) node.Fail("is supported on constants of one number alone");
    row.push_back(node.IntsOf(i)[0]);
  }
  return RowFrom(std::move(row));
}

TfliteConstant FoldConcatenation(TfliteNode& node) {
  Ints row;
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    const Ints part = RowOf(node, i);
    row.insert(row.end(), part.begin(), part.end());
  }
  return RowFrom(std::move(row));
}

TfliteConstant FoldStridedSlice(TfliteNode& node) {
  const Ints row = RowOf(node, 0);
  const std::vector<Range> ranges = ReadStrides(node, node.Constant(0).shape);
  if (ranges.empty()) return node.Constant(0);
  Ints part;
  for (std::int64_t at = ranges[0].start; at < ranges[0].end; at += ranges[0].step) {
    part.push_back(row[static_cast<std::size_t>(at)]);
  }
  if (part.empty()) node.Fail("its slice is empty");
  return ranges[0].taken_away ? MakeTfliteConstant({}, Ints{part[0]}) : RowFrom(std::move(part));
}

TfliteConstant FoldGather(TfliteNode& node) {
  const Ints row = RowOf(node, 0);
  Ints picked;
  for (const std::int64_t index : RowOf(node, 1)) {
    if (index < 0 || index >= static_cast<std::int64_t>(row.size()))
      node.Fail("its index is outside of its input");
    picked.push_back(row[static_cast<std::size_t>(index)]);
  }
  return MakeTfliteConstant(node.Constant(1).shape, std::move(picked));
}

TfliteConstant FoldBinary(TfliteNode& node) {
  const Ints a = RowOf(node, 0), b = RowOf(node, 1);
  if (a.size() != b.size() && a.size() != 1 && b.size() != 1) node.Fail("its inputs do not fit together");
  const Shape& shape = node.Constant(a.size() >= b.size() ? 0 : 1).shape;
  Ints result(std::max(a.size(), b.size()));
  if (a.empty() || b.empty()) result.clear();
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = Reckoned(node, a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]);
  }
  return MakeTfliteConstant(shape, std::move(result));
}

TfliteConstant FoldProduct(TfliteNode& node) {
  std::uint64_t product = 1;
  for (const std::int64_t factor : RowOf(node, 0)) product *= static_cast<std::uint64_t>(factor);
  const bool keeps = node.OptionsAs<tfl::ReducerOptions>().keep_dims();
  return MakeTfliteConstant(keeps ? Shape{1} : Shape{}, Ints{Wrapped(product)});
}

TfliteConstant FoldTranspose(TfliteNode& node) {
  const TfliteConstant& in = node.Constant(0);
  std::vector<std::size_t> order;
  std::vector<bool> named(in.shape.size(), false);
  for (const std::int64_t axis : node.IntsOf(1)) {
    order.push_back(node.Axis(axis, in.shape.size()));
    named[order.back()] = true;
  }
  if (order.size() != named.size() || std::find(named.begin(), named.end(), false) != named.end()) {
    node.Fail("its order does not name every axis of its input once");
  }
  Shape shape;
  for (const std::size_t axis : order) shape.push_back(in.shape[axis]);
  try {
    return MakeTfliteConstant(shape, WithAxesMoved(TfliteFloats(in), in.shape, order));
  } catch (const InputError& error) {
    node.Fail(error.what());
  }
}

}  // namespace tandem::tflite_ops
