#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "device/host/caches.h"
#include "device/profiler/beside/jobs.h"
#include "device/profiler/beside/stressed_levels.h"
#include "profiles/base/statistics.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Nanos kTurnAtLevel{10'000'000};
constexpr Nanos kPassThatWarms{60'000'000};
constexpr std::size_t kLeastCurveRounds = 3;

// The parts of one chain at every level: the median of each turn's passes.
struct StressedChain {
  ProfiledChain* chain;
  std::vector<TurnTimes> parts;

  explicit StressedChain(ProfiledChain* of) : chain(of), parts(of->size(), TurnTimes(kStressLevels.size())) {}

  // On the unit's thread.
  void Take(std::size_t level) {
    std::vector<std::vector<Nanos>> passes(chain->size());
    std::vector<Nanos> times(chain->size());
    const auto begin = Clock::now();
    bool keep = false;  // the first pass finds the caches as something else left them
    for (;;) {
      const auto pass_begin = Clock::now();
      chain->Run(times);
      const Nanos pass = Clock::now() - pass_begin;
      keep = keep || pass >= kPassThatWarms;
      for (std::size_t part = 0; keep && part < times.size(); ++part) passes[part].push_back(times[part]);
      if (keep && Clock::now() - begin + pass >= kTurnAtLevel) break;
      keep = true;
    }
    for (std::size_t part = 0; part < times.size(); ++part) {
      parts[part].Add(level, static_cast<double>(LowerMedian(passes[part]).count()));
    }
  }
};

void AddCurves(CoRunningContext& context, const CoRunningSide& of, const StressedChain& stressed,
               const StressedLevels& levels, CoRunningEntry entry) {
  for (std::size_t part = 0; part < stressed.parts.size(); ++part) {
    entry.layers = LayersOf(context.bench, of, *stressed.chain, part);
    double before = 0;
    for (std::size_t level = 1; level < kStressLevels.size(); ++level) {
      const double traffic = std::round(levels.Traffic(level));
      const auto found = stressed.parts[part].Slowdown(level);
      if (traffic <= before || !found) continue;  // the stressor did not get its turn, or no further
      before = traffic;
      entry.beside_traffic_bytes_per_s = traffic;
      entry.slowdown = found->slowdown;
      entry.error = context.ErrorOf(*found);
      context.samples.co_running.push_back(entry);
    }
  }
}

}  // namespace

std::vector<std::string> LayersOf(const ProfilerBench& bench, const CoRunningSide& of,
                                  const ProfiledChain& chain, std::size_t part) {
  std::vector<std::string> layers;
  if (of.cut == ProfileCut::kWhole) return layers;
  for (const LayerId id : chain.spec(part).layers) layers.push_back(bench.model(of.model).layer(id).name);
  return layers;
}

ProfiledChain* ChainOf(ProfilerBench& bench, CoRunningSide& of) {
  ProfiledChain* chain = bench.Chain(of.unit, of.model, of.cut);
  if (chain || of.cut == ProfileCut::kWhole) return chain;
  of.cut = ProfileCut::kWhole;
  return bench.Chain(of.unit, of.model, of.cut);
}

TrafficCurve CurveOf(const ProfilerSamples& samples, const std::string& unit, const std::string& model,
                     const std::string& beside) {
  std::vector<TrafficPoint> points;
  for (const CoRunningEntry& entry : samples.co_running) {
    if (entry.unit != unit || entry.model != model || entry.beside != beside || !entry.layers.empty())
      continue;
    if (!entry.beside_traffic_bytes_per_s) continue;
    points.push_back({*entry.beside_traffic_bytes_per_s, entry.slowdown});
  }
  return TrafficCurve(std::move(points));
}

bool MeasureCurve(CoRunningContext& context, const CoRunningSide& of, std::size_t beside, Nanos time) {
  ProfilerBench& bench = context.bench;
  bench.MakeRoom({{of.unit, of.model, of.cut}}, 2 * CacheThatCounts(bench.unit(beside).cores));
  ProfiledChain* chain = bench.Chain(of.unit, of.model, of.cut);
  if (!chain) return true;
  StressedChain stressed(chain);
  StressedLevels levels(bench.unit(beside).cores);
  const std::array<std::size_t, 2> units = {of.unit, beside};
  const auto take = [&](std::size_t level) {
    levels.Begin(level);
    bench.thread(of.unit).Do([&](Processor&) { stressed.Take(level); });
    levels.End();
  };
  const auto round = [&](std::size_t) {
    return context.Round(bench.wish(of.model).model + " beside traffic", units, kStressLevels.size(), take,
                         [&] { DropRound(stressed.parts); });
  };
  const auto known_to = [&](double error) { return KnownTo(error, stressed.parts); };
  if (!TakeRounds(kLeastCurveRounds, time, context.request.noise, round, known_to)) return false;
  CoRunningEntry entry;
  entry.unit = bench.unit(of.unit).name;
  entry.model = bench.wish(of.model).model;
  entry.beside = bench.unit(beside).name;
  AddCurves(context, of, stressed, levels, entry);
  return true;
}

}  // namespace tandem
