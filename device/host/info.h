// Room device/host: this computer: cores, clocks, sysfs, NVML. Knows nothing of networks.
//
// The computer that this runs on, as far as Linux tells. Nothing here fails: what is not told stays empty.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "device/host/caches.h"

namespace tandem {

// Cores that a board's kernel counts together and clocks alike.
struct CorePart {
  std::vector<std::int64_t> cores;        // ascending
  std::int64_t package = 0, cluster = 0;  // as the kernel numbers them
  std::int64_t max_khz = 0, capacity = 0;
  std::int64_t limit_khz = 0;
  std::string governor = {};
};

// Cores of one package and one kind that are about equally fast, by what they are and by how they are set.
// What is not told of a core is taken to be as of those that it could belong to.
struct CoreCluster {
  std::vector<std::int64_t> cores;  // ascending
  std::int64_t package = 0;
  std::int64_t max_khz = 0;   // the fastest core's, 0 where unknown
  std::int64_t capacity = 0;  // what the kernel takes a core's speed to be, 0 where unknown
  std::int64_t threads_per_core = 1;
  std::string governor;  // who sets the clock: "performance"; of several cores all: "interactive, powersave"
  // What became one here, on boards with a device tree; empty elsewhere: kernels number other things there.
  std::vector<CorePart> parts = {};
  std::string design = {};  // "0x41 0xd07" (core_kinds.h), empty where unknown
  // How fast the settings let the fastest core go, max_khz at most; 0 where unknown, and while clocks are
  // held back for the heat: what cools sets the same limits, from one moment to the next.
  std::int64_t limit_khz = 0;
};

struct HostInfo {
  std::string board;                  // "NVIDIA Jetson Orin Nano Developer Kit"
  std::string cpu_name;               // "AMD EPYC 7B13"
  std::string kernel;                 // "Linux 6.1.0 x86_64"
  std::vector<CoreCluster> clusters;  // of the cores that this process may use, in order of their first
  std::int64_t memory_bytes = 0;      // of the whole board, 0 where unknown
  // What its control group leaves this process of it, where that is less.
  std::optional<std::int64_t> memory_limit_bytes = std::nullopt;
  std::vector<std::int64_t> offline;  // cores that the board has and that are switched off
  // Cores' worth of time that its control group leaves this process, where that is less than it sees.
  std::optional<double> quota_cores;
  std::vector<Caches> caches;  // that the cores of these clusters use
};

// `root` is where proc and sys are mounted, or a copy of them lies: of a board's, or of a test's own.

// The cores that this process may use (taskset, containers), of a copy those that were online; ascending, at
// least one.
std::vector<std::int64_t> UsableCores(const std::filesystem::path& root = "/");

// Cores that are of one kind run the same kernels fastest: of a board with big and little ones the two
// differ.
std::string CoreKind(std::int64_t core, const std::filesystem::path& root = "/");

HostInfo ReadHost(const std::vector<std::int64_t>& cores, const std::filesystem::path& root = "/");

// The same with every cluster cut into `parts`, where it has so many cores: along its own parts where these
// are as many, else into about equally many cores.
HostInfo SplitClusters(HostInfo host, std::int64_t parts);

// Of the board's memory what this process may use, 0 where unknown.
std::int64_t UsableMemory(const HostInfo& host);

// That this process has less time of the cores than it sees; empty where that is not so.
std::string QuotaText(const HostInfo& host);
// What it has and this process does not get, in words: "switched off: cores 4-7".
std::vector<std::string> WithheldTexts(const HostInfo& host);

// As Origin::host has it: "AMD EPYC 7B13, 2 cores, 8 GiB", by the board's name where it has one.
std::string HostText(const HostInfo& host);

// A name that such a board keeps: "nvidia-jetson-orin-nano-developer-kit", or its processor's.
std::string BoardSlug(const HostInfo& host);

}  // namespace tandem
