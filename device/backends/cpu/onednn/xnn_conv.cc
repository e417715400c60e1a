#include "device/backends/cpu/onednn/xnn_conv.h"

#include <algorithm>

namespace tandem {
namespace {

// Does it only cut values off?
bool IsClamp(const PostOp& post, XnnConvProblem& problem) {
  if (post.sum) return false;
  if (post.function == dnnl::algorithm::eltwise_relu && post.alpha == 0) {
    problem.low = 0;
    return true;
  }
  if (post.function != dnnl::algorithm::eltwise_clip || !(post.alpha < post.beta)) return false;
  problem.low = post.alpha;
  problem.high = post.beta;
  return true;
}

}  // namespace

std::optional<XnnFit> FitOf(const ConvProblem& of) {
  XnnFit fit;
  XnnConvProblem& p = fit.problem;
  const std::size_t first = of.weights.size() - 4;
  p.transposed = of.transposed;
  p.images = of.src[0];
  p.in_channels = of.src[1];
  p.in_height = of.src[2];
  p.in_width = of.src[3];
  p.out_channels = of.dst[1];
  p.groups = first == 1 ? of.weights[0] : 1;
  p.kernel_height = of.weights[first + 2];
  p.kernel_width = of.weights[first + 3];
  p.stride_height = of.strides[0];
  p.stride_width = of.strides[1];
  p.dilation_height = of.dilates[0] + 1;
  p.dilation_width = of.dilates[1] + 1;
  p.top = of.pad_before[0];
  p.left = of.pad_before[1];
  p.bottom = of.pad_after[0];
  p.right = of.pad_after[1];
  if (p.top < 0 || p.left < 0 || p.right < 0 || p.bottom < 0) return std::nullopt;
  if (p.images * p.in_height * p.in_width == 0) return std::nullopt;
  fit.after = of.posts;
  if (!fit.after.empty() && IsClamp(fit.after.front(), p)) fit.after.erase(fit.after.begin());
  return fit;
}

XnnConvProblem XnnProblemOf(const Shape& in, const Shape& out, const ConvAttributes& a) {
  XnnConvProblem p;
  p.images = in[0];
  p.in_channels = in[1];
  p.in_height = in[2];
  p.in_width = in[3];
  p.out_channels = out[1];
  p.groups = a.groups;
  p.kernel_height = a.kernel.h;
  p.kernel_width = a.kernel.w;
  p.stride_height = a.stride.h;
  p.stride_width = a.stride.w;
  p.dilation_height = a.dilation.h;
  p.dilation_width = a.dilation.w;
  p.top = a.pad.top;
  p.left = a.pad.left;
  p.bottom = a.pad.bottom;
  p.right = a.pad.right;
  return p;
}

XnnConvProblem XnnProblemOf(const Shape& in, const Shape& out, const PoolAttributes& a) {
  ConvAttributes window;
  window.kernel = a.kernel;
  window.stride = a.stride;
  window.dilation = a.dilation;
  window.pad = a.pad;
  const auto reach = [](std::int64_t out_extent, std::int64_t stride, std::int64_t kernel,
                        std::int64_t dilation, std::int64_t extent, std::int64_t before) {
    return std::max<std::int64_t>(0,
                                  (out_extent - 1) * stride + (kernel - 1) * dilation + 1 - extent - before);
  };
  window.pad.bottom = reach(out[2], a.stride.h, a.kernel.h, a.dilation.h, in[2], a.pad.top);
  window.pad.right = reach(out[3], a.stride.w, a.kernel.w, a.dilation.w, in[3], a.pad.left);
  return XnnProblemOf(in, out, window);
}

}  // namespace tandem
