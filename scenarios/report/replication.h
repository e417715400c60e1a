// What several runs tell of a policy: how sure a mean is, and how sure it is that one policy is better than
// another. Statistics as plain functions of their samples.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tandem {

inline constexpr double kUsualInterval = 0.9;  // the probability of an interval that nobody says

// Covers the true value with such a probability.
struct Interval {
  double low = 0, high = 0;
  bool Contains(double value) const { return low <= value && value <= high; }
  void Cover(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

struct Estimate {
  double value = 0;
  std::optional<Interval> interval;  // nothing where there are too few samples for one
};

// Student's t with so many degrees of freedom, at least 1, is below it with `probability`, 0.5 to 1.
double StudentQuantile(double probability, std::int64_t degrees);

// The mean with Student's interval; at least one sample, two for an interval.
Estimate MeanEstimate(std::span<const double> samples, double probability = kUsualInterval);

// The nearest-rank quantile with an interval between two of the samples, which holds whatever they are
// distributed like; one of 90 % needs five for a median. `share` in (0, 1).
Estimate QuantileEstimate(std::vector<double> samples, double share, double probability = kUsualInterval);

// Several policies on the same replications: values[policy][replication], of an objective.
struct Standing {
  // Share of replications in which none was better; nothing of one replication.
  std::optional<double> win_probability;
  Estimate difference;       // from the policy with the best mean, replication by replication
  std::optional<bool> tied;  // with that policy: the interval of the difference contains 0, if it has one
};
struct Comparison {
  std::size_t best = 0;  // by mean; of equals the first
  std::vector<Standing> standings;
};
// Every policy has as many values, at least one.
Comparison Compare(const std::vector<std::vector<double>>& values, bool higher_is_better,
                   double probability = kUsualInterval);
// Of each the share of replications in which none is better: who are alike are both the best.
std::vector<double> SharesOfBest(const std::vector<std::vector<double>>& values, bool higher_is_better);

}  // namespace tandem
