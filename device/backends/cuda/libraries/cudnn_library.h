// Room device/backends/cuda/libraries: cuDNN and cuBLAS, loaded when wanted.
//
// Which cuDNN and which cuBLAS are there. Nothing of their headers: those stand in cudnn_functions.h and
// cublas_functions.h.
#pragma once

#include <cstddef>
#include <string>

namespace tandem {

struct LoadedVersion {
  std::string version;  // "9.19.0", empty where it cannot be used
  std::string trouble;  // then: why
};

LoadedVersion LoadCudnn();
LoadedVersion LoadCublas();

// As cudnnGetVersion counts: 9 and later by major * 10000 + minor * 100 + patch, before by major * 1000.
std::string CudnnVersionText(std::size_t number);

}  // namespace tandem
