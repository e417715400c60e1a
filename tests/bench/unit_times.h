// What the benchmarks of the engines compute with.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem {

inline constexpr int kBenchModels = 4;

// Times from 50 to 5000 us, no two alike in their pattern.
inline std::int64_t BenchMicros(std::size_t unit, int model) {
  return 50 + static_cast<std::int64_t>((unit * 7919 + static_cast<std::size_t>(model) * 104729) % 4951);
}

}  // namespace tandem
