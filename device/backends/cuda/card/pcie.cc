#include "device/backends/cuda/card/pcie.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "device/host/sysfs.h"
#include "profiles/base/input_error.h"

namespace tandem::gpu {
namespace {

// Transfers of one bit a second and lane, by generation, and the part of them that is no line coding.
struct Generation {
  double transfers, coded;
};
constexpr std::array<Generation, 6> kGenerations = {{{2.5e9, 8.0 / 10},
                                                     {5e9, 8.0 / 10},
                                                     {8e9, 128.0 / 130},
                                                     {16e9, 128.0 / 130},
                                                     {32e9, 128.0 / 130},
                                                     {64e9, 242.0 / 256}}};
constexpr double kForData = 0.82;  // beside headers of packets and the talk between the two ends; estimated
constexpr Nanos kLatency{10'000};  // to start a copy and hear that it is done; estimated
constexpr MemoryId kBoard{0};

std::optional<PcieLink> ByNvml(const std::string& address, const NvmlLibrary& nvml) {
  try {
    const NvmlLibrary::Device device = nvml.AtBus(address);
    const auto generation = nvml.PcieGeneration(device), lanes = nvml.PcieWidth(device);
    if (generation && lanes && *lanes > 0) return PcieLink{*generation, *lanes};
  } catch (const EnvironmentError&) {  // an old driver, which need not be the only source
  }
  return std::nullopt;
}

// "max_link_speed" is "16.0 GT/s PCIe".
std::optional<PcieLink> BySysfs(std::string address, const std::filesystem::path& root) {
  std::transform(address.begin(), address.end(), address.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto folder = root / "sys/bus/pci/devices" / address;
  const double transfers = std::strtod(SysfsLine(folder / "max_link_speed").c_str(), nullptr) * 1e9;
  const auto lanes = SysfsNumber(folder / "max_link_width");
  if (!lanes || *lanes <= 0 || *lanes > 64) return std::nullopt;
  for (std::size_t g = 0; g < kGenerations.size(); ++g) {
    if (std::abs(kGenerations[g].transfers - transfers) > 1e8) continue;
    return PcieLink{static_cast<unsigned>(g + 1), static_cast<unsigned>(*lanes)};
  }
  return std::nullopt;
}

}  // namespace

double BytesPerSecond(const PcieLink& link) {
  if (link.generation < 1 || link.generation > kGenerations.size()) return 0;
  const Generation& generation = kGenerations[link.generation - 1];
  return generation.transfers * generation.coded / 8 * link.lanes * kForData;
}

std::string TextOf(const PcieLink& link) {
  return "PCIe " + std::to_string(link.generation) + ".0 x" + std::to_string(link.lanes);
}

std::optional<PcieLink> FindPcieLink(const std::string& address, const NvmlLibrary* nvml,
                                     const std::filesystem::path& root) {
  if (nvml != nullptr) {
    if (const auto link = ByNvml(address, *nvml)) return link;
  }
  return BySysfs(address, root);
}

Link LinkTo(MemoryId card, const std::optional<PcieLink>& link, bool engine) {
  double rate = link ? BytesPerSecond(*link) : 0;
  if (rate == 0) rate = BytesPerSecond(kPcieWhereUnknown);
  Link to;
  to.from = kBoard;
  to.to = card;
  to.latency = kLatency;
  to.bandwidth_bytes_per_s = std::round(rate / 1e8) * 1e8;
  to.engine = engine;
  return to;
}

}  // namespace tandem::gpu
