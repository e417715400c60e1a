#include "device/loads/traffic_probe.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <span>

#include "device/host/affinity.h"
#include "device/host/caches.h"
#include "scenarios/arrivals/random.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kStreamedAtOnce = std::size_t{1} << 20;  // floats: 4 MiB
constexpr std::size_t kHops = 10'240;
constexpr std::size_t kStepsOfRound = 32;
constexpr std::size_t kLine = 64;  // bytes
constexpr std::size_t kLargestRing = std::size_t{8} << 20;

// In many sums side by side: it is the memory that is to be waited for.
float SumOf(std::span<const float> values) {
  std::array<float, kLine> sums{};
  for (std::size_t i = 0; i < values.size(); i += sums.size()) {
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += values[i + j];
  }
  return std::accumulate(sums.begin(), sums.end(), 0.0F);
}

}  // namespace

TrafficProbe::TrafficProbe(std::vector<std::int64_t> cores) : core_(cores.front()) {
  const auto cache = static_cast<std::size_t>(CacheThatCounts(cores));
  stream_ = Buffer(std::max(2 * cache / sizeof(float), 2 * kStreamedAtOnce));
  // One entry per line of a quarter of the cache: what evicts them is felt, what runs beside them is not.
  constexpr std::size_t kStep = kLine / sizeof(std::uint32_t);
  const std::size_t lines = std::clamp(cache / 4, std::size_t{1} << 16, kLargestRing) / kLine;
  ring_.resize(lines * kStep);
  StreamRandom random("probe", 1);
  const std::vector<std::size_t> order = ShuffledOrder(lines, random);
  for (std::size_t i = 0; i < lines; ++i) {
    ring_[order[i] * kStep] = static_cast<std::uint32_t>(order[(i + 1) % lines] * kStep);
  }
}

Nanos TrafficProbe::Run() { return Read(kStreamedAtOnce, kHops); }

Nanos TrafficProbe::Step() { return Read(kStreamedAtOnce / kStepsOfRound, kHops / kStepsOfRound); }

Nanos TrafficProbe::Read(std::size_t floats, std::size_t hops) {
  const KeptAffinity kept;
  PinToCore(core_);
  const auto begin = Clock::now();
  if (at_ + floats > stream_.size()) at_ = 0;
  const float sum = SumOf(stream_.values().subspan(at_, floats));
  at_ += floats;
  if (hops_ >= kHops) hop_ = 0, hops_ = 0;  // always the same part of the ring
  for (std::size_t i = 0; i < hops; ++i) hop_ = ring_[hop_];
  hops_ += hops;
  volatile float sink = sum + static_cast<float>(hop_);  // so that nothing is optimised away
  (void)sink;
  return std::chrono::duration_cast<Nanos>(Clock::now() - begin);
}

}  // namespace tandem
