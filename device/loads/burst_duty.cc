#include "device/loads/burst_duty.h"

#include <algorithm>
#include <cmath>

namespace tandem {
namespace {

constexpr std::int64_t kMostGrowth = 8;
constexpr int kEnough = 4;  // bursts that were long enough to tell
constexpr int kMostTries = 24;
constexpr std::int64_t kMostRounds = 1'000'000'000'000;

// Of the time of one round; a burst that is too short to be seen takes as good as nothing.
double PerRound(std::int64_t rounds, Nanos time) {
  return static_cast<double>(std::max(time, Nanos{1}).count()) / static_cast<double>(rounds);
}

}  // namespace

void BurstRate::Took(std::int64_t rounds, Nanos time) {
  if (rounds <= 0 || (known() && PerRound(rounds, time) >= PerRound(rounds_, time_))) return;
  rounds_ = rounds;
  time_ = time;
}

std::int64_t BurstRate::RoundsFor(Nanos time) const {
  if (!known()) return 1;
  const double rounds = static_cast<double>(time.count()) / PerRound(rounds_, time_);
  return std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(rounds)), 1);
}

Nanos BurstRate::Alone(std::int64_t rounds) const {
  if (!known()) return Nanos{0};
  return Nanos{std::llround(static_cast<double>(rounds) * PerRound(rounds_, time_))};
}

std::optional<std::int64_t> BurstCalibration::Next() const {
  if (long_enough_ >= kEnough || tried_ >= kMostTries) return std::nullopt;
  return rounds_;
}

// Short bursts are mostly their beginning and end: only those of about the wanted length say what a round
// takes.
void BurstCalibration::Took(std::int64_t rounds, Nanos time, BurstRate& rate) {
  ++tried_;
  if (2 * time >= wanted_) {
    ++long_enough_;
    rate.Took(rounds, time);
    rounds_ = rate.RoundsFor(wanted_);
  } else {
    const std::int64_t growth = wanted_ / std::max(time, Nanos{1}) + 1;
    rounds_ = std::min(rounds * std::clamp<std::int64_t>(growth, 2, kMostGrowth), kMostRounds);
  }
}

BurstDuty::BurstDuty(double share, Nanos period, Nanos begin)
    : cycle_(share, period, begin), work_(std::llround(share * static_cast<double>(period.count()))) {}

}  // namespace tandem
