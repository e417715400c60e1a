// The least time in which work can be divided over units when it may be cut at will: a linear program whose
// answer bounds every schedule from below. What a solver says is only used to choose weights; any weights
// prove a bound, in integers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiles/base/time.h"

namespace tandem {

// So many pieces, each of which occupies a slot of one unit for the unit's time; negative: not there.
struct WorkClass {
  std::int64_t count = 0;
  std::vector<Nanos> time;  // per unit
};

inline constexpr std::int64_t kMostWeight = std::int64_t{1} << 40;

// With the weights w >= 0 of the units every schedule needs at least
//   sum of count x min over units (time x w) / sum of slots x w,
// rounded down. Every class has a unit that runs it. Weights are at most kMostWeight, one of them positive.
Nanos ProvedDivision(std::span<const WorkClass> classes, std::span<const std::int64_t> slots,
                     std::span<const std::int64_t> weights);

// Weights found by shifting weight to units that the fastest choices overload. Weaker than the program's.
std::vector<std::int64_t> BalancedWeights(std::span<const WorkClass> classes,
                                          std::span<const std::int64_t> slots);

// Weights as real numbers, brought to the scale of ProvedDivision.
std::vector<std::int64_t> WholeWeights(std::span<const double> weights);

}  // namespace tandem
