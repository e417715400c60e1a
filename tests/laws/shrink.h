// A scenario and its files made as small as they can be with something still wrong.
#pragma once

#include <filesystem>
#include <functional>

#include "scenarios/scenario/scenario.h"

namespace tandem {

// Takes away what can be taken from the JSON files in `folder`, one key or element at a time, and makes
// numbers smaller, as long as `broken` still holds of random.scenario.json there; what cannot be read any
// more is not tried.
void Shrink(const std::filesystem::path& folder, const std::function<bool(const Scenario&)>& broken);

}  // namespace tandem
