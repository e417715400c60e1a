// Models to distinct units: bottleneck assignment by thresholds and matching.
#pragma once

#include <optional>
#include <vector>

#include "policies/search/binding.h"

namespace tandem {

// The lexicographically smallest of those whose largest cost is least; nothing where there is none.
std::optional<std::vector<UnitId>> DistinctBinding(const std::vector<std::vector<double>>& cost);

}  // namespace tandem
