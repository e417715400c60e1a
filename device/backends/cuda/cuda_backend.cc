// The backend "cuda": NVIDIA cards through the CUDA runtime and cuDNN, one unit for each.
#include <cuda_runtime_api.h>

#include "device/backend.h"
#include "device/backends/cuda/cudnn_library.h"
#include "device/backends/cuda/probe.h"
#include "profiles/input_error.h"

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

void AddCard(int device, const cudaDeviceProp& card, Platform& platform) {
  Unit unit;
  unit.name = "gpu" + std::to_string(device);
  unit.kind = UnitKind::kGpu;
  unit.backend = Backend::kCuda;
  unit.device = device;
  unit.memory = MemoryId(0);
  if (card.integrated == 0) {  // a Jetson's works from the board's memory
    unit.memory = MemoryId(platform.memories.size());
    platform.memories.push_back({unit.name, static_cast<std::int64_t>(card.totalGlobalMem), std::nullopt});
  }
  platform.units.push_back(std::move(unit));
}

class CudaBackend final : public DeviceBackend {
 public:
  std::string_view name() const override { return "cuda"; }

  BackendState Look(const HostInfo&, Platform& platform) const override {
    BackendState state;
    state.libraries.push_back({"CUDA", RuntimeVersion()});
    const LoadedVersion cudnn = LoadCudnn();
    if (!cudnn.trouble.empty()) {
      state.trouble = cudnn.trouble;
      return state;
    }
    state.libraries.push_back({"cuDNN", cudnn.version});
    const int count = CountCards(state.trouble);
    for (int device = 0; device < count; ++device) LookAtCard(device, state, platform);
    return state;
  }

  std::unique_ptr<Processor> Open(const OpenRequest& request) const override {
    throw EnvironmentError("unit \"" + request.platform->unit(request.unit).name +
                           "\": the backend cuda finds cards but runs no layers yet");
  }
  bool Measurable() const override { return false; }

 private:
  static void LookAtCard(int device, BackendState& state, Platform& platform) {
    const std::string name = "gpu" + std::to_string(device);
    cudaDeviceProp card{};
    const cudaError_t error = cudaGetDeviceProperties(&card, device);
    const std::string trouble = error == cudaSuccess ? ProbeCard(device) : cudaGetErrorString(error);
    if (!trouble.empty()) {
      state.trouble += (state.trouble.empty() ? "" : "; ") + name + ": " + trouble;
      return;
    }
    state.found.push_back(name + ": " + card.name + ", compute capability " + std::to_string(card.major) +
                          "." + std::to_string(card.minor) + ", " + std::to_string(card.multiProcessorCount) +
                          " multiprocessors, " + std::to_string(card.totalGlobalMem >> 20) + " MiB");
    AddCard(device, card, platform);
  }
};

const BackendRegistration kCuda{std::make_unique<CudaBackend>()};

}  // namespace
}  // namespace tandem
