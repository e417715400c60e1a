#include "device/backends/cpu/xnnpack/operator.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

// Of the operator that is being made on this thread.
thread_local std::vector<XnnConv::Piece>* noted = nullptr;

constexpr std::size_t kLargePage = std::size_t{2} << 20;

// Large ones in large pages where the system has some: weights are read from end to end.
void* Aligned(void*, std::size_t alignment, std::size_t bytes) {
  void* memory = nullptr;
  const bool large = bytes >= kLargePage;
  if (posix_memalign(&memory, large ? std::max(alignment, kLargePage) : alignment, bytes) != 0)
    return nullptr;
  if (large) madvise(memory, bytes, MADV_HUGEPAGE);
  if (noted != nullptr) noted->push_back({memory, bytes});
  return memory;
}

constexpr double kWorthAThread = 65536;  // of work: a microsecond or two
// Channels that the library's kernels do at once, on the widest processors.
constexpr std::int64_t kChannelsAtOnce = 16;

}  // namespace

// What XNNPACK packs it allocates so; where that lies has to be known to bring it out of the caches.
bool XnnIsReady() {
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

void CheckXnn(xnn_status status) {
  if (status == xnn_status_out_of_memory) throw std::bad_alloc();
  if (status != xnn_status_success)
    throw EnvironmentError("XNNPACK could not run it: status " + std::to_string(status));
}

XnnOperator::Noting::Noting(std::vector<XnnConv::Piece>& pieces) { noted = &pieces; }
XnnOperator::Noting::~Noting() { noted = nullptr; }

XnnOperator::~XnnOperator() {
  if (operator_ != nullptr) xnn_delete_operator(operator_);
}

void* XnnOperator::Workspace(std::size_t bytes, std::size_t alignment) {
  if (bytes == 0) return nullptr;
  if (workspace_.size() < bytes + alignment) workspace_.resize(bytes + alignment);
  void* at = workspace_.data();
  std::size_t room = workspace_.size();
  return std::align(alignment, bytes, at, room);
}

std::vector<XnnShares::Range> XnnShares::RangesOf(const XnnSharing& sharing) {
  const double worth = std::max(1.0, static_cast<double>(sharing.count) * sharing.work / kWorthAThread);
  const auto threads = static_cast<std::int64_t>(std::min(static_cast<double>(sharing.threads), worth));
  const std::int64_t each = (sharing.count + threads - 1) / threads;
  const std::int64_t grained = (each + sharing.grain - 1) / sharing.grain * sharing.grain;
  std::vector<Range> ranges;
  for (std::int64_t begin = 0; begin < sharing.count; begin += grained) {
    ranges.push_back({begin, std::min(begin + grained, sharing.count)});
  }
  return ranges;
}

void XnnShares::Run() const {
  if (shares_.size() == 1) return CheckXnn(xnn_run_operator(shares_.front().made.get(), nullptr));
  std::atomic<xnn_status> all = xnn_status_success;
  const std::size_t count = shares_.size();
#pragma omp parallel for schedule(static, 1)
  for (std::size_t i = 0; i < count; ++i) {
    const xnn_status status = xnn_run_operator(shares_[i].made.get(), nullptr);
    if (status != xnn_status_success) all = status;
  }
  CheckXnn(all);
}

std::int64_t XnnShares::Bytes() const {
  std::int64_t bytes = 0;
  for (const XnnConv::Piece& piece : packed_) bytes += static_cast<std::int64_t>(piece.bytes);
  return bytes;
}

XnnSharing SharingOf(const XnnConvProblem& p, std::size_t threads) {
  const bool channelwise = p.groups > 1 && p.groups == p.in_channels;
  const std::int64_t outputs = p.out_channels / p.groups, inputs = p.in_channels / p.groups;
  // As many positions as the input has: near enough to tell little work from much.
  const std::int64_t each = p.images * p.in_height * p.in_width * inputs * p.kernel_height * p.kernel_width;
  if (p.groups == 1) return {outputs, kChannelsAtOnce, static_cast<double>(each), threads};
  return {p.groups, channelwise ? kChannelsAtOnce : 1, static_cast<double>(each * outputs), threads};
}

XnnConvShare ShareOf(const XnnConvProblem& p, XnnShares::Range range) {
  const std::int64_t outputs = p.out_channels / p.groups, inputs = p.in_channels / p.groups;
  const std::int64_t each = inputs * p.kernel_height * p.kernel_width;
  if (p.groups == 1) return {1, range.size(), 0, range.begin, range.begin * each};
  return {range.size(), outputs, range.begin * inputs, range.begin * outputs, range.begin * outputs * each};
}

std::string XnnVersion() { return XnnIsReady() ? TANDEM_XNNPACK_VERSION : ""; }

}  // namespace tandem
