#include "device/backends/cuda/libraries/cudnn_library.h"

#include <cuda_runtime_api.h>

#include <array>
#include <new>

#include "device/backends/cuda/libraries/cudnn_functions.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace gpu {
namespace {

CudnnFunctions FindCudnn() {
  const std::string major = std::to_string(CUDNN_MAJOR);
  static LoadedLibrary library("libcudnn.so." + major, TANDEM_CUDNN_LIBRARY);
  CudnnFunctions cudnn;
  if (!library.there()) {
    cudnn.trouble = "cuDNN " + major + " cannot be loaded: libcudnn.so." + major +
                    " is not where the system looks for libraries";
    return cudnn;
  }
#define TANDEM_GET(name) library.Get(cudnn.name, "cudnn" #name);
  TANDEM_CUDNN_FUNCTIONS(TANDEM_GET)
#undef TANDEM_GET
  cudnn.trouble = library.missing();
  return cudnn;
}

bool IsOutOfMemory(cudnnStatus_t status) {
#if CUDNN_MAJOR >= 9
  return status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED ||
         status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
#else
  return status == CUDNN_STATUS_ALLOC_FAILED;
#endif
}

// More than the name of the status, where this version tells it.
std::string LastWords() {
#if CUDNN_MAJOR >= 9
  std::array<char, 512> text{};
  Cudnn().GetLastErrorString(text.data(), text.size());
  if (text[0] != '\0') return std::string(", ") + text.data();
#endif
  return {};
}

}  // namespace

const CudnnFunctions& LookForCudnn() {
  static const CudnnFunctions cudnn = FindCudnn();
  return cudnn;
}

const CudnnFunctions& Cudnn() {
  const CudnnFunctions& cudnn = LookForCudnn();
  if (!cudnn.trouble.empty()) throw EnvironmentError(cudnn.trouble);
  return cudnn;
}

void CheckCudnn(cudnnStatus_t status, const std::string& what) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  (void)cudaGetLastError();  // what it left there is no fault of the next kernel
  if (IsOutOfMemory(status)) throw std::bad_alloc();
  throw EnvironmentError(what + ": " + Cudnn().GetErrorString(status) + LastWords());
}

}  // namespace gpu

std::string CudnnVersionText(std::size_t number) {
  const std::size_t unit = number >= 90000 ? 10000 : 1000;
  return std::to_string(number / unit) + "." + std::to_string(number % unit / 100) + "." +
         std::to_string(number % 100);
}

LoadedVersion LoadCudnn() {
  const gpu::CudnnFunctions& cudnn = gpu::LookForCudnn();
  if (!cudnn.trouble.empty()) return {"", cudnn.trouble};
  return {CudnnVersionText(cudnn.GetVersion()), ""};
}

}  // namespace tandem
