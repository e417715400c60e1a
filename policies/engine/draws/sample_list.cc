#include "policies/engine/draws/sample_list.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "profiles/base/check.h"
#include "profiles/base/statistics.h"

namespace tandem {
namespace {

constexpr std::size_t kLeastInBlocks = 16;  // fewer are drawn each by itself
// Fewer than three blocks of three say nothing of a drift: of two means Student's t is as wide as 6 standard
// errors (90 %), and blocks of two hide a disturbance that lasts for three.
constexpr std::size_t kLeastForDrift = 9;

double Number(Nanos time) { return static_cast<double>(time.count()); }

// Of so many that follow each other; what is left over at the end is no block.
std::vector<double> MeansOf(const std::vector<Nanos>& samples, std::size_t block) {
  std::vector<double> means;
  for (std::size_t at = 0; at + block <= samples.size(); at += block) {
    double sum = 0;
    for (std::size_t i = at; i < at + block; ++i) sum += Number(samples[i]);
    means.push_back(sum / static_cast<double>(block));
  }
  return means;
}

struct Moments {
  double count, mean, variance;
};

// Of at least two values.
Moments MomentsOf(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {count, mean, squares / (count - 1)};
}

}  // namespace

DrawnSamples::DrawnSamples(SampleList samples, bool in_order_of_time) : samples_(std::move(samples)) {
  TANDEM_CHECK(samples_ && samples_->size() >= 2, "one sample says nothing of how samples vary");
  const bool sorted = std::is_sorted(samples_->begin(), samples_->end());
  const bool alike = sorted && samples_->front() == samples_->back();
  const auto block = static_cast<std::size_t>(std::sqrt(static_cast<double>(size())));
  if (size() >= kLeastInBlocks && !alike && (!sorted || in_order_of_time)) block_ = block;
  if (size() < kManySamples) FitTail();
  FindError(size() >= kLeastForDrift ? block : 1);
}

void DrawnSamples::FitTail() {
  const std::size_t beyond = std::max<std::size_t>(size() / 10, 1);
  const Nanos from = ValueAtRank(*samples_, size() - 1 - beyond);
  double excess = 0, count = 0;
  for (const Nanos sample : *samples_) {
    if (sample <= from) continue;
    excess += Number(sample - from);
    ++count;
  }
  tail_from_ = Number(from);
  if (count > 0) tail_mean_ = excess / count;
}

void DrawnSamples::FindError(std::size_t block) {
  const Moments of_blocks = MomentsOf(MeansOf(*samples_, block));
  degrees_ = of_blocks.count - 1;
  if (of_blocks.mean > 0) error_ = std::sqrt(of_blocks.variance / of_blocks.count) / of_blocks.mean;
}

DrawnSamples::Scatter DrawnSamples::ScatterOf(const std::vector<Nanos>& samples) {
  const Moments of_each = MomentsOf(MeansOf(samples, 1));
  return {of_each.mean > 0 ? std::sqrt(of_each.variance) / of_each.mean : 0, of_each.count - 1};
}

void DrawnSamples::ScatterLikeOthers(const Scatter& others) {
  const double error = others.deviation / std::sqrt(static_cast<double>(size()));
  if (size() >= kFewSamples || error <= error_) return;
  error_ = error;
  degrees_ = others.degrees;
}

double DrawnSamples::At(std::size_t position, const Luck& luck, std::uint64_t what) const {
  if (!InTail(position)) return Number(Sample(position));
  return tail_from_ + tail_mean_ * luck.Exponential(what);
}

double DrawnSamples::MeanFactor(const Luck& luck, std::uint64_t what) const {
  return error_ == 0 ? 1 : FactorOfOne({error_, degrees_}, luck, what);
}

double DrawnSamples::FactorOfOne(const Scatter& scatter, const Luck& luck, std::uint64_t what) {
  return std::clamp(1 + scatter.deviation * luck.Student(what, scatter.degrees), kLeastFactor, kMostFactor);
}

}  // namespace tandem
