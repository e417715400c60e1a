// Operators that pick or surround elements.
#include <algorithm>

#include "profiles/importers/tflite/layout.h"
#include "profiles/importers/tflite/ops.h"

namespace tandem::tflite_ops {
namespace {

PadAttributes ReadPaddings(const TfliteNode& node) {
  const std::size_t rank = node.Data(0).shape.size();
  const std::vector<std::int64_t> given = node.IntsOf(1);
  if (given.size() != 2 * rank) {
    node.Fail("its paddings are " + std::to_string(given.size()) + " numbers for " + std::to_string(rank) +
              " axes");
  }
  PadAttributes a;
  a.before.resize(rank);
  a.after.resize(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    a.before[LayerAxis(i, rank)] = given[2 * i];
    a.after[LayerAxis(i, rank)] = given[2 * i + 1];
  }
  return a;
}

std::int64_t Most(const PadAttributes& a) {
  std::int64_t most = 0;
  for (const std::int64_t pad : a.before) most = std::max(most, pad);
  for (const std::int64_t pad : a.after) most = std::max(most, pad);
  return most;
}

// Zeros around height and width alone are what a convolution may take for its own.
void RememberInside(const TfliteActivation& in, const PadAttributes& a, TfliteActivation& padded) {
  if (in.shape.size() != 4 || a.value != 0) return;
  if (a.before[0] + a.after[0] + a.before[1] + a.after[1] != 0) return;
  padded.inside = std::make_shared<const TfliteActivation>(in);
  padded.around = {a.before[2], a.before[3], a.after[2], a.after[3]};
}

TfliteActivation PartOf(TfliteNode& node, const std::vector<Range>& ranges, const std::string& suffix = "") {
  const TfliteActivation& in = node.Data(0);
  SliceAttributes a;
  for (const Range& range : ranges) {
    a.axes.push_back(
        static_cast<std::int64_t>(LayerAxis(static_cast<std::size_t>(range.axis), in.shape.size())));
    a.starts.push_back(range.start);
    a.ends.push_back(range.end);
    a.steps.push_back(range.step);
  }
  return node.Layer(Op::kSlice, a, {in}, suffix);
}

}  // namespace

void Pad(TfliteNode& node) {
  PadAttributes a = ReadPaddings(node);
  const TfliteActivation& in = node.Data(0);
  if (node.Has(2)) a.value = static_cast<double>(node.FloatOf(2));
  TfliteActivation padded = node.Layer(Op::kPad, a, {in});
  RememberInside(in, a, padded);
  node.Give(0, padded);
}

void MirrorPad(TfliteNode& node) {
  PadAttributes a = ReadPaddings(node);
  a.mode = PadMode::kReflect;
  if (node.OptionsAs<tfl::MirrorPadOptions>().mode() != tfl::MirrorPadMode::REFLECT) {
    // The border itself comes again: of one row it is the same as going on with it.
    if (Most(a) > 1) node.Fail("its mode SYMMETRIC is supported for paddings of 1 alone");
    a.mode = PadMode::kEdge;
  }
  node.Give(0, node.Layer(Op::kPad, a, {node.Data(0)}));
}

void Slice(TfliteNode& node) {
  const Shape in = FileShape(node.Data(0).shape);
  const std::vector<std::int64_t> begin = node.IntsOf(1), size = node.IntsOf(2);
  if (begin.size() != in.size() || size.size() != in.size())
    node.Fail("its begin and size do not fit its input of " + ShapeText(in));
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (begin[i] < 0 || begin[i] > in[i]) node.Fail("it begins outside of its input of " + ShapeText(in));
    const std::int64_t rest = in[i] - begin[i];
    const std::int64_t length = size[i] == -1 ? rest : size[i];
    if (length < 0 || length > rest) node.Fail("it ends outside of its input of " + ShapeText(in));
    if (length != in[i]) ranges.push_back({static_cast<std::int64_t>(i), begin[i], begin[i] + length, 1});
  }
  node.Give(0, ranges.empty() ? node.Data(0) : PartOf(node, ranges));
}

