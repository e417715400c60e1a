#include "device/profiler/beside/running_sides.h"

#include <algorithm>
#include <memory>
#include <thread>

#include "device/host/clock.h"
#include "device/profiler/bench/continuous_run.h"

namespace tandem {
namespace {

constexpr Nanos kLeastTurn{15'000'000};
constexpr std::size_t kRunsPerTurn = 4;  // of the longest; the first and the last do not count

}  // namespace

RunningSide::RunningSide(ProfilerBench& bench, const CoRunningSide& of) : at(of), chain(ChainOf(bench, at)) {
  if (chain) parts.assign(chain->size(), TurnTimes(2));
}

Nanos RunningSide::OneRun(ProfilerBench& bench) const {
  std::vector<Nanos> times(chain->size());
  const Nanos begin = SteadyNow();
  bench.thread(at.unit).Do([&](Processor&) { chain->Run(times); });
  return SteadyNow() - begin;
}

void RunningSide::Keep(std::size_t turn, const ChainPasses& passes) {
  for (std::size_t part = 0; part < parts.size(); ++part) parts[part].Add(turn, passes.MeanTime(part));
}

std::vector<ChainPasses> RunAtOnce(ProfilerBench& bench, const std::vector<const RunningSide*>& sides,
                                   Nanos longest) {
  std::vector<std::unique_ptr<ContinuousRun>> runs;
  for (const RunningSide* side : sides) {
    runs.push_back(std::make_unique<ContinuousRun>(bench.thread(side->at.unit), *side->chain));
  }
  std::this_thread::sleep_for(std::max(kLeastTurn, static_cast<std::int64_t>(kRunsPerTurn) * longest));
  for (const auto& run : runs) run->Await(kRunsPerTurn - 1);
  std::vector<ChainPasses> passes;
  for (const auto& run : runs) passes.push_back(run->Stop());
  return passes;
}

}  // namespace tandem
