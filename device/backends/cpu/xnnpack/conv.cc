#include "device/backends/cpu/xnnpack/conv.h"

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

}  // namespace

std::unique_ptr<XnnConv> MakeXnnConv(const XnnConvProblem& problem, const float* weights, const float* bias,
                                     const XnnThreads& threads) {
  if (!XnnIsReady()) return nullptr;
  auto conv = std::make_unique<Conv>(problem, threads);
  if (!conv->Make(XnnOrder(problem, weights).data(), bias)) return nullptr;
  return conv;
}

}  // namespace tandem
