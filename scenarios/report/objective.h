// The scenario's objective: how good a run is as one figure, of a report and for a search that compares many
// outcomes, from the same parts.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario/scenario.h"
#include "scenarios/trace/outcome.h"

namespace tandem {

struct Report;
class NearMisses;

// What the objective compares; nothing where the run cannot tell (no completed request, no power figures).
std::optional<double> ObjectiveValue(const Report& report, Objective objective);
bool HigherIsBetter(Objective objective);
std::string_view ObjectiveUnit(Objective objective);  // "ns", "1/s", "requests", "J", "times"
// What tells runs apart: "missed requests", "energy"; and how much of it the best one has, "the least
// energy".
std::string FigureWords(Objective objective);
std::string MostOf(Objective objective);

// What tells apart whom the objective calls equal, the first before the second; of each the less the better:
// what the scenario says that comes next, then what always does.
std::vector<Objective> TieBreakers(const Report& report);
using TieFigures = std::vector<double>;
TieFigures TieFiguresOf(const Report& report);
double TieFigure(std::optional<double> value, Objective of);

// The mean latency of a stream to what its requests take alone; nothing: that is not known.
std::optional<double> SlowdownOf(const Scenario& scenario, std::size_t stream, double mean_latency_ns);

// The smaller the better. `excess`: by how much limits are broken, which counts before the objective. `ties`
// tell apart what the objective calls equal: what the scenario says that comes next, then what leads a search
// on. The first of them leads it.
struct ScheduleCost {
  double excess = 0;
  double value = 0;
  std::array<double, kMostThen + 1> ties{};
  friend auto operator<=>(const ScheduleCost&, const ScheduleCost&) = default;
};

// Of a complete run; mean latencies are not rounded. `misses` are told of the scenario's limits, where it has
// any. Throws InputError as CheckPower does.
ScheduleCost CostOf(const Scenario& scenario, const Outcome& outcome, NearMisses* misses = nullptr);

// Energy that nobody knows is not minimised: where it is the objective, or limited, these throw InputError
// that names the unit and the key that is missing, for one run, for whatever runs where, and for all that a
// search may try.
void CheckPower(const Scenario& scenario, const Outcome& outcome);
void CheckIdlePower(const Scenario& scenario);
void CheckPowerOfAll(const Scenario& scenario);

// The parts of it.
double PerSecond(std::int64_t count, Nanos time);  // 0 where no time passed
// Which figure of the unit is missing for its energy; empty where none is.
std::string MissingPower(const Unit& unit, const UnitOutcome& outcome);
// Joules: idle watts for all of `horizon` and what the tasks take above them. Nothing is missing.
double EnergyAboveIdle(const Unit& unit, double task_joules, Nanos unprofiled_busy);
double UnitEnergy(const Unit& unit, const UnitOutcome& outcome, Nanos horizon);

}  // namespace tandem
