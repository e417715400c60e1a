// Stretches of time, each from one date to another.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "profiles/base/time.h"

namespace tandem {

using Stretches = std::vector<std::pair<Nanos, Nanos>>;

// In order; those that overlap or touch are one, empty ones are none.
inline Stretches Apart(Stretches all) {
  std::sort(all.begin(), all.end());
  Stretches apart;
  for (const auto& [from, to] : all) {
    if (!apart.empty() && from <= apart.back().second) {
      apart.back().second = std::max(apart.back().second, to);
    } else if (from < to) {
      apart.emplace_back(from, to);
    }
  }
  return apart;
}

}  // namespace tandem
