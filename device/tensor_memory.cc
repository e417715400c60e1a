#include "device/tensor_memory.h"

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

}  // namespace tandem
