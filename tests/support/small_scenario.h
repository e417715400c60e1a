// Small scenarios put together in memory: boards without copies, chains of layers with times of our choice.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/scenario/scenario.h"

namespace tandem {

class SmallScenario {
 public:
  static constexpr std::int64_t kCannot = -1;

  // Units "u0", "u1", ... with as many slots each.
  explicit SmallScenario(const std::vector<std::int64_t>& slots);

  // A chain of as many layers as there are rows: microseconds per layer and unit. Models "m0", "m1", ...
  ModelId AddModel(const std::vector<std::vector<std::int64_t>>& times_us, const Shape& input = {1, 4, 4, 4});
  // Streams "s0", "s1", ...; what more they have is set in the stream itself before Build().
  Stream& AddStream(ModelId model, std::int64_t count, const Arrival& arrival = OfflineArrival{});

  Scenario Build();  // once

 private:
  Scenario scenario_;
  Profile profile_;
};

// The first request comes then, others a millisecond apart.
inline Arrival ReleasedAt(std::int64_t us) {
  return PeriodicArrival{1000, 1, std::chrono::microseconds{us}, Nanos{0}};
}

}  // namespace tandem
