// What samples say: pure functions of lists of times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "profiles/base/time.h"

namespace tandem {

// The lower median and what it lies between with 95 % confidence, whatever the distribution: two of the
// samples by rank (of the binomial distribution). Of fewer than six samples: the least and the greatest.
struct MedianInterval {
  Nanos low{0}, median{0}, high{0};
  double HalfWidth() const;  // as a fraction of the median; 0 where that is 0
};
MedianInterval IntervalOfMedian(std::span<const Nanos> samples);  // at least one

// How many samples at either end lie outside that interval: the interval is from the sample of rank `cut` to
// that of rank n - 1 - cut, counted from 0.
std::size_t RanksOutside(std::size_t samples);

struct StopRule {
  double noise = 0.01;
  std::int64_t min_samples = 10;
  Nanos fine_enough{50};  // what the clock can tell, or what matters
};

// Enough samples, and the interval's half width within the noise or fine enough.
bool KnownWell(std::span<const Nanos> samples, const StopRule& rule);

// How far from it: the half width over what would do; up to 1 it is known well. Infinite of no samples.
double WantOf(std::span<const Nanos> samples, const StopRule& rule);

// The positions of the quarter, at least one, that want most: where there is no time for all, it goes there.
std::vector<std::size_t> WantMost(std::span<const double> wants);

// Neither the noise was reached nor do the samples come together: the interval's half width is more than
// 2.5 % and more than the noise.
bool IsUnstable(std::span<const Nanos> samples, double noise);

inline constexpr std::size_t kMostSamplesKept = 201;

// At most so many (an odd number), the first and the last among them, evenly spaced: samples in order of time
// stay so, and how they hang together is kept. Their median is near that of all.
std::vector<Nanos> Thinned(std::span<const Nanos> samples, std::size_t most = kMostSamplesKept);

}  // namespace tandem
