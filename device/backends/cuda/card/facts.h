// What there is to say of a card before anything runs on it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "device/backends/cuda/card/pcie.h"
#include "device/host/nvml_library.h"
#include "profiles/costs/platform.h"

namespace tandem::gpu {

struct CardFacts {
  std::string text;     // "NVIDIA H200, compute capability 9.0, ..."
  std::string trouble;  // why it is of no use here; empty where it is
  std::int64_t memory_bytes = 0;
  bool integrated = false;  // works from the board's memory
  bool copies_beside = false;
  std::optional<PcieLink> pcie;
};

// NVML where it is there and works.
std::unique_ptr<const NvmlLibrary> FindNvmlLibrary();

// "0000:3b:00.0"; empty where the runtime does not tell.
std::string BusAddress(int device);

CardFacts FactsOf(int device, const NvmlLibrary* nvml);

// Does the host cache pinned memory that an integrated card of this compute capability reads and writes? From
// Xavier (7.2) on the card looks into the host's caches; before, such memory is in none, and slow for the
// host. Pure.
bool CachesSharedMemory(int major, int minor);

// The unit "gpu0", where it has one its memory, and the link to that.
void AddCard(int device, const CardFacts& facts, Platform& platform);

// "580.65.06" or, where only the runtime tells, "for CUDA 13.0".
std::string DriverText(const NvmlLibrary* nvml);

}  // namespace tandem::gpu
