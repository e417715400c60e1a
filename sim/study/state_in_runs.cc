#include "sim/study/state_in_runs.h"

#include <algorithm>
#include <cmath>

#include "profiles/base/statistics.h"
#include "profiles/costs/machine_state.h"
#include "profiles/costs/yardstick_levels.h"
#include "scenarios/scenario/faster_scenario.h"

namespace tandem {
namespace {

constexpr std::size_t kLeastReadings = 10;
constexpr double kSteps = 1000;  // a thousandth is nearer than readings are
constexpr double kOne = 1e6;     // readings of any level, as shares of it

// Each of both levels is a percentile of the readings of a part of the time that profiling took, and errors
// go best with their mean (scripts/experiments/README.md). 0: nothing is known of the unit.
double LevelFor(const YardstickLevels& levels, const std::string& unit, bool at_once) {
  const auto alone = levels.alone.find(unit), beside = levels.at_once.find(unit);
  if (alone == levels.alone.end()) return 0;
  const auto level = static_cast<double>(alone->second.count());
  if (!at_once || beside == levels.at_once.end()) return level;
  return (level + static_cast<double>(beside->second.count())) / 2;
}

}  // namespace

StateInRuns StateOf(const std::vector<DeviceRun>& runs, const std::vector<Profile>& profiles) {
  const YardstickLevels levels = LevelsOf(profiles);
  std::map<std::string, std::vector<Nanos>> readings;
  for (const DeviceRun& run : runs) {
    if (run.disturbed || !run.complete) continue;
    for (const auto& [unit, reading] : run.yardsticks) {
      const double level = LevelFor(levels, unit, run.yardsticks.size() > 1);
      if (level <= 0) continue;
      for (const Nanos took : {reading.before, reading.after}) {
        readings[unit].emplace_back(std::llround(static_cast<double>(took.count()) / level * kOne));
      }
    }
  }
  StateInRuns state;
  for (auto& [unit, all] : readings) {
    if (all.size() < kLeastReadings) continue;
    const double slower = static_cast<double>(ReferenceLevel(std::move(all)).count()) / kOne;
    if (slower > 0) state[unit] = std::round(slower * kSteps) / kSteps;
  }
  return state;
}

bool IsAnother(const StateInRuns& state) {
  return std::any_of(state.begin(), state.end(), [](const auto& of) { return of.second != 1; });
}

void PutInState(const StateInRuns& state, Scenario& scenario) {
  for (const auto& [name, slower] : state) {
    const UnitId unit = scenario.platform->FindUnit(name);
    if (unit.valid()) SpeedUpUnit(unit, 1 / slower, scenario);
  }
  CountAnew(scenario);
}

}  // namespace tandem
