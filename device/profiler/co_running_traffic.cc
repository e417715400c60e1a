#include <algorithm>
#include <cmath>
#include <thread>

#include "device/host/clocks.h"
#include "device/loads/traffic_probe.h"
#include "device/profiler/co_running_jobs.h"
#include "device/profiler/continuous_run.h"
#include "device/profiler/statistics.h"
#include "device/profiler/stressed_levels.h"
#include "scenarios/arrivals/random.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Nanos kTurnOfProbe{10'000'000};
constexpr std::chrono::milliseconds kModelSettles{2};
constexpr std::size_t kLeastProbeRounds = 5, kMostProbeRounds = 100;

// The mean time of the probe's rounds while `goes` says so: a model's traffic comes in waves, and what counts
// is all of it.
template <class Goes>
Nanos MeanOfRounds(TrafficProbe& probe, Goes goes) {
  Nanos sum{0};
  std::int64_t rounds = 0;
  do {
    sum += probe.Run();
    ++rounds;
  } while (goes());
  return sum / rounds;
}

// Means of the probe's turns: one list per level of the stressor, then that beside the model.
class ProbedUnit {
 public:
  ProbedUnit(CoRunningContext& context, std::size_t unit, std::size_t beside, std::size_t model)
      : context_(context),
        unit_(unit),
        model_(model),
        chain_(context.bench.Chain(unit, model, ProfileCut::kWhole)),
        probe_(context.bench.unit(beside).cores),
        levels_(context.bench.unit(unit).cores),
        means_(kStressLevels.size() + 1) {}

  bool Round() {
    for (const std::size_t turn : ShuffledOrder(means_.size(), context_.random)) {
      if (!context_.Goes("traffic on " + context_.bench.unit(unit_).name)) return false;
      if (turn < kStressLevels.size()) {
        ProbeLevel(turn);
      } else if (chain_) {
        ProbeModel(*chain_, means_[turn]);
      }
    }
    return true;
  }

  void AddEntry() const {
    const Nanos idle = IntervalOfMedian(means_[0]).median;
    std::vector<TrafficPoint> points;
    for (std::size_t level = 1; level < kStressLevels.size(); ++level) {
      points.push_back({levels_.Traffic(level), SlowdownOf(IntervalOfMedian(means_[level]).median, idle)});
    }
    const TrafficCurve curve(std::move(points));
    const std::vector<Nanos>& beside = means_.back();
    if (beside.empty()) return;
    TrafficEntry entry;
    entry.model = context_.bench.wish(model_).model;
    entry.unit = context_.bench.unit(unit_).name;
    entry.bytes_per_s = std::round(curve.TrafficOf(SlowdownOf(IntervalOfMedian(beside).median, idle)));
    context_.samples.traffic.push_back(std::move(entry));
  }

 private:
  void ProbeLevel(std::size_t level) {
    levels_.Begin(level);
    const auto since = Clock::now();
    means_[level].push_back(MeanOfRounds(probe_, [&] { return Clock::now() - since < kTurnOfProbe; }));
    levels_.End();
  }

  // At least one run of the model from end to end.
  void ProbeModel(ProfiledChain& chain, std::vector<Nanos>& means) {
    ContinuousRun running(context_.bench.thread(unit_), chain);
    std::this_thread::sleep_for(kModelSettles);
    const auto since = Clock::now();
    const std::size_t runs = running.runs();
    means.push_back(MeanOfRounds(probe_, [&] {
      return !running.ended() && (Clock::now() - since < kTurnOfProbe || running.runs() < runs + 2);
    }));
    (void)running.Stop();
  }

  CoRunningContext& context_;
  std::size_t unit_;
  std::size_t model_;
  ProfiledChain* chain_;
  TrafficProbe probe_;
  StressedLevels levels_;
  std::vector<std::vector<Nanos>> means_;
};

}  // namespace

bool MeasureTraffic(CoRunningContext& context, std::size_t unit, std::size_t beside, std::size_t model,
                    Nanos time) {
  const std::int64_t of_both = 4 * CacheThatCounts(context.bench.unit(beside).cores);
  context.bench.MakeRoom({{unit, model}}, of_both);  // stressor and probe
  ProbedUnit probed(context, unit, beside, model);
  const auto begin = Clock::now();
  for (std::size_t round = 0; round < kMostProbeRounds; ++round) {
    if (round >= kLeastProbeRounds && Clock::now() - begin >= time) break;
    if (!probed.Round()) return false;
  }
  probed.AddEntry();
  return true;
}

}  // namespace tandem
