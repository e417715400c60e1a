#include "policies/bounds/alike_units.h"

#include <algorithm>
#include <map>

namespace tandem {

AlikeUnits MergeAlike(std::span<const WorkClass> classes, std::span<const std::int64_t> slots) {
  AlikeUnits alike;
  for (const WorkClass& work : classes) alike.classes.push_back({work.count, {}});
  std::map<std::vector<Nanos>, std::size_t> known;
  std::vector<Nanos> times(classes.size());
  for (std::size_t u = 0; u < slots.size(); ++u) {
    for (std::size_t c = 0; c < classes.size(); ++c) times[c] = std::max(classes[c].time[u], Nanos{-1});
    const auto [found, is_new] = known.try_emplace(times, alike.slots.size());
    if (is_new) {
      alike.slots.push_back(0);
      for (std::size_t c = 0; c < classes.size(); ++c) alike.classes[c].time.push_back(times[c]);
    }
    alike.slots[found->second] += slots[u];
    alike.of_unit.push_back(found->second);
  }
  return alike;
}

std::size_t EffortOf(std::span<const WorkClass> classes, std::size_t units) {
  std::size_t columns = 1;
  for (const WorkClass& work : classes) {
    for (const Nanos time : work.time) columns += time < Nanos{0} ? 0 : 1;
  }
  return columns * units;
}

std::vector<std::int64_t> WeightsBySpeed(std::span<const WorkClass> classes,
                                         std::span<const std::int64_t> slots) {
  std::vector<double> weights(slots.size(), 0.0);
  for (const WorkClass& work : classes) {
    Nanos least{-1};
    for (const Nanos time : work.time) {
      if (time >= Nanos{0} && (least < Nanos{0} || time < least)) least = time;
    }
    for (std::size_t u = 0; u < slots.size(); ++u) {
      if (work.time[u] <= Nanos{0}) continue;
      weights[u] = std::max(weights[u],
                            static_cast<double>(least.count()) / static_cast<double>(work.time[u].count()));
    }
  }
  return WholeWeights(weights);
}

}  // namespace tandem
