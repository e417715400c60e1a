// The scenario's objective: how good a run is as one figure, of a report and for a search that compares many
// outcomes, from the same parts.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scenarios/scenario/scenario.h"
#include "scenarios/trace/outcome.h"

namespace tandem {

struct Report;

// What the objective compares; nothing where the run cannot tell (no completed request, no power figures).
std::optional<double> ObjectiveValue(const Report& report, Objective objective);
bool HigherIsBetter(Objective objective);
std::string_view ObjectiveUnit(Objective objective);  // "ns", "1/s", "requests", "J"

// What tells apart whom the objective calls equal, the first before the second; of each the less the better.
inline constexpr std::array<std::string_view, 3> kTieBreakers = {"missed requests", "p99 latency",
                                                                 "mean latency"};
using TieFigures = std::array<double, kTieBreakers.size()>;
TieFigures TieFiguresOf(const Report& report);

// The smaller the better. `excess`: by how much limits are broken, which counts before the objective. `tie`
// tells apart what the objective calls equal, and leads a search on.
struct ScheduleCost {
  double excess = 0;
  double value = 0;
  double tie = 0;
  friend auto operator<=>(const ScheduleCost&, const ScheduleCost&) = default;
};

// Of a complete run; mean latencies are not rounded. Throws InputError as CheckPower does.
ScheduleCost CostOf(const Scenario& scenario, const Outcome& outcome);

// Energy that nobody knows is not minimised: where it is the objective, or limited, these throw InputError
// that names the unit and the key that is missing, for one run and for all that a search may try.
void CheckPower(const Scenario& scenario, const Outcome& outcome);
void CheckPowerOfAll(const Scenario& scenario);

// The parts of it.
double PerSecond(std::int64_t count, Nanos time);  // 0 where no time passed
// Which figure of the unit is missing for its energy; empty where none is.
std::string MissingPower(const Unit& unit, const UnitOutcome& outcome);
// Joules: idle watts for all of `horizon` and what the tasks take above them. Nothing is missing.
double UnitEnergy(const Unit& unit, const UnitOutcome& outcome, Nanos horizon);

}  // namespace tandem
