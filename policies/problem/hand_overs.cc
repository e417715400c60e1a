#include "policies/problem/hand_overs.h"

#include <algorithm>
#include <cmath>

namespace tandem {

HandOvers::HandOvers(const Scenario& scenario)
    : HandOvers(scenario, [&](std::size_t profile, std::size_t entry) {
        return scenario.profiles[profile].hand_overs[entry].time.median;
      }) {}

HandOvers::HandOvers(const Scenario& scenario, const TimeOf& time_of) {
  const Platform& platform = *scenario.platform;
  const UnitNames units(platform);
  for (std::size_t p = 0; p < scenario.profiles.size(); ++p) {
    const auto& entries = scenario.profiles[p].hand_overs;
    for (std::size_t e = 0; e < entries.size(); ++e) {
      const HandOverEntry& entry = entries[e];
      const UnitId from = units.Find(entry.from), to = units.Find(entry.to);
      if (!from.valid() || !to.valid() || platform.unit(from).memory != platform.unit(to).memory) continue;
      measured_[{from, to}].push_back({entry.bytes, time_of(p, e)});
    }
  }
  for (auto& [pair, samples] : measured_) {
    std::sort(samples.begin(), samples.end(),
              [](const Sample& a, const Sample& b) { return a.bytes < b.bytes; });
  }
}

// Between two measured sizes on the straight line, below the least one its time, beyond the greatest on the
// line of the last two, never less than the last one's.
Nanos HandOvers::Time(UnitId from, UnitId to, std::int64_t bytes) const {
  const auto found = measured_.find({from, to});
  if (found == measured_.end()) return Nanos{0};
  const auto& samples = found->second;
  if (bytes <= samples.front().bytes || samples.size() == 1) return samples.front().time;
  const bool beyond = bytes > samples.back().bytes;
  const auto above = beyond ? samples.end() - 1
                            : std::find_if(samples.begin(), samples.end(),
                                           [&](const Sample& s) { return s.bytes >= bytes; });
  const Sample& below = *(above - 1);
  const double share =
      static_cast<double>(bytes - below.bytes) / static_cast<double>(above->bytes - below.bytes);
  const Nanos time = below.time + Nanos{static_cast<std::int64_t>(std::ceil(
                                      share * static_cast<double>((above->time - below.time).count())))};
  return std::min(beyond ? std::max(time, above->time) : time, kLongestTime);
}

}  // namespace tandem
