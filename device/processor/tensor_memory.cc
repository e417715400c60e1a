#include "device/processor/tensor_memory.h"

#include <algorithm>
#include <new>

namespace tandem {
namespace {

constexpr std::align_val_t kAlignment{64};

class Host final : public TensorMemory {
 public:
  float* Allocate(std::size_t floats) override {
    auto* const at =
        static_cast<float*>(::operator new[](std::max<std::size_t>(floats, 1) * sizeof(float), kAlignment));
    std::fill_n(at, floats, 0.0f);
    return at;
  }
  void Free(float* at) noexcept override { ::operator delete[](at, kAlignment); }
  bool HostReads() const override { return true; }
};

}  // namespace

TensorMemory& HostMemory() {
  static Host host;
  return host;
}

void CopyOnHost(float* to, const float* from, const TensorBlock& block) {
  for (std::size_t run = 0; run < block.runs; ++run) {
    const std::size_t at = block.first + run * block.stride;
    std::copy_n(from + at, block.length, to + at);
  }
}

}  // namespace tandem
