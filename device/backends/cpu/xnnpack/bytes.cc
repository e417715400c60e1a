#include "device/backends/cpu/xnnpack/bytes.h"

#include "device/backends/cpu/xnnpack/calls.h"

namespace tandem {
namespace {

using ByteOperator = LayerOperator<std::int8_t>;
using Bytes = const std::int8_t*;

constexpr std::int64_t kBytesAtOnce = 64;  // bytes that kernels do at once

// 128 higher without a sign is the same byte with its first bit turned, and back.
std::int8_t Turned(std::int8_t byte) { return static_cast<std::int8_t>(byte ^ -128); }

void Turn(const std::int8_t* from, std::int64_t count, std::int8_t* to) {
#pragma omp parallel for
  for (std::int64_t i = 0; i < count; ++i) to[i] = Turned(from[i]);
}

// A kernel of raised bytes.
class Raising final : public XnnBytes {
 public:
  Raising(std::unique_ptr<XnnBytes> kernel, const XnnConvProblem& p)
      : kernel_(std::move(kernel)),
        raised_(XnnCount(p.images * p.in_height * p.in_width * p.in_channels + kMayReadBeyond)),
        made_(p.images * OutHeight(p) * OutWidth(p) * p.out_channels) {}

  void Run(const std::int8_t* a, const std::int8_t*, std::int8_t* to) override {
    Turn(a, static_cast<std::int64_t>(raised_.size()) - kMayReadBeyond, raised_.data());
    kernel_->Run(raised_.data(), nullptr, to);
    Turn(to, made_, to);
  }
  std::int64_t Bytes() const override { return kernel_->Bytes() + static_cast<std::int64_t>(raised_.size()); }

 private:
  static constexpr std::int64_t kMayReadBeyond = 16;

  std::unique_ptr<XnnBytes> kernel_;
  std::vector<std::int8_t> raised_;
  std::int64_t made_;
};

}  // namespace

std::unique_ptr<XnnBytes> MakeXnnByteConv(const XnnConvProblem& p, ByteGrid in, ByteGrid out, ByteRange range,
                                          const ByteWeights& weights, std::size_t threads) {
  if (p.transposed) return nullptr;
  const bool raised = weights.zero != 0;
  std::vector<std::int8_t> ordered = XnnOrder(p, weights.values.data());
  if (raised) Turn(ordered.data(), static_cast<std::int64_t>(ordered.size()), ordered.data());
  auto kernel = ByteOperator::Made(
      SharingOf(p, threads),
      [&](XnnShares::Range which, xnn_operator_t* made) {
        const XnnConvShare share = ShareOf(p, which);
        const xnn::ByteProduct product{
            in,
            out,
            range,
            weights.steps.data() + share.first_output,
            ordered.data() + share.first_weight,
            weights.zero,
            weights.bias.empty() ? nullptr : weights.bias.data() + share.first_output};
        return raised ? xnn::MakeRaisedConv(p, share, product, made)
                      : xnn::MakeByteConv(p, share, product, made);
      },
      [p, raised](XnnOperator& of, XnnShares::Range which, Bytes a, Bytes, std::int8_t* to) {
        const XnnConvShare share = ShareOf(p, which);
        const std::int8_t* const from = a + share.first_input;
        to += share.first_output;
        if (!raised) return xnn::SetUpByteConv(p, of, from, to);
        return xnn::SetUpRaisedConv(p, of, reinterpret_cast<const std::uint8_t*>(from),
                                    reinterpret_cast<std::uint8_t*>(to));
      });
  if (kernel && raised) return std::make_unique<Raising>(std::move(kernel), p);
  return kernel;
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
