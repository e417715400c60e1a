#include <algorithm>

#include "profiles/base/input_error.h"
#include "profiles/importers/caffe/layers.h"

namespace tandem {
namespace {

std::int64_t ToInt(std::size_t value) { return static_cast<std::int64_t>(value); }

// `axis` and the older field that counts from the start alone.
template <class Param>
std::size_t ReadAxis(const Param& p, bool has_old, std::int64_t old, std::size_t rank) {
  if (has_old && p.has_axis()) throw InputError("gives its axis twice");
  return CaffeAxis(has_old ? old : p.axis(), rank);
}

SliceAttributes Range(std::size_t axis, std::int64_t start, std::int64_t end) {
  return {{ToInt(axis)}, {start}, {end}, {1}};
}

}  // namespace

void ConvertConcat(CaffeConversion& c) {
  const caffe::ConcatParameter& p = c.param.concat_param();
  c.ExpectBottoms(1, c.bottoms.size());
  const std::size_t axis = ReadAxis(p, p.has_concat_dim(), p.concat_dim(), c.bottoms[0].shape.size());
  c.SetTop(c.AddLast(Op::kConcat, AxisAttributes{ToInt(axis)}, c.bottoms));
}

// One slice per top, cut at the given points or into equal parts.
void ConvertSlice(CaffeConversion& c) {
  const caffe::SliceParameter& p = c.param.slice_param();
  const CaffeNode& bottom = c.OnlyBottom();
  const std::size_t axis = ReadAxis(p, p.has_slice_dim(), p.slice_dim(), bottom.shape.size());
  const std::int64_t extent = bottom.shape[axis];
  const std::int64_t tops = c.param.top_size();
  std::vector<std::int64_t> ends(p.slice_point().begin(), p.slice_point().end());
  if (ends.empty() && tops > 0) {
    if (extent % tops != 0) {
      throw InputError("cannot cut " + std::to_string(extent) + " into " + std::to_string(tops) +
                       " equal parts");
    }
    for (std::int64_t i = 1; i < tops; ++i) ends.push_back(extent / tops * i);
  }
  ends.push_back(extent);
  if (ToInt(ends.size()) != tops) {
    throw InputError("has " + std::to_string(p.slice_point_size()) + " slice_point for " +
                     std::to_string(tops) + " tops");
  }
  std::vector<CaffeNode> nodes;
  std::int64_t start = 0;
  for (const std::int64_t end : ends) {
    if (end <= start || end > extent) {
      throw InputError("its slice_point are not rising inside an extent of " + std::to_string(extent));
    }
    const std::string& top = c.param.top(static_cast<int>(nodes.size()));
    const SliceAttributes range = Range(axis, start, end);
    nodes.push_back(tops == 1 ? c.AddLast(Op::kSlice, range, {bottom})
                              : c.AddPart(top, Op::kSlice, range, {bottom}));
    start = end;
  }
  c.SetTops(nodes);
}

void ConvertFlatten(CaffeConversion& c) {
  const caffe::FlattenParameter& p = c.param.flatten_param();
  const CaffeNode& bottom = c.OnlyBottom();
  const Shape& in = bottom.shape;
  const std::size_t first = CaffeAxis(p.axis(), in.size());
  const std::size_t last = CaffeAxis(p.end_axis(), in.size());
  if (last < first) throw InputError("its end_axis is before its axis");
  if (first == 1 && last + 1 == in.size()) {
    return c.SetTop(c.AddLast(Op::kFlatten, AxisAttributes{1}, {bottom}));
  }
  Shape shape(in.begin(), in.begin() + ToInt(first));
  shape.push_back(Elements(Shape(in.begin() + ToInt(first), in.begin() + ToInt(last) + 1)));
  shape.insert(shape.end(), in.begin() + ToInt(last) + 1, in.end());
  if (first > 0) shape[0] = 0;  // whatever the batch is
  c.SetTop(c.AddLast(Op::kReshape, ReshapeAttributes{shape}, {bottom}));
}

// Caffe reshapes the axes [axis, axis + num_axes) and keeps those around them.
void ConvertReshape(CaffeConversion& c) {
  const caffe::ReshapeParameter& p = c.param.reshape_param();
  const CaffeNode& bottom = c.OnlyBottom();
  const Shape& in = bottom.shape;
  // Counted from the end, -1 is behind the last axis here.
  const std::int64_t start = p.axis() < 0 ? p.axis() + std::int64_t{1} + ToInt(in.size()) : p.axis();
  const std::size_t first = CaffeAxis(start, in.size(), true);
  const std::size_t rest = in.size() - first;
  if (p.num_axes() < -1 || p.num_axes() > ToInt(rest)) {
    throw InputError("its num_axes of " + std::to_string(p.num_axes()) + " is out of range");
  }
  const std::size_t replaced = p.num_axes() < 0 ? rest : static_cast<std::size_t>(p.num_axes());
  Shape shape(first, 0);
  shape.insert(shape.end(), p.shape().dim().begin(), p.shape().dim().end());
  if (!shape.empty() && c.IsBatch(shape[0], bottom)) shape[0] = 0;
  shape.insert(shape.end(), in.begin() + ToInt(first + replaced), in.end());
  c.SetTop(c.AddLast(Op::kReshape, ReshapeAttributes{shape}, {bottom}));
}

// The second bottom lends its shape alone.
void ConvertCrop(CaffeConversion& c) {
  const caffe::CropParameter& p = c.param.crop_param();
  c.ExpectBottoms(2, 2);
  const Shape& in = c.bottoms[0].shape;
  const Shape& like = c.bottoms[1].shape;
  if (in.size() != like.size()) {
    throw InputError("its bottoms differ in rank: " + ShapeText(in) + " and " + ShapeText(like));
  }
  const std::size_t first = CaffeAxis(p.axis(), in.size());
  const std::size_t axes = in.size() - first;
  const auto offsets = static_cast<std::size_t>(p.offset_size());
  if (offsets > 1 && offsets != axes) {
    throw InputError("has " + std::to_string(offsets) + " offset for " + std::to_string(axes) + " axes");
  }
  SliceAttributes range;
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t start = offsets == 0 ? 0 : p.offset(offsets == 1 ? 0 : static_cast<int>(i));
    const std::int64_t end = start + like[first + i];
    if (end > in[first + i]) {
      throw InputError("cannot crop " + ShapeText(in) + " to " + ShapeText(like) + " at " +
                       std::to_string(start));
    }
    range.axes.push_back(ToInt(first + i));
    range.starts.push_back(start);
    range.ends.push_back(end);
    range.steps.push_back(1);
  }
  c.SetTop(c.AddLast(Op::kSlice, range, {c.bottoms[0]}));
}

