// What this was built from and with; the same for both programs.
#pragma once

#include <string>
#include <string_view>

namespace tandem {

std::string_view Version();  // "0.1.0"
std::string CompilerName();  // "g++ 12.2.0"

}  // namespace tandem
