#include "device/backends/cpu/xnnpack/bytes.h"

#include "device/backends/cpu/xnnpack/calls.h"

namespace tandem {
namespace {

using ByteOperator = LayerOperator<std::int8_t>;
using Bytes = const std::int8_t*;

constexpr std::int64_t kBytesAtOnce = 64;  // bytes that kernels do at once

}  // namespace

std::unique_ptr<XnnBytes> MakeXnnByteConv(const XnnConvProblem& p, ByteGrid in, ByteGrid out, ByteRange range,
                                          const float* steps, const std::int8_t* weights,
                                          const std::int32_t* bias, std::size_t threads) {
  if (p.transposed) return nullptr;
  const std::vector<std::int8_t> ordered = XnnOrder(p, weights);
  return ByteOperator::Made(
      SharingOf(p, threads),
      [&](XnnShares::Range which, xnn_operator_t* made) {
        const XnnConvShare share = ShareOf(p, which);
        const xnn::ByteProduct product{in,
                                       out,
                                       range,
                                       steps + share.first_output,
                                       ordered.data() + share.first_weight,
                                       bias ? bias + share.first_output : nullptr};
        return xnn::MakeByteConv(p, share, product, made);
      },
      [p](XnnOperator& of, XnnShares::Range which, Bytes a, Bytes, std::int8_t* to) {
        const XnnConvShare share = ShareOf(p, which);
        return xnn::SetUpByteConv(p, of, a + share.first_input, to + share.first_output);
      });
}

std::unique_ptr<XnnBytes> MakeXnnByteSum(std::int64_t count, ByteGrid a, ByteGrid b, ByteGrid out,
                                         ByteRange range, std::size_t threads) {
  return ByteOperator::Made(
      {count, kBytesAtOnce, 1, threads},
      [&](XnnShares::Range, xnn_operator_t* made) { return xnn::MakeByteSum(a, b, out, range, made); },
      [](XnnOperator& of, XnnShares::Range which, Bytes one, Bytes other, std::int8_t* to) {
        return xnn::SetUpByteSum(which.size(), of, one + which.begin, other + which.begin, to + which.begin);
      });
}

std::unique_ptr<XnnBytes> MakeXnnByteMaxPool(const XnnConvProblem& p, std::size_t threads) {
  const std::int64_t each = p.images * p.in_height * p.in_width * p.kernel_height * p.kernel_width;
  return ByteOperator::Made(
      {p.in_channels, kBytesAtOnce, static_cast<double>(each), threads},
      [&](XnnShares::Range which, xnn_operator_t* made) {
        return xnn::MakeByteMaxPool(p, which.size(), made);
      },
      [p](XnnOperator& of, XnnShares::Range which, Bytes a, Bytes, std::int8_t* to) {
        return xnn::SetUpByteMaxPool(p, which.size(), of, a + which.begin, to + which.begin);
      });
}

std::unique_ptr<XnnBytes> MakeXnnByteMean(std::int64_t images, std::int64_t positions, std::int64_t channels,
                                          ByteGrid in, ByteGrid out, ByteRange range, std::size_t threads) {
  const auto mean = [=](XnnShares::Range which) {
    return xnn::Mean{images, positions, channels, which.size()};
  };
  return ByteOperator::Made(
      {channels, kBytesAtOnce, static_cast<double>(images * positions), xnn::kMeansInShares ? threads : 1},
      [&](XnnShares::Range which, xnn_operator_t* made) {
        return xnn::MakeByteMean(mean(which), in, out, range, made);
      },
      [mean](XnnOperator& of, XnnShares::Range which, Bytes a, Bytes, std::int8_t* to) {
        return xnn::SetUpByteMean(mean(which), of, a + which.begin, to + which.begin);
      });
}

}  // namespace tandem
