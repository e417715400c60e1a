// What MeasureCoRunning is made of. Each takes about `time`, adds its entries to `samples`, and gives false,
// with nothing added, where it was asked to stop.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "device/profiler/bench.h"
#include "device/profiler/watch.h"
#include "profiles/costs/traffic_curve.h"
#include "scenarios/arrivals/random.h"

namespace tandem {

struct CoRunningContext {
  const ProfileOrder& request;
  ProfilerBench& bench;
  ProfilerWatch& watch;
  ProfilerSamples& samples;
  StreamRandom& random;
  std::int64_t done = 0, total = 0;  // jobs, for the progress

  bool Goes(const std::string& what) { return watch.Goes(samples, what, done, total); }
};

// The slowdowns of the model on `unit`, whole and in groups, by the traffic of a stressor on the cores of
// `beside`.
bool MeasureCurve(CoRunningContext& context, std::size_t unit, std::size_t beside, std::size_t model,
                  Nanos time);

// The traffic that the model on `unit` comes to, told by a probe on `beside`.
bool MeasureTraffic(CoRunningContext& context, std::size_t unit, std::size_t beside, std::size_t model,
                    Nanos time);

// Two models beside each other, both ways.
struct PairSide {
  std::size_t unit = 0, model = 0;
};
bool MeasurePair(CoRunningContext& context, PairSide a, PairSide b, Nanos time);

// A slowdown as entries have it: 1..1000, four decimals.
double SlowdownOf(Nanos beside, Nanos alone);

// What is to run, in parts of the full pace of a stressor: 0, idle, to 1, as much as it can.
inline constexpr std::array<double, 5> kStressLevels = {0, 0.25, 0.5, 0.75, 1};

// The curve that `samples` have of the whole model.
TrafficCurve CurveOf(const ProfilerSamples& samples, const std::string& unit, const std::string& model,
                     const std::string& beside);

}  // namespace tandem
