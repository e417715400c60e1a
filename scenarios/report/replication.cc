#include "scenarios/report/replication.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "profiles/base/check.h"
#include "profiles/base/statistics.h"
#include "scenarios/arrivals/elementary.h"
#include "scenarios/arrivals/random.h"

namespace tandem {
namespace {

// How often at most one fails with `share`: the number of samples, of n, below a quantile. Walks up from 0;
// in logarithms, since the probability of 0 may be too small for a double.
class BinomialWalk {
 public:
  BinomialWalk(std::size_t n, double share) : n_(n), log_odds_(NaturalLog(share) - NaturalLog(1 - share)) {
    log_ = static_cast<double>(n) * NaturalLog(1 - share);
    below_or_at_ = Exp(log_);
  }
  double UpTo() const { return below_or_at_; }  // probability of 0..at
  std::size_t at() const { return at_; }
  void Next() {
    log_ += NaturalLog(static_cast<double>(n_ - at_) / static_cast<double>(at_ + 1)) + log_odds_;
    ++at_;
    below_or_at_ += Exp(log_);
  }

 private:
  std::size_t n_;
  double log_odds_, log_ = 0;
  std::size_t at_ = 0;
  double below_or_at_ = 0;
};

// Ranks, from 0, of the two samples that enclose the quantile.
std::optional<std::pair<std::size_t, std::size_t>> EnclosingRanks(std::size_t n, double share,
                                                                  double probability) {
  const double tail = (1 - probability) / 2;  // on either side
  BinomialWalk below(n, share);
  if (below.UpTo() > tail) return std::nullopt;  // even the least sample is not surely below
  std::size_t low = 0;
  for (; below.UpTo() <= tail; below.Next()) low = below.at();
  while (below.at() < n && below.UpTo() < 1 - tail) below.Next();
  if (below.at() >= n) return std::nullopt;
  return std::pair{low, below.at()};
}

// That t is below `t`: a finite sum for a whole number of degrees.
double StudentBelow(double t, std::int64_t degrees) {
  const double n = static_cast<double>(degrees), sine = t / std::sqrt(n + t * t),
               cosine = std::sqrt(n / (n + t * t));
  double sum = 0, term = degrees % 2 == 1 ? cosine : 1;
  for (std::int64_t k = degrees % 2 == 1 ? 1 : 0; k <= degrees - 2; k += 2) {
    sum += term;
    term *= cosine * cosine * static_cast<double>(k + 1) / static_cast<double>(k + 2);
  }
  if (degrees % 2 == 0) return 0.5 + sine * sum / 2;
  return 0.5 + (std::atan(t / std::sqrt(n)) + sine * sum) * std::numbers::inv_pi;
}

bool Better(double a, double b, bool higher_is_better) { return higher_is_better ? a > b : a < b; }

}  // namespace

double StudentQuantile(double probability, std::int64_t degrees) {
  TANDEM_CHECK(degrees >= 1 && probability >= 0.5 && probability < 1, "a quantile of the upper half");
  constexpr std::int64_t kNearlyNormal = 2000;
  degrees = std::min(degrees, kNearlyNormal);
  double low = 0, high = 1;
  while (StudentBelow(high, degrees) < probability) high *= 2;
  constexpr double kNear = 1e-10;
  while (high - low > kNear * high) {  // ends alike, whatever the last bits of an arc tangent are
    const double middle = (low + high) / 2;
    (StudentBelow(middle, degrees) < probability ? low : high) = middle;
  }
  return high;
}

Estimate MeanEstimate(std::span<const double> samples, double probability) {
  TANDEM_CHECK(!samples.empty(), "a mean needs a sample");
  const double mean = Mean(samples);
  if (samples.size() < 2) return {mean, std::nullopt};
  const double error = StudentQuantile((1 + probability) / 2, static_cast<std::int64_t>(samples.size()) - 1) *
                       StandardErrorOfMean(samples);
  return {mean, Interval{mean - error, mean + error}};
}

Estimate QuantileEstimate(std::vector<double> samples, double share, double probability) {
  TANDEM_CHECK(!samples.empty() && share > 0 && share < 1, "a quantile needs a sample and a share");
  std::sort(samples.begin(), samples.end());
  const auto n = static_cast<double>(samples.size());
  const auto rank = static_cast<std::size_t>(std::max(std::ceil(share * n), 1.0));
  Estimate estimate{samples[rank - 1], std::nullopt};
  if (const auto ranks = EnclosingRanks(samples.size(), share, probability)) {
    estimate.interval = Interval{samples[ranks->first], samples[ranks->second]};
  }
  return estimate;
}

Comparison Compare(const std::vector<std::vector<double>>& values, bool higher_is_better,
                   double probability) {
  TANDEM_CHECK(!values.empty() && !values[0].empty(), "a comparison needs values");
  Comparison comparison;
  comparison.standings.resize(values.size());
  for (std::size_t p = 1; p < values.size(); ++p) {
    if (Better(Mean(values[p]), Mean(values[comparison.best]), higher_is_better)) comparison.best = p;
  }
  const std::size_t runs = values[0].size();
  const std::vector<double> shares = SharesOfBest(values, higher_is_better);
  for (std::size_t p = 0; p < values.size(); ++p) {
    std::vector<double> differences;
    for (std::size_t r = 0; r < runs; ++r) differences.push_back(values[p][r] - values[comparison.best][r]);
    Standing& standing = comparison.standings[p];
    standing.difference = MeanEstimate(differences, probability);
    if (runs < 2) continue;
    standing.win_probability = shares[p];
    standing.tied = p == comparison.best || standing.difference.interval->Contains(0);
  }
  return comparison;
}

std::vector<double> SharesOfBest(const std::vector<std::vector<double>>& values, bool higher_is_better) {
  std::vector<double> shares(values.size());
  const std::size_t runs = values.empty() ? 0 : values[0].size();
  for (std::size_t r = 0; r < runs; ++r) {
    double best = values[0][r];
    for (const std::vector<double>& of : values) best = Better(of[r], best, higher_is_better) ? of[r] : best;
    for (std::size_t p = 0; p < values.size(); ++p) shares[p] += values[p][r] == best ? 1 : 0;
  }
  for (double& share : shares) share /= static_cast<double>(runs);
  return shares;
}

}  // namespace tandem
