#include "device/backends/cpu/xnnpack/calls.h"

namespace tandem::xnn {

const bool kMeansInShares = true;

xnn_status MakeConv(const XnnConvProblem& p, const XnnConvShare& share, const float* weights,
                    const float* bias, xnn_operator_t* made) {
  const auto create = p.transposed ? xnn_create_deconvolution2d_nhwc_f32 : xnn_create_convolution2d_nhwc_f32;
  return WithShare(create, p, share, weights, bias, p.low, p.high, kNoFlags, made);
}

xnn_status SetUpConv(const XnnConvProblem& p, XnnOperator& of, const float* from, float* to) {
  if (p.transposed) {
    return xnn_setup_deconvolution2d_nhwc_f32(of.get(), XnnCount(p.images), XnnCount(p.in_height),
                                              XnnCount(p.in_width), XnnNumber(p.adjust_height),
                                              XnnNumber(p.adjust_width), from, to, nullptr);
  }
  return xnn_setup_convolution2d_nhwc_f32(of.get(), XnnCount(p.images), XnnCount(p.in_height),
                                          XnnCount(p.in_width), from, to, nullptr);
}

xnn_status MakeByteConv(const XnnConvProblem& p, const XnnConvShare& share, const ByteProduct& product,
                        xnn_operator_t* made) {
  return WithShare(xnn_create_convolution2d_nhwc_qc8, p, share, ZeroOf(product.in), product.in.scale,
                   product.steps, product.weights, product.bias, ZeroOf(product.out), product.out.scale,
                   product.range.low, product.range.high, kNoFlags, made);
}

xnn_status SetUpByteConv(const XnnConvProblem& p, XnnOperator& of, const std::int8_t* from, std::int8_t* to) {
  return xnn_setup_convolution2d_nhwc_qc8(of.get(), XnnCount(p.images), XnnCount(p.in_height),
                                          XnnCount(p.in_width), from, to, nullptr);
}

xnn_status MakeRaisedConv(const XnnConvProblem& p, const XnnConvShare& share, const ByteProduct& product,
                          xnn_operator_t* made) {
  return WithRaised(p, share, product, made);
}

xnn_status SetUpRaisedConv(const XnnConvProblem& p, XnnOperator& of, const std::uint8_t* from,
                           std::uint8_t* to) {
  return xnn_setup_convolution2d_nhwc_qu8(of.get(), XnnCount(p.images), XnnCount(p.in_height),
                                          XnnCount(p.in_width), from, to, nullptr);
}

xnn_status MakeByteSum(ByteGrid a, ByteGrid b, ByteGrid out, ByteRange range, xnn_operator_t* made) {
  return xnn_create_add_nd_qs8(ZeroOf(a), a.scale, ZeroOf(b), b.scale, ZeroOf(out), out.scale, range.low,
                               range.high, 0, made);
}

xnn_status SetUpByteSum(std::int64_t count, XnnOperator& of, const std::int8_t* a, const std::int8_t* b,
                        std::int8_t* to) {
  const std::size_t shape[] = {XnnCount(count)};
  return xnn_setup_add_nd_qs8(of.get(), 1, shape, 1, shape, a, b, to, nullptr);
}

xnn_status MakeByteMaxPool(const XnnConvProblem& p, std::int64_t channels, xnn_operator_t* made) {
  return WithWindow(xnn_create_max_pooling2d_nhwc_s8, p, XnnCount(channels), XnnCount(p.in_channels),
                    XnnCount(p.in_channels), ByteRange{}.low, ByteRange{}.high, kNoFlags, made);
}

xnn_status SetUpByteMaxPool(const XnnConvProblem& p, std::int64_t, XnnOperator& of, const std::int8_t* from,
                            std::int8_t* to) {
  return xnn_setup_max_pooling2d_nhwc_s8(of.get(), XnnCount(p.images), XnnCount(p.in_height),
                                         XnnCount(p.in_width), from, to, nullptr);
}

xnn_status MakeMeanPool(const XnnConvProblem& p, std::int64_t channels, xnn_operator_t* made) {
  return xnn_create_average_pooling2d_nhwc_f32(
      XnnNumber(p.top), XnnNumber(p.right), XnnNumber(p.bottom), XnnNumber(p.left),
      XnnNumber(p.kernel_height), XnnNumber(p.kernel_width), XnnNumber(p.stride_height),
      XnnNumber(p.stride_width), XnnCount(channels), XnnCount(p.in_channels), XnnCount(p.in_channels), -kMost,
      kMost, 0, made);
}

xnn_status SetUpMeanPool(const XnnConvProblem& p, std::int64_t, XnnOperator& of, const float* from,
                         float* to) {
  return xnn_setup_average_pooling2d_nhwc_f32(of.get(), XnnCount(p.images), XnnCount(p.in_height),
                                              XnnCount(p.in_width), from, to, nullptr);
}

xnn_status MakeMean(const Mean& mean, xnn_operator_t* made) {
  return xnn_create_global_average_pooling_nwc_f32(XnnCount(mean.some), XnnCount(mean.channels),
                                                   XnnCount(mean.channels), -kMost, kMost, 0, made);
}

xnn_status SetUpMean(const Mean& mean, XnnOperator& of, const float* from, float* to) {
  return xnn_setup_global_average_pooling_nwc_f32(of.get(), XnnCount(mean.images), XnnCount(mean.positions),
                                                  from, to, nullptr);
}

xnn_status MakeByteMean(const Mean& mean, ByteGrid in, ByteGrid out, ByteRange range, xnn_operator_t* made) {
  return xnn_create_global_average_pooling_nwc_qs8(XnnCount(mean.some), XnnCount(mean.channels),
                                                   XnnCount(mean.channels), ZeroOf(in), in.scale, ZeroOf(out),
                                                   out.scale, range.low, range.high, 0, made);
}

xnn_status SetUpByteMean(const Mean& mean, XnnOperator& of, const std::int8_t* from, std::int8_t* to) {
  return xnn_setup_global_average_pooling_nwc_qs8(of.get(), XnnCount(mean.images), XnnCount(mean.positions),
                                                  from, to, nullptr);
}

}  // namespace tandem::xnn
