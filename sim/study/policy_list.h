// Which policies there are, from what they declare of themselves.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tandem {

std::string PolicyTable(std::size_t width);
nlohmann::ordered_json PoliciesJson();
std::string PoliciesMarkdown();  // the table of docs/semantics.md

}  // namespace tandem
