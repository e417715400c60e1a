#include "profiles/importers/caffe/layers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

template <Op op>
void ConvertSimple(CaffeConversion& c) {
  c.SetTop(c.AddLast(op, DefaultAttributes(op), {c.OnlyBottom()}));
}

void ConvertRelu(CaffeConversion& c) {
  const double slope = c.param.relu_param().negative_slope();
  if (slope == 0) return ConvertSimple<Op::kRelu>(c);
  c.SetTop(c.AddLast(Op::kLeakyRelu, LeakyReluAttributes{slope}, {c.OnlyBottom()}));
}

void ConvertPrelu(CaffeConversion& c) {
  const bool shared = c.param.prelu_param().channel_shared();
  const CaffeNode top = c.AddLast(Op::kPrelu, PreluAttributes{shared}, {c.OnlyBottom()});
  const Shape slopes = {shared ? 1 : top.shape[1]};
  c.Trained(top, "slope", slopes, 0, shared ? Shape{} : slopes);
  c.SetTop(top);
}

void ConvertElu(CaffeConversion& c) {
  c.SetTop(c.AddLast(Op::kElu, EluAttributes{c.param.elu_param().alpha()}, {c.OnlyBottom()}));
}

void ConvertClip(CaffeConversion& c) {
  const caffe::ClipParameter& p = c.param.clip_param();
  if (!p.has_min() || !p.has_max()) throw InputError("clip_param needs min and max");
  if (p.min() == 0 && p.max() == 6) return ConvertSimple<Op::kRelu6>(c);
  c.SetTop(c.AddLast(Op::kClip, ClipAttributes{p.min(), p.max()}, {c.OnlyBottom()}));
}

void ConvertLrn(CaffeConversion& c) {
  const caffe::LRNParameter& p = c.param.lrn_param();
  if (p.local_size() % 2 == 0) {
    throw InputError("a local_size of " + std::to_string(p.local_size()) + ": Caffe takes odd ones alone");
  }
  const bool within = p.norm_region() == caffe::LRNParameter::WITHIN_CHANNEL;
  // Within a channel Caffe's k is always 1.
  const LrnAttributes attributes{p.local_size(), p.alpha(), p.beta(), within ? 1.0 : p.k(), within};
  c.SetTop(c.AddLast(Op::kLrn, attributes, {c.OnlyBottom()}));
}

// x * scale + shift, without the steps that change nothing.
CaffeNode ScaleAndShift(CaffeConversion& c, double scale, double shift) {
  CaffeNode node = c.OnlyBottom();
  if (scale != 1) node = c.AddConstant("times", Op::kMul, scale, node);
  if (shift != 0) node = c.AddConstant("plus", Op::kAdd, shift, node);
  return node;
}

void ConvertPower(CaffeConversion& c) {
  const caffe::PowerParameter& p = c.param.power_param();
  const CaffeNode node = ScaleAndShift(c, p.scale(), p.shift());
  c.SetTop(p.power() == 1 ? c.AddLast(Op::kIdentity, NoAttributes{}, {node})
                          : c.AddConstant("", Op::kPow, p.power(), node));
}

// base -1 stands for e.
double LogOfBase(double base) {
  if (base != -1 && !(base > 0)) throw InputError("a base of " + std::to_string(base) + " is not positive");
  return base == -1 ? 1 : std::log(base);
}

// base ^ (shift + scale * x) = exp(log(base) * (shift + scale * x))
void ConvertExp(CaffeConversion& c) {
  const caffe::ExponentParameter& p = c.param.exp_param();
  const double factor = LogOfBase(p.base());
  c.SetTop(c.AddLast(Op::kExp, NoAttributes{}, {ScaleAndShift(c, p.scale() * factor, p.shift() * factor)}));
}

// log(shift + scale * x) / log(base)
void ConvertLog(CaffeConversion& c) {
  const caffe::ExponentParameter& p = c.param.log_param();
  const double factor = LogOfBase(p.base());
  if (factor == 0) throw InputError("a base of 1 has no logarithm");
  const CaffeNode node = ScaleAndShift(c, p.scale(), p.shift());
  if (factor == 1) return c.SetTop(c.AddLast(Op::kLog, NoAttributes{}, {node}));
  c.SetTop(c.AddConstant("", Op::kMul, 1 / factor, c.AddPart("log", Op::kLog, NoAttributes{}, {node})));
}

