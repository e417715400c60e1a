// What cores are called by those who designed them.
#pragma once

#include <string>
#include <string_view>

namespace tandem {

// "Cortex-A76" of "0x41 0xd0b" (core_kinds.h); empty where this build does not know it.
std::string CoreName(std::string_view design);

}  // namespace tandem
