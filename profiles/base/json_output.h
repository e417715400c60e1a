// JSON as this project writes it: what fits a line stands on one, the rest is indented.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tandem {

// Ends with a newline. Bytes that are no UTF-8 (a name from somebody's model) come out as U+FFFD, and what is
// not printable as an escape.
std::string JsonOutput(const nlohmann::ordered_json& value);

}  // namespace tandem
