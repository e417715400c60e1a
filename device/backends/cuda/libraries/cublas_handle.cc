#include "device/backends/cuda/libraries/cublas_handle.h"

#include "device/backends/cuda/libraries/cublas_functions.h"
#include "device/backends/cuda/libraries/cuda_check.h"
#include "device/backends/cuda/libraries/gemm.h"

namespace tandem::gpu {
namespace {

// What NVIDIA recommends for Hopper; older ones want 4 MiB.
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

// CUBLAS_COMPUTE_32F keeps to fp32 as long as the handle's math mode is the default one.
cublasComputeType_t ComputeOf(Math math) {
  return math == Math::kTf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

cublasOperation_t OperationOf(bool transpose) { return transpose ? CUBLAS_OP_T : CUBLAS_OP_N; }

}  // namespace

CublasHandle::CublasHandle(cudaStream_t stream) {
  const CublasFunctions& cublas = Cublas();
  Check(cudaMalloc(&workspace_, kWorkspaceBytes), "memory for cuBLAS");
  try {
    CheckCublas(cublas.Create(&handle_), "starting cuBLAS");
    CheckCublas(cublas.SetMathMode(handle_, CUBLAS_DEFAULT_MATH), "choosing cuBLAS's math");
    SetStream(stream);
  } catch (...) {
    if (handle_ != nullptr) cublas.Destroy(handle_);
    cudaFree(workspace_);
    throw;
  }
}

CublasHandle::~CublasHandle() {
  Cublas().Destroy(handle_);
  cudaFree(workspace_);
}

// The workspace after the stream: setting that puts it back to the library's own.
void CublasHandle::SetStream(cudaStream_t stream) {
  CheckCublas(Cublas().SetStream(handle_, stream), "giving cuBLAS its stream");
  CheckCublas(Cublas().SetWorkspace(handle_, workspace_, kWorkspaceBytes), "giving cuBLAS its workspace");
}

void CublasHandle::Run(const GemmCall& call) const {
  const ColumnMajorGemm gemm = ColumnMajor(call);
  const cudaDataType element = call.element == Element::kHalf ? CUDA_R_16F : CUDA_R_32F;
  const cublasComputeType_t compute = ComputeOf(call.math);
  const cublasOperation_t first = OperationOf(gemm.transpose_first);
  const cublasOperation_t second = OperationOf(gemm.transpose_second);
  const float one = 1, zero = 0;
  const CublasFunctions& cublas = Cublas();
  if (gemm.batch == 1) {
    CheckCublas(cublas.GemmEx(handle_, first, second, gemm.rows, gemm.columns, gemm.depth, &one, gemm.first,
                              element, gemm.first_step, gemm.second, element, gemm.second_step, &zero, call.c,
                              element, gemm.c_step, compute, CUBLAS_GEMM_DEFAULT),
                "multiplying matrices");
    return;
  }
  CheckCublas(
      cublas.GemmStridedBatchedEx(handle_, first, second, gemm.rows, gemm.columns, gemm.depth, &one,
                                  gemm.first, element, gemm.first_step, gemm.first_stride, gemm.second,
                                  element, gemm.second_step, gemm.second_stride, &zero, call.c, element,
                                  gemm.c_step, gemm.c_stride, gemm.batch, compute, CUBLAS_GEMM_DEFAULT),
      "multiplying matrices");
}

}  // namespace tandem::gpu
