// Of a few tasks the best schedule that there is.
#pragma once

#include <optional>

#include "policies/problem/problem.h"
#include "scenarios/scenario/decisions.h"

namespace tandem {

// Nothing: there are too many tasks, or something besides the makespan counts.
std::optional<FixedSchedule> ExactSchedule(const Problem& problem);

}  // namespace tandem
