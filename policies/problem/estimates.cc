#include "policies/problem/estimates.h"

#include <algorithm>
#include <span>

#include "policies/problem/slowdowns.h"
#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/joined.h"
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

constexpr std::size_t kMostNamed = 3;  // of the pairs that one sentence is about

std::string FirstOf(const std::vector<std::string>& pairs) {
  const std::size_t named = std::min(pairs.size(), kMostNamed);
  const auto others = static_cast<std::int64_t>(pairs.size() - named);
  return Joined(std::span(pairs).first(named)) + (others > 0 ? " and " + Counted(others, "other pair") : "");
}

bool HasMeasuredTimes(const Scenario& scenario, const std::string& unit) {
  return std::any_of(scenario.profiles.begin(), scenario.profiles.end(), [&](const Profile& profile) {
    return profile.origin.kind == OriginKind::kMeasured &&
           std::any_of(profile.entries.begin(), profile.entries.end(),
                       [&](const CostEntry& entry) { return entry.unit == unit; });
  });
}

// Of each model those that may run on the unit.
std::vector<std::vector<SegmentId>> SegmentsOn(const Problem& problem, UnitId unit) {
  std::vector<std::vector<SegmentId>> of_models(problem.scenario().models.size());
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    const SegmentId id(s);
    if (problem.Runs(id, unit)) of_models[problem.model_of(id).index()].push_back(id);
  }
  return of_models;
}

// Of two units that work at once from memories of their own, both as measured, nothing about each other is
// known.
bool LacksAcross(const Scenario& scenario, UnitId a, UnitId b) {
  const Unit &one = scenario.platform->unit(a), &other = scenario.platform->unit(b);
  return !Exclude(one, other) && !SlowdownsKnown(scenario, a, b) && HasMeasuredTimes(scenario, one.name) &&
         HasMeasuredTimes(scenario, other.name);
}

// Models on `unit` beside models on the other, of which no profile tells a slowdown.
void AddUnslowed(const Problem& problem, UnitId unit, UnitId beside, std::vector<std::string>& pairs) {
  const auto works = SegmentsOn(problem, unit), others = SegmentsOn(problem, beside);
  const auto job = [&](std::size_t model, UnitId on) {
    return Quoted(problem.scenario().models[model].name) + " on " + Quoted(problem.platform().unit(on).name);
  };
  for (std::size_t a = 0; a < works.size(); ++a) {
    for (std::size_t b = 0; b < others.size(); ++b) {
      if (works[a].empty() || others[b].empty()) continue;
      if (problem.slowdowns().KnowBeside(works[a], unit, others[b], beside)) continue;
      pairs.push_back(job(a, unit) + " beside " + job(b, beside));
    }
  }
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

bool SlowdownsKnown(const Scenario& scenario, UnitId a, UnitId b) {
  const std::string &one = scenario.platform->unit(a).name, &other = scenario.platform->unit(b).name;
  return std::any_of(scenario.profiles.begin(), scenario.profiles.end(), [&](const Profile& profile) {
    return std::any_of(
        profile.co_running.begin(), profile.co_running.end(), [&](const CoRunningEntry& entry) {
          return (entry.unit == one && entry.beside == other) || (entry.unit == other && entry.beside == one);
        });
  });
}

bool LacksSlowdowns(const Scenario& scenario, UnitId a, UnitId b) {
  const Platform& platform = *scenario.platform;
  if (!CanMeet(platform, a, b) || SlowdownsKnown(scenario, a, b)) return false;
  const auto knows_some = [](const Profile& profile) { return !profile.co_running.empty(); };
  return std::any_of(scenario.profiles.begin(), scenario.profiles.end(), knows_some) ||
         (HasMeasuredTimes(scenario, platform.unit(a).name) &&
          HasMeasuredTimes(scenario, platform.unit(b).name));
}

std::vector<std::string> SlowdownsTakenAsNone(const Problem& problem, const std::vector<char>& worked) {
  const Platform& platform = problem.platform();
  std::vector<std::string> units, apart, models;
  for (std::size_t a = 0; a < worked.size(); ++a) {
    for (std::size_t b = a + 1; b < worked.size(); ++b) {
      const UnitId one(a), other(b);
      if (!worked[a] || !worked[b]) continue;
      const std::string both = Quoted(platform.unit(one).name) + " and " + Quoted(platform.unit(other).name);
      if (!CanMeet(platform, one, other)) {
        if (LacksAcross(problem.scenario(), one, other)) apart.push_back(both);
      } else if (LacksSlowdowns(problem.scenario(), one, other)) {
        units.push_back(both);
      } else if (SlowdownsKnown(problem.scenario(), one, other)) {
        AddUnslowed(problem, one, other, models);
        AddUnslowed(problem, other, one, models);
      }
    }
  }
  std::vector<std::string> taken;
  if (!units.empty()) {
    taken.push_back("units " + FirstOf(units) +
                    " share a memory, and no profile says what they cost each other: taken is nothing");
  }
  if (!apart.empty()) {
    taken.push_back(
        "units " + FirstOf(apart) +
        " have memories of their own, and nobody has measured what they cost each other all the same, by "
        "the host's threads or its clocks: taken is nothing");
  }
  if (!models.empty()) {
    taken.push_back("no profile has a slowdown of " + FirstOf(models) + ": taken is none");
  }
  return taken;
}

}  // namespace tandem
