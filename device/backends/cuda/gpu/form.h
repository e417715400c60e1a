// How a tensor lies inside a segment of the GPU backend, and walks over several tensors at once.
#pragma once

#include <cstdint>
#include <vector>

#include "device/backends/cuda/card.h"
#include "device/lowering/memory_plan.h"
#include "profiles/model/shape.h"

namespace tandem::gpu {

// The caller's tensors are fp32 in plain order; inside a segment a tensor may be half, or have its channels
// last.
struct GpuForm {
  Element element = Element::kFloat;
  Format format = Format::kNchw;
  friend bool operator==(const GpuForm&, const GpuForm&) = default;
};
inline constexpr GpuForm kPlainForm{};

struct GpuTensor {
  ValueId value;
  GpuForm form;
};

inline std::int64_t BytesOf(Element element) { return element == Element::kHalf ? 2 : 4; }

// The axes of such a tensor in the order in which they lie in memory, and the steps in elements, by axis.
std::vector<std::size_t> MemoryOrder(std::size_t axes, Format format);
std::vector<std::int64_t> StridesOf(const Shape& shape, Format format);
// With an axis of extent 1 where `shape` has none of `axes`, and steps of 0 wherever it is repeated.
std::vector<std::int64_t> BroadcastStrides(const Shape& shape, Format format, std::size_t axes);

Image ImageOf(const Shape& shape, Format format);  // of four axes

// A loop over an axis of a tensor that is read (two of them, for operations of two) and one that is written.
struct GpuAxis {
  std::int64_t count = 1, x = 0, y = 0;
  const std::int32_t* table = nullptr;
};
// Without those of one position, and with those that step on as one merged. At least one is left. Throws
// EnvironmentError where more are left than kernels count.
std::vector<GpuAxis> Merged(const std::vector<GpuAxis>& axes);
// The axes merged, without the tensors.
GatherCall GatherOf(const std::vector<GpuAxis>& axes, Element from, Element to);

}  // namespace tandem::gpu
