#include "scenarios/scenario/file_keys.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "profiles/base/input_error.h"
#include "profiles/base/json_text.h"

namespace tandem {

bool KeyNamesFiles(std::string_view key) {
  constexpr std::array<std::string_view, 8> kKeys = {"beside_model", "file",     "model",    "models",
                                                     "plan",         "platform", "profiles", "weights"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

std::optional<nlohmann::json> JsonToFollow(const std::string& text) {
  try {
    (void)JsonDocument::Parse(text, "");  // which bounds how deep it nests
  } catch (const InputError&) {
    return std::nullopt;
  }
  return nlohmann::json::parse(text);
}

}  // namespace tandem
