#include "policies/search/schedule_cost.h"

#include <algorithm>

#include "profiles/base/statistics.h"

namespace tandem {
namespace {

constexpr double kWorst = 1e300;

double MeanLatency(const Outcome& outcome) {
  double sum = 0;
  std::int64_t count = 0;
  for (const StreamOutcome& stream : outcome.streams) {
    for (const Nanos latency : stream.latencies) sum += static_cast<double>(latency.count());
    count += stream.completed();
  }
  return count == 0 ? kWorst : sum / static_cast<double>(count);
}

double P99Latency(const Outcome& outcome) {
  std::vector<Nanos> all;
  for (const StreamOutcome& stream : outcome.streams) {
    all.insert(all.end(), stream.latencies.begin(), stream.latencies.end());
  }
  if (all.empty()) return kWorst;
  return static_cast<double>(Percentile(std::move(all), 9900).count());
}

double Misses(const Outcome& outcome) {
  std::int64_t missed = 0;
  for (const StreamOutcome& stream : outcome.streams) missed += stream.missed;
  return static_cast<double>(missed);
}

double Throughput(const Scenario& scenario, const Outcome& outcome) {
  double inferences = 0;
  for (std::size_t s = 0; s < outcome.streams.size(); ++s) {
    inferences += static_cast<double>(outcome.streams[s].completed() * scenario.streams[s].batch);
  }
  const auto makespan = static_cast<double>(outcome.makespan().count());
  return makespan > 0 ? inferences / makespan : 0;
}

// Idle watts for the whole run and what the tasks take above them; watts that are unknown count nothing.
double Energy(const Scenario& scenario, const Outcome& outcome) {
  double joules = 0;
  for (std::size_t u = 0; u < outcome.units.size(); ++u) {
    const Unit& unit = scenario.platform->units[u];
    const UnitOutcome& use = outcome.units[u];
    const double idle = unit.idle_w.value_or(0);
    joules += idle * static_cast<double>(outcome.makespan().count()) * 1e-9 + use.task_joules;
    joules += (unit.busy_w.value_or(idle) - idle) * static_cast<double>(use.unprofiled_busy.count()) * 1e-9;
  }
  return joules;
}

double MeanBusy(const Outcome& outcome) {
  double busy = 0;
  for (const UnitOutcome& unit : outcome.units) busy += static_cast<double>(unit.busy.count());
  return busy / static_cast<double>(outcome.units.size());
}

}  // namespace

ScheduleCost CostOf(const Scenario& scenario, const Outcome& outcome) {
  const auto makespan = static_cast<double>(outcome.makespan().count());
  switch (scenario.objective) {
    case Objective::kMakespan:
      return {makespan, MeanBusy(outcome)};
    case Objective::kThroughput:
      return {-Throughput(scenario, outcome), MeanBusy(outcome)};
    case Objective::kMeanLatency:
      return {MeanLatency(outcome), makespan};
    case Objective::kP99Latency:
      return {P99Latency(outcome), MeanLatency(outcome)};
    case Objective::kMisses:
      return {Misses(outcome), MeanLatency(outcome)};
    case Objective::kEnergy:
      return {Energy(scenario, outcome), makespan};
  }
  return {};
}

}  // namespace tandem
