#include "policies/engine/sample_list.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "profiles/base/check.h"
#include "profiles/base/statistics.h"

namespace tandem {
namespace {

constexpr std::size_t kLeastInBlocks = 16;  // fewer are too few for means of blocks

double Number(Nanos time) { return static_cast<double>(time.count()); }

double MeanOf(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

DrawnSamples::DrawnSamples(SampleList samples) : samples_(std::move(samples)) {
  TANDEM_CHECK(samples_ && samples_->size() >= 2, "one sample says nothing of how samples vary");
  const bool by_size = std::is_sorted(samples_->begin(), samples_->end());
  if (size() >= kLeastInBlocks && !by_size) {
    block_ = static_cast<std::size_t>(std::sqrt(static_cast<double>(size())));
  }
  if (size() < kManySamples) FitTail();
  FindError();
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

void DrawnSamples::FindError() {
  std::vector<double> means;
  for (std::size_t at = 0; at + block_ <= size(); at += block_) {
    double sum = 0;
    for (std::size_t i = at; i < at + block_; ++i) sum += Number((*samples_)[i]);
    means.push_back(sum / static_cast<double>(block_));
  }
  const double mean = MeanOf(means);
  double squares = 0;
  for (const double of_block : means) squares += (of_block - mean) * (of_block - mean);
  const auto blocks = static_cast<double>(means.size());
  degrees_ = blocks - 1;
  if (mean > 0) error_ = std::sqrt(squares / degrees_ / blocks) / mean;
}

double DrawnSamples::At(std::size_t position, const Luck& luck, std::uint64_t what) const {
  if (!InTail(position)) return Number(Sample(position));
  return tail_from_ + tail_mean_ * luck.Exponential(what);
}

double DrawnSamples::MeanFactor(const Luck& luck, std::uint64_t what) const {
  if (error_ == 0) return 1;
  return std::clamp(1 + error_ * luck.Student(what, degrees_), kLeastFactor, kMostFactor);
}

}  // namespace tandem
