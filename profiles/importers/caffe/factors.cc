#include <algorithm>
#include <numeric>

#include "profiles/base/input_error.h"
#include "profiles/importers/caffe/layers.h"

namespace tandem {
namespace {

// The axes [axis, axis + count) of `bottom` with ones after them, so that NumPy's rule of broadcasting, which
// aligns last axes, puts them where Caffe does; count -1 is all the rest.
Shape AxesOf(const Shape& bottom, std::int64_t axis, std::int64_t count, Shape* covered) {
  const std::size_t first = CaffeAxis(axis, bottom.size(), true);
  const std::size_t rest = bottom.size() - first;
  if (count < -1 || count > static_cast<std::int64_t>(rest)) {
    throw InputError("its num_axes of " + std::to_string(count) + " is out of range");
  }
  const std::size_t axes = count < 0 ? rest : static_cast<std::size_t>(count);
  const auto begin = bottom.begin() + static_cast<std::ptrdiff_t>(first);
  covered->assign(begin, begin + static_cast<std::ptrdiff_t>(axes));
  Shape aligned = *covered;
  if (axes > 0) aligned.resize(rest, 1);
  return aligned;
}

// The second bottom as an operand that broadcasts over the first from `axis` on.
CaffeNode Aligned(CaffeConversion& c, std::int64_t axis) {
  const Shape& over = c.bottoms[0].shape;
  const CaffeNode& operand = c.bottoms[1];
  Shape covered;
  const std::size_t first = operand.shape.size() == over.size() ? 0 : CaffeAxis(axis, over.size(), true);
  Shape wanted = AxesOf(over, static_cast<std::int64_t>(first),
                        static_cast<std::int64_t>(operand.shape.size()), &covered);
  if (covered != operand.shape) {
    throw InputError("its second bottom of " + ShapeText(operand.shape) + " does not fit the first of " +
                     ShapeText(over) + " from axis " + std::to_string(first) + " on");
  }
  if (wanted == operand.shape) return operand;
  if (!operand.shape.empty()) wanted[0] = 0;  // whatever the batch is
  return c.AddPart("reshape", Op::kReshape, ReshapeAttributes{wanted}, {operand});
}

CaffeNode AddTrained(CaffeConversion& c, bool last, Op op, const CaffeNode& input, const Shape& shape,
                     int blob, const Shape& blob_shape) {
  ElementwiseAttributes attributes;
  attributes.has_constant = true;
  attributes.constant_shape = shape;
  const CaffeNode node =
      last ? c.AddLast(op, attributes, {input}) : c.AddPart("times", op, attributes, {input});
  c.Trained(node, "constant", shape, blob, blob_shape);
  return node;
}

}  // namespace

void ConvertInnerProduct(CaffeConversion& c) {
  const caffe::InnerProductParameter& p = c.param.inner_product_param();
  const CaffeNode& bottom = c.OnlyBottom();
  if (p.num_output() == 0) throw InputError("needs a num_output");
  const std::size_t axis = CaffeAxis(p.axis(), bottom.shape.size());
  const FcAttributes a{p.num_output(), p.bias_term(), static_cast<std::int64_t>(axis)};
  const CaffeNode top = c.AddLast(Op::kFc, a, {bottom});
  const auto split = bottom.shape.begin() + static_cast<std::ptrdiff_t>(axis);
  const std::int64_t in = Elements(Shape(split, bottom.shape.end()));
  const Shape weight = {a.out_features, in};
  const Shape turned = {in, a.out_features};
  c.Trained(top, "weight", weight, 0, p.transpose() ? turned : weight,
            p.transpose() ? BlobUse::kTransposed : BlobUse::kAsIs);
  if (a.bias) c.Trained(top, "bias", {a.out_features}, 1, {a.out_features});
  c.SetTop(top);
}

// Caffe's has no gamma and beta: a Scale after it has them. use_global_stats does not matter: at inference
// the stored statistics are meant.
void ConvertBatchNorm(CaffeConversion& c) {
  const BatchNormAttributes a{c.param.batch_norm_param().eps(), false};
  const CaffeNode top = c.AddLast(Op::kBatchNorm, a, {c.OnlyBottom()});
  const Shape channels = {top.shape[1]};
  c.Trained(top, "mean", channels, 0, channels, BlobUse::kDividedByThird);
  c.Trained(top, "variance", channels, 1, channels, BlobUse::kDividedByThird);
  c.SetTop(top);
}

void ConvertScale(CaffeConversion& c) {
  const caffe::ScaleParameter& p = c.param.scale_param();
  c.ExpectBottoms(1, 2);
  const CaffeNode& bottom = c.bottoms[0];
  Shape blob;
  if (c.bottoms.size() == 2) {
    const Shape bias_blob = c.bottoms[1].shape;
    const CaffeNode operand = Aligned(c, p.axis());
    if (!p.bias_term()) return c.SetTop(c.AddLast(Op::kMul, ElementwiseAttributes{}, {bottom, operand}));
    const CaffeNode product = c.AddPart("times", Op::kMul, ElementwiseAttributes{}, {bottom, operand});
    return c.SetTop(AddTrained(c, true, Op::kAdd, product, operand.shape, 0, bias_blob));
  }
  const Shape shape = AxesOf(bottom.shape, p.axis(), p.num_axes(), &blob);
  if (CaffeAxis(p.axis(), bottom.shape.size(), true) == 1 && p.num_axes() == 1) {
    const CaffeNode top = c.AddLast(Op::kScale, ScaleAttributes{p.bias_term()}, {bottom});
    c.Trained(top, "gamma", blob, 0, blob);
    if (p.bias_term()) c.Trained(top, "beta", blob, 1, blob);
    return c.SetTop(top);
  }
  const CaffeNode product = AddTrained(c, !p.bias_term(), Op::kMul, bottom, shape, 0, blob);
  c.SetTop(p.bias_term() ? AddTrained(c, true, Op::kAdd, product, shape, 1, blob) : product);
}

void ConvertBias(CaffeConversion& c) {
  const caffe::AxesParameter& p = c.param.bias_param();
  c.ExpectBottoms(1, 2);
  if (c.bottoms.size() == 2) {
    const CaffeNode operand = Aligned(c, p.axis());
    return c.SetTop(c.AddLast(Op::kAdd, ElementwiseAttributes{}, {c.bottoms[0], operand}));
  }
  Shape blob;
  const Shape shape = AxesOf(c.bottoms[0].shape, p.axis(), p.num_axes(), &blob);
  c.SetTop(AddTrained(c, true, Op::kAdd, c.bottoms[0], shape, 0, blob));
}

// Of the squeeze-and-excitation networks: a * x + y, one a for each channel of x.
void ConvertAxpy(CaffeConversion& c) {
  c.ExpectBottoms(3, 3);
  const CaffeNode& factor = c.bottoms[0];
  const Shape& image = c.bottoms[1].shape;
  if (image.size() != 4 || image != c.bottoms[2].shape || factor.shape.size() < 2 ||
      factor.shape[0] != image[0] || Elements(factor.shape) != image[0] * image[1]) {
    throw InputError("its bottoms do not fit together: " + ShapeText(factor.shape) + ", " + ShapeText(image) +
                     " and " + ShapeText(c.bottoms[2].shape));
  }
  const Shape wanted = {image[0], image[1], 1, 1};
  const ReshapeAttributes apart{{0, image[1], 1, 1}};
  const CaffeNode a = factor.shape == wanted ? factor : c.AddPart("reshape", Op::kReshape, apart, {factor});
  const CaffeNode product = c.AddPart("times", Op::kMul, ElementwiseAttributes{}, {a, c.bottoms[1]});
  c.SetTop(c.AddLast(Op::kAdd, ElementwiseAttributes{}, {product, c.bottoms[2]}));
}

}  // namespace tandem
