// Lists of cores as the kernel writes them: "0-3,8", or as a mask "10f".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

// Ascending, each once; what is no number or range of them is passed over.
std::vector<std::int64_t> ReadCoreList(std::string_view text);
// The same of a mask: hexadecimal words of 32 bits with commas between, the highest first. Empty where it is
// none.
std::vector<std::int64_t> ReadCoreMask(std::string_view text);
std::string CoreListText(std::span<const std::int64_t> cores);  // that ascend

}  // namespace tandem
