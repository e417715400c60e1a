#include "device/backends/cpu/xnnpack/conv.h"

#include <pthreadpool.h>
#include <sched.h>
#include <xnnpack.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "profiles/base/input_error.h"

namespace tandem {

struct XnnThreads::Pool {
  pthreadpool_t threads = nullptr;
};

namespace {

// Of the operator that is being made on this thread.
thread_local std::vector<XnnConv::Piece>* noted = nullptr;

void* Aligned(void*, std::size_t alignment, std::size_t bytes) {
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, bytes) != 0) return nullptr;
  if (noted != nullptr) noted->push_back({memory, bytes});
  return memory;
}

// What XNNPACK packs it allocates so; where that lies has to be known to bring it out of the caches.
bool IsReady() {
  static const bool ready = [] {
    static const xnn_allocator allocator = {
        nullptr,
        [](void*, std::size_t bytes) { return std::malloc(bytes); },
        [](void*, void* memory, std::size_t bytes) { return std::realloc(memory, bytes); },
        [](void*, void* memory) { std::free(memory); },
        Aligned,
        [](void*, void* memory) { std::free(memory); },
    };
    return xnn_initialize(&allocator) == xnn_status_success;
  }();
  return ready;
}

// From output, input, row, column (of a transposed one input, output, ...) to group, output, row, column,
// input.
std::vector<float> InOrder(const XnnConvProblem& p, const float* weights) {
  const auto inputs = static_cast<std::size_t>(p.in_channels / p.groups),
             outputs = static_cast<std::size_t>(p.out_channels / p.groups),
             window = static_cast<std::size_t>(p.kernel_height * p.kernel_width);
  std::vector<float> ordered(static_cast<std::size_t>(p.groups) * inputs * outputs * window);
  float* to = ordered.data();
  for (std::int64_t group = 0; group < p.groups; ++group) {
    const float* const of_group = weights + static_cast<std::size_t>(group) * inputs * outputs * window;
    for (std::size_t o = 0; o < outputs; ++o) {
      for (std::size_t w = 0; w < window; ++w) {
        for (std::size_t i = 0; i < inputs; ++i) {
          const std::size_t at = p.transposed ? i * outputs + o : o * inputs + i;
          *to++ = of_group[at * window + w];
        }
      }
    }
  }
  return ordered;
}

std::uint32_t Of(std::int64_t value) { return static_cast<std::uint32_t>(value); }
std::size_t Count(std::int64_t value) { return static_cast<std::size_t>(value); }

class Conv final : public XnnConv {
 public:
  Conv(const XnnConvProblem& problem, pthreadpool_t threads) : problem_(problem), threads_(threads) {}
  ~Conv() override {
    if (operator_ != nullptr) xnn_delete_operator(operator_);
  }
  Conv(const Conv&) = delete;
  Conv& operator=(const Conv&) = delete;

  bool Make(const float* weights, const float* bias) {
    noted = &packed_;
    const xnn_status made = problem_.transposed ? MakeTransposed(weights, bias) : MakePlain(weights, bias);
    noted = nullptr;
    return made == xnn_status_success;
  }

  void Run(const float* from, float* to) override {
    if (from != from_ || to != to_) SetUp(from, to);
    Check(xnn_run_operator(operator_, threads_));
  }
  std::int64_t Bytes() const override {
    std::int64_t bytes = 0;
    for (const Piece& piece : packed_) bytes += static_cast<std::int64_t>(piece.bytes);
    return bytes;
  }
  const std::vector<Piece>& Packed() const override { return packed_; }

 private:
  xnn_status MakePlain(const float* weights, const float* bias) {
    const XnnConvProblem& p = problem_;
    return xnn_create_convolution2d_nhwc_f32(
        Of(p.top), Of(p.right), Of(p.bottom), Of(p.left), Of(p.kernel_height), Of(p.kernel_width),
        Of(p.stride_height), Of(p.stride_width), Of(p.dilation_height), Of(p.dilation_width), Of(p.groups),
        Count(p.in_channels / p.groups), Count(p.out_channels / p.groups), Count(p.in_channels),
        Count(p.out_channels), weights, bias, p.low, p.high, 0, &operator_);
  }
  xnn_status MakeTransposed(const float* weights, const float* bias) {
    const XnnConvProblem& p = problem_;
    return xnn_create_deconvolution2d_nhwc_f32(
        Of(p.top), Of(p.right), Of(p.bottom), Of(p.left), Of(p.kernel_height), Of(p.kernel_width),
        Of(p.stride_height), Of(p.stride_width), Of(p.dilation_height), Of(p.dilation_width), Of(p.groups),
        Count(p.in_channels / p.groups), Count(p.out_channels / p.groups), Count(p.in_channels),
        Count(p.out_channels), weights, bias, p.low, p.high, 0, &operator_);
  }
  void SetUp(const float* from, float* to) {
    const XnnConvProblem& p = problem_;
    if (p.transposed) {
      Check(xnn_setup_deconvolution2d_nhwc_f32(operator_, Count(p.images), Count(p.in_height),
                                               Count(p.in_width), Of(p.adjust_height), Of(p.adjust_width),
                                               from, to, threads_));
    } else {
      Check(xnn_setup_convolution2d_nhwc_f32(operator_, Count(p.images), Count(p.in_height),
                                             Count(p.in_width), from, to, threads_));
    }
    from_ = from;
    to_ = to;
  }
  static void Check(xnn_status status) {
    if (status == xnn_status_out_of_memory) throw std::bad_alloc();
    if (status != xnn_status_success)
      throw EnvironmentError("XNNPACK could not run it: status " + std::to_string(status));
  }

  XnnConvProblem problem_;
  pthreadpool_t threads_;
  xnn_operator_t operator_ = nullptr;
  std::vector<Piece> packed_;
  const float* from_ = nullptr;
  float* to_ = nullptr;
};

struct Pinning {
  const std::vector<std::int64_t>* cores;
  std::atomic<std::size_t> waiting;
};

// Each thread of the pool takes one item, as it waits there for all others.
void PinOne(void* of, std::size_t item) {
  auto& pinning = *static_cast<Pinning*>(of);
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>((*pinning.cores)[item]), &set);
  sched_setaffinity(0, sizeof set, &set);
  --pinning.waiting;
  while (pinning.waiting > 0) sched_yield();
}

}  // namespace

XnnThreads::XnnThreads(const std::vector<std::int64_t>& cores) {
  if (cores.size() < 2) return;
  pool_.reset(new Pool{pthreadpool_create(cores.size())});
  if (pool_->threads == nullptr) throw EnvironmentError("the threads of XNNPACK cannot be started");
  Pinning pinning{&cores, {cores.size()}};
  pthreadpool_parallelize_1d(pool_->threads, PinOne, &pinning, cores.size(), 0);
}
XnnThreads::~XnnThreads() = default;

void XnnThreads::Release::operator()(Pool* pool) const {
  pthreadpool_destroy(pool->threads);
  delete pool;
}

std::string XnnVersion() { return IsReady() ? TANDEM_XNNPACK_VERSION : ""; }

std::unique_ptr<XnnConv> MakeXnnConv(const XnnConvProblem& problem, const float* weights, const float* bias,
                                     const XnnThreads& threads) {
  if (!IsReady()) return nullptr;
  auto conv = std::make_unique<Conv>(problem, threads.pool() ? threads.pool()->threads : nullptr);
  if (!conv->Make(InOrder(problem, weights).data(), bias)) return nullptr;
  return conv;
}

}  // namespace tandem
