// Whose turn it was among slots that share their unit's time slice by slice, reckoned from what they did. Of
// simulated runs.
#pragma once

#include <cstdint>
#include <vector>

#include "profiles/base/time.h"
#include "profiles/costs/platform.h"

namespace tandem {

// From then on, until the next one, these slots, ascending, are at work.
struct CheckedAtWork {
  Nanos at{0};
  std::vector<std::int32_t> slots;
};

// From then on the slot has the unit, until the next one; -1: none has it.
struct CheckedTurn {
  Nanos at{0};
  std::int32_t slot = -1;
};

// `at_work` ascending, and nobody at work in the end; so are the turns.
std::vector<CheckedTurn> TurnsTaken(const Unit& unit, const std::vector<CheckedAtWork>& at_work);

}  // namespace tandem
