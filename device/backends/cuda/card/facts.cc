#include "device/backends/cuda/card/facts.h"

#include <cuda_runtime_api.h>

#include <array>

#include "device/backends/cuda/card/probe.h"
#include "profiles/base/input_error.h"

namespace tandem::gpu {
namespace {

int Attribute(cudaDeviceAttr attribute, int device) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, attribute, device) != cudaSuccess) (void)cudaGetLastError();
  return value;
}

std::string TextOf(const cudaDeviceProp& card) {
  return std::string(card.name) + ", compute capability " + std::to_string(card.major) + "." +
         std::to_string(card.minor) + ", " + std::to_string(card.multiProcessorCount) + " multiprocessors, " +
         std::to_string(card.totalGlobalMem >> 20) + " MiB, ECC " + (card.ECCEnabled != 0 ? "on" : "off");
}

std::string LinkText(const std::optional<PcieLink>& link) {
  if (link && BytesPerSecond(*link) > 0) return ", " + TextOf(*link);
  return ", its link is not told and is taken for " + TextOf(kPcieWhereUnknown);
}

}  // namespace

std::unique_ptr<const NvmlLibrary> FindNvmlLibrary() {
  try {
    return std::make_unique<const NvmlLibrary>();
  } catch (const EnvironmentError&) {
    return nullptr;
  }
}

std::string BusAddress(int device) {
  std::array<char, 32> text{};
  if (cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), device) != cudaSuccess) return {};
  return text.data();
}

CardFacts FactsOf(int device, const NvmlLibrary* nvml) {
  CardFacts facts;
  cudaDeviceProp card{};
  const cudaError_t error = cudaGetDeviceProperties(&card, device);
  if (error != cudaSuccess) {
    facts.trouble = cudaGetErrorString(error);
    return facts;
  }
  const int mode = Attribute(cudaDevAttrComputeMode, device);
  facts.trouble =
      mode == cudaComputeModeProhibited ? "its compute mode lets no program use it" : ProbeCard(device);
  facts.text = TextOf(card);
  facts.memory_bytes = static_cast<std::int64_t>(card.totalGlobalMem);
  facts.integrated = card.integrated != 0;
  facts.copies_beside = card.asyncEngineCount > 0;
  if (mode == cudaComputeModeExclusiveProcess) facts.text += ", for one program at a time";
  if (facts.integrated) {
    facts.text += CachesSharedMemory(card.major, card.minor)
                      ? ", the host caches the memory that both use"
                      : ", the host does not cache the memory that both use";
    return facts;
  }
  facts.pcie = FindPcieLink(BusAddress(device), nvml);
  facts.text += LinkText(facts.pcie);
  return facts;
}

bool CachesSharedMemory(int major, int minor) { return major > 7 || (major == 7 && minor >= 2); }

void AddCard(int device, const CardFacts& facts, Platform& platform) {
  Unit unit;
  unit.name = "gpu" + std::to_string(device);
  unit.kind = UnitKind::kGpu;
  unit.backend = &DeclaredBackend("cuda");
  unit.device = device;
  unit.memory = MemoryId(0);
  if (!facts.integrated) {
    unit.memory = MemoryId(platform.memories.size());
    platform.memories.push_back({unit.name, facts.memory_bytes, std::nullopt});
    platform.links.push_back(LinkTo(unit.memory, facts.pcie, facts.copies_beside));
  }
  platform.units.push_back(std::move(unit));
}

std::string DriverText(const NvmlLibrary* nvml) {
  const std::string version = nvml == nullptr ? std::string() : nvml->DriverVersion();
  if (!version.empty()) return version;
  int cuda = 0;
  cudaDriverGetVersion(&cuda);
  return "for CUDA " + std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10);
}

}  // namespace tandem::gpu
