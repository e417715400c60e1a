#include "policies/engine/stalls.h"

#include <algorithm>
#include <cmath>

#include "profiles/base/statistics.h"
#include "scenarios/arrivals/random.h"

namespace tandem {
namespace {

constexpr double kSeldom = 0.2;  // of the samples at most
constexpr std::uint64_t kWhether = MixBits(31), kWhich = MixBits(32);

double LongestUsual(const std::vector<Nanos>& samples) {
  return Stalls::kBeyond * static_cast<double>(LowerMedian(samples).count());
}

}  // namespace

void Stalls::Count(const std::vector<Nanos>& samples) {
  const double median = static_cast<double>(LowerMedian(samples).count()), beyond = LongestUsual(samples);
  for (const Nanos sample : samples) {
    const auto time = static_cast<double>(sample.count());
    if (time > beyond) excess_.push_back(time - median);
    undisturbed_ += std::min(time, time > beyond ? median : time);
  }
  samples_ += static_cast<std::int64_t>(samples.size());
  seldom_ = static_cast<double>(excess_.size()) <= kSeldom * static_cast<double>(samples_);
}

std::vector<Nanos> Stalls::Without(const std::vector<Nanos>& samples) {
  std::vector<Nanos> usual = samples;
  const double beyond = LongestUsual(samples);
  const Nanos median = LowerMedian(samples);
  for (Nanos& sample : usual) {
    if (static_cast<double>(sample.count()) > beyond) sample = median;
  }
  return usual;
}

double Stalls::Added(double work, const Luck& luck, std::uint64_t what) const {
  const double often = static_cast<double>(excess_.size()) / undisturbed_;
  if (luck.Uniform(MixBits(what ^ kWhether)) >= 1 - std::exp(-often * work)) return 0;
  const double place = luck.Uniform(MixBits(what ^ kWhich)) * static_cast<double>(excess_.size());
  return excess_[std::min(static_cast<std::size_t>(place), excess_.size() - 1)];
}

}  // namespace tandem
