#include "sim/sweep/origins.h"

#include <algorithm>
#include <map>
#include <string>

#include "policies/problem/estimates.h"
#include "profiles/base/input_error.h"
#include "sim/study/known_data.h"
#include "sim/study/one_run.h"
#include "sim/sweep/design.h"
#include "sim/sweep/point_scenario.h"

namespace tandem {
namespace {

constexpr int kMostTries = 3;  // of points that differ in nothing that is looked for

// Another scenario, board or profile, or another origin of one, or a load of which nobody may have measured
// what it costs; what else stands in a profile changes none.
bool NamesProfiles(const std::string& pointer) {
  if (pointer.empty() || pointer == "/platform" || pointer == "/profiles") return true;
  if (pointer.starts_with("/background")) return true;
  if (!pointer.starts_with("/profiles/")) return false;
  return std::count(pointer.begin(), pointer.end(), '/') == 2 || pointer.find("/origin") != std::string::npos;
}

std::vector<std::size_t> AxesThatNameProfiles(const Sweep& sweep) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
    const std::vector<std::string>& pointers = sweep.axes[axis].pointers;
    if (std::any_of(pointers.begin(), pointers.end(), NamesProfiles)) axes.push_back(axis);
  }
  return axes;
}

void AddEstimated(const Scenario& scenario, std::vector<std::string>& all) {
  const auto add = [&](std::vector<std::string> sentences) {
    for (std::string& sentence : sentences) {
      if (std::find(all.begin(), all.end(), sentence) == all.end()) all.push_back(std::move(sentence));
    }
  };
  add(TakenForWant(scenario));
  try {
    add(EstimatesOf(Problem(scenario, Granularity::kModel)));
  } catch (const InputError&) {
    // No model runs as a whole: what its cuts take is in no table.
  }
}

}  // namespace

TimesOfSweep TimesOf(const Sweep& sweep) {
  const SweepPoints points(sweep);
  PointScenarios scenarios(sweep);
  const std::vector<std::size_t> axes = AxesThatNameProfiles(sweep);
  std::map<std::vector<std::string>, int> tries;  // by the values that name profiles
  TimesOfSweep times;
  for (std::int64_t p = 0; p < points.size(); ++p) {
    const std::vector<std::string> values = points.At(p);
    std::vector<std::string> naming;
    for (const std::size_t axis : axes) naming.push_back(values[axis]);
    int& tried = tries[naming];
    if (tried == kMostTries && axes.empty()) break;
    if (tried == kMostTries) continue;
    try {
      const PointScenario point = scenarios.Of(values);
      const Scenario scenario = ScenarioToSimulate(point.text, point.file, {});
      AddProfilesUsed(scenario, times.profiles);
      AddEstimated(scenario, times.estimated);
      tried = kMostTries;
    } catch (const InputError&) {
      ++tried;
    }
  }
  return times;
}

}  // namespace tandem
