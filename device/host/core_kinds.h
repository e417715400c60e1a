// What tells cores apart beside their clocks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>

namespace tandem {

// Who designed each core and which of their designs it is, as ARM numbers both: "0x41 0xd07". Cores of which
// nothing tells it are not there.
std::map<std::int64_t, std::string> CoreDesigns(std::span<const std::int64_t> cores,
                                                const std::filesystem::path& root = "/");

// What the kernel takes each core's speed to be, or would by the device tree; 1024 is the fastest. Cores of
// which neither tells it are not there.
std::map<std::int64_t, std::int64_t> CoreCapacities(std::span<const std::int64_t> cores,
                                                    const std::filesystem::path& root = "/");

}  // namespace tandem
