#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <thread>

#include "device/host/caches.h"
#include "device/host/clock.h"
#include "device/loads/traffic_probe.h"
#include "device/profiler/bench/continuous_run.h"
#include "device/profiler/beside/jobs.h"
#include "device/profiler/beside/stressed_levels.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Nanos kTurnOfProbe{10'000'000};
constexpr std::chrono::milliseconds kModelSettles{2};
constexpr std::size_t kLeastProbeRounds = 5;
constexpr std::size_t kTurnOfModel = kStressLevels.size();  // the first ones are the stressor's
constexpr double kTellsGroups = 0.05;  // a group's slowdown of the probe is known to that

// What the probe's steps or rounds take beside the stressor, and beside the model: a model's traffic comes in
// waves, and what counts is all of it; that of a group is felt by the steps within it.
class ProbedUnit {
 public:
  ProbedUnit(CoRunningContext& context, const CoRunningSide& of, std::size_t beside, ProfiledChain& chain)
      : context_(context),
        of_(of),
        chain_(chain),
        units_{of.unit, beside},
        probe_(context.bench.unit(beside).cores),
        levels_(context.bench.unit(of.unit).cores),
        parts_(chain.size(), TurnTimes(kTurnOfModel + 1)) {}

  bool Round() {
    return context_.Round(
        "traffic on " + context_.bench.unit(of_.unit).name, units_, kTurnOfModel + 1,
        [this](std::size_t turn) {
          if (turn == kTurnOfModel) {
            ProbeModel();
          } else {
            ProbeLevel(turn);
          }
        },
        [this] { DropRound(parts_); });
  }

  const std::vector<TurnTimes>& parts() const { return parts_; }

  void AddEntries() const {
    std::size_t untold = 0;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      const auto felt = parts_[part].Slowdown(kTurnOfModel);
      const bool whole = of_.cut == ProfileCut::kWhole;
      if (!felt || (!whole && felt->error.value_or(kTellsGroups) >= kTellsGroups)) {
        ++untold;
        continue;
      }
      TrafficEntry entry;
      entry.model = context_.bench.wish(of_.model).model;
      entry.layers = LayersOf(context_.bench, of_, chain_, part);
      entry.unit = context_.bench.unit(of_.unit).name;
      entry.bytes_per_s = std::round(OwnCurve(parts_[part]).TrafficOf(felt->slowdown));
      context_.samples.traffic.push_back(std::move(entry));
    }
    if (untold == 0) return;
    context_.samples.notes.push_back(
        "what groups of layers of " + context_.bench.wish(of_.model).model + " on unit \"" +
        context_.bench.unit(of_.unit).name + "\" cost others could not be told of " + std::to_string(untold) +
        " of " + std::to_string(parts_.size()) + ": these count as the whole model");
  }

 private:
  TrafficCurve OwnCurve(const TurnTimes& times) const {
    std::vector<TrafficPoint> points;
    for (std::size_t level = 1; level < kStressLevels.size(); ++level) {
      if (const auto found = times.Slowdown(level))
        points.push_back({levels_.Traffic(level), found->slowdown});
    }
    return TrafficCurve(std::move(points));
  }

  ProbeStep Step() {
    const Nanos time = of_.cut == ProfileCut::kWhole ? probe_.Run() : probe_.Step();
    return {SteadyNow() - time, time};
  }

  template <class Goes>
  std::vector<ProbeStep> Steps(Goes goes) {
    std::vector<ProbeStep> steps;
    do steps.push_back(Step());
    while (goes());
    return steps;
  }

  static double MeanOf(const std::vector<ProbeStep>& steps) {
    double sum = 0;
    for (const ProbeStep& step : steps) sum += static_cast<double>(step.time.count());
    return sum / static_cast<double>(steps.size());
  }

  void ProbeLevel(std::size_t level) {
    levels_.Begin(level);
    const auto since = Clock::now();
    const double mean = MeanOf(Steps([&] { return Clock::now() - since < kTurnOfProbe; }));
    levels_.End();
    for (TurnTimes& part : parts_) part.Add(level, mean);
  }

  // At least one run of the model from end to end.
  void ProbeModel() {
    ContinuousRun running(context_.bench.thread(of_.unit), chain_);
    std::this_thread::sleep_for(kModelSettles);
    const auto since = Clock::now();
    const std::size_t runs = running.runs();
    const auto steps = Steps([&] {
      return !running.ended() && (Clock::now() - since < kTurnOfProbe || running.runs() < runs + 2);
    });
    const ChainPasses passes = running.Stop();
    if (of_.cut == ProfileCut::kWhole) return parts_.front().Add(kTurnOfModel, MeanOf(steps));
    const std::vector<double> means = MeanStepsWithin(passes, steps);
    for (std::size_t part = 0; part < means.size(); ++part) parts_[part].Add(kTurnOfModel, means[part]);
  }

  CoRunningContext& context_;
  CoRunningSide of_;
  ProfiledChain& chain_;
  std::array<std::size_t, 2> units_;
  TrafficProbe probe_;
  StressedLevels levels_;
  std::vector<TurnTimes> parts_;
};

}  // namespace

bool MeasureTraffic(CoRunningContext& context, const CoRunningSide& of, std::size_t beside, Nanos time) {
  ProfilerBench& bench = context.bench;
  bench.MakeRoom({{of.unit, of.model, of.cut}}, 4 * CacheThatCounts(bench.unit(beside).cores));  // both loads
  ProfiledChain* chain = bench.Chain(of.unit, of.model, of.cut);
  if (!chain) return true;
  ProbedUnit probed(context, of, beside, *chain);
  const auto take = [&](std::size_t) { return probed.Round(); };
  const auto known_to = [&](double error) { return KnownTo(error, probed.parts()); };
  if (!TakeRounds(kLeastProbeRounds, time, context.request.noise, take, known_to)) return false;
  probed.AddEntries();
  return true;
}

}  // namespace tandem
