#include <cuda_runtime_api.h>

#include <new>

#include "device/backends/cuda/libraries/cublas_functions.h"
#include "device/backends/cuda/libraries/cudnn_library.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace gpu {
namespace {

CublasFunctions FindCublas() {
  const std::string name = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);
  static LoadedLibrary library(name, TANDEM_CUBLAS_LIBRARY);
  CublasFunctions cublas;
  if (!library.there()) {
    cublas.trouble = "cuBLAS " + std::to_string(CUBLAS_VER_MAJOR) + " cannot be loaded: " + name +
                     " is not where the system looks for libraries";
    return cublas;
  }
  library.Get(cublas.Create, "cublasCreate_v2");
  library.Get(cublas.Destroy, "cublasDestroy_v2");
  library.Get(cublas.GetProperty, "cublasGetProperty");
  library.Get(cublas.SetStream, "cublasSetStream_v2");
  library.Get(cublas.SetWorkspace, "cublasSetWorkspace_v2");
  library.Get(cublas.SetMathMode, "cublasSetMathMode");
  library.Get(cublas.GemmEx, "cublasGemmEx");
  library.Get(cublas.GemmStridedBatchedEx, "cublasGemmStridedBatchedEx");
  cublas.trouble = library.missing();
  return cublas;
}

// cublasGetStatusString came with a later update of CUDA 11.4.
std::string StatusText(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case CUBLAS_STATUS_MAPPING_ERROR:
      return "CUBLAS_STATUS_MAPPING_ERROR";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_INTERNAL_ERROR:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
      return "cuBLAS status " + std::to_string(static_cast<int>(status));
  }
}

}  // namespace

const CublasFunctions& LookForCublas() {
  static const CublasFunctions cublas = FindCublas();
  return cublas;
}

const CublasFunctions& Cublas() {
  const CublasFunctions& cublas = LookForCublas();
  if (!cublas.trouble.empty()) throw EnvironmentError(cublas.trouble);
  return cublas;
}

void CheckCublas(cublasStatus_t status, const std::string& what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  (void)cudaGetLastError();  // what it left there is no fault of the next kernel
  if (status == CUBLAS_STATUS_ALLOC_FAILED) throw std::bad_alloc();
  throw EnvironmentError(what + ": " + StatusText(status));
}

}  // namespace gpu

LoadedVersion LoadCublas() {
  const gpu::CublasFunctions& cublas = gpu::LookForCublas();
  if (!cublas.trouble.empty()) return {"", cublas.trouble};
  std::string version;
  for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int value = 0;
    cublas.GetProperty(part, &value);
    version += (version.empty() ? "" : ".") + std::to_string(value);
  }
  return {version, ""};
}

}  // namespace tandem
