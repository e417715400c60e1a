#include "device/backends/cpu/xnnpack/layer.h"

#include <limits>

#include "device/backends/cpu/xnnpack/operator.h"

namespace tandem {
namespace {

constexpr std::int64_t kFloatsAtOnce = 16;  // floats that kernels do at once
constexpr float kMost = std::numeric_limits<float>::infinity();

XnnSharing SharingOfChannels(const XnnConvProblem& p, std::size_t threads) {
  const std::int64_t each = p.images * p.in_height * p.in_width * p.kernel_height * p.kernel_width;
  return {p.in_channels, kFloatsAtOnce, static_cast<double>(each), threads};
}

}  // namespace

std::unique_ptr<XnnFloats> MakeXnnMeanPool(const XnnConvProblem& p, std::size_t threads) {
  if (p.dilation_height != 1 || p.dilation_width != 1) return nullptr;
  return LayerOperator<float>::Made(
      SharingOfChannels(p, threads),
      [&](XnnShares::Range which, xnn_operator_t* made) {
        return xnn_create_average_pooling2d_nhwc_f32(
            XnnNumber(p.top), XnnNumber(p.right), XnnNumber(p.bottom), XnnNumber(p.left),
            XnnNumber(p.kernel_height), XnnNumber(p.kernel_width), XnnNumber(p.stride_height),
            XnnNumber(p.stride_width), XnnCount(which.size()), XnnCount(p.in_channels),
            XnnCount(p.in_channels), -kMost, kMost, 0, made);
      },
      [p](xnn_operator_t of, XnnShares::Range which, const float* a, const float*, float* to) {
        return xnn_setup_average_pooling2d_nhwc_f32(of, XnnCount(p.images), XnnCount(p.in_height),
                                                    XnnCount(p.in_width), a + which.begin, to + which.begin,
                                                    nullptr);
      });
}

std::unique_ptr<XnnFloats> MakeXnnMean(std::int64_t images, std::int64_t positions, std::int64_t channels,
                                       std::size_t threads) {
  return LayerOperator<float>::Made(
      {channels, kFloatsAtOnce, static_cast<double>(images * positions), threads},
      [&](XnnShares::Range which, xnn_operator_t* made) {
        return xnn_create_global_average_pooling_nwc_f32(XnnCount(which.size()), XnnCount(channels),
                                                         XnnCount(channels), -kMost, kMost, 0, made);
      },
      [images, positions](xnn_operator_t of, XnnShares::Range which, const float* a, const float*,
                          float* to) {
        return xnn_setup_global_average_pooling_nwc_f32(of, XnnCount(images), XnnCount(positions),
                                                        a + which.begin, to + which.begin, nullptr);
      });
}

}  // namespace tandem
