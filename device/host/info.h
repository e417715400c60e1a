// Room device/host: this computer: cores, clocks, sysfs, NVML. Knows nothing of networks.
//
// The computer that this runs on, as far as Linux tells. Nothing here fails: what is not told stays empty.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tandem {

// Cores of one package that are about equally fast.
struct CoreCluster {
  std::vector<std::int64_t> cores;  // ascending
  std::int64_t package = 0;
  std::int64_t max_khz = 0;   // the fastest core's, 0 where unknown
  std::int64_t capacity = 0;  // what the kernel takes a core's speed to be, 0 where unknown
  std::int64_t threads_per_core = 1;
  std::string governor;  // who sets the clock: "performance", "schedutil"
};

struct HostInfo {
  std::string board;                  // "NVIDIA Jetson Orin Nano Developer Kit"
  std::string cpu_name;               // "AMD EPYC 7B13"
  std::string kernel;                 // "Linux 6.1.0 x86_64"
  std::vector<CoreCluster> clusters;  // of the cores that this process may use, in order of their first
  std::int64_t memory_bytes = 0;      // of the whole board, 0 where unknown
};

// The cores that this process may use (taskset, containers), ascending, at least one.
std::vector<std::int64_t> UsableCores();

// `root` is where proc and sys are mounted; tests have their own.
HostInfo ReadHost(const std::vector<std::int64_t>& cores, const std::filesystem::path& root = "/");

// The same with every cluster cut into `parts` of about equally many cores, where it has so many.
HostInfo SplitClusters(HostInfo host, std::int64_t parts);

// As Origin::host has it: "AMD EPYC 7B13, 2 cores, 8 GiB", by the board's name where it has one.
std::string HostText(const HostInfo& host);

// A name that such a board keeps: "nvidia-jetson-orin-nano-developer-kit", or its processor's.
std::string BoardSlug(const HostInfo& host);

}  // namespace tandem
