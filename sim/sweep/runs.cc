#include "sim/sweep/runs.h"

#include <unordered_set>

#include "profiles/base/json_write.h"
#include "profiles/program/version.h"
#include "sim/sweep/design.h"
#include "sim/sweep/point_scenario.h"
#include "sim/sweep/results.h"

namespace tandem {
namespace {

constexpr std::size_t kKeyDigits = 32;  // 128 bits

}  // namespace

std::vector<SweepRun> RunsOf(const Sweep& sweep, Engine engine) {
  const SweepPoints points(sweep);
  PointScenarios scenarios(sweep);
  const std::string how = std::string(Version()) + "\n" + std::string(NameOf(kEngineNames, engine)) +
                          (sweep.bound ? "\nbound\n" : "\n") +
                          (sweep.interval ? "interval " + JsonNumber(*sweep.interval) + " of " +
                                                std::string(RunFigureOf(ObjectiveOfSweep(sweep))) + "\n"
                                          : "");
  std::vector<SweepRun> runs;
  std::unordered_set<std::string> known;
  for (std::int64_t p = 0; p < points.size(); ++p) {
    const PointInputs point = scenarios.InputsOf(points.At(p));
    for (const PointPolicy& policy : point.policies) {
      std::string key = Sha256OfText(how + point.hash + "\n" + policy.inputs).substr(0, kKeyDigits);
      if (known.insert(key).second) runs.push_back({std::move(key), p, policy.label});
    }
  }
  return runs;
}

std::map<std::string, std::string> NamedValues(const Sweep& sweep, const std::vector<std::string>& values) {
  std::map<std::string, std::string> named;
  for (std::size_t axis = 0; axis < values.size(); ++axis) named[sweep.axes[axis].name] = values[axis];
  return named;
}

}  // namespace tandem
