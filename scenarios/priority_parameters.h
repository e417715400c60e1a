// priority: every unit has a ranking of models.
#pragma once

#include <optional>
#include <vector>

#include "profiles/ids.h"
#include "scenarios/policy_spec.h"

namespace tandem {

struct PriorityParameters : PolicyParameters {
  // Per unit of the platform, best first; an empty ranking runs nothing. Nothing: ranked by profiled times.
  std::optional<std::vector<std::vector<ModelId>>> rank;
};

}  // namespace tandem
