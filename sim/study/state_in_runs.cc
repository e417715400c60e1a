#include "sim/study/state_in_runs.h"

#include <algorithm>
#include <cmath>

#include "profiles/base/statistics.h"
#include "profiles/costs/machine_state.h"
#include "scenarios/scenario/faster_scenario.h"

namespace tandem {
namespace {

constexpr std::size_t kLeastReadings = 10;
constexpr double kSteps = 1000;  // a thousandth is nearer than readings are
constexpr double kOne = 1e6;     // readings of any level, as shares of it

struct Levels {
  Nanos alone{0}, at_once{0};  // 0: it is not known
};

std::map<std::string, Levels> LevelsOf(const std::vector<Profile>& profiles) {
  std::map<std::string, Levels> levels;
  for (const Profile& profile : profiles) {
    for (const auto& [unit, level] : profile.origin.yardsticks) {
      const auto [of, is_new] = levels.try_emplace(unit, Levels{level});
      if (!is_new) continue;
      const auto at_once = profile.origin.yardsticks_at_once.find(unit);
      if (at_once != profile.origin.yardsticks_at_once.end()) of->second.at_once = at_once->second;
    }
  }
  return levels;
}

// Each of both levels is a percentile of the readings of a part of the time that profiling took, and errors
// go best with their mean (scripts/experiments/README.md).
double LevelFor(const Levels& levels, bool at_once) {
  const auto alone = static_cast<double>(levels.alone.count());
  if (!at_once || levels.at_once == Nanos{0}) return alone;
  return (alone + static_cast<double>(levels.at_once.count())) / 2;
}

}  // namespace

StateInRuns StateOf(const std::vector<DeviceRun>& runs, const std::vector<Profile>& profiles) {
  const std::map<std::string, Levels> levels = LevelsOf(profiles);
  std::map<std::string, std::vector<Nanos>> readings;
  for (const DeviceRun& run : runs) {
    if (run.disturbed || !run.complete) continue;
    for (const auto& [unit, reading] : run.yardsticks) {
      const auto of = levels.find(unit);
      if (of == levels.end() || of->second.alone <= Nanos{0}) continue;
      const double level = LevelFor(of->second, run.yardsticks.size() > 1);
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