void ConvertEltwise(CaffeConversion& c) {
  const caffe::EltwiseParameter& p = c.param.eltwise_param();
  c.ExpectBottoms(2, c.bottoms.size());
  for (const CaffeNode& bottom : c.bottoms) {
    if (bottom.shape != c.bottoms[0].shape) {
      throw InputError("its bottoms differ in shape: " + ShapeText(c.bottoms[0].shape) + " and " +
                       ShapeText(bottom.shape));
    }
  }
  ElementwiseAttributes attributes;
  const bool sum = p.operation() == caffe::EltwiseParameter::SUM;
  if (p.coeff_size() > 0) {
    if (!sum) throw InputError("coeff belongs to SUM alone");
    if (p.coeff_size() != static_cast<int>(c.bottoms.size())) {
      throw InputError("has " + std::to_string(p.coeff_size()) + " coeff for " +
                       std::to_string(c.bottoms.size()) + " bottoms");
    }
    const bool all_one = std::all_of(p.coeff().begin(), p.coeff().end(), [](double f) { return f == 1; });
    if (!all_one) attributes.coefficients.assign(p.coeff().begin(), p.coeff().end());
  }
  const Op op = sum ? Op::kAdd : p.operation() == caffe::EltwiseParameter::PROD ? Op::kMul : Op::kMax;
  c.SetTop(c.AddLast(op, attributes, c.bottoms));
}

void ConvertSoftmax(CaffeConversion& c) {
  const CaffeNode& bottom = c.OnlyBottom();
  const std::size_t axis = CaffeAxis(c.param.softmax_param().axis(), bottom.shape.size());
  c.SetTop(c.AddLast(Op::kSoftmax, AxisAttributes{static_cast<std::int64_t>(axis)}, {bottom}));
}

void ConvertDropout(CaffeConversion& c) {
  const caffe::DropoutParameter& p = c.param.dropout_param();
  if (!p.scale_train()) throw InputError("scale_train: false, a factor at inference, is not supported");
  c.SetTop(c.AddLast(Op::kDropout, DropoutAttributes{p.dropout_ratio()}, {c.OnlyBottom()}));
}

// Every top is the same data.
void ConvertSplit(CaffeConversion& c) {
  const CaffeNode node = c.AddLast(Op::kIdentity, NoAttributes{}, {c.OnlyBottom()});
  c.SetTops(std::vector<CaffeNode>(static_cast<std::size_t>(c.param.top_size()), node));
}

void ConvertUpsample(CaffeConversion& c) {
  const double scale = c.param.upsample_param().scale();
  if (scale == 0) throw InputError("upsample_param needs scale; other kinds of Upsample are not supported");
  const UpsampleAttributes attributes{scale, scale, UpsampleMode::kNearest};
  c.SetTop(c.AddLast(Op::kUpsample, attributes, {c.OnlyBottom()}));
}

constexpr CaffeLayerType kTypes[] = {
    // BNLL is log(1 + exp(x))
    {"AbsVal", ConvertSimple<Op::kAbs>},
    {"Axpy", ConvertAxpy},
    {"BNLL", ConvertSimple<Op::kSoftplus>},
    {"BatchNorm", ConvertBatchNorm},
    {"Bias", ConvertBias},
    {"Clip", ConvertClip},
    {"Concat", ConvertConcat},
    {"Convolution", ConvertConvolution},
    {"ConvolutionDepthwise", ConvertDepthwise},
    {"Crop", ConvertCrop},
    {"Deconvolution", ConvertDeconvolution},
    {"DepthwiseConvolution", ConvertDepthwise},
    {"Dropout", ConvertDropout},
    {"ELU", ConvertElu},
    {"Eltwise", ConvertEltwise},
    {"Exp", ConvertExp},
    {"Flatten", ConvertFlatten},
    {"InnerProduct", ConvertInnerProduct},
    {"LRN", ConvertLrn},
    {"Log", ConvertLog},
    {"PReLU", ConvertPrelu},
    {"Permute", ConvertPermute},
    {"Pooling", ConvertPooling},
    {"Power", ConvertPower},
    {"ReLU", ConvertRelu},
    {"ReLU6", ConvertSimple<Op::kRelu6>},
    {"Reduction", ConvertReduction},
    {"Reshape", ConvertReshape},
    {"Scale", ConvertScale},
    {"ShuffleChannel", ConvertShuffleChannel},
    {"Sigmoid", ConvertSimple<Op::kSigmoid>},
    {"Slice", ConvertSlice},
    {"Softmax", ConvertSoftmax},
    {"Split", ConvertSplit},
    {"TanH", ConvertSimple<Op::kTanh>},
    {"Upsample", ConvertUpsample},
};

}  // namespace

CaffeConverter FindCaffeConverter(std::string_view type) {
  for (const CaffeLayerType& known : kTypes) {
    if (known.type == type) return known.convert;
  }
  return nullptr;
}

std::vector<std::string> SupportedCaffeTypes() {
  std::vector<std::string> types;
  for (const CaffeLayerType& known : kTypes) types.emplace_back(known.type);
  return types;
}

std::size_t CaffeAxis(std::int64_t axis, std::size_t rank, bool end) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  const std::int64_t counted = axis < 0 ? axis + signed_rank : axis;
  if (counted < 0 || counted >= signed_rank + (end ? 1 : 0)) {
    throw InputError("axis " + std::to_string(axis) + " is outside its bottom of " + std::to_string(rank) +
                     " axes");
  }
  return static_cast<std::size_t>(counted);
}

}  // namespace tandem
