// Where in scenarios, plans, profiles and models the names of files stand: everything else that looks like a
// path is a name.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace tandem {

// Under these keys a file, or a list of them.
inline bool KeyNamesFiles(std::string_view key) {
  constexpr std::array<std::string_view, 8> kKeys = {"beside_model", "file",     "model",    "models",
                                                     "plan",         "platform", "profiles", "weights"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

}  // namespace tandem
