// A product of row-major matrices in the words of a library that knows column-major ones.
#pragma once

#include <cstdint>

#include "device/backends/cuda/card.h"

namespace tandem::gpu {

// C = op(first) * op(second), column-major: what lies row-major as (r, c) is (c, r) there, and the transpose
// of a product is the product of the transposes in reverse order.
struct ColumnMajorGemm {
  bool transpose_first = false, transpose_second = false;
  int rows = 1, columns = 1, depth = 1;  // of C, of the sums
  const void *first = nullptr, *second = nullptr;
  int first_step = 1, second_step = 1, c_step = 1;  // from column to column, in elements
  std::int64_t first_stride = 0, second_stride = 0, c_stride = 0;
  int batch = 1;
};

// Throws EnvironmentError where an extent is more than the library can count.
ColumnMajorGemm ColumnMajor(const GemmCall& call);

}  // namespace tandem::gpu
