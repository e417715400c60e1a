#include <algorithm>

#include "profiles/base/input_error.h"
#include "profiles/importers/caffe/layers.h"

namespace tandem {
namespace {

using Values = google::protobuf::RepeatedField<std::uint32_t>;

// A size in height and width: once for both, once for each, or as two fields of their own.
struct WindowFields {
  const char* field;
  const Values& values;
  bool has_h, has_w;
  std::uint32_t h, w;
};

Extent ReadWindow(const WindowFields& sides, std::int64_t otherwise) {
  const std::string field = sides.field;
  if (sides.has_h || sides.has_w) {
    if (!sides.values.empty())
      throw InputError("gives its " + field + " both as one and by height and width");
    return {sides.has_h ? sides.h : otherwise, sides.has_w ? sides.w : otherwise};
  }
  if (sides.values.size() > 2) {
    throw InputError("gives " + field + " for " + std::to_string(sides.values.size()) +
                     " axes; layers over images have two");
  }
  if (sides.values.empty()) return {otherwise, otherwise};
  return {sides.values[0], sides.values[sides.values.size() - 1]};
}

template <class Param>
Extent ReadKernel(const Param& p) {
  const Extent kernel = ReadWindow(
      {"kernel_size", p.kernel_size(), p.has_kernel_h(), p.has_kernel_w(), p.kernel_h(), p.kernel_w()}, 0);
  if (kernel.h == 0 || kernel.w == 0) throw InputError("needs a kernel_size, or kernel_h and kernel_w");
  return kernel;
}

template <class Param>
Extent ReadStride(const Param& p) {
  return ReadWindow({"stride", p.stride(), p.has_stride_h(), p.has_stride_w(), p.stride_h(), p.stride_w()},
                    1);
}

template <class Param>
Padding ReadPad(const Param& p) {
  const Extent pad = ReadWindow({"pad", p.pad(), p.has_pad_h(), p.has_pad_w(), p.pad_h(), p.pad_w()}, 0);
  return {pad.h, pad.w, pad.h, pad.w};
}

void ExpectImage(const CaffeNode& node) {
  if (node.shape.size() != 4) {
    throw InputError("works on images, its bottom is of shape " + ShapeText(node.shape));
  }
}

ConvAttributes ReadConvolution(const CaffeConversion& c, std::int64_t default_groups) {
  const caffe::ConvolutionParameter& p = c.param.convolution_param();
  const CaffeNode& bottom = c.OnlyBottom();
  ExpectImage(bottom);
  if (CaffeAxis(p.axis(), 4) != 1) throw InputError("an axis other than 1 is not supported");
  if (p.num_output() == 0) throw InputError("needs a num_output");
  ConvAttributes a;
  a.out_channels = p.num_output();
  a.kernel = ReadKernel(p);
  a.stride = ReadStride(p);
  a.pad = ReadPad(p);
  a.dilation = ReadWindow({"dilation", p.dilation(), false, false, 0, 0}, 1);
  a.groups = p.has_group() ? p.group() : default_groups;
  a.bias = p.bias_term();
  return a;
}

void FinishConvolution(CaffeConversion& c, Op op, const ConvAttributes& a) {
  const CaffeNode top = c.AddLast(op, a, {c.OnlyBottom()});
  const std::int64_t in = c.OnlyBottom().shape[1];
  const bool conv = op == Op::kConv;
  const Shape weight = {conv ? a.out_channels : in, (conv ? in : a.out_channels) / a.groups, a.kernel.h,
                        a.kernel.w};
  c.Trained(top, "weight", weight, 0, weight);
  if (a.bias) c.Trained(top, "bias", {a.out_channels}, 1, {a.out_channels});
  c.SetTop(top);
}

// Caffe rounds the number of windows up. Along one axis: makes a window that is larger than what it slides
// over as large as that (Caffe clips it), and says whether Caffe counts a last window that lies wholly
// outside, as it does where a stride without padding is larger than its kernel.
bool FitWindow(std::int64_t& kernel, std::int64_t stride, std::int64_t pad, std::int64_t in, bool round_up) {
  const std::int64_t room = in + 2 * pad - kernel;
  if (!round_up || stride < 1) return false;
  if (room < 0 && -room < stride) kernel += room;
  return room > 0 && pad == 0 && room % stride != 0 && (room / stride + 1) * stride >= in;
}

}  // namespace

void ConvertConvolution(CaffeConversion& c) { FinishConvolution(c, Op::kConv, ReadConvolution(c, 1)); }

// Forks have depthwise convolution as a type of its own; a group that is not given is one per channel.
void ConvertDepthwise(CaffeConversion& c) {
  ExpectImage(c.OnlyBottom());
  FinishConvolution(c, Op::kConv, ReadConvolution(c, c.OnlyBottom().shape[1]));
}

void ConvertDeconvolution(CaffeConversion& c) { FinishConvolution(c, Op::kDeconv, ReadConvolution(c, 1)); }

void ConvertPooling(CaffeConversion& c) {
  const caffe::PoolingParameter& p = c.param.pooling_param();
  if (p.pool() == caffe::PoolingParameter::STOCHASTIC) {
    throw InputError("STOCHASTIC pooling is not supported, only MAX and AVE are");
  }
  const Op op = p.pool() == caffe::PoolingParameter::MAX ? Op::kMaxPool : Op::kAvgPool;
  const CaffeNode& bottom = c.OnlyBottom();
  ExpectImage(bottom);
  PoolAttributes a;
  a.stride = ReadStride(p);
  a.pad = ReadPad(p);
  if (p.global_pooling()) {
    const bool sized = p.kernel_size_size() > 0 || p.has_kernel_h() || p.has_kernel_w();
    if (sized) throw InputError("has a kernel size beside global_pooling");
    if (a.stride != Extent{} || a.pad != Padding{}) {
      throw InputError("has a stride or a pad beside global_pooling");
    }
    a.global = true;
    return c.SetTop(c.AddLast(op, a, {bottom}));
  }
  a.kernel = ReadKernel(p);
  if (p.has_round_mode() && p.has_ceil_mode() &&
      p.ceil_mode() != (p.round_mode() == caffe::PoolingParameter::CEIL)) {
    throw InputError("its round_mode and its ceil_mode contradict each other");
  }
  a.ceil_mode = p.ceil_mode() && p.round_mode() == caffe::PoolingParameter::CEIL;
  const bool outside_h = FitWindow(a.kernel.h, a.stride.h, a.pad.top, bottom.shape[2], a.ceil_mode);
  const bool outside_w = FitWindow(a.kernel.w, a.stride.w, a.pad.left, bottom.shape[3], a.ceil_mode);
  if (outside_h || outside_w) {
    c.Note("Caffe counts a last window that lies outside the image and has no value; it is left out");
  }
  c.SetTop(c.AddLast(op, a, {bottom}));
}

}  // namespace tandem
