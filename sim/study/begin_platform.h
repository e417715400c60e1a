// A board from words on a command line.
#pragma once

#include <string>
#include <vector>

namespace tandem {

struct PlatformWords {
  std::string name;
  std::vector<std::string> units;      // "gpu", "gpu:gpu:memory=vram:device=0"
  std::vector<std::string> memories;   // "dram=8GB:bandwidth=25.6GB/s"; none: "dram"
  std::vector<std::string> links;      // "dram-vram=12GB/s:latency=10us:engine", "dram-stick=300MB/s:hub=usb"
  std::vector<std::string> hubs = {};  // "usb=400MB/s"
};

// The text of a platform/1, with notes on what is not known. Throws InputError; `file` is what messages call
// it.
std::string PlatformFrom(const PlatformWords& words, const std::string& file);

}  // namespace tandem
