#include "device/host/core_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tandem {
namespace {

using NamedDesign = std::pair<std::string_view, std::string_view>;

// As the kernel's arch/arm64/include/asm/cputype.h and lscpu have them.
constexpr std::array<NamedDesign, 41> kCoreNames = {{
    {"0x41 0xc05", "Cortex-A5"},    {"0x41 0xc07", "Cortex-A7"},    {"0x41 0xc08", "Cortex-A8"},
    {"0x41 0xc09", "Cortex-A9"},    {"0x41 0xc0d", "Cortex-A17"},   {"0x41 0xc0e", "Cortex-A17"},
    {"0x41 0xc0f", "Cortex-A15"},   {"0x41 0xd01", "Cortex-A32"},   {"0x41 0xd02", "Cortex-A34"},
    {"0x41 0xd03", "Cortex-A53"},   {"0x41 0xd04", "Cortex-A35"},   {"0x41 0xd05", "Cortex-A55"},
    {"0x41 0xd06", "Cortex-A65"},   {"0x41 0xd07", "Cortex-A57"},   {"0x41 0xd08", "Cortex-A72"},
    {"0x41 0xd09", "Cortex-A73"},   {"0x41 0xd0a", "Cortex-A75"},   {"0x41 0xd0b", "Cortex-A76"},
    {"0x41 0xd0d", "Cortex-A77"},   {"0x41 0xd0e", "Cortex-A76AE"}, {"0x41 0xd41", "Cortex-A78"},
    {"0x41 0xd42", "Cortex-A78AE"}, {"0x41 0xd43", "Cortex-A65AE"}, {"0x41 0xd44", "Cortex-X1"},
    {"0x41 0xd46", "Cortex-A510"},  {"0x41 0xd47", "Cortex-A710"},  {"0x41 0xd48", "Cortex-X2"},
    {"0x41 0xd4b", "Cortex-A78C"},  {"0x41 0xd4d", "Cortex-A715"},  {"0x41 0xd4e", "Cortex-X3"},
    {"0x41 0xd80", "Cortex-A520"},  {"0x41 0xd81", "Cortex-A720"},  {"0x41 0xd82", "Cortex-X4"},
    {"0x41 0xd0c", "Neoverse-N1"},  {"0x41 0xd40", "Neoverse-V1"},  {"0x41 0xd49", "Neoverse-N2"},
    {"0x41 0xd4a", "Neoverse-E1"},  {"0x41 0xd4f", "Neoverse-V2"},  {"0x4e 0x000", "Denver"},
    {"0x4e 0x003", "Denver 2"},     {"0x4e 0x004", "Carmel"},
}};

}  // namespace

std::string CoreName(std::string_view design) {
  const auto named = std::find_if(kCoreNames.begin(), kCoreNames.end(),
                                  [&](const NamedDesign& one) { return one.first == design; });
  return named == kCoreNames.end() ? std::string() : std::string(named->second);
}

}  // namespace tandem
