// Does a figure of each minute become another one over a long run? Few minutes that others disturb do not
// decide it, and where the minutes differ too much to tell, that is the answer: noise makes nobody pass.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "profiles/base/statistics.h"

namespace tandem {

enum class DriftVerdict { kNone, kDrifts, kUnknown, kTooFew };

struct Drift {
  // What the median of the last third of the minutes is above that of the first, as a share of it, and
  // between which two values that lies.
  double middle = 0, low = 0, high = 0;
  DriftVerdict verdict = DriftVerdict::kTooFew;
};

inline constexpr std::size_t kLeastMinutesOfDrift = 18;  // six in a third: its median is surely among them

inline std::vector<double> FirstThird(const std::vector<double>& all) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(all.size() / 3, 1))};
}
inline std::vector<double> LastThird(const std::vector<double>& all) {
  return {all.end() - static_cast<std::ptrdiff_t>(std::max<std::size_t>(all.size() / 3, 1)), all.end()};
}

// The two values of these between which their median lies 95 times in 100, whatever they are spread like:
// each value is as likely above it as below it.
inline std::pair<double, double> AroundMedian(const std::vector<double>& values) {
  const std::size_t count = values.size();
  double term = std::pow(0.5, static_cast<double>(count)), below = term;  // that at most so many are below it
  std::size_t rank = 0;
  for (; rank + 1 < (count + 1) / 2; ++rank) {
    term *= static_cast<double>(count - rank) / static_cast<double>(rank + 1);
    if (below + term > 0.025) break;
    below += term;
  }
  return {ValueAtRank(values, rank), ValueAtRank(values, count - 1 - rank)};
}

// `most`: the share by which it may become another one. At least one value, all above 0.
inline Drift DriftOf(const std::vector<double>& minutes, double most) {
  const std::vector<double> first = FirstThird(minutes), last = LastThird(minutes);
  const auto [low_before, high_before] = AroundMedian(first);
  const auto [low_after, high_after] = AroundMedian(last);
  Drift drift;
  drift.middle = LowerMedian(last) / LowerMedian(first) - 1;
  drift.low = low_after / high_before - 1;
  drift.high = high_after / low_before - 1;
  if (minutes.size() < kLeastMinutesOfDrift) return drift;
  drift.verdict = drift.low > most || drift.high < -most     ? DriftVerdict::kDrifts
                  : drift.low >= -most && drift.high <= most ? DriftVerdict::kNone
                                                             : DriftVerdict::kUnknown;
  return drift;
}

}  // namespace tandem
