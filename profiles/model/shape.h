// The extents of a tensor, batch first: {1, 3, 224, 224}.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiles/base/joined.h"

namespace tandem {

using Shape = std::vector<std::int64_t>;

inline std::int64_t Elements(const Shape& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) elements *= extent;
  return elements;
}

// "1x3x224x224"
inline std::string ShapeText(const Shape& shape) { return shape.empty() ? "scalar" : Joined(shape, "x"); }

}  // namespace tandem
