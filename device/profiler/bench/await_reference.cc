#include "device/profiler/bench/await_reference.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "device/host/clock.h"

namespace tandem {
namespace {

constexpr std::chrono::milliseconds kBetweenReadings{5};

}  // namespace

AwaitReference::AwaitReference(ProfilerBench& bench, ProfilerSamples& samples, Nanos free)
    : bench_(bench), free_(free), begin_(SteadyNow()) {
  for (std::size_t unit = 0; unit < bench.units(); ++unit) {
    alone_.emplace_back(bench, unit, samples);
    at_once_.emplace_back(bench, unit, samples, true);
  }
}

double AwaitReference::operator()(std::span<const std::size_t> units) {
  const Nanos begin = SteadyNow();
  double off = FarthestOff(units);
  if (off > 0) off = FarthestOff(units);  // the first may have found the caches as the turn left them
  for (double now_off = off; now_off > 0; now_off = FarthestOff(units)) {
    const Nanos now = SteadyNow();
    if (waited_ + (now - begin) >= free_ + (now - begin_) / 2) break;
    std::this_thread::sleep_for(kBetweenReadings);
  }
  waited_ += SteadyNow() - begin;
  return off;
}

std::vector<std::size_t> AwaitReference::WithAllBeside(std::span<const std::size_t> units) const {
  std::vector<std::size_t> all(units.begin(), units.end());
  for (std::size_t unit = 0; all.size() > 1 && unit < bench_.units(); ++unit) {
    const bool beside = std::all_of(all.begin(), all.end(), [&](std::size_t other) {
      return bench_.unit(unit).name != bench_.unit(other).name && bench_.BesideEachOther(unit, other);
    });
    if (beside) all.push_back(unit);
  }
  return all;
}

double AwaitReference::FarthestOff(std::span<const std::size_t> units) {
  const std::vector<std::size_t> all = WithAllBeside(units);
  std::vector<UnitState>& states = all.size() > 1 ? at_once_ : alone_;
  std::vector<StateReading> readings(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    bench_.thread(all[i]).Begin([&, i](Processor&) { readings[i] = states[all[i]].Read(); });
  }
  for (const std::size_t unit : all) bench_.thread(unit).Wait();
  double farthest = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {  // which stand first
    farthest = std::max(farthest, states[units[i]].Off(readings[i]));
  }
  return farthest;
}

}  // namespace tandem
