// What is called of cuBLAS, found by name when it is first wanted.
#pragma once

#include <cublas_v2.h>

#include <string>

#include "device/backends/cuda/libraries/loaded_library.h"

namespace tandem::gpu {

struct CublasFunctions {
  decltype(&::cublasCreate_v2) Create = nullptr;
  decltype(&::cublasDestroy_v2) Destroy = nullptr;
  decltype(&::cublasGetProperty) GetProperty = nullptr;
  decltype(&::cublasSetStream_v2) SetStream = nullptr;
  decltype(&::cublasSetWorkspace_v2) SetWorkspace = nullptr;
  decltype(&::cublasSetMathMode) SetMathMode = nullptr;
  // The header overloads these two for C++.
  cublasStatus_t (*GemmEx)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k,
                           const void* alpha, const void* a, cudaDataType, int lda, const void* b,
                           cudaDataType, int ldb, const void* beta, void* c, cudaDataType, int ldc,
                           cublasComputeType_t, cublasGemmAlgo_t) = nullptr;
  cublasStatus_t (*GemmStridedBatchedEx)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n,
                                         int k, const void* alpha, const void* a, cudaDataType, int lda,
                                         long long a_stride, const void* b, cudaDataType, int ldb,
                                         long long b_stride, const void* beta, void* c, cudaDataType, int ldc,
                                         long long c_stride, int batch, cublasComputeType_t,
                                         cublasGemmAlgo_t) = nullptr;
  std::string trouble;  // why it cannot be used; empty where it can
};

// What there is, with `trouble` where it cannot be used.
const CublasFunctions& LookForCublas();
// Throws EnvironmentError where it cannot be used.
const CublasFunctions& Cublas();

// Throws std::bad_alloc where memory ran out, else EnvironmentError with what cuBLAS says.
void CheckCublas(cublasStatus_t status, const std::string& what);

}  // namespace tandem::gpu
