#include "device/processor/buffer.h"

#include <algorithm>

#include "profiles/base/check.h"

namespace tandem {

Buffer::Buffer(std::size_t floats, TensorMemory& memory)
    : floats_(memory.Allocate(floats), Free{&memory}), size_(floats) {}

Buffer::Buffer(std::span<const float> values, TensorMemory& memory) : Buffer(values.size(), memory) {
  TANDEM_CHECK(memory.HostReads(), "the host writes only to memory that it reads");
  std::copy(values.begin(), values.end(), floats_.get());
}

}  // namespace tandem
