#include "device/backends/cpu/xnnpack/calls.h"

namespace tandem::xnn {
namespace {

xnn_quantization_params GridOf(ByteGrid grid) { return {grid.zero, grid.scale}; }
// A sum and a mean have no bounds of their own; all bytes are none.
bool IsBound(ByteRange range) { return range.low != ByteRange{}.low || range.high != ByteRange{}.high; }
// What it only asserts of the operands of a sum, where it refused others before.
bool MayBeAdded(ByteGrid in, ByteGrid out) {
  const float ratio = in.scale / out.scale;
  return ratio >= 0x1p-10F && ratio < 0x1p8F;
}

// An operator is told its shapes, says what memory it wants to work with, and then where its tensors lie.
struct Wanted {
  std::size_t bytes = 0, alignment = 1;
};
struct MadeSize {
  std::size_t height = 0, width = 0;
};

template <class Reshape, class SetUp>
xnn_status InTwo(XnnOperator& of, const Reshape& reshape, const SetUp& set_up) {
  Wanted wanted;
  MadeSize size;
  const xnn_status shaped = reshape(wanted, size);
  return shaped != xnn_status_success ? shaped : set_up(of.Workspace(wanted.bytes, wanted.alignment));
}

xnn_status SetUpReduced(const Mean& mean, XnnOperator& of, const void* from, void* to) {
  const std::size_t shape[] = {XnnCount(mean.images), XnnCount(mean.positions), XnnCount(mean.channels)};
  const std::int64_t axes[] = {1};
  return InTwo(
      of,
      [&](Wanted& wanted, MadeSize&) {
        return xnn_reshape_reduce_nd(of.get(), 1, axes, 3, shape, &wanted.bytes, &wanted.alignment, nullptr);
      },
      [&](void* workspace) { return xnn_setup_reduce_nd(of.get(), workspace, from, to); });
}

}  // namespace

const bool kMeansInShares = false;

xnn_status MakeConv(const XnnConvProblem& p, const XnnConvShare& share, const float* weights,
                    const float* bias, xnn_operator_t* made) {
  const auto create = p.transposed ? xnn_create_deconvolution2d_nhwc_f32 : xnn_create_convolution2d_nhwc_f32;
  return WithShare(create, p, share, weights, bias, p.low, p.high, kNoFlags,
                   static_cast<xnn_code_cache_t>(nullptr), static_cast<xnn_weights_cache_t>(nullptr), made);
}

xnn_status SetUpConv(const XnnConvProblem& p, XnnOperator& of, const float* from, float* to) {
  return InTwo(
      of,
      [&](Wanted& wanted, MadeSize& size) {
        if (p.transposed) {
          return xnn_reshape_deconvolution2d_nhwc_f32(
              of.get(), XnnCount(p.images), XnnCount(p.in_height), XnnCount(p.in_width),
              XnnNumber(p.adjust_height), XnnNumber(p.adjust_width), &size.height, &size.width, nullptr);
        }
        return xnn_reshape_convolution2d_nhwc_f32(of.get(), XnnCount(p.images), XnnCount(p.in_height),
                                                  XnnCount(p.in_width), &wanted.bytes, &wanted.alignment,
                                                  &size.height, &size.width, nullptr);
      },
      [&](void* workspace) {
        return p.transposed ? xnn_setup_deconvolution2d_nhwc_f32(of.get(), from, to)
                            : xnn_setup_convolution2d_nhwc_f32(of.get(), workspace, from, to);
      });
}

xnn_status MakeByteConv(const XnnConvProblem& p, const XnnConvShare& share, const ByteProduct& product,
                        xnn_operator_t* made) {
  return WithShare(xnn_create_convolution2d_nhwc_qs8_qc8w, p, share, ZeroOf(product.in), product.in.scale,
                   product.steps, product.weights, product.bias, ZeroOf(product.out), product.out.scale,
                   product.range.low, product.range.high, kNoFlags, static_cast<xnn_code_cache_t>(nullptr),
                   static_cast<xnn_weights_cache_t>(nullptr), made);
}

xnn_status SetUpByteConv(const XnnConvProblem& p, XnnOperator& of, const std::int8_t* from, std::int8_t* to) {
  return InTwo(
      of,
      [&](Wanted& wanted, MadeSize& size) {
        return xnn_reshape_convolution2d_nhwc_qs8_qc8w(of.get(), XnnCount(p.images), XnnCount(p.in_height),
                                                       XnnCount(p.in_width), &wanted.bytes, &wanted.alignment,
                                                       &size.height, &size.width, nullptr);
      },
      [&](void* workspace) { return xnn_setup_convolution2d_nhwc_qs8_qc8w(of.get(), workspace, from, to); });
}

xnn_status MakeRaisedConv(const XnnConvProblem& p, const XnnConvShare& share, const ByteProduct& product,
                          xnn_operator_t* made) {
  return WithRaised(p, share, product, static_cast<xnn_code_cache_t>(nullptr),
                    static_cast<xnn_weights_cache_t>(nullptr), made);
}

xnn_status SetUpRaisedConv(const XnnConvProblem& p, XnnOperator& of, const std::uint8_t* from,
                           std::uint8_t* to) {
  return InTwo(
      of,
      [&](Wanted& wanted, MadeSize& size) {
        return xnn_reshape_convolution2d_nhwc_qu8(of.get(), XnnCount(p.images), XnnCount(p.in_height),
                                                  XnnCount(p.in_width), &wanted.bytes, &wanted.alignment,
                                                  &size.height, &size.width, nullptr);
      },
      [&](void* workspace) { return xnn_setup_convolution2d_nhwc_qu8(of.get(), workspace, from, to); });
}

xnn_status MakeByteSum(ByteGrid a, ByteGrid b, ByteGrid out, ByteRange range, xnn_operator_t* made) {
  if (IsBound(range) || !MayBeAdded(a, out) || !MayBeAdded(b, out)) return xnn_status_unsupported_parameter;
  const xnn_quantization_params one = GridOf(a), other = GridOf(b), to = GridOf(out);
  return xnn_create_binary_elementwise_nd(xnn_binary_add, xnn_datatype_qint8, &one, &other, &to, 0, made);
}

xnn_status SetUpByteSum(std::int64_t count, XnnOperator& of, const std::int8_t* a, const std::int8_t* b,
                        std::int8_t* to) {
  const std::size_t shape[] = {XnnCount(count)};
  const xnn_status shaped = xnn_reshape_binary_elementwise_nd(of.get(), 1, shape, 1, shape, nullptr);
  return shaped != xnn_status_success ? shaped : xnn_setup_binary_elementwise_nd(of.get(), a, b, to);
}

xnn_status MakeByteMaxPool(const XnnConvProblem& p, std::int64_t, xnn_operator_t* made) {
  return WithWindow(xnn_create_max_pooling2d_nhwc_s8, p, ByteRange{}.low, ByteRange{}.high, kNoFlags, made);
}

xnn_status SetUpByteMaxPool(const XnnConvProblem& p, std::int64_t channels, XnnOperator& of,
                            const std::int8_t* from, std::int8_t* to) {
  MadeSize size;
  const xnn_status shaped = xnn_reshape_max_pooling2d_nhwc_s8(
      of.get(), XnnCount(p.images), XnnCount(p.in_height), XnnCount(p.in_width), XnnCount(channels),
      XnnCount(p.in_channels), XnnCount(p.in_channels), &size.height, &size.width, nullptr);
  return shaped != xnn_status_success ? shaped : xnn_setup_max_pooling2d_nhwc_s8(of.get(), from, to);
}

xnn_status MakeMeanPool(const XnnConvProblem& p, std::int64_t, xnn_operator_t* made) {
  return xnn_create_average_pooling2d_nhwc_f32(XnnNumber(p.top), XnnNumber(p.right), XnnNumber(p.bottom),
                                               XnnNumber(p.left), XnnNumber(p.kernel_height),
                                               XnnNumber(p.kernel_width), XnnNumber(p.stride_height),
                                               XnnNumber(p.stride_width), -kMost, kMost, 0, made);
}

xnn_status SetUpMeanPool(const XnnConvProblem& p, std::int64_t channels, XnnOperator& of, const float* from,
                         float* to) {
  return InTwo(
      of,
      [&](Wanted& wanted, MadeSize& size) {
        return xnn_reshape_average_pooling2d_nhwc_f32(
            of.get(), XnnCount(p.images), XnnCount(p.in_height), XnnCount(p.in_width), XnnCount(channels),
            XnnCount(p.in_channels), XnnCount(p.in_channels), &wanted.bytes, &wanted.alignment, &size.height,
            &size.width, nullptr);
      },
      [&](void* workspace) { return xnn_setup_average_pooling2d_nhwc_f32(of.get(), workspace, from, to); });
}

xnn_status MakeMean(const Mean&, xnn_operator_t* made) {
  return xnn_create_reduce_nd(xnn_reduce_mean, xnn_datatype_fp32, nullptr, nullptr, 0, made);
}

xnn_status SetUpMean(const Mean& mean, XnnOperator& of, const float* from, float* to) {
  return SetUpReduced(mean, of, from, to);
}

xnn_status MakeByteMean(const Mean&, ByteGrid in, ByteGrid out, ByteRange range, xnn_operator_t* made) {
  if (IsBound(range)) return xnn_status_unsupported_parameter;
  const xnn_quantization_params from = GridOf(in), to = GridOf(out);
  return xnn_create_reduce_nd(xnn_reduce_mean, xnn_datatype_qint8, &from, &to, 0, made);
}

xnn_status SetUpByteMean(const Mean& mean, XnnOperator& of, const std::int8_t* from, std::int8_t* to) {
  return SetUpReduced(mean, of, from, to);
}

}  // namespace tandem::xnn
