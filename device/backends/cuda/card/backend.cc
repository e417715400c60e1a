// The backend "cuda": NVIDIA cards through the CUDA runtime and cuDNN, one unit for each.
#include <cuda_runtime_api.h>

#include "device/backends/cuda/card/facts.h"
#include "device/backends/cuda/card/load.h"
#include "device/backends/cuda/gpu/processor.h"
#include "device/backends/cuda/libraries/cudnn_library.h"
#include "device/processor/backend.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

std::string RuntimeVersion() {
  int version = 0;
  cudaRuntimeGetVersion(&version);
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// How many cards there are; `trouble` tells why there are none.
int CountCards(std::string& trouble) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaErrorInsufficientDriver) {
    int driver = 0;
    cudaDriverGetVersion(&driver);
    trouble = driver == 0 ? "no NVIDIA driver is loaded"
                          : "the NVIDIA driver is older than CUDA " + RuntimeVersion();
  } else if (error != cudaSuccess) {
    trouble = cudaGetErrorString(error);
  } else if (count == 0) {
    trouble = "there is no card";
  }
  return error == cudaSuccess ? count : 0;
}

class CudaBackend final : public DeviceBackend {
 public:
  const BackendDeclaration& about() const override { return DeclaredBackend("cuda"); }

  BackendState Look(const HostInfo&, Platform& platform) const override {
    BackendState state;
    state.libraries.push_back({"CUDA", RuntimeVersion()});
    const int count = CountCards(state.trouble);
    if (count == 0) return state;  // before half a second goes into libraries that nothing could use
    if (!LookAtLibrary("cuDNN", LoadCudnn(), state) || !LookAtLibrary("cuBLAS", LoadCublas(), state)) {
      return state;
    }
    const auto nvml = gpu::FindNvmlLibrary();
    state.libraries.push_back({"NVIDIA driver", gpu::DriverText(nvml.get())});
    for (int device = 0; device < count; ++device) LookAtCard(device, nvml.get(), state, platform);
    return state;
  }

  std::unique_ptr<Processor> Open(const OpenRequest& request) const override {
    return gpu::OpenGpuUnit(CardOf(request.platform->unit(request.unit)), request);
  }
  std::unique_ptr<Copier> OpenCopier(const OpenRequest& request) const override {
    return gpu::OpenGpuCopier(CardOf(request.platform->unit(request.unit)));
  }
  std::unique_ptr<RunningLoad> OpenLoad(const OpenRequest& request, std::int64_t load_pct) const override {
    return gpu::OpenCardLoad(request.platform->unit(request.unit), load_pct);
  }

 private:
  // False where it cannot be used.
  static bool LookAtLibrary(const std::string& name, const LoadedVersion& library, BackendState& state) {
    state.trouble = library.trouble;
    if (library.trouble.empty()) state.libraries.push_back({name, library.version});
    return library.trouble.empty();
  }

  static gpu::Card& CardOf(const Unit& unit) {
    return gpu::RealCard(static_cast<int>(unit.device.value_or(0)));
  }

  static void LookAtCard(int device, const NvmlLibrary* nvml, BackendState& state, Platform& platform) {
    const std::string name = "gpu" + std::to_string(device);
    const gpu::CardFacts facts = gpu::FactsOf(device, nvml);
    if (!facts.trouble.empty()) {
      state.trouble += (state.trouble.empty() ? "" : "; ") + name + ": " + facts.trouble;
      return;
    }
    state.found.push_back(name + ": " + facts.text);
    gpu::AddCard(device, facts, platform);
  }
};

const BackendRegistration kCuda{std::make_unique<CudaBackend>()};

}  // namespace
}  // namespace tandem
