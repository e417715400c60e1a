// cuDNN, loaded when it is wanted: the program starts and runs its other backends where there is none.
#pragma once

#include <string>

namespace tandem {

struct CudnnVersion {
  std::string version;  // "9.19.0", empty where it cannot be loaded
  std::string trouble;  // then: why
};

CudnnVersion LoadCudnn();

}  // namespace tandem
