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
// Of a command line, in the order of the words, as the kernel and taskset write them: "8", "0-3", "0-6:2".
// Throws InputError, `option` first, where a word is none of these or a core is named twice.
std::vector<std::int64_t> AskedCores(const std::vector<std::string>& words, const std::string& option);
std::string CoreListText(std::span<const std::int64_t> cores);  // that ascend

}  // namespace tandem
