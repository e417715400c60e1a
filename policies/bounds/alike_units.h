// Platforms of thousands of units, for linear programs that would take minutes over them: units that are
// alike are one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "policies/bounds/division.h"

namespace tandem {

// Units are alike where every class takes the same time on them, or cannot run on either. What one of them
// has to do may be spread over its likes by their slots, and the work of all of them is work of the one that
// has their slots together: the least time of the division is the same.
struct AlikeUnits {
  std::vector<std::size_t> of_unit;  // per unit: which of those that are left stands for it
  std::vector<WorkClass> classes;    // of those that are left
  std::vector<std::int64_t> slots;   // the same, of all that each stands for
};
AlikeUnits MergeAlike(std::span<const WorkClass> classes, std::span<const std::int64_t> slots);

// What its program takes time by: the columns times the units that they are divided over.
std::size_t EffortOf(std::span<const WorkClass> classes, std::size_t units);

// Weights by which no class is cheaper anywhere than where it takes its least time. Those of the program
// where units differ by one factor for all classes, as where there is one class.
std::vector<std::int64_t> WeightsBySpeed(std::span<const WorkClass> classes,
                                         std::span<const std::int64_t> slots);

}  // namespace tandem
