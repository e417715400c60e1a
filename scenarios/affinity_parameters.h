// affinity: each model is bound to one unit.
#pragma once

#include <optional>
#include <vector>

#include "profiles/ids.h"
#include "scenarios/policy_spec.h"

namespace tandem {

struct AffinityParameters : PolicyParameters {
  std::vector<std::optional<UnitId>> unit_of;  // per model of the scenario; nothing: the policy chooses
};

}  // namespace tandem
