#include <sys/mman.h>

#include <cstdlib>
#include <new>

#include "device/backends/cpu/loops/step.h"

namespace tandem {
namespace {

constexpr std::size_t kLine = 64, kLargePage = std::size_t{2} << 20;

}  // namespace

AlignedFloats::AlignedFloats(std::size_t count) : count_(count) {
  const std::size_t bytes = count * sizeof(float);
  const std::size_t alignment = bytes >= kLargePage ? kLargePage : kLine;
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
  if (memory == nullptr) throw std::bad_alloc();
  // Where the system has none, small pages do.
  if (alignment == kLargePage) madvise(memory, whole, MADV_HUGEPAGE);
  values_.reset(static_cast<float*>(memory));
}

void AlignedFloats::Release::operator()(float* values) const { std::free(values); }

}  // namespace tandem
