// A random order, the same for the same generator everywhere.
#pragma once

#include <numeric>
#include <utility>
#include <vector>

#include "scenarios/arrivals/random.h"

namespace tandem {

inline std::vector<std::size_t> ShuffledOrder(std::size_t size, StreamRandom& random) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = size; i > 1; --i) {
    std::swap(order[i - 1],
              order[static_cast<std::size_t>(random.UniformUpTo(static_cast<std::int64_t>(i) - 1))]);
  }
  return order;
}

}  // namespace tandem
