// Layers that move elements about: concat, reshape, slice and their like.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "profiles/model/shape_rules.h"

namespace tandem::shapes {

Shape Concat(const AxisAttributes& a, const std::vector<Shape>& inputs) {
  Shape output = inputs[0];
  const auto axis = static_cast<std::size_t>(Axis(a.axis, output.size()));
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    Shape other = inputs[i];
    if (other.size() == output.size()) other[axis] = output[axis];
    if (other != output) {
      Fail("cannot join " + ShapeText(inputs[0]) + " and " + ShapeText(inputs[i]) + " along axis " +
           std::to_string(axis));
    }
    output[axis] += inputs[i][axis];
  }
  return output;
}

Shape Flatten(const AxisAttributes& a, const Shape& in) {
  const auto rank = static_cast<std::int64_t>(in.size());
  const std::int64_t axis = a.axis == rank ? rank : Axis(a.axis, in.size());
  const auto split = in.begin() + axis;
  return {Elements(Shape(in.begin(), split)), Elements(Shape(split, in.end()))};
}

Shape Reshape(const ReshapeAttributes& a, const Shape& in) {
  Shape output = a.shape;
  std::int64_t known = 1;
  std::ptrdiff_t inferred = -1;
  for (std::size_t i = 0; i < output.size(); ++i) {
    if (output[i] == 0) {
      if (i >= in.size())
        Fail("keeps axis " + std::to_string(i) + " of an input that has none: " + ShapeText(in));
      output[i] = in[i];
    }
    if (output[i] == -1) {
      if (inferred >= 0) Fail("infers more than one extent");
      inferred = static_cast<std::ptrdiff_t>(i);
    } else {
      ExpectPositive(output[i], "an extent of");
      if (known > kMostElements / output[i]) Fail("has too many elements");
      known *= output[i];
    }
  }
  const std::int64_t elements = Elements(in);
  if (inferred >= 0 && elements % known == 0) output[static_cast<std::size_t>(inferred)] = elements / known;
  if (inferred >= 0 ? elements % known != 0 : known != elements) {
    Fail("cannot turn " + ShapeText(in) + " into " + ShapeText(a.shape));
  }
  return output;
}

Shape Transpose(const TransposeAttributes& a, const Shape& in) {
  std::vector<std::int64_t> sorted = a.order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::int64_t> axes(in.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (sorted != axes) Fail("its order does not name every axis of " + ShapeText(in) + " once");
  Shape output;
  for (const std::int64_t axis : a.order) output.push_back(in[static_cast<std::size_t>(axis)]);
  return output;
}

Shape Pad(const PadAttributes& a, const Shape& in) {
  if (a.before.size() != in.size() || a.after.size() != in.size())
    Fail("needs paddings for each axis of its input");
  Shape output = in;
  for (std::size_t i = 0; i < in.size(); ++i) {
    ExpectPadding(a.before[i], a.after[i]);
    if (a.mode == PadMode::kReflect && std::max(a.before[i], a.after[i]) >= in[i]) {
      Fail("reflects more than its input holds along axis " + std::to_string(i));
    }
    output[i] += a.before[i] + a.after[i];
  }
  return output;
}

Shape Slice(const SliceAttributes& a, const Shape& in) {
  const std::size_t ranges = a.axes.size();
  if (a.starts.size() != ranges || a.ends.size() != ranges || a.steps.size() != ranges) {
    Fail("needs as many starts, ends and steps as axes");
  }
  Shape output = in;
  std::vector<bool> sliced(in.size(), false);
  for (std::size_t i = 0; i < ranges; ++i) {
    const auto axis = static_cast<std::size_t>(Axis(a.axes[i], in.size()));
    if (sliced[axis]) Fail("slices axis " + std::to_string(axis) + " twice");
    sliced[axis] = true;
    const std::int64_t extent = in[axis];
    const auto clamp = [extent](std::int64_t at) {
      return std::clamp(at < 0 ? at + extent : at, std::int64_t{0}, extent);
    };
    const std::int64_t length = clamp(a.ends[i]) - clamp(a.starts[i]);
    if (a.steps[i] < 1) Fail("a slice needs a positive step");
    if (length < 1) Fail("its slice of axis " + std::to_string(axis) + " is empty");
    output[axis] = (length - 1) / a.steps[i] + 1;
  }
  return output;
}

Shape Upsample(const UpsampleAttributes& a, const Shape& in) {
  ExpectImage(in);
  const auto scaled = [](std::int64_t extent, double scale) {
    if (!(scale > 0 && scale <= 1024)) Fail("a scale is out of range");
    return static_cast<std::int64_t>(std::floor(static_cast<double>(extent) * scale));
  };
  return {in[0], in[1], scaled(in[2], a.scale_h), scaled(in[3], a.scale_w)};
}

Shape ReduceMean(const ReduceAttributes& a, const Shape& in) {
  std::vector<bool> reduced(in.size(), false);
  for (const std::int64_t axis : a.axes) reduced[static_cast<std::size_t>(Axis(axis, in.size()))] = true;
  Shape output;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!reduced[i]) output.push_back(in[i]);
    if (reduced[i] && a.keep_dims) output.push_back(1);
  }
  return output;
}

}  // namespace tandem::shapes
