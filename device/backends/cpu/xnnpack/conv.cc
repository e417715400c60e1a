#include "device/backends/cpu/xnnpack/conv.h"

#include <algorithm>

#include "device/backends/cpu/xnnpack/calls.h"

namespace tandem {
namespace {

std::int64_t Windows(std::int64_t in, std::int64_t pads, std::int64_t kernel, std::int64_t dilation,
                     std::int64_t stride) {
  return (in + pads - (kernel - 1) * dilation - 1) / stride + 1;
}

class Conv final : public XnnConv {
 public:
  Conv(const XnnConvProblem& problem, std::size_t threads) : problem_(problem), threads_(threads) {}

  bool Make(const float* weights, const float* bias) {
    return shares_.Make(SharingOf(problem_, threads_), [&](XnnShares::Range range, xnn_operator_t* made) {
      const XnnConvShare share = ShareOf(problem_, range);
      return xnn::MakeConv(problem_, share, weights + share.first_weight,
                           bias ? bias + share.first_output : nullptr, made);
    });
  }

  void Run(const float* from, float* to) override {
    if (from != from_ || to != to_) SetUp(from, to);
    shares_.Run();
  }
  std::int64_t Bytes() const override { return shares_.Bytes(); }
  const std::vector<Piece>& Packed() const override { return shares_.packed(); }

 private:
  void SetUp(const float* from, float* to) {
    shares_.ForEach([&](XnnShares::Range range, XnnOperator& of) {
      const XnnConvShare share = ShareOf(problem_, range);
      return xnn::SetUpConv(problem_, of, from + share.first_input, to + share.first_output);
    });
    from_ = from;
    to_ = to;
  }

  XnnConvProblem problem_;
  std::size_t threads_;
  XnnShares shares_;
  const float* from_ = nullptr;
  float* to_ = nullptr;
};

constexpr std::int64_t kFewChannels = 4;

// XNNPACK's kernels go through the channels of a position four at a time, of which an image has three: so
// what a window sees is laid side by side first, and is one position of many channels.
class PatchedConv final : public XnnConv {
 public:
  PatchedConv(const XnnConvProblem& problem, std::size_t threads)
      : problem_(problem),
        out_height_(OutHeight(problem)),
        out_width_(OutWidth(problem)),
        patch_(problem.kernel_height * problem.kernel_width * problem.in_channels),
        patches_(XnnCount(problem.images * out_height_ * out_width_ * patch_ + kMayReadBeyond)),
        conv_(OfPatches(), threads) {}

  static bool IsFor(const XnnConvProblem& p) {
    return !p.transposed && p.groups == 1 && p.in_channels <= kFewChannels &&
           p.kernel_height * p.kernel_width > 1;
  }

  bool Make(const float* weights, const float* bias) { return conv_.Make(weights, bias); }

  void Run(const float* from, float* to) override {
    const std::int64_t rows = problem_.images * out_height_;
#pragma omp parallel for
    for (std::int64_t row = 0; row < rows; ++row) LayRow(row, from);
    conv_.Run(patches_.data(), to);
  }
  std::int64_t Bytes() const override {
    return conv_.Bytes() + static_cast<std::int64_t>(patches_.size() * sizeof(float));
  }
  const std::vector<Piece>& Packed() const override { return conv_.Packed(); }

 private:
  static constexpr std::int64_t kMayReadBeyond = 4;

  XnnConvProblem OfPatches() const {
    XnnConvProblem point;
    point.images = problem_.images;
    point.in_height = out_height_;
    point.in_width = out_width_;
    point.in_channels = patch_;
    point.out_channels = problem_.out_channels;
    point.low = problem_.low;
    point.high = problem_.high;
    return point;
  }

  // Of all windows of one row of the output.
  void LayRow(std::int64_t row, const float* from) {
    const XnnConvProblem& p = problem_;
    const std::int64_t image = row / out_height_, top = row % out_height_ * p.stride_height - p.top;
    float* to = patches_.data() + row * out_width_ * patch_;
    for (std::int64_t column = 0; column < out_width_; ++column) {
      const std::int64_t left = column * p.stride_width - p.left;
      for (std::int64_t h = 0; h < p.kernel_height; ++h) {
        const std::int64_t y = top + h * p.dilation_height;
        if (y < 0 || y >= p.in_height) {
          to = std::fill_n(to, p.kernel_width * p.in_channels, 0.0f);
          continue;
        }
        const float* const line = from + (image * p.in_height + y) * p.in_width * p.in_channels;
        if (p.dilation_width == 1 && left >= 0 && left + p.kernel_width <= p.in_width) {
          to = std::copy_n(line + left * p.in_channels, p.kernel_width * p.in_channels, to);
          continue;
        }
        for (std::int64_t x = left, w = 0; w < p.kernel_width; ++w, x += p.dilation_width) {
          const bool inside = x >= 0 && x < p.in_width;
          to = inside ? std::copy_n(line + x * p.in_channels, p.in_channels, to)
                      : std::fill_n(to, p.in_channels, 0.0f);
        }
      }
    }
  }

  XnnConvProblem problem_;
  std::int64_t out_height_, out_width_, patch_;
  std::vector<float> patches_;
  Conv conv_;
};

template <class Made>
std::unique_ptr<XnnConv> MadeOrNull(const XnnConvProblem& problem, std::size_t threads, const float* weights,
                                    const float* bias) {
  auto conv = std::make_unique<Made>(problem, threads);
  if (!conv->Make(weights, bias)) return nullptr;
  return conv;
}

}  // namespace

std::int64_t OutHeight(const XnnConvProblem& p) {
  return Windows(p.in_height, p.top + p.bottom, p.kernel_height, p.dilation_height, p.stride_height);
}

std::int64_t OutWidth(const XnnConvProblem& p) {
  return Windows(p.in_width, p.left + p.right, p.kernel_width, p.dilation_width, p.stride_width);
}

std::unique_ptr<XnnConv> MakeXnnConv(const XnnConvProblem& problem, const float* weights, const float* bias,
                                     std::size_t threads) {
  if (!XnnIsReady()) return nullptr;
  const std::vector<float> ordered = XnnOrder(problem, weights);
  if (PatchedConv::IsFor(problem)) return MadeOrNull<PatchedConv>(problem, threads, ordered.data(), bias);
  return MadeOrNull<Conv>(problem, threads, ordered.data(), bias);
}

}  // namespace tandem
