// The version of both programs.
#pragma once

#include <string_view>

namespace tandem {

std::string_view Version();  // "0.1.0"

}  // namespace tandem
