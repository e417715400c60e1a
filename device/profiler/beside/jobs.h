// What MeasureCoRunning is made of. Each takes about `time`, adds its entries to `samples`, and gives false,
// with nothing added, where it was asked to stop.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "device/profiler/bench/bench.h"
#include "device/profiler/bench/turns.h"
#include "device/profiler/bench/watch.h"
#include "device/profiler/samples/slowdown_rounds.h"
#include "profiles/base/statistics.h"
#include "profiles/costs/traffic_curve.h"
#include "scenarios/arrivals/random.h"

namespace tandem {

struct CoRunningContext {
  const ProfileOrder& request;
  ProfilerBench& bench;
  ProfilerWatch& watch;
  ProfilerSamples& samples;
  const AwaitState& await;
  StreamRandom& random;
  std::int64_t done = 0, total = 0;  // jobs, for the progress

  // All turns of a round of these units, in random order: `take(turn)`. Where something disturbed them,
  // `drop()`, and the round is taken again, as long as there are any of the job's `retakes`, and time. False:
  // asked to stop.
  template <class Take, class Drop>
  bool Round(const std::string& what, std::span<const std::size_t> units, std::size_t turns, Take take,
             Drop drop) {
    for (;;) {
      double off = 0;
      if (await) await(units);
      for (const std::size_t turn : ShuffledOrder(turns, random)) {
        if (!watch.Goes(samples, what, done, total)) return false;
        take(turn);
        if (await) off = std::max(off, await(units));
      }
      if (off == 0 || retakes == 0 || SteadyNow() >= until) {
        offs.push_back(off);
        return true;
      }
      --retakes;
      drop();
    }
  }
  // It may take twice its `time` where the machine is disturbed.
  void BeginJob(Nanos time) {
    retakes = kMostRetakes;
    until = SteadyNow() + kMostOfTime * time;
    offs.clear();
  }
  // The relative standard error of what the job's rounds say: their own, and what is left of how far the
  // machine was off in most of them.
  std::optional<double> ErrorOf(const MeasuredSlowdown& found) const {
    const double off = offs.empty() ? 0 : LowerMedian(offs);
    if (off == 0) return found.error;
    return std::min(std::round(std::hypot(found.error.value_or(0), kLeftOfOff * off) * 1e4) / 1e4, 100.0);
  }

  static constexpr int kMostRetakes = 10;
  // Alone and beside meet the same machine, so that their ratio keeps little of it: where the yardsticks were
  // 40 to 90 % off, slowdowns measured twice differed by a tenth (scripts/experiments/README.md).
  static constexpr double kLeftOfOff = 0.2;
  int retakes = kMostRetakes;
  Nanos until{0};
  std::vector<double> offs = {};  // of the rounds that count
};

// Jobs that have a name, one after the other: each has its part of the time that is left, `usual` without a
// budget. `measure(job, time)` gives false where it was asked to stop; what is done is noted as finished.
template <class Job, class Measure>
void MeasureEach(const std::vector<Job>& jobs, Nanos budget, Nanos usual, CoRunningContext& context,
                 Measure measure) {
  context.total = static_cast<std::int64_t>(jobs.size());
  const Nanos begin = SteadyNow();
  for (const Job& job : jobs) {
    const Nanos left = (budget - (SteadyNow() - begin)) / (context.total - context.done);
    const Nanos time = budget == Nanos{0} ? usual : left;
    context.BeginJob(time);
    if (!measure(job, time)) return;
    context.samples.finished.push_back(job.name);
    ++context.done;
    context.watch.Save(context.samples);
  }
}

// Everything that the rest names: of whole models, or of each of their groups of layers.
struct CoRunningSide {
  std::size_t unit = 0, model = 0;
  ProfileCut cut = ProfileCut::kWhole;
};

// The slowdowns of the work of `of` by the traffic of a stressor on the cores of `beside`.
bool MeasureCurve(CoRunningContext& context, const CoRunningSide& of, std::size_t beside, Nanos time);

// The traffic that the work of `of` comes to, told by a probe on `beside`. Of groups those alone that it can
// tell well enough.
bool MeasureTraffic(CoRunningContext& context, const CoRunningSide& of, std::size_t beside, Nanos time);

// Two models beside each other, both ways. In groups: those of each beside the other model.
bool MeasurePair(CoRunningContext& context, const CoRunningSide& a, const CoRunningSide& b, Nanos time);

// A model while all of `beside`, two units or more, run the others' models, one after the other.
bool MeasureTogether(CoRunningContext& context, const CoRunningSide& of,
                     const std::vector<std::size_t>& beside, Nanos time);

// All units that may work at once while this one does, and each two of them; none where they are not two.
std::vector<std::vector<std::size_t>> SetsBeside(const ProfilerBench& bench, std::size_t unit);

// The layers that an entry about this part of the chain names; none of a whole model.
std::vector<std::string> LayersOf(const ProfilerBench& bench, const CoRunningSide& of,
                                  const ProfiledChain& chain, std::size_t part);
// Is there an entry of the same work? A group may be one layer.
template <class Entry>
bool IsKnown(const std::vector<Entry>& entries, const Entry& entry) {
  return std::any_of(entries.begin(), entries.end(), [&](const Entry& other) {
    return other.unit == entry.unit && other.model == entry.model && other.layers == entry.layers;
  });
}
// The cut that was asked for, or whole where the model is one group.
ProfiledChain* ChainOf(ProfilerBench& bench, CoRunningSide& of);

// What is to run, in parts of the full pace of a stressor: 0, idle, to 1, as much as it can.
inline constexpr std::array<double, 5> kStressLevels = {0, 0.25, 0.5, 0.75, 1};

// The curve that `samples` have of the whole model.
TrafficCurve CurveOf(const ProfilerSamples& samples, const std::string& unit, const std::string& model,
                     const std::string& beside);

}  // namespace tandem
