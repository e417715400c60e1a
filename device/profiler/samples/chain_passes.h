// What is told of a chain that ran again and again: how long each of its parts took, and what a probe felt of
// each. Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "profiles/base/time.h"

namespace tandem {

// Passes through all parts of a chain, one after the other.
struct ChainPasses {
  std::size_t parts = 1;
  std::vector<Nanos> begins;  // by the steady clock, a pass each
  std::vector<Nanos> times;   // pass by pass, a part each

  std::size_t size() const { return begins.size(); }
  Nanos Time(std::size_t pass, std::size_t part) const { return times[pass * parts + part]; }
  double MeanTime(std::size_t part) const;  // nanoseconds; 0 without a pass
};

// One of many like pieces of a probe's work.
struct ProbeStep {
  Nanos begin{0}, time{0};
};

// For each part of the chain the mean time in nanoseconds of the steps whose middle lay within it, 0 where
// none did. A part that is shorter than the step has none: it cannot be told from those beside it. Both lists
// ascend.
std::vector<double> MeanStepsWithin(const ChainPasses& passes, std::span<const ProbeStep> steps);

}  // namespace tandem
