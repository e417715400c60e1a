#include "device/backends/cuda/libraries/gemm.h"

#include <limits>
#include <string>

#include "profiles/base/input_error.h"

namespace tandem::gpu {
namespace {

int Counted(std::int64_t extent) {
  if (extent >= 1 && extent <= std::numeric_limits<int>::max()) return static_cast<int>(extent);
  throw EnvironmentError("a matrix of extent " + std::to_string(extent) + " is not what cuBLAS takes");
}

}  // namespace

ColumnMajorGemm ColumnMajor(const GemmCall& call) {
  ColumnMajorGemm gemm;
  gemm.transpose_first = call.transpose_b;
  gemm.transpose_second = call.transpose_a;
  gemm.rows = Counted(call.n);
  gemm.columns = Counted(call.m);
  gemm.depth = Counted(call.k);
  gemm.first = call.b;
  gemm.second = call.a;
  gemm.first_step = call.transpose_b ? gemm.depth : gemm.rows;
  gemm.second_step = call.transpose_a ? gemm.columns : gemm.depth;
  gemm.c_step = gemm.rows;
  gemm.first_stride = call.b_stride;
  gemm.second_stride = call.a_stride;
  gemm.c_stride = call.c_stride;
  gemm.batch = Counted(call.batch);
  return gemm;
}

}  // namespace tandem::gpu
