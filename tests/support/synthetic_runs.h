// Runs of policies that take turns, of which everything is known: medians, noise, drift, what stands out.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "scenarios/calibration/rounds.h"

namespace tandem {

struct SyntheticRuns {
  std::vector<double> medians = {100, 110, 120, 130};
  std::int64_t runs = 5;
  // Standard deviations, as shares: of a run, of all runs of a round.
  double noise = 0.01, round_noise = 0;
  double noise_of_first = -1;  // of the first policy's runs; below 0: as of all
  double drift = 0;            // by how much the last round is slower than the first
  double outliers = 0;         // the share of the runs that take half as long again

  std::vector<RoundSample> Samples(std::uint64_t seed) const {
    std::mt19937_64 random(seed * 0x9E3779B97F4A7C15ULL + 1);
    const auto uniform = [&] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; };
    const auto normal = [&] {
      const double radius = std::sqrt(-2 * std::log(uniform()));
      return radius * std::cos(2 * std::numbers::pi * uniform());
    };
    std::vector<RoundSample> samples;
    for (std::int64_t round = 0; round < runs; ++round) {
      const double turn = static_cast<double>(round) / static_cast<double>(runs - 1) - 0.5;
      const double machine = drift * turn + round_noise * normal();
      for (std::size_t p = 0; p < medians.size(); ++p) {
        const double own = p == 0 && noise_of_first >= 0 ? noise_of_first : noise;
        const double off = machine + own * normal();
        const bool stands_out = uniform() < outliers;
        samples.push_back({p, round, medians[p] * std::exp(off) * (stands_out ? 1.5 : 1)});
      }
    }
    return samples;
  }
};

}  // namespace tandem
