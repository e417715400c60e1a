#include "device/backends/cpu/xnnpack/conv.h"

#include <algorithm>

#include "device/backends/cpu/xnnpack/operator.h"

namespace tandem {
namespace {

class Conv final : public XnnConv {
 public:
  Conv(const XnnConvProblem& problem, const XnnThreads& threads)
      : problem_(problem), threads_(PoolOf(threads)) {}

  bool Make(const float* weights, const float* bias) {
    const XnnConvProblem& p = problem_;
    const auto create =
        p.transposed ? xnn_create_deconvolution2d_nhwc_f32 : xnn_create_convolution2d_nhwc_f32;
    return operator_.Make([&](xnn_operator_t* made) {
      return create(XnnNumber(p.top), XnnNumber(p.right), XnnNumber(p.bottom), XnnNumber(p.left),
                    XnnNumber(p.kernel_height), XnnNumber(p.kernel_width), XnnNumber(p.stride_height),
                    XnnNumber(p.stride_width), XnnNumber(p.dilation_height), XnnNumber(p.dilation_width),
                    XnnNumber(p.groups), XnnCount(p.in_channels / p.groups),
                    XnnCount(p.out_channels / p.groups), XnnCount(p.in_channels), XnnCount(p.out_channels),
                    weights, bias, p.low, p.high, 0, made);
    });
  }

  void Run(const float* from, float* to) override {
    if (from != from_ || to != to_) SetUp(from, to);
    CheckXnn(xnn_run_operator(operator_.get(), threads_));
  }
  std::int64_t Bytes() const override { return operator_.Bytes(); }
  const std::vector<Piece>& Packed() const override { return operator_.packed(); }

 private:
  void SetUp(const float* from, float* to) {
    const XnnConvProblem& p = problem_;
    if (p.transposed) {
      CheckXnn(xnn_setup_deconvolution2d_nhwc_f32(operator_.get(), XnnCount(p.images), XnnCount(p.in_height),
                                                  XnnCount(p.in_width), XnnNumber(p.adjust_height),
                                                  XnnNumber(p.adjust_width), from, to, threads_));
    } else {
      CheckXnn(xnn_setup_convolution2d_nhwc_f32(operator_.get(), XnnCount(p.images), XnnCount(p.in_height),
                                                XnnCount(p.in_width), from, to, threads_));
    }
    from_ = from;
    to_ = to;
  }

  XnnConvProblem problem_;
  pthreadpool_t threads_;
  XnnOperator operator_;
  const float* from_ = nullptr;
  float* to_ = nullptr;
};

constexpr std::int64_t kFewChannels = 4;

std::int64_t Windows(std::int64_t in, std::int64_t pads, std::int64_t kernel, std::int64_t dilation,
                     std::int64_t stride) {
  return (in + pads - (kernel - 1) * dilation - 1) / stride + 1;
}

// XNNPACK's kernels go through the channels of a position four at a time, of which an image has three: so
// what a window sees is laid side by side first, and is one position of many channels.
class PatchedConv final : public XnnConv {
 public:
  PatchedConv(const XnnConvProblem& problem, const XnnThreads& threads)
      : problem_(problem),
        threads_(PoolOf(threads)),
        out_height_(Windows(problem.in_height, problem.top + problem.bottom, problem.kernel_height,
                            problem.dilation_height, problem.stride_height)),
        out_width_(Windows(problem.in_width, problem.left + problem.right, problem.kernel_width,
                           problem.dilation_width, problem.stride_width)),
        patch_(problem.kernel_height * problem.kernel_width * problem.in_channels),
        patches_(XnnCount(problem.images * out_height_ * out_width_ * patch_ + kMayReadBeyond)),
        conv_(OfPatches(), threads) {}

  static bool IsFor(const XnnConvProblem& p) {
    return !p.transposed && p.groups == 1 && p.in_channels <= kFewChannels &&
           p.kernel_height * p.kernel_width > 1;
  }

  bool Make(const float* weights, const float* bias) { return conv_.Make(weights, bias); }

  void Run(const float* from, float* to) override {
    from_ = from;
    const auto row = [](void* of, std::size_t at) {
      static_cast<PatchedConv*>(of)->LayRow(static_cast<std::int64_t>(at));
    };
    pthreadpool_parallelize_1d(threads_, row, this, XnnCount(problem_.images * out_height_), 0);
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
  void LayRow(std::int64_t row) {
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
        const float* const line = from_ + (image * p.in_height + y) * p.in_width * p.in_channels;
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
  pthreadpool_t threads_;
  std::int64_t out_height_, out_width_, patch_;
  std::vector<float> patches_;
  const float* from_ = nullptr;
  Conv conv_;
};

template <class Made>
std::unique_ptr<XnnConv> MadeOrNull(const XnnConvProblem& problem, const XnnThreads& threads,
                                    const float* weights, const float* bias) {
  auto conv = std::make_unique<Made>(problem, threads);
  if (!conv->Make(weights, bias)) return nullptr;
  return conv;
}

}  // namespace

std::unique_ptr<XnnConv> MakeXnnConv(const XnnConvProblem& problem, const float* weights, const float* bias,
                                     const XnnThreads& threads) {
  if (!XnnIsReady()) return nullptr;
  const std::vector<float> ordered = XnnOrder(problem, weights);
  if (PatchedConv::IsFor(problem)) return MadeOrNull<PatchedConv>(problem, threads, ordered.data(), bias);
  return MadeOrNull<Conv>(problem, threads, ordered.data(), bias);
}

}  // namespace tandem
