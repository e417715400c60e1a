#include "sim/sweep/origins.h"

#include <algorithm>
#include <map>
#include <string>

#include "profiles/base/input_error.h"
#include "sim/study/one_run.h"
#include "sim/sweep/design.h"
#include "sim/sweep/point_scenario.h"

namespace tandem {
namespace {

constexpr int kMostTries = 3;  // of points that differ in nothing that is looked for

// Another scenario, board or profile, or another origin of one; what else stands in a profile changes none.
bool NamesProfiles(const std::string& pointer) {
  if (pointer.empty() || pointer == "/platform" || pointer == "/profiles") return true;
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

}  // namespace

std::vector<ProfileUsed> ProfilesOfSweep(const Sweep& sweep) {
  const SweepPoints points(sweep);
  PointScenarios scenarios(sweep);
  const std::vector<std::size_t> axes = AxesThatNameProfiles(sweep);
  std::map<std::vector<std::string>, int> tries;  // by the values that name profiles
  std::vector<ProfileUsed> used;
  for (std::int64_t p = 0; p < points.size(); ++p) {
    const std::vector<std::string> values = points.At(p);
    std::vector<std::string> naming;
    for (const std::size_t axis : axes) naming.push_back(values[axis]);
    int& tried = tries[naming];
    if (tried == kMostTries && axes.empty()) break;
    if (tried == kMostTries) continue;
    try {
      const PointScenario point = scenarios.Of(values);
      AddProfilesUsed(ScenarioToSimulate(point.text, point.file, {}), used);
      tried = kMostTries;
    } catch (const InputError&) {
      ++tried;
    }
  }
  return used;
}

}  // namespace tandem
