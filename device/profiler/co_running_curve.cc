#include <algorithm>
#include <cmath>

#include "device/host/clocks.h"
#include "device/profiler/co_running_jobs.h"
#include "device/profiler/statistics.h"
#include "device/profiler/stressed_levels.h"
#include "scenarios/arrivals/random.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Nanos kTurnAtLevel{10'000'000};
constexpr Nanos kPassThatWarms{20'000'000};
constexpr std::size_t kLeastCurveRounds = 3, kMostCurveRounds = 60;

// Times of the parts of one chain at every level.
struct StressedChain {
  ProfiledChain* chain = nullptr;
  std::vector<std::vector<std::vector<Nanos>>> samples;  // level, part

  explicit StressedChain(ProfiledChain* of) : chain(of) {
    if (chain) samples.assign(kStressLevels.size(), std::vector<std::vector<Nanos>>(chain->size()));
  }

  // On the unit's thread.
  void Take(std::size_t level) {
    if (!chain) return;
    std::vector<Nanos> times(chain->size());
    const auto begin = Clock::now();
    bool keep = false;  // the first pass finds the caches as something else left them
    for (;;) {
      const auto pass_begin = Clock::now();
      chain->Run(times);
      const Nanos pass = Clock::now() - pass_begin;
      keep = keep || pass >= kPassThatWarms;
      for (std::size_t part = 0; keep && part < times.size(); ++part) {
        samples[level][part].push_back(times[part]);
      }
      if (keep && Clock::now() - begin + pass >= kTurnAtLevel) return;
      keep = true;
    }
  }
};

void AddEntries(const StressedChain& stressed, const StressedLevels& levels, const Model& model, bool whole,
                CoRunningEntry entry, std::vector<CoRunningEntry>& entries) {
  for (std::size_t part = 0; stressed.chain && part < stressed.chain->size(); ++part) {
    entry.layers.clear();
    for (const LayerId id : stressed.chain->spec(part).layers) {
      if (!whole) entry.layers.push_back(model.layer(id).name);
    }
    const Nanos alone = IntervalOfMedian(stressed.samples[0][part]).median;
    double before = 0;
    for (std::size_t level = 1; level < kStressLevels.size(); ++level) {
      const double traffic = std::round(levels.Traffic(level));
      if (traffic <= before) continue;  // the stressor did not get its turn, or no further
      before = traffic;
      entry.beside_traffic_bytes_per_s = traffic;
      entry.slowdown = SlowdownOf(IntervalOfMedian(stressed.samples[level][part]).median, alone);
      entries.push_back(entry);
    }
  }
}

// False: asked to stop.
bool MeasureCut(CoRunningContext& context, const ProfilerBench::ChainAt& at, std::size_t beside, Nanos time,
                std::vector<CoRunningEntry>& entries) {
  ProfilerBench& bench = context.bench;
  bench.MakeRoom({at}, 2 * CacheThatCounts(bench.unit(beside).cores));
  StressedChain stressed(bench.Chain(at.unit, at.model, at.cut));
  if (!stressed.chain) return true;
  StressedLevels levels(bench.unit(beside).cores);
  const auto begin = Clock::now();
  for (std::size_t round = 0; round < kMostCurveRounds; ++round) {
    if (round >= kLeastCurveRounds && Clock::now() - begin >= time) break;
    for (const std::size_t level : ShuffledOrder(kStressLevels.size(), context.random)) {
      if (!context.Goes(bench.wish(at.model).model + " beside traffic")) return false;
      levels.Begin(level);
      bench.thread(at.unit).Do([&](Processor&) { stressed.Take(level); });
      levels.End();
    }
  }
  CoRunningEntry entry;
  entry.unit = bench.unit(at.unit).name;
  entry.model = bench.wish(at.model).model;
  entry.beside = bench.unit(beside).name;
  AddEntries(stressed, levels, bench.model(at.model), at.cut == ProfileCut::kWhole, entry, entries);
  return true;
}

}  // namespace

double SlowdownOf(Nanos beside, Nanos alone) {
  if (alone.count() <= 0) return 1;
  const double slowdown = static_cast<double>(beside.count()) / static_cast<double>(alone.count());
  return std::clamp(std::round(slowdown * 1e4) / 1e4, 1.0, 1000.0);
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

bool MeasureCurve(CoRunningContext& context, std::size_t unit, std::size_t beside, std::size_t model,
                  Nanos time) {
  std::vector<CoRunningEntry> entries;
  std::vector<ProfileCut> cuts = {ProfileCut::kWhole};
  if (context.request.groups) cuts.push_back(ProfileCut::kGroups);
  for (const ProfileCut cut : cuts) {  // one after the other: memory holds one of them
    if (!MeasureCut(context, {unit, model, cut}, beside, time / static_cast<int>(cuts.size()), entries)) {
      return false;
    }
  }
  auto& all = context.samples.co_running;
  all.insert(all.end(), entries.begin(), entries.end());
  return true;
}

}  // namespace tandem
