// Operations that move elements about, or nothing at all: input, concat, reshape, slice and their like.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "profiles/model/op_rules.h"

namespace tandem {

LinearPlaces PlacesOf(UpsampleAlign align, double scale, std::int64_t in, std::int64_t out) {
  if (align == UpsampleAlign::kCentres) return {scale, 0.5};
  if (align == UpsampleAlign::kEdges) return {scale, 0};
  // One position shows the first element, of one element all positions show it.
  if (in < 2 || out < 2) return {std::numeric_limits<double>::infinity(), 0};
  return {static_cast<double>(out - 1) / static_cast<double>(in - 1), 0};
}

}  // namespace tandem

namespace tandem::ops {
namespace {

Shape Concat(const LayerShapes& of) {
  const auto& a = of.As<AxisAttributes>();
  Shape output = of.in();
  const auto axis = static_cast<std::size_t>(Axis(a.axis, output.size()));
  for (std::size_t i = 1; i < of.inputs.size(); ++i) {
    Shape other = of.in(i);
    if (other.size() == output.size()) other[axis] = output[axis];
    if (other != output) {
      Fail("cannot join " + ShapeText(of.in()) + " and " + ShapeText(of.in(i)) + " along axis " +
           std::to_string(axis));
    }
    output[axis] += of.in(i)[axis];
  }
  return output;
}

Shape Flatten(const LayerShapes& of) {
  const auto& a = of.As<AxisAttributes>();
  const Shape& in = of.in();
  const auto rank = static_cast<std::int64_t>(in.size());
  const std::int64_t axis = a.axis == rank ? rank : Axis(a.axis, in.size());
  const auto split = in.begin() + axis;
  return {Elements(Shape(in.begin(), split)), Elements(Shape(split, in.end()))};
}

Shape Reshape(const LayerShapes& of) {
  const auto& a = of.As<ReshapeAttributes>();
  const Shape& in = of.in();
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

Shape Transpose(const LayerShapes& of) {
  const auto& a = of.As<TransposeAttributes>();
  const Shape& in = of.in();
  std::vector<std::int64_t> sorted = a.order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::int64_t> axes(in.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (sorted != axes) Fail("its order does not name every axis of " + ShapeText(in) + " once");
  Shape output;
  for (const std::int64_t axis : a.order) output.push_back(in[static_cast<std::size_t>(axis)]);
  return output;
}

Shape Pad(const LayerShapes& of) {
  const auto& a = of.As<PadAttributes>();
  const Shape& in = of.in();
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

Shape Slice(const LayerShapes& of) {
  const auto& a = of.As<SliceAttributes>();
  const Shape& in = of.in();
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

Shape Upsample(const LayerShapes& of) {
  const auto& a = of.As<UpsampleAttributes>();
  const Shape& in = of.in();
  ExpectImage(in);
  if (a.mode == UpsampleMode::kNearest && a.align != UpsampleAlign::kCentres)
    Fail("its align is of the mode linear alone");
  const auto scaled = [](std::int64_t extent, double scale) {
    if (!(scale > 0 && scale <= 1024)) Fail("a scale is out of range");
    return static_cast<std::int64_t>(std::floor(static_cast<double>(extent) * scale));
  };
  return {in[0], in[1], scaled(in[2], a.scale_h), scaled(in[3], a.scale_w)};
}

Shape ReduceMean(const LayerShapes& of) {
  const auto& a = of.As<ReduceAttributes>();
  const Shape& in = of.in();
  std::vector<bool> reduced(in.size(), false);
  for (const std::int64_t axis : a.axes) reduced[static_cast<std::size_t>(Axis(axis, in.size()))] = true;
  Shape output;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!reduced[i]) output.push_back(in[i]);
    if (reduced[i] && a.keep_dims) output.push_back(1);
  }
  return output;
}

double MomentOfConcat(const MomentsRead& read) {
  double sum = 0, elements = 0;
  for (std::size_t i = 0; i < read.in.size(); ++i) {
    const auto count = static_cast<double>(Elements(read.of.in(i)));
    sum += count * read.in[i];
    elements += count;
  }
  return sum / elements;
}

AttributesType AxisField() {
  return Fields<AxisAttributes>().Optional("axis", &AxisAttributes::axis, as::AnyInteger());
}

AttributesType PadFields() {
  using A = PadAttributes;
  return Fields<A>()
      .Needed("before", &A::before, as::Integers())
      .Needed("after", &A::after, as::Integers())
      .Optional("mode", &A::mode, as::OneOf(kPadModeNames, "padding"))
      .Optional("value", &A::value, as::AnyNumber());
}

AttributesType SliceFields() {
  using A = SliceAttributes;
  return Fields<A>()
      .Needed("axes", &A::axes, as::Integers())
      .Needed("starts", &A::starts, as::Integers())
      .Needed("ends", &A::ends, as::Integers())
      .Needed("steps", &A::steps, as::Integers());
}

AttributesType UpsampleFields() {
  using A = UpsampleAttributes;
  return Fields<A>()
      .Optional("scale_h", &A::scale_h, as::AnyNumber())
      .Optional("scale_w", &A::scale_w, as::AnyNumber())
      .Optional("mode", &A::mode, as::OneOf(kUpsampleModeNames, "mode"))
      .Optional("align", &A::align, as::OneOf(kUpsampleAlignNames, "align"),
                "What a position shows: what lies between centres; corners at corners; from edges.");
}

AttributesType ReduceFields() {
  using A = ReduceAttributes;
  return Fields<A>()
      .Needed("axes", &A::axes, as::Integers())
      .Optional("keep_dims", &A::keep_dims, as::Boolean());
}

const OpRegistration kInput{
    Op::kInput,
    {.name = "input",
     .attributes =
         Fields<InputAttributes>()
             .Needed("shape", &InputAttributes::shape, as::Integers(), "Batch first.")
             .Optional("type", &InputAttributes::type, as::OneOf(kElementTypeNames, "type"),
                       "Where `opaque` layers alone read it; else fp32.")
             .Rule([](const JsonReader&, const InputAttributes&, Context) {},  // shape inference tells
                   R"({"properties": {"shape": {"items": {"minimum": 1}}}})"),
     .kind = OpKind::kInput,
     .inputs = 0,
     .shape = [](const LayerShapes& of) { return of.As<InputAttributes>().shape; },
     .moment = UnitMoment}};
const OpRegistration kConcat{Op::kConcat,
                             {.name = "concat",
                              .attributes = AxisField(),
                              .kind = OpKind::kPart,
                              .or_more = true,
                              .shape = Concat,
                              .cost_class = CostClass::kCopy,
                              .moment = MomentOfConcat}};
const OpRegistration kDropout{
    Op::kDropout,
    {.name = "dropout",
     .attributes = Fields<DropoutAttributes>().Optional("ratio", &DropoutAttributes::ratio, as::AnyNumber()),
     .kind = OpKind::kNothing,
     .parts = PartRule::kEachNumber}};
const OpRegistration kIdentity{
    Op::kIdentity, {.name = "identity", .kind = OpKind::kNothing, .parts = PartRule::kEachNumber}};
const OpRegistration kFlatten{
    Op::kFlatten, {.name = "flatten", .attributes = AxisField(), .kind = OpKind::kReform, .shape = Flatten}};
const OpRegistration kReshape{
    Op::kReshape,
    {.name = "reshape",
     .attributes = Fields<ReshapeAttributes>().Needed("shape", &ReshapeAttributes::shape, as::Integers()),
     .kind = OpKind::kReform,
     .shape = Reshape}};
const OpRegistration kTranspose{
    Op::kTranspose,
    {.name = "transpose",
     .attributes = Fields<TransposeAttributes>().Needed("order", &TransposeAttributes::order, as::Integers()),
     .shape = Transpose,
     .cost_class = CostClass::kCopy}};
const OpRegistration kPad{
    Op::kPad, {.name = "pad", .attributes = PadFields(), .shape = Pad, .cost_class = CostClass::kCopy}};
const OpRegistration kSlice{Op::kSlice,
                            {.name = "slice",
                             .attributes = SliceFields(),
                             .kind = OpKind::kPart,
                             .shape = Slice,
                             .cost_class = CostClass::kCopy}};
const OpRegistration kUpsample{
    Op::kUpsample,
    {.name = "upsample", .attributes = UpsampleFields(), .shape = Upsample, .cost_class = CostClass::kCopy}};
const OpRegistration kReduceMean{Op::kReduceMean,
                                 {.name = "reduce_mean",
                                  .attributes = ReduceFields(),
                                  .shape = ReduceMean,
                                  .cost_class = CostClass::kPool,
                                  .operations = [](const LayerShapes& of) { return of.ElementsRead(); },
                                  .moment = [](const MomentsRead& read) { return 0.7 * read.in[0]; }}};

}  // namespace
}  // namespace tandem::ops
