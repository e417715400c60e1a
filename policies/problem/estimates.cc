#include "policies/problem/estimates.h"

#include <algorithm>

#include "policies/problem/slowdowns.h"
#include "profiles/base/figures.h"
#include "profiles/base/suggest.h"
#include "profiles/model/layer_parts.h"

namespace tandem {
namespace {

void Add(std::string sentence, std::vector<std::string>& estimates) {
  if (std::find(estimates.begin(), estimates.end(), sentence) == estimates.end()) {
    estimates.push_back(std::move(sentence));
  }
}

// What the unit may run without a measured slowdown; `all`: nothing that it may run has one.
struct Unmeasured {
  std::vector<ModelId> models;
  bool all = true;
};

Unmeasured UnmeasuredOn(const Problem& problem, UnitId unit) {
  Unmeasured found;
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    const SegmentId id(s);
    if (problem.Profiled(id, unit) == Problem::kCannot) continue;
    if (problem.slowdowns().BackgroundIsMeasured(id, unit)) {
      found.all = false;
      continue;
    }
    const ModelId model = problem.model_of(id);
    if (found.models.empty() || found.models.back() != model) found.models.push_back(model);
  }
  return found;
}

void AddLoad(const Problem& problem, const UnitLoad& load, std::vector<std::string>& estimates) {
  if (load.load_pct == 0) return;
  const Unmeasured unmeasured = UnmeasuredOn(problem, load.unit);
  const std::string factor = Fixed(100.0 / static_cast<double>(100 - load.load_pct), 3);
  for (const ModelId model : unmeasured.models) {
    const std::string what =
        unmeasured.all ? "no profile"
                       : "for model " + Quoted(problem.scenario().model(model).name) + " no profile";
    Add("unit " + Quoted(problem.platform().unit(load.unit).name) + " under a load of " +
            std::to_string(load.load_pct) + " %: " + what + " has a measured slowdown, taken is " + factor +
            " = 1 / (1 - load)",
        estimates);
  }
}

// Parts of split layers of which no size was measured.
void AddParts(const Problem& problem, UnitId unit, std::vector<std::string>& estimates) {
  for (const Cut& cut : problem.cuts()) {
    for (std::int32_t i = 0; i < cut.segments; ++i) {
      const SegmentId id(cut.first.index() + static_cast<std::size_t>(i));
      if (!problem.Estimated(id, unit) || !problem.Runs(id, unit)) continue;
      Add("unit " + Quoted(problem.platform().unit(unit).name) + ": parts of layers of model " +
              Quoted(problem.scenario().model(cut.model).name) +
              " of which no profile has a time take their share of the whole layer's",
          estimates);
    }
  }
}

bool CouldBeSplit(const Model& model) {
  const std::vector<LayerId> layers = WorkingLayers(model);
  const auto along = [&](SplitAxis axis) {
    const SplitRange range = SplitRangeOf(model, layers, axis);
    return range.extent > range.granule;
  };
  return !layers.empty() && (along(SplitAxis::kChannels) || along(SplitAxis::kRows));
}

}  // namespace

std::vector<std::string> KeptWhole(const Problem& problem) {
  const Scenario& scenario = problem.scenario();
  std::vector<std::string> kept;
  for (const Stream& stream : scenario.streams) {
    const ScenarioModel& model = scenario.model(stream.model);
    if (!CouldBeSplit(*model.model)) continue;
    for (std::size_t u = 0; u < problem.units(); ++u) {
      const auto query = scenario.Query(stream.model, UnitId(u), stream.batch);
      if (!query || !scenario.costs->KnownAsWholeAlone(*query)) continue;
      Add("unit " + Quoted(problem.platform().unit(UnitId(u)).name) + ": model " + Quoted(model.name) +
              " is kept whole, no profile has a time of anything but the whole model",
          kept);
    }
  }
  return kept;
}

std::vector<std::string> EstimatesOf(const Problem& problem) {
  std::vector<std::string> estimates;
  for (const UnitLoad& load : problem.scenario().loads) AddLoad(problem, load, estimates);
  for (std::size_t u = 0; u < problem.units(); ++u) AddParts(problem, UnitId(u), estimates);
  for (const std::vector<std::string>& command : problem.scenario().programs) {
    Add("background: what the program " + Quoted(command[0]) + " costs is not known and counts nothing",
        estimates);
  }
  return estimates;
}

}  // namespace tandem
