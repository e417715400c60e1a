// Which unit each model is bound to, so that the largest total of a unit is smallest.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "profiles/base/ids.h"

namespace tandem {

struct BindingChoice {
  static constexpr double kCannot = -1;

  std::vector<std::vector<double>> cost;  // per model and unit, whole numbers; kCannot: not there
  std::vector<std::vector<char>> loads;   // the same: may the model be loaded there when it is used?
  std::vector<std::optional<std::int64_t>> limits;  // per unit: how many it holds
};

// Models on distinct units where that is possible, else sharing them; a unit takes more models than its limit
// only where those that cannot be loaded leave room for one that can. Of equally good ones the
// lexicographically smallest list of unit positions. Nothing: there is none. With distinct units exact in
// polynomial time; sharing is exact unless the search sees more than a few million part-assignments: then the
// best that it has found.
std::optional<std::vector<UnitId>> BestBinding(const BindingChoice& choice);

}  // namespace tandem
