#include "device/backends/cpu/xnnpack/layer.h"

#include "device/backends/cpu/xnnpack/calls.h"

namespace tandem {
namespace {

constexpr std::int64_t kFloatsAtOnce = 16;  // floats that kernels do at once

XnnSharing SharingOfChannels(const XnnConvProblem& p, std::size_t threads) {
  const std::int64_t each = p.images * p.in_height * p.in_width * p.kernel_height * p.kernel_width;
  return {p.in_channels, kFloatsAtOnce, static_cast<double>(each), threads};
}

}  // namespace

std::unique_ptr<XnnFloats> MakeXnnMeanPool(const XnnConvProblem& p, std::size_t threads) {
  if (p.dilation_height != 1 || p.dilation_width != 1) return nullptr;
  return LayerOperator<float>::Made(
      SharingOfChannels(p, threads),
      [&](XnnShares::Range which, xnn_operator_t* made) { return xnn::MakeMeanPool(p, which.size(), made); },
      [p](XnnOperator& of, XnnShares::Range which, const float* a, const float*, float* to) {
        return xnn::SetUpMeanPool(p, which.size(), of, a + which.begin, to + which.begin);
      });
}

std::unique_ptr<XnnFloats> MakeXnnMean(std::int64_t images, std::int64_t positions, std::int64_t channels,
                                       std::size_t threads) {
  const auto mean = [=](XnnShares::Range which) {
    return xnn::Mean{images, positions, channels, which.size()};
  };
  return LayerOperator<float>::Made(
      {channels, kFloatsAtOnce, static_cast<double>(images * positions), xnn::kMeansInShares ? threads : 1},
      [&](XnnShares::Range which, xnn_operator_t* made) { return xnn::MakeMean(mean(which), made); },
      [mean](XnnOperator& of, XnnShares::Range which, const float* a, const float*, float* to) {
        return xnn::SetUpMean(mean(which), of, a + which.begin, to + which.begin);
      });
}

}  // namespace tandem
