#include "device/backends/cpu/onednn/xnn_conv.h"

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

}  // namespace tandem
