#include "device/backends/cuda/cudnn_library.h"

#include <cudnn.h>
#include <dlfcn.h>

namespace tandem {
namespace {

// First as the system finds libraries, then where it lay when this was built.
void* OpenCudnn() {
  const std::string name = "libcudnn.so." + std::to_string(CUDNN_MAJOR);
  if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  const std::string built_with = TANDEM_CUDNN_LIBRARY;
  return dlopen((built_with.substr(0, built_with.rfind('/') + 1) + name).c_str(), RTLD_NOW | RTLD_LOCAL);
}

// cuDNN 9 counts major * 10000 + minor * 100 + patch, those before it major * 1000.
std::string VersionText(std::size_t number) {
  const std::size_t unit = number >= 90000 ? 10000 : 1000;
  return std::to_string(number / unit) + "." + std::to_string(number % unit / 100) + "." +
         std::to_string(number % 100);
}

}  // namespace

CudnnVersion LoadCudnn() {
  static void* const library = OpenCudnn();
  if (library == nullptr) {
    return {"", "cuDNN " + std::to_string(CUDNN_MAJOR) + " cannot be loaded: libcudnn.so." +
                    std::to_string(CUDNN_MAJOR) + " is not where the system looks for libraries"};
  }
  const auto get_version = reinterpret_cast<decltype(&cudnnGetVersion)>(dlsym(library, "cudnnGetVersion"));
  if (get_version == nullptr) return {"", "what is called libcudnn is not cuDNN"};
  return {VersionText(get_version()), ""};
}

}  // namespace tandem
