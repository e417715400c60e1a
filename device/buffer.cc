#include "device/buffer.h"

#include <algorithm>
#include <new>

namespace tandem {
namespace {

constexpr std::align_val_t kAlignment{64};

}  // namespace

void Buffer::Free::operator()(float* floats) const { ::operator delete[](floats, kAlignment); }

Buffer::Buffer(std::size_t floats)
    : floats_(static_cast<float*>(
          ::operator new[](std::max<std::size_t>(floats, 1) * sizeof(float), kAlignment))),
      size_(floats) {
  std::fill_n(floats_.get(), floats, 0.0f);
}

Buffer::Buffer(std::span<const float> values) : Buffer(values.size()) {
  std::copy(values.begin(), values.end(), floats_.get());
}

}  // namespace tandem
