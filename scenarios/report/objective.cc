#include "scenarios/report/objective.h"

#include <algorithm>
#include <vector>

#include "profiles/base/figures.h"
#include "profiles/base/input_error.h"
#include "profiles/base/statistics.h"
#include "profiles/base/suggest.h"
#include "scenarios/report/report.h"

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
  const auto place = all.begin() + (NearestRank(static_cast<std::int64_t>(all.size()), 9900) - 1);
  std::nth_element(all.begin(), place, all.end());
  return static_cast<double>(place->count());
}

double Misses(const Outcome& outcome) {
  std::int64_t missed = 0;
  for (const StreamOutcome& stream : outcome.streams) missed += stream.missed;
  return static_cast<double>(missed);
}

double Throughput(const Scenario& scenario, const Outcome& outcome) {
  std::int64_t inferences = 0;
  for (std::size_t s = 0; s < outcome.streams.size(); ++s) {
    inferences += outcome.streams[s].completed() * scenario.streams[s].batch;
  }
  return PerSecond(inferences, outcome.makespan());
}

double Energy(const Platform& platform, const Outcome& outcome) {
  double joules = 0;
  for (std::size_t u = 0; u < outcome.units.size(); ++u) {
    joules += UnitEnergy(platform.units[u], outcome.units[u], outcome.makespan());
  }
  return joules;
}

// Which key of the scenario asks for energy; empty: none does.
std::string_view AsksForEnergy(const Scenario& scenario) {
  if (scenario.objective == Objective::kEnergy) return "objective";
  const auto energy = [](const ConditionTerm& limit) { return limit.IsOfEnergy(); };
  return std::any_of(scenario.limits.begin(), scenario.limits.end(), energy) ? "limits" : "";
}

void RefuseUnknown(const Scenario& scenario, const std::string& missing) {
  if (missing.empty()) return;
  throw InputError(scenario.file + ":/" + std::string(AsksForEnergy(scenario)) +
                   ": energy is not known: " + missing + " in platform " + Quoted(scenario.platform->name));
}

// Has it a time for a model that streams ask for, and no energy?
bool MayRunUnprofiled(const Scenario& scenario, UnitId unit) {
  return std::any_of(scenario.streams.begin(), scenario.streams.end(), [&](const Stream& stream) {
    const auto cost = scenario.Time(stream.model, unit, stream.batch);
    return cost && !cost->energy_j;
  });
}

double MeanBusy(const Outcome& outcome) {
  double busy = 0;
  for (const UnitOutcome& unit : outcome.units) busy += static_cast<double>(unit.busy.count());
  return busy / static_cast<double>(outcome.units.size());
}

ScheduleCost CostByObjective(const Scenario& scenario, const Outcome& outcome) {
  const auto makespan = static_cast<double>(outcome.makespan().count());
  switch (scenario.objective) {
    case Objective::kMakespan:
      return {0, makespan, MeanBusy(outcome)};
    case Objective::kThroughput:
      return {0, -Throughput(scenario, outcome), MeanBusy(outcome)};
    case Objective::kMeanLatency:
      return {0, MeanLatency(outcome), makespan};
    case Objective::kP99Latency:
      return {0, P99Latency(outcome), MeanLatency(outcome)};
    case Objective::kMisses:
      return {0, Misses(outcome), MeanLatency(outcome)};
    case Objective::kEnergy:
      CheckPower(scenario, outcome);
      return {0, Energy(*scenario.platform, outcome), makespan};
  }
  return {};
}

}  // namespace

double PerSecond(std::int64_t count, Nanos time) {
  return time > Nanos{0} ? static_cast<double>(count) * 1e9 / static_cast<double>(time.count()) : 0;
}

std::string MissingPower(const Unit& unit, const UnitOutcome& outcome) {
  const std::string text = "unit " + Quoted(unit.name) + " has no ";
  if (!unit.idle_w) return text + "idle_w";
  if (!unit.busy_w && outcome.unprofiled_busy > Nanos{0}) {
    return text + "busy_w, and ran tasks without energy_j of their own";
  }
  return {};
}

void CheckPower(const Scenario& scenario, const Outcome& outcome) {
  if (AsksForEnergy(scenario).empty()) return;
  for (std::size_t u = 0; u < outcome.units.size(); ++u) {
    RefuseUnknown(scenario, MissingPower(scenario.platform->units[u], outcome.units[u]));
  }
}

void CheckPowerOfAll(const Scenario& scenario) {
  if (AsksForEnergy(scenario).empty()) return;
  for (std::size_t u = 0; u < scenario.platform->units.size(); ++u) {
    UnitOutcome busiest;
    if (MayRunUnprofiled(scenario, UnitId(u))) busiest.unprofiled_busy = Nanos{1};
    RefuseUnknown(scenario, MissingPower(scenario.platform->units[u], busiest));
  }
}

double UnitEnergy(const Unit& unit, const UnitOutcome& outcome, Nanos horizon) {
  const double idle = *unit.idle_w, above_idle = unit.busy_w.value_or(idle) - idle;
  return idle * InSeconds(horizon) + (outcome.task_joules + above_idle * InSeconds(outcome.unprofiled_busy));
}

ScheduleCost CostOf(const Scenario& scenario, const Outcome& outcome) {
  ScheduleCost cost = CostByObjective(scenario, outcome);
  if (scenario.limits.empty()) return cost;
  CheckPower(scenario, outcome);
  cost.excess = ExcessOf(FiguresOf(scenario, outcome));
  return cost;
}

std::optional<double> ObjectiveValue(const Report& report, Objective objective) {
  const auto nanos = [](Nanos time) { return static_cast<double>(time.count()); };
  switch (objective) {
    case Objective::kMakespan:
      return nanos(report.makespan);
    case Objective::kThroughput:
      return report.throughput_per_s;
    case Objective::kMeanLatency:
      if (report.latency) return nanos(report.latency->mean);
      return std::nullopt;
    case Objective::kP99Latency:
      if (report.latency) return nanos(report.latency->p99);
      return std::nullopt;
    case Objective::kMisses:
      return static_cast<double>(report.missed);
    case Objective::kEnergy:
      return report.energy_j;
  }
  return std::nullopt;
}

TieFigures TieFiguresOf(const Report& report) {
  const auto figure = [&](Objective of) { return ObjectiveValue(report, of).value_or(kWorst); };
  return {figure(Objective::kMisses), figure(Objective::kP99Latency), figure(Objective::kMeanLatency)};
}

bool HigherIsBetter(Objective objective) { return objective == Objective::kThroughput; }

std::string_view ObjectiveUnit(Objective objective) {
  switch (objective) {
    case Objective::kThroughput:
      return "1/s";
    case Objective::kMisses:
      return "requests";
    case Objective::kEnergy:
      return "J";
    default:
      return "ns";
  }
}

}  // namespace tandem
