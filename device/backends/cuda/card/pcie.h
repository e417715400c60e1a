// The link between the board's memory and a card's, from what its connector can do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "device/host/nvml_library.h"
#include "profiles/costs/platform.h"

namespace tandem::gpu {

struct PcieLink {
  unsigned generation = 0, lanes = 0;
};

// What is left of it for data, estimated; 0 for a generation that is not known. Copies are measured by the
// profiler.
double BytesPerSecond(const PcieLink& link);

// "PCIe 4.0 x16"
std::string TextOf(const PcieLink& link);

// Of the card at "0000:3b:00.0": by NVML where there is one, else as Linux tells it.
std::optional<PcieLink> FindPcieLink(const std::string& address, const NvmlLibrary* nvml,
                                     const std::filesystem::path& root = "/");

// Where nothing is known it is taken for `kPcieWhereUnknown`. `engine`: the card copies beside its work.
inline constexpr PcieLink kPcieWhereUnknown{3, 16};
Link LinkTo(MemoryId card, const std::optional<PcieLink>& link, bool engine);

}  // namespace tandem::gpu
