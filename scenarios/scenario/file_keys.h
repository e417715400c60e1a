// Where in scenarios, plans, profiles and models the names of files stand: everything else that looks like a
// path is a name.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace tandem {

// Under these keys a file, or a list of them.
bool KeyNamesFiles(std::string_view key);

// What a file holds, to be followed by its keys; nothing: it is none that a reader of ours would take.
std::optional<nlohmann::json> JsonToFollow(const std::string& text);

}  // namespace tandem
