// The kernels behind MakePlainKernel, which the files in which they stand register, and how they share their
// work among the threads of the unit.
#pragma once

#include <algorithm>
#include <cstdint>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "device/backends/cpu/loops/ops.h"
#include "device/lowering/positions.h"
#include "profiles/model/op_table.h"
#include "profiles/model/weights.h"

namespace tandem {

struct PlainLayer {
  const Layer& layer;
  const Weights& weights;
  std::vector<Shape> inputs;

  template <class A>
  const A& As() const {
    return layer.As<A>();
  }
  const Shape& in() const { return inputs[0]; }
  const Shape& out() const { return layer.output; }
  // nullptr where the layer has none of that role.
  const float* Weight(const char* role) const { return FindWeight(weights, layer, role); }
};

using PlainKernels = OpTable<PlainKernel (*)(const PlainLayer& of)>;

// Elements of the axes [first, last).
inline std::int64_t Extents(const Shape& shape, std::size_t first, std::size_t last) {
  return Elements(Shape(shape.begin() + static_cast<std::ptrdiff_t>(first),
                        shape.begin() + static_cast<std::ptrdiff_t>(last)));
}
inline std::int64_t Extents(const Shape& shape, std::size_t first) {
  return Extents(shape, first, shape.size());
}

// Calls body(first, last) for parts that make up [0, count), one per thread where there is enough to do: an
// item stands for `work` elements.
template <class Body>
void InParts(std::int64_t count, std::int64_t work, const Body& body) {
#ifdef _OPENMP
  constexpr std::int64_t kWorthAThread = 16384;
  const std::int64_t worth = std::max<std::int64_t>(1, count * work / kWorthAThread);
  const std::int64_t parts = std::min({count, worth, static_cast<std::int64_t>(omp_get_max_threads())});
  if (parts > 1) {
#pragma omp parallel for
    for (std::int64_t part = 0; part < parts; ++part) body(count * part / parts, count * (part + 1) / parts);
    return;
  }
#else
  static_cast<void>(work);
#endif
  body(std::int64_t{0}, count);
}

}  // namespace tandem
