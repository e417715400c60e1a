#include "device/backends/cpu/xnnpack/bytes.h"

#include <functional>
#include <utility>

#include "device/backends/cpu/xnnpack/operator.h"

namespace tandem {
namespace {

std::int8_t ZeroOf(ByteGrid grid) { return static_cast<std::int8_t>(grid.zero); }

class ByteOperator final : public XnnBytes {
 public:
  // Tells the library where the tensors lie.
  using SetUp = std::function<xnn_status(xnn_operator_t, const std::int8_t* a, const std::int8_t* b,
                                         std::int8_t* to, pthreadpool_t)>;

  // Null where the library has none.
  template <class Create>
  static std::unique_ptr<XnnBytes> Made(const XnnThreads& threads, Create create, SetUp set_up) {
    if (!XnnIsReady()) return nullptr;
    std::unique_ptr<ByteOperator> made(new ByteOperator(threads, std::move(set_up)));
    if (!made->operator_.Make(create)) return nullptr;
    return made;
  }

  void Run(const std::int8_t* a, const std::int8_t* b, std::int8_t* to) override {
    if (a != a_ || b != b_ || to != to_) {
      CheckXnn(set_up_(operator_.get(), a, b, to, threads_));
      a_ = a;
      b_ = b;
      to_ = to;
    }
    CheckXnn(xnn_run_operator(operator_.get(), threads_));
  }
  std::int64_t Bytes() const override { return operator_.Bytes(); }

 private:
  ByteOperator(const XnnThreads& threads, SetUp set_up)
      : set_up_(std::move(set_up)), threads_(PoolOf(threads)) {}

  SetUp set_up_;
  pthreadpool_t threads_;
  XnnOperator operator_;
  const std::int8_t *a_ = nullptr, *b_ = nullptr;
  std::int8_t* to_ = nullptr;
};

}  // namespace

std::unique_ptr<XnnBytes> MakeXnnByteConv(const XnnConvProblem& p, ByteGrid in, ByteGrid out, ByteRange range,
                                          const float* steps, const std::int8_t* weights,
                                          const std::int32_t* bias, const XnnThreads& threads) {
  if (p.transposed) return nullptr;
  const std::vector<std::int8_t> ordered = XnnOrder(p, weights);
  const auto create = [&](xnn_operator_t* made) {
    return xnn_create_convolution2d_nhwc_qc8(
        XnnNumber(p.top), XnnNumber(p.right), XnnNumber(p.bottom), XnnNumber(p.left),
        XnnNumber(p.kernel_height), XnnNumber(p.kernel_width), XnnNumber(p.stride_height),
        XnnNumber(p.stride_width), XnnNumber(p.dilation_height), XnnNumber(p.dilation_width),
        XnnNumber(p.groups), XnnCount(p.in_channels / p.groups), XnnCount(p.out_channels / p.groups),
        XnnCount(p.in_channels), XnnCount(p.out_channels), ZeroOf(in), in.scale, steps, ordered.data(), bias,
        ZeroOf(out), out.scale, range.low, range.high, 0, made);
  };
  return ByteOperator::Made(
      threads, create,
      [p](xnn_operator_t of, const std::int8_t* a, const std::int8_t*, std::int8_t* to, pthreadpool_t pool) {
        return xnn_setup_convolution2d_nhwc_qc8(of, XnnCount(p.images), XnnCount(p.in_height),
                                                XnnCount(p.in_width), a, to, pool);
      });
}

std::unique_ptr<XnnBytes> MakeXnnByteSum(std::int64_t count, ByteGrid a, ByteGrid b, ByteGrid out,
                                         ByteRange range, const XnnThreads& threads) {
  return ByteOperator::Made(
      threads,
      [&](xnn_operator_t* made) {
        return xnn_create_add_nd_qs8(ZeroOf(a), a.scale, ZeroOf(b), b.scale, ZeroOf(out), out.scale,
                                     range.low, range.high, 0, made);
      },
      [count](xnn_operator_t of, const std::int8_t* one, const std::int8_t* other, std::int8_t* to,
              pthreadpool_t pool) {
        const std::size_t shape[] = {XnnCount(count)};
        return xnn_setup_add_nd_qs8(of, 1, shape, 1, shape, one, other, to, pool);
      });
}

std::unique_ptr<XnnBytes> MakeXnnByteMaxPool(const XnnConvProblem& p, const XnnThreads& threads) {
  return ByteOperator::Made(
      threads,
      [&](xnn_operator_t* made) {
        return xnn_create_max_pooling2d_nhwc_s8(
            XnnNumber(p.top), XnnNumber(p.right), XnnNumber(p.bottom), XnnNumber(p.left),
            XnnNumber(p.kernel_height), XnnNumber(p.kernel_width), XnnNumber(p.stride_height),
            XnnNumber(p.stride_width), XnnNumber(p.dilation_height), XnnNumber(p.dilation_width),
            XnnCount(p.in_channels), XnnCount(p.in_channels), XnnCount(p.in_channels), ByteRange{}.low,
            ByteRange{}.high, 0, made);
      },
      [p](xnn_operator_t of, const std::int8_t* a, const std::int8_t*, std::int8_t* to, pthreadpool_t pool) {
        return xnn_setup_max_pooling2d_nhwc_s8(of, XnnCount(p.images), XnnCount(p.in_height),
                                               XnnCount(p.in_width), a, to, pool);
      });
}

std::unique_ptr<XnnBytes> MakeXnnByteMean(std::int64_t images, std::int64_t positions, std::int64_t channels,
                                          ByteGrid in, ByteGrid out, ByteRange range,
                                          const XnnThreads& threads) {
  return ByteOperator::Made(
      threads,
      [&](xnn_operator_t* made) {
        return xnn_create_global_average_pooling_nwc_qs8(
            XnnCount(channels), XnnCount(channels), XnnCount(channels), ZeroOf(in), in.scale, ZeroOf(out),
            out.scale, range.low, range.high, 0, made);
      },
      [images, positions](xnn_operator_t of, const std::int8_t* a, const std::int8_t*, std::int8_t* to,
                          pthreadpool_t pool) {
        return xnn_setup_global_average_pooling_nwc_qs8(of, XnnCount(images), XnnCount(positions), a, to,
                                                        pool);
      });
}

}  // namespace tandem
