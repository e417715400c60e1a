#include "tests/support/device/host_card_stream.h"

#include <cstring>
#include <typeinfo>

#include "profiles/base/input_error.h"
#include "tests/support/device/cuda_on_host/host_kernels.h"

namespace tandem::gpu {
namespace {

constexpr Nanos kStart{2000};  // of any call, by the card's clock

struct HostGraph final : Graph {
  std::vector<std::function<void()>> work;
};

// By the card's clock: a multiply-accumulate each nanosecond, less by better algorithms.
Nanos ConvTime(const HostConv& conv, Format fast) {
  const CardConv& p = conv.problem;
  const std::int64_t macs = p.n * p.out_c * p.out_h * p.out_w * p.in_c / p.groups * p.kernel.h * p.kernel.w;
  const std::int64_t share = conv.way.algorithm == kWinograd ? 2 : conv.way.algorithm == kPrecomputed ? 3 : 4;
  return kStart + Nanos(macs * share / 4 * (p.format == fast ? 1 : 2));
}

}  // namespace

void HostStream::Do(CardCall call, Nanos takes, Work work) {
  card_.Note(call);
  card_.WorksFor(urgency_);
  if (part_ && call != CardCall::kCopy) takes *= *part_;
  if (!card_.options().computes && call != CardCall::kCopy) return card_.Pass(takes);
  if (capturing_) {
    noted_.push_back([this, takes, work = std::move(work)] {
      work();
      card_.Pass(takes);
    });
    return;
  }
  const HostCard::Touch touch(card_);
  work();
  card_.Pass(takes);
}

void HostStream::Know(std::initializer_list<const void*> addresses) const {
  for (const void* at : addresses) {
    if (at != nullptr && !card_.SpaceOf(at)) {
      throw EnvironmentError("an illegal memory access: a kernel was given memory of the host");
    }
  }
}

void HostStream::NotWhileCapturing(const char* what) const {
  if (capturing_) throw EnvironmentError(std::string(what) + " is not permitted while a graph is made");
}

void HostStream::Copy(void* to, const void* from, std::size_t bytes) {
  if (!card_.SpaceOf(to) || !card_.SpaceOf(from)) NotWhileCapturing("a copy of plain host memory");
  Do(CardCall::kCopy, kStart + Nanos(bytes / 16), [=] { std::memmove(to, from, bytes); });
}

void HostStream::CopyRows(void* to, const void* from, std::size_t rows, std::size_t row_bytes,
                          std::size_t stride_bytes) {
  NotWhileCapturing("a copy of rows");
  Do(CardCall::kCopy, kStart + Nanos(rows * row_bytes / 16), [=] {
    for (std::size_t row = 0; row < rows; ++row) {
      std::memmove(static_cast<std::byte*>(to) + row * stride_bytes,
                   static_cast<const std::byte*>(from) + row * stride_bytes, row_bytes);
    }
  });
}

void HostStream::Fill(void* to, std::size_t bytes) {
  Know({to});
  Do(CardCall::kCopy, kStart, [=] { std::memset(to, 0, bytes); });
}

void HostStream::Run(const Conv& conv, const ConvArguments& a) {
  const auto& own = static_cast<const HostConv&>(conv);
  Know({a.x, a.weight, a.added, a.bias, a.y, a.workspace});
  if (own.way.workspace > 0 && a.workspace == nullptr) throw EnvironmentError("the workspace is missing");
  card_.Start(&conv, capturing_);
  Do(CardCall::kConv, ConvTime(own, card_.options().fast_format), [&own, a] {
    if (own.way.workspace > 0) std::memset(a.workspace, 0xff, own.way.workspace);
    RunHostConv(own, a);
  });
}

void HostStream::Run(const GemmCall& call) {
  Know({call.a, call.b, call.c});
  card_.Start(&typeid(call), capturing_);
  Do(CardCall::kKernel, kStart + Nanos(call.m * call.n * call.k * call.batch), [=] { RunHostGemm(call); });
}

template <class Call>
void HostStream::Kernel(const Call& call, int (*kernel)(const Call&, void*),
                        std::initializer_list<const void*> addresses) {
  Know(addresses);
  card_.Start(&typeid(call), capturing_);
  Do(CardCall::kKernel, kStart, [=] {
    if (kernel == nullptr || kernel(call, nullptr) != 0) throw EnvironmentError("a kernel does not start");
  });
}

void HostStream::Run(const ChannelCall& c) {
  Kernel(c, HostKernels().channel, {c.x, c.added, c.y, c.factor, c.offset, c.slope});
}
void HostStream::Run(const BinaryCall& c) { Kernel(c, HostKernels().binary, {c.a, c.b, c.y}); }
void HostStream::Run(const GatherCall& c) {
  for (int axis = 0; axis < c.axes; ++axis) Know({c.table[axis]});
  Kernel(c, HostKernels().gather, {c.x, c.y});
}
void HostStream::Run(const ResizeCall& c) { Kernel(c, HostKernels().resize, {c.x, c.y}); }
void HostStream::Run(const PoolCall& c) { Kernel(c, HostKernels().pool, {c.x, c.y}); }
void HostStream::Run(const LrnCall& c) { Kernel(c, HostKernels().lrn, {c.x, c.y}); }
void HostStream::Run(const RowsCall& c) { Kernel(c, HostKernels().rows, {c.x, c.y, c.gamma, c.beta}); }
void HostStream::Run(const MeanCall& c) { Kernel(c, HostKernels().mean, {c.x, c.y}); }
void HostStream::Run(const DepthwiseCall& c) {
  Kernel(c, HostKernels().depthwise, {c.x, c.weight, c.added, c.bias, c.y});
}
void HostStream::Run(const MatvecCall& c) { Kernel(c, HostKernels().matvec, {c.x, c.weight, c.bias, c.y}); }
void HostStream::Run(const BurnCall& c) { Kernel(c, HostKernels().burn, {c.values}); }

void HostStream::Record(Event& event) {
  NotWhileCapturing("recording an event");
  SetEvent(event, card_.now());
}

void HostStream::BeginCapture() {
  NotWhileCapturing("beginning another");
  capturing_ = true;
}

std::unique_ptr<Graph> HostStream::EndCapture(std::unique_ptr<Graph>) {
  capturing_ = false;
  auto graph = std::make_unique<HostGraph>();
  graph->work.swap(noted_);
  return graph;
}

void HostStream::Run(const Graph& graph) {
  NotWhileCapturing("running a graph");
  Do(CardCall::kGraph, Nanos(0), [&] {
    for (const auto& work : static_cast<const HostGraph&>(graph).work) work();
  });
}

void HostStream::Wait() { NotWhileCapturing("waiting"); }

}  // namespace tandem::gpu