// Axes that the order does not name follow in their own.
void ConvertPermute(CaffeConversion& c) {
  const caffe::PermuteParameter& p = c.param.permute_param();
  const CaffeNode& bottom = c.OnlyBottom();
  const auto rank = ToInt(bottom.shape.size());
  std::vector<std::int64_t> order(p.order().begin(), p.order().end());
  if (ToInt(order.size()) > rank) throw InputError("orders more axes than its bottom has");
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    if (std::find(order.begin(), order.end(), axis) == order.end()) order.push_back(axis);
  }
  c.SetTop(c.AddLast(Op::kTranspose, TransposeAttributes{order}, {bottom}));
}

void ConvertShuffleChannel(CaffeConversion& c) {
  const CaffeNode& bottom = c.OnlyBottom();
  const Shape& in = bottom.shape;
  const std::int64_t groups = c.param.shuffle_channel_param().group();
  if (in.size() != 4) throw InputError("works on images, its bottom is of shape " + ShapeText(in));
  if (groups == 0 || in[1] % groups != 0) {
    throw InputError("cannot cut " + std::to_string(in[1]) + " channels into " + std::to_string(groups) +
                     " groups");
  }
  const ReshapeAttributes apart{{0, groups, in[1] / groups, in[2], in[3]}};
  const CaffeNode cut = c.AddPart("reshape", Op::kReshape, apart, {bottom});
  const TransposeAttributes swap{{0, 2, 1, 3, 4}};
  const CaffeNode swapped = c.AddPart("transpose", Op::kTranspose, swap, {cut});
  c.SetTop(c.AddLast(Op::kReshape, ReshapeAttributes{{0, in[1], in[2], in[3]}}, {swapped}));
}

void ConvertReduction(CaffeConversion& c) {
  const caffe::ReductionParameter& p = c.param.reduction_param();
  const CaffeNode& bottom = c.OnlyBottom();
  if (p.operation() != caffe::ReductionParameter::MEAN) {
    throw InputError("an operation other than MEAN is not supported");
  }
  ReduceAttributes a{{}, false};
  const std::size_t rank = bottom.shape.size();
  for (std::size_t axis = CaffeAxis(p.axis(), rank); axis < rank; ++axis) a.axes.push_back(ToInt(axis));
  if (p.coeff() == 1) return c.SetTop(c.AddLast(Op::kReduceMean, a, {bottom}));
  const CaffeNode mean = c.AddPart("mean", Op::kReduceMean, a, {bottom});
  c.SetTop(c.AddConstant("", Op::kMul, p.coeff(), mean));
}

}  // namespace tandem
