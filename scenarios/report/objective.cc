#include "scenarios/report/objective.h"

#include <algorithm>
#include <vector>

#include "profiles/base/figures.h"
#include "profiles/base/input_error.h"
#include "profiles/base/statistics.h"
#include "profiles/base/suggest.h"
#include "scenarios/arrivals/elementary.h"
#include "scenarios/arrivals/random.h"
#include "scenarios/report/report.h"

namespace tandem {
namespace {

constexpr double kWorst = 1e300;

double SumOfLatencies(const StreamOutcome& stream) {
  double sum = 0;
  for (const Nanos latency : stream.latencies) sum += static_cast<double>(latency.count());
  return sum;
}

double MeanLatency(const Outcome& outcome) {
  double sum = 0;
  std::int64_t count = 0;
  for (const StreamOutcome& stream : outcome.streams) {
    sum += SumOfLatencies(stream);
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

void RefuseUnknown(const Scenario& scenario, const std::string& missing) {
  if (missing.empty()) return;
  throw InputError(scenario.file + ":/" + std::string(KeyOfEnergy(scenario)) +
                   ": energy is not known: " + missing + " in platform " + Quoted(scenario.platform->name));
}

// Has it times for some layers of the model alone, and no energy?
bool MayRunPartsUnprofiled(const Scenario& scenario, const Stream& stream, UnitId unit) {
  const std::vector<CostTable::Measured> entries = scenario.Entries(stream.model, stream.batch);
  return std::any_of(entries.begin(), entries.end(), [&](const CostTable::Measured& entry) {
    if (entry.unit != unit || entry.layers.empty()) return false;
    std::vector<LayerId> layers;
    for (const std::int32_t layer : entry.layers) layers.emplace_back(static_cast<std::size_t>(layer));
    const auto cost = scenario.Time(stream.model, unit, stream.batch, layers);
    return cost && !cost->energy_j;
  });
}

// Has it a time for a model that streams ask for, and no energy?
bool MayRunUnprofiled(const Scenario& scenario, UnitId unit) {
  return std::any_of(scenario.streams.begin(), scenario.streams.end(), [&](const Stream& stream) {
    const auto cost = scenario.Time(stream.model, unit, stream.batch);
    return cost ? !cost->energy_j : MayRunPartsUnprofiled(scenario, stream, unit);
  });
}

double MeanBusy(const Outcome& outcome) {
  double busy = 0;
  for (const UnitOutcome& unit : outcome.units) busy += static_cast<double>(unit.busy.count());
  return busy / static_cast<double>(outcome.units.size());
}

// Of the stream that is worst off.
double Slowdown(const Scenario& scenario, const Outcome& outcome) {
  double worst = 0;
  for (std::size_t s = 0; s < outcome.streams.size(); ++s) {
    const StreamOutcome& stream = outcome.streams[s];
    if (stream.latencies.empty()) continue;
    const double mean = SumOfLatencies(stream) / static_cast<double>(stream.latencies.size());
    worst = std::max(worst, SlowdownOf(scenario, s, mean).value_or(kWorst));
  }
  return worst > 0 ? worst : kWorst;
}

// The geometric mean; 0 where one is. By our own functions, whose bits are the same everywhere.
double GeometricMean(const std::vector<double>& all) {
  double sum = 0;
  for (const double one : all) {
    if (one <= 0) return 0;
    sum += NaturalLog(one);
  }
  return Exp(sum / static_cast<double>(all.size()));
}

// What a stream has of the speed that it would have alone; a stream of which nothing completes has none.
double BalancedGain(const Scenario& scenario, const Outcome& outcome) {
  std::vector<double> gains;
  for (std::size_t s = 0; s < outcome.streams.size(); ++s) {
    const StreamOutcome& stream = outcome.streams[s];
    if (stream.released == 0 && stream.latencies.empty()) continue;
    const double mean = SumOfLatencies(stream) / static_cast<double>(stream.completed());
    const auto slowdown = stream.latencies.empty() ? std::nullopt : SlowdownOf(scenario, s, mean);
    gains.push_back(slowdown && *slowdown > 0 ? 1 / *slowdown : 0);
  }
  return gains.empty() ? 0 : GeometricMean(gains);
}

// The less the better.
double Cost(Objective objective, const Scenario& scenario, const Outcome& outcome) {
  switch (objective) {
    case Objective::kMakespan:
      return static_cast<double>(outcome.makespan().count());
    case Objective::kThroughput:
      return -Throughput(scenario, outcome);
    case Objective::kMeanLatency:
      return MeanLatency(outcome);
    case Objective::kP99Latency:
      return P99Latency(outcome);
    case Objective::kMisses:
      return Misses(outcome);
    case Objective::kEnergy:
      CheckPower(scenario, outcome);
      return Energy(*scenario.platform, outcome);
    case Objective::kSlowdown:
      return Slowdown(scenario, outcome);
    case Objective::kBalancedGain:
      return -BalancedGain(scenario, outcome);
  }
  return kWorst;
}

// What leads a search on where the objective stays as it is.
double Lead(Objective objective, const Scenario& scenario, const Outcome& outcome) {
  switch (objective) {
    case Objective::kMakespan:
    case Objective::kThroughput:
      return MeanBusy(outcome);
    case Objective::kMeanLatency:
    case Objective::kEnergy:
      return Cost(Objective::kMakespan, scenario, outcome);
    case Objective::kP99Latency:
    case Objective::kMisses:
    case Objective::kSlowdown:
    case Objective::kBalancedGain:
      return MeanLatency(outcome);
  }
  return 0;
}

// Nothing where it is not known of a stream that completed any.
std::optional<double> WorstSlowdown(const Report& report) {
  std::optional<double> worst;
  for (const StreamReport& stream : report.streams) {
    if (!stream.latency) continue;
    if (!stream.slowdown) return std::nullopt;
    worst = std::max(worst.value_or(0), *stream.slowdown);
  }
  return worst;
}

std::optional<double> BalancedGain(const Report& report) {
  std::vector<double> gains;
  for (const StreamReport& stream : report.streams) {
    if (stream.released == 0) continue;
    if (stream.latency && !stream.slowdown) return std::nullopt;
    gains.push_back(stream.slowdown && *stream.slowdown > 0 ? 1 / *stream.slowdown : 0);
  }
  if (gains.empty()) return std::nullopt;
  return GeometricMean(gains);
}

}  // namespace

double PerSecond(std::int64_t count, Nanos time) {
  return time > Nanos{0} ? static_cast<double>(count) * 1e9 / static_cast<double>(time.count()) : 0;
}

std::string MissingPower(const Unit& unit, const UnitOutcome& outcome) {
  const std::string text = "unit " + Quoted(unit.name) + " has no ";
  const Watts draws = unit.Draws();
  if (!draws.idle) return text + "idle_w";
  if (!draws.busy && outcome.unprofiled_busy > Nanos{0}) {
    return text + "busy_w, and ran tasks without energy_j of their own";
  }
  return {};
}

void CheckPower(const Scenario& scenario, const Outcome& outcome) {
  if (KeyOfEnergy(scenario).empty()) return;
  for (std::size_t u = 0; u < outcome.units.size(); ++u) {
    RefuseUnknown(scenario, MissingPower(scenario.platform->units[u], outcome.units[u]));
  }
}

void CheckIdlePower(const Scenario& scenario) {
  Outcome idle;
  idle.units.resize(scenario.platform->units.size());
  CheckPower(scenario, idle);
}

void CheckPowerOfAll(const Scenario& scenario) {
  if (KeyOfEnergy(scenario).empty()) return;
  for (std::size_t u = 0; u < scenario.platform->units.size(); ++u) {
    UnitOutcome busiest;
    if (MayRunUnprofiled(scenario, UnitId(u))) busiest.unprofiled_busy = Nanos{1};
    RefuseUnknown(scenario, MissingPower(scenario.platform->units[u], busiest));
  }
}

double EnergyAboveIdle(const Unit& unit, double task_joules, Nanos unprofiled_busy) {
  return task_joules + unit.Draws().AboveIdle() * InSeconds(unprofiled_busy);
}

double UnitEnergy(const Unit& unit, const UnitOutcome& outcome, Nanos horizon) {
  return *unit.Draws().idle * InSeconds(horizon) +
         EnergyAboveIdle(unit, outcome.task_joules, outcome.unprofiled_busy);
}

ScheduleCost CostOf(const Scenario& scenario, const Outcome& outcome, NearMisses* misses) {
  ScheduleCost cost{0, Cost(scenario.objective, scenario, outcome)};
  std::size_t tie = 0;
  for (const Objective next : scenario.then) cost.ties[tie++] = Cost(next, scenario, outcome);
  cost.ties[tie] = Lead(scenario.objective, scenario, outcome);
  if (scenario.limits.empty()) return cost;
  CheckPower(scenario, outcome);
  const Report figures = FiguresOf(scenario, outcome);
  cost.excess = ExcessOf(figures);
  if (misses != nullptr) misses->Add(figures.limits);
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
    case Objective::kSlowdown:
      return WorstSlowdown(report);
    case Objective::kBalancedGain:
      return BalancedGain(report);
  }
  return std::nullopt;
}

std::string FigureWords(Objective objective) {
  return objective == Objective::kMisses ? "missed requests" : Words(NameOf(kObjectiveNames, objective));
}

std::string MostOf(Objective objective) {
  return (HigherIsBetter(objective) ? "the most " : "the least ") + FigureWords(objective);
}

std::vector<Objective> TieBreakers(const Report& report) {
  std::vector<Objective> all = report.then;
  for (const Objective usual : {Objective::kMisses, Objective::kP99Latency, Objective::kMeanLatency}) {
    if (std::find(all.begin(), all.end(), usual) == all.end()) all.push_back(usual);
  }
  return all;
}

double TieFigure(std::optional<double> value, Objective of) {
  const double figure = value.value_or(HigherIsBetter(of) ? 0 : kWorst);
  return HigherIsBetter(of) ? -figure : figure;
}

TieFigures TieFiguresOf(const Report& report) {
  TieFigures figures;
  for (const Objective of : TieBreakers(report)) {
    figures.push_back(TieFigure(ObjectiveValue(report, of), of));
  }
  return figures;
}

std::optional<double> SlowdownOf(const Scenario& scenario, std::size_t stream, double mean_latency_ns) {
  const auto alone = stream < scenario.alone.size() ? scenario.alone[stream] : std::nullopt;
  if (!alone || *alone <= Nanos{0}) return std::nullopt;
  return mean_latency_ns / static_cast<double>(alone->count());
}

bool HigherIsBetter(Objective objective) {
  return objective == Objective::kThroughput || objective == Objective::kBalancedGain;
}

std::string_view ObjectiveUnit(Objective objective) {
  switch (objective) {
    case Objective::kThroughput:
      return "1/s";
    case Objective::kMisses:
      return "requests";
    case Objective::kEnergy:
      return "J";
    case Objective::kSlowdown:
    case Objective::kBalancedGain:
      return "times";
    default:
      return "ns";
  }
}

}  // namespace tandem
