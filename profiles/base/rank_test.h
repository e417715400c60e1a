// Do two lists of measurements differ by more than their noise? And which of many comparisons can be trusted?
#pragma once

#include <span>
#include <vector>

#include "profiles/base/time.h"

namespace tandem {

// The two-sided p of Mann and Whitney's rank test: how probable ranks at least as uneven are where both come
// from one distribution, whatever that is. Exact for up to 20 values a side without ties, else by the normal
// approximation with tie and continuity corrections. 1 where a side is empty.
double RankTest(std::span<const Nanos> a, std::span<const Nanos> b);

// The same; but where all of one lie beyond all of the other, of which ranks cannot tell how far, the p of
// Welch's t test on the logarithms where that is less. At least four values a side tell it.
double ShiftTest(std::span<const Nanos> a, std::span<const Nanos> b);

// The two-sided p of Student's t with so many degrees of freedom, which need not be whole.
double StudentP(double t, double degrees);

// Benjamini and Hochberg, 1995: the least share of false discoveries at which each would be one, were all of
// these compared; in their order.
std::vector<double> FalseDiscoveryRates(const std::vector<double>& p);

}  // namespace tandem
