// The functions of XNNPACK that are asked for. It makes no promise on them: as they were in 2022 they are in
// calls_2022.cc, as they are since the end of 2024 in calls_2024.cc, and the build takes what fits the
// library. Who makes an operator is told by the status whether the library has it; then its tensors are set
// up, as often as they lie elsewhere.
#pragma once

#include <xnnpack.h>

#include <cstdint>
#include <limits>

#include "device/backends/cpu/xnnpack/bytes.h"
#include "device/backends/cpu/xnnpack/conv.h"
#include "device/backends/cpu/xnnpack/operator.h"

namespace tandem::xnn {

inline constexpr std::uint32_t kNoFlags = 0;
inline constexpr float kMost = std::numeric_limits<float>::infinity();
inline std::int8_t ZeroOf(ByteGrid grid) { return static_cast<std::int8_t>(grid.zero); }

// create(padding, window, stride, dilation, `more`...)
template <class Create, class... More>
xnn_status WithWindow(Create create, const XnnConvProblem& p, More... more) {
  return create(XnnNumber(p.top), XnnNumber(p.right), XnnNumber(p.bottom), XnnNumber(p.left),
                XnnNumber(p.kernel_height), XnnNumber(p.kernel_width), XnnNumber(p.stride_height),
                XnnNumber(p.stride_width), XnnNumber(p.dilation_height), XnnNumber(p.dilation_width),
                more...);
}
// And its channels.
template <class Create, class... More>
xnn_status WithShare(Create create, const XnnConvProblem& p, const XnnConvShare& share, More... more) {
  return WithWindow(create, p, XnnNumber(share.groups), XnnCount(p.in_channels / p.groups),
                    XnnCount(share.outputs), XnnCount(p.in_channels), XnnCount(p.out_channels), more...);
}

xnn_status MakeConv(const XnnConvProblem& problem, const XnnConvShare& share, const float* weights,
                    const float* bias, xnn_operator_t* made);
xnn_status SetUpConv(const XnnConvProblem& problem, XnnOperator& of, const float* from, float* to);

struct ByteProduct {
  ByteGrid in, out;
  ByteRange range;
  const float* steps = nullptr;
  const std::int8_t* weights = nullptr;
  std::int32_t weight_zero = 0;
  const std::int32_t* bias = nullptr;
};
// 128 higher, without a sign: as kernels want bytes whose weights have a zero point.
inline std::uint8_t Raised(std::int32_t q) { return static_cast<std::uint8_t>(q + 128); }
template <class... More>
xnn_status WithRaised(const XnnConvProblem& p, const XnnConvShare& share, const ByteProduct& product,
                      More... more) {
  return WithShare(xnn_create_convolution2d_nhwc_qu8, p, share, Raised(product.in.zero), product.in.scale,
                   Raised(product.weight_zero), product.steps[0],
                   reinterpret_cast<const std::uint8_t*>(product.weights), product.bias,
                   Raised(product.out.zero), product.out.scale, Raised(product.range.low),
                   Raised(product.range.high), kNoFlags, more...);
}

xnn_status MakeByteConv(const XnnConvProblem& problem, const XnnConvShare& share, const ByteProduct& product,
                        xnn_operator_t* made);
xnn_status SetUpByteConv(const XnnConvProblem& problem, XnnOperator& of, const std::int8_t* from,
                         std::int8_t* to);
// The same with a zero point of the weights: these, what it reads and what it writes are raised.
xnn_status MakeRaisedConv(const XnnConvProblem& problem, const XnnConvShare& share,
                          const ByteProduct& product, xnn_operator_t* made);
xnn_status SetUpRaisedConv(const XnnConvProblem& problem, XnnOperator& of, const std::uint8_t* from,
                           std::uint8_t* to);

xnn_status MakeByteSum(ByteGrid a, ByteGrid b, ByteGrid out, ByteRange range, xnn_operator_t* made);
xnn_status SetUpByteSum(std::int64_t count, XnnOperator& of, const std::int8_t* a, const std::int8_t* b,
                        std::int8_t* to);

// Of `channels` of the problem's input channels.
xnn_status MakeByteMaxPool(const XnnConvProblem& problem, std::int64_t channels, xnn_operator_t* made);
xnn_status SetUpByteMaxPool(const XnnConvProblem& problem, std::int64_t channels, XnnOperator& of,
                            const std::int8_t* from, std::int8_t* to);
xnn_status MakeMeanPool(const XnnConvProblem& problem, std::int64_t channels, xnn_operator_t* made);
xnn_status SetUpMeanPool(const XnnConvProblem& problem, std::int64_t channels, XnnOperator& of,
                         const float* from, float* to);

// Of all positions of an image: `some` of its channels, or all of them where it cannot be asked for some.
extern const bool kMeansInShares;
struct Mean {
  std::int64_t images = 1, positions = 1, channels = 1, some = 1;
};
xnn_status MakeMean(const Mean& mean, xnn_operator_t* made);
xnn_status SetUpMean(const Mean& mean, XnnOperator& of, const float* from, float* to);
xnn_status MakeByteMean(const Mean& mean, ByteGrid in, ByteGrid out, ByteRange range, xnn_operator_t* made);
xnn_status SetUpByteMean(const Mean& mean, XnnOperator& of, const std::int8_t* from, std::int8_t* to);

}  // namespace tandem::xnn
