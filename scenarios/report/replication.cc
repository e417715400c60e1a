#include "scenarios/report/replication.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "profiles/base/check.h"
#include "scenarios/arrivals/elementary.h"
#include "scenarios/arrivals/random.h"

namespace tandem {
namespace {

constexpr double kTail = 0.025;  // on either side of an interval

double Mean(std::span<const double> samples) {
  double sum = 0;
  for (const double sample : samples) sum += sample;
  return sum / static_cast<double>(samples.size());
}

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
std::optional<std::pair<std::size_t, std::size_t>> EnclosingRanks(std::size_t n, double share) {
  BinomialWalk below(n, share);
  if (below.UpTo() > kTail) return std::nullopt;  // even the least sample is not surely below
  std::size_t low = 0;
  for (; below.UpTo() <= kTail; below.Next()) low = below.at();
  while (below.at() < n && below.UpTo() < 1 - kTail) below.Next();
  if (below.at() >= n) return std::nullopt;
  return std::pair{low, below.at()};
}

bool Better(double a, double b, bool higher_is_better) { return higher_is_better ? a > b : a < b; }

}  // namespace

double StudentT(std::int64_t degrees) {
  constexpr std::array<double, 30> kTable = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060,
                                             2.2622,  2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199,
                                             2.1098,  2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639,
                                             2.0595,  2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
  TANDEM_CHECK(degrees >= 1, "Student's t has at least one degree of freedom");
  if (degrees <= static_cast<std::int64_t>(kTable.size()))
    return kTable[static_cast<std::size_t>(degrees - 1)];
  // Cornish and Fisher's expansion about the normal quantile.
  constexpr double kZ = 1.9599639845400545, kZ3 = kZ * kZ * kZ, kZ5 = kZ3 * kZ * kZ;
  const auto n = static_cast<double>(degrees);
  return kZ + (kZ3 + kZ) / (4 * n) + (5 * kZ5 + 16 * kZ3 + 3 * kZ) / (96 * n * n);
}

Estimate MeanEstimate(std::span<const double> samples) {
  TANDEM_CHECK(!samples.empty(), "a mean needs a sample");
  const double mean = Mean(samples);
  if (samples.size() < 2) return {mean, std::nullopt};
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  const auto n = static_cast<double>(samples.size());
  const double error = StudentT(static_cast<std::int64_t>(samples.size()) - 1) *
                       std::sqrt(squares / (n - 1) / n);  // a root is rounded alike everywhere
  return {mean, Interval{mean - error, mean + error}};
}

Estimate QuantileEstimate(std::vector<double> samples, double share) {
  TANDEM_CHECK(!samples.empty() && share > 0 && share < 1, "a quantile needs a sample and a share");
  std::sort(samples.begin(), samples.end());
  const auto n = static_cast<double>(samples.size());
  const auto rank = static_cast<std::size_t>(std::max(std::ceil(share * n), 1.0));
  Estimate estimate{samples[rank - 1], std::nullopt};
  if (const auto ranks = EnclosingRanks(samples.size(), share)) {
    estimate.interval = Interval{samples[ranks->first], samples[ranks->second]};
  }
  return estimate;
}

Comparison Compare(const std::vector<std::vector<double>>& values, bool higher_is_better) {
  TANDEM_CHECK(!values.empty() && !values[0].empty(), "a comparison needs values");
  Comparison comparison;
  comparison.standings.resize(values.size());
  for (std::size_t p = 1; p < values.size(); ++p) {
    if (Better(Mean(values[p]), Mean(values[comparison.best]), higher_is_better)) comparison.best = p;
  }
  const std::size_t runs = values[0].size();
  for (std::size_t r = 0; r < runs; ++r) {
    std::vector<std::size_t> winners = {0};
    for (std::size_t p = 1; p < values.size(); ++p) {
      if (Better(values[p][r], values[winners[0]][r], higher_is_better)) winners.clear();
      if (winners.empty() || values[p][r] == values[winners[0]][r]) winners.push_back(p);
    }
    for (const std::size_t p : winners) {
      comparison.standings[p].win_probability += 1 / static_cast<double>(winners.size());
    }
  }
  for (std::size_t p = 0; p < values.size(); ++p) {
    std::vector<double> differences;
    for (std::size_t r = 0; r < runs; ++r) differences.push_back(values[p][r] - values[comparison.best][r]);
    Standing& standing = comparison.standings[p];
    standing.win_probability /= static_cast<double>(runs);
    standing.difference = MeanEstimate(differences);
    standing.tied =
        p == comparison.best || (standing.difference.interval && standing.difference.interval->Contains(0));
  }
  return comparison;
}

}  // namespace tandem
