// What varies in a sweep, as groups of rows: an axis by its values, or by ranges of them where there are
// many, and the policy.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/sweep/row.h"
#include "sim/sweep/sweep.h"

namespace tandem {

struct FactorLevel {
  std::string label;              // "10", "12.5 to 30"
  std::optional<double> at;       // of numbers: their mean
  std::vector<std::size_t> rows;  // positions
};
struct Factor {
  std::string name;                 // an axis, or "policy"
  std::vector<FactorLevel> levels;  // numbers ascend
  bool is_seed = false;             // chance alone: it matters, but nobody chooses it
};

// Of the rows at these positions. Those with one level alone are left out.
std::vector<Factor> FactorsOf(const Sweep& sweep, const std::vector<SweepRow>& rows,
                              const std::vector<std::size_t>& positions);

}  // namespace tandem
