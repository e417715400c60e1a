#include "device/backends/cuda/card/burner.h"

#include <chrono>
#include <limits>
#include <optional>
#include <thread>

#include "device/processor/running_load.h"
#include "profiles/base/input_error.h"

namespace tandem::gpu {
namespace {

constexpr std::size_t kThreadsOfBlock = 256;
constexpr Nanos kBetweenLooks{50'000};

}  // namespace

Burner::Burner(Card& card, int blocks_on_each)
    : card_(card),
      stream_(card.MakeStream(std::numeric_limits<int>::max())),
      begin_(card.MakeEvent()),
      end_(card.MakeEvent()) {
  call_.blocks = card.info().multiprocessors * blocks_on_each;
  const std::size_t bytes = static_cast<std::size_t>(call_.blocks) * kThreadsOfBlock * sizeof(float);
  call_.values = static_cast<float*>(card.Allocate(Space::kCard, bytes));
  try {
    stream_->Fill(call_.values, bytes);
  } catch (...) {
    card_.Free(Space::kCard, call_.values);
    throw;
  }
}

Burner::~Burner() {
  stream_.reset();  // after what it still does
  card_.Free(Space::kCard, call_.values);
}

Nanos Burner::Burst(std::int64_t rounds, Nanos expected) {
  call_.rounds = rounds;
  stream_->Record(*begin_);
  stream_->Run(call_);
  stream_->Record(*end_);
  std::this_thread::sleep_for(expected);
  while (!end_->Passed()) std::this_thread::sleep_for(kBetweenLooks);
  return end_->Since(*begin_);
}

BurstRate RateOf(Burner& burner) {
  BurstRate rate;
  BurstCalibration calibration(kLoadPeriod / 2);
  while (const std::optional<std::int64_t> rounds = calibration.Next()) {
    calibration.Took(*rounds, burner.Burst(*rounds, Nanos{0}), rate);
  }
  if (!rate.known()) throw EnvironmentError("a load cannot be made: the card adds too fast to be timed");
  return rate;
}

}  // namespace tandem::gpu
