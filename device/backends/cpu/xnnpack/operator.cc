#include "device/backends/cpu/xnnpack/operator.h"

#include <sched.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

// Of the operator that is being made on this thread.
thread_local std::vector<XnnConv::Piece>* noted = nullptr;

void* Aligned(void*, std::size_t alignment, std::size_t bytes) {
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, bytes) != 0) return nullptr;
  if (noted != nullptr) noted->push_back({memory, bytes});
  return memory;
}

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

std::int64_t XnnOperator::Bytes() const {
  std::int64_t bytes = 0;
  for (const XnnConv::Piece& piece : packed_) bytes += static_cast<std::int64_t>(piece.bytes);
  return bytes;
}

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

std::string XnnVersion() { return XnnIsReady() ? TANDEM_XNNPACK_VERSION : ""; }

}  // namespace tandem
