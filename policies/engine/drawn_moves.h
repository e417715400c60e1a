// What a draw says of copies and loads: they take other times than their medians.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "policies/problem/copy_routes.h"
#include "policies/problem/problem.h"

namespace tandem {

struct DrawnMoves {
  CopyRoutes routes;          // its times alone count: ways are chosen by the medians
  std::vector<double> loads;  // per unit and model, times the median
  std::size_t models = 0;

  Nanos Load(ModelId model, UnitId unit, Nanos median) const {
    return Nanos{
        std::llround(static_cast<double>(median.count()) * loads[unit.index() * models + model.index()])};
  }
};

}  // namespace tandem