std::vector<Range> ReadStrides(const TfliteNode& node, const Shape& in) {
  const auto& options = node.OptionsAs<tfl::StridedSliceOptions>();
  const std::vector<std::int64_t> begin = node.IntsOf(1), end = node.IntsOf(2), stride = node.IntsOf(3);
  if (begin.size() > in.size() || end.size() != begin.size() || stride.size() != begin.size())
    node.Fail("its begin, end and strides do not fit its input of " + ShapeText(in));
  if (options.ellipsis_mask() != 0 || options.new_axis_mask() != 0)
    node.Fail("axes that it adds or leaves open (new_axis_mask, ellipsis_mask) are not supported");
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    const auto is_set = [i](std::int32_t mask) { return (static_cast<std::uint32_t>(mask) >> i & 1) != 0; };
    if (stride[i] < 1) node.Fail("its stride of " + std::to_string(stride[i]) + " is not supported");
    const auto place = [extent = in[i]](std::int64_t at) {
      return std::clamp<std::int64_t>(at < 0 ? at + extent : at, 0, extent);
    };
    Range range{static_cast<std::int64_t>(i), is_set(options.begin_mask()) ? 0 : place(begin[i]),
                is_set(options.end_mask()) ? in[i] : place(end[i]), stride[i]};
    if (options.offset() && !is_set(options.end_mask()))
      range.end = place(range.start + std::max<std::int64_t>(end[i], 0));
    range.taken_away = is_set(options.shrink_axis_mask());
    if (range.taken_away) range.end = range.start + 1;
    if (range.end > in[i]) node.Fail("it begins outside of its input of " + ShapeText(in));
    ranges.push_back(range);
  }
  return ranges;
}

void StridedSlice(TfliteNode& node) {
  const std::vector<Range> ranges = ReadStrides(node, FileShape(node.Data(0).shape));
  const TfliteActivation part = PartOf(node, ranges);
  Shape out = FileShape(part.shape);
  for (std::size_t i = ranges.size(); i-- > 0;) {
    if (ranges[i].taken_away) out.erase(out.begin() + static_cast<std::ptrdiff_t>(i));
  }
  node.Give(0, node.Reshaped(part, out, "/squeeze"));
}

// SPLIT: axis, data. SPLIT_V: data, sizes, axis.
void Split(TfliteNode& node) {
  const bool even = node.type() == tfl::BuiltinOperator::SPLIT;
  const TfliteActivation& in = node.Data(even ? 1 : 0);
  const std::vector<std::int64_t> axes = node.IntsOf(even ? 0 : 2);
  if (axes.size() != 1) node.Fail("its axis is not one number");
  const std::size_t axis = LayerAxis(node.Axis(axes[0], in.shape.size()), in.shape.size());
  const std::int64_t extent = in.shape[axis], parts = static_cast<std::int64_t>(node.outputs());
  std::vector<std::int64_t> sizes(node.outputs(), extent / parts);
  if (!even) sizes = node.IntsOf(1);
  std::int64_t start = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1 && i + 1 == sizes.size()) sizes[i] = extent - start;  // the rest
    if (sizes[i] < 1 || sizes[i] > extent - start) start = -1;
    if (start < 0) break;
    start += sizes[i];
  }
  if (start != extent || sizes.size() != node.outputs())
    node.Fail("its parts do not make up the " + std::to_string(extent) + " of its input");
  start = 0;
  for (std::size_t i = 0; i < sizes.size(); start += sizes[i++]) {
    const SliceAttributes part{{static_cast<std::int64_t>(axis)}, {start}, {start + sizes[i]}, {1}};
    node.Give(i, node.Layer(Op::kSlice, part, {in}, "/" + std::to_string(i)));
  }
}

// A run of indices, as a slice; one index also takes its axis away.
void Gather(TfliteNode& node) {
  const auto& options = node.OptionsAs<tfl::GatherOptions>();
  const Shape in = FileShape(node.Data(0).shape);
  const std::size_t axis = node.Axis(options.axis(), in.size());
  const std::vector<std::int64_t> indices = node.IntsOf(1);
  const std::size_t rank = node.Constant(1).shape.size();
  if (options.batch_dims() != 0 || indices.empty() || rank > 1)
    node.Fail("only a run of indices is supported");
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= in[axis]) node.Fail("its index is outside of its input");
    if (i > 0 && indices[i] != indices[i - 1] + 1) node.Fail("only a run of indices is supported");
  }
  const Range run{static_cast<std::int64_t>(axis), indices.front(), indices.back() + 1, 1};
  const TfliteActivation part = PartOf(node, {run});
  Shape out = FileShape(part.shape);
  if (rank == 0) out.erase(out.begin() + static_cast<std::ptrdiff_t>(axis));
  node.Give(0, node.Reshaped(part, out, "/squeeze"));
}

}  // namespace tandem::tflite_ops
