#include "device/backends/cpu/xnnpack/bytes.h"

#include "device/backends/cpu/xnnpack/operator.h"

namespace tandem {
namespace {

std::int8_t ZeroOf(ByteGrid grid) { return static_cast<std::int8_t>(grid.zero); }

using ByteOperator = LayerOperator<std::int8_t>;

constexpr std::int64_t kBytesAtOnce = 64;  // bytes that kernels do at once

}  // namespace

std::unique_ptr<XnnBytes> MakeXnnByteConv(const XnnConvProblem& p, ByteGrid in, ByteGrid out, ByteRange range,
                                          const float* steps, const std::int8_t* weights,
                                          const std::int32_t* bias, std::size_t threads) {
  if (p.transposed) return nullptr;
  const std::vector<std::int8_t> ordered = XnnOrder(p, weights);
  const auto create = [&](XnnShares::Range of, xnn_operator_t* made) {
    const XnnConvShare share = ShareOf(p, of);
    return xnn_create_convolution2d_nhwc_qc8(
        XnnNumber(p.top), XnnNumber(p.right), XnnNumber(p.bottom), XnnNumber(p.left),
        XnnNumber(p.kernel_height), XnnNumber(p.kernel_width), XnnNumber(p.stride_height),
        XnnNumber(p.stride_width), XnnNumber(p.dilation_height), XnnNumber(p.dilation_width),
        XnnNumber(share.groups), XnnCount(p.in_channels / p.groups), XnnCount(share.outputs),
        XnnCount(p.in_channels), XnnCount(p.out_channels), ZeroOf(in), in.scale, steps + share.first_output,
        ordered.data() + share.first_weight, bias ? bias + share.first_output : nullptr, ZeroOf(out),
        out.scale, range.low, range.high, 0, made);
  };
  return ByteOperator::Made(SharingOf(p, threads), create,
                            [p](xnn_operator_t of, XnnShares::Range which, const std::int8_t* a,
                                const std::int8_t*, std::int8_t* to) {
                              const XnnConvShare share = ShareOf(p, which);
                              return xnn_setup_convolution2d_nhwc_qc8(
                                  of, XnnCount(p.images), XnnCount(p.in_height), XnnCount(p.in_width),
                                  a + share.first_input, to + share.first_output, nullptr);
                            });
}

std::unique_ptr<XnnBytes> MakeXnnByteSum(std::int64_t count, ByteGrid a, ByteGrid b, ByteGrid out,
                                         ByteRange range, std::size_t threads) {
  return ByteOperator::Made(
      {count, kBytesAtOnce, 1, threads},
      [&](XnnShares::Range, xnn_operator_t* made) {
        return xnn_create_add_nd_qs8(ZeroOf(a), a.scale, ZeroOf(b), b.scale, ZeroOf(out), out.scale,
                                     range.low, range.high, 0, made);
      },
      [](xnn_operator_t of, XnnShares::Range which, const std::int8_t* one, const std::int8_t* other,
         std::int8_t* to) {
        const std::size_t shape[] = {XnnCount(which.size())};
        return xnn_setup_add_nd_qs8(of, 1, shape, 1, shape, one + which.begin, other + which.begin,
                                    to + which.begin, nullptr);
      });
}

std::unique_ptr<XnnBytes> MakeXnnByteMaxPool(const XnnConvProblem& p, std::size_t threads) {
  const std::int64_t each = p.images * p.in_height * p.in_width * p.kernel_height * p.kernel_width;
  return ByteOperator::Made(
      {p.in_channels, kBytesAtOnce, static_cast<double>(each), threads},
      [&](XnnShares::Range which, xnn_operator_t* made) {
        return xnn_create_max_pooling2d_nhwc_s8(
            XnnNumber(p.top), XnnNumber(p.right), XnnNumber(p.bottom), XnnNumber(p.left),
            XnnNumber(p.kernel_height), XnnNumber(p.kernel_width), XnnNumber(p.stride_height),
            XnnNumber(p.stride_width), XnnNumber(p.dilation_height), XnnNumber(p.dilation_width),
            XnnCount(which.size()), XnnCount(p.in_channels), XnnCount(p.in_channels), ByteRange{}.low,
            ByteRange{}.high, 0, made);
      },
      [p](xnn_operator_t of, XnnShares::Range which, const std::int8_t* a, const std::int8_t*,
          std::int8_t* to) {
        return xnn_setup_max_pooling2d_nhwc_s8(of, XnnCount(p.images), XnnCount(p.in_height),
                                               XnnCount(p.in_width), a + which.begin, to + which.begin,
                                               nullptr);
      });
}

std::unique_ptr<XnnBytes> MakeXnnByteMean(std::int64_t images, std::int64_t positions, std::int64_t channels,
                                          ByteGrid in, ByteGrid out, ByteRange range, std::size_t threads) {
  return ByteOperator::Made(
      {channels, kBytesAtOnce, static_cast<double>(images * positions), threads},
      [&](XnnShares::Range which, xnn_operator_t* made) {
        return xnn_create_global_average_pooling_nwc_qs8(
            XnnCount(which.size()), XnnCount(channels), XnnCount(channels), ZeroOf(in), in.scale, ZeroOf(out),
            out.scale, range.low, range.high, 0, made);
      },
      [images, positions](xnn_operator_t of, XnnShares::Range which, const std::int8_t* a, const std::int8_t*,
                          std::int8_t* to) {
        return xnn_setup_global_average_pooling_nwc_qs8(of, XnnCount(images), XnnCount(positions),
                                                        a + which.begin, to + which.begin, nullptr);
      });
}

}  // namespace tandem
