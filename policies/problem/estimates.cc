#include "policies/problem/estimates.h"

#include <algorithm>
#include <set>
#include <span>
#include <unordered_set>
#include <utility>

#include "policies/problem/slowdowns.h"
#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "profiles/model/layer_parts.h"

namespace tandem {
namespace {

// In the order in which they were added, none twice.
class Sentences {
 public:
  void Add(std::string sentence) {
    if (known_.insert(sentence).second) all_.push_back(std::move(sentence));
  }
  std::vector<std::string> Take() { return std::move(all_); }

 private:
  std::vector<std::string> all_;
  std::unordered_set<std::string> known_;
};

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

void AddLoad(const Problem& problem, const UnitLoad& load, Sentences& estimates) {
  if (load.load_pct == 0) return;
  const Unmeasured unmeasured = UnmeasuredOn(problem, load.unit);
  const std::string factor = Fixed(100.0 / static_cast<double>(100 - load.load_pct), 3);
  for (const ModelId model : unmeasured.models) {
    const std::string what =
        unmeasured.all ? "no profile"
                       : "for model " + Quoted(problem.scenario().model(model).name) + " no profile";
    estimates.Add("unit " + Quoted(problem.platform().unit(load.unit).name) + " under a load of " +
                  std::to_string(load.load_pct) + " %: " + what + " has a measured slowdown, taken is " +
                  factor + " = 1 / (1 - load)");
  }
}

// Parts of split layers of which no size was measured.
void AddParts(const Problem& problem, UnitId unit, Sentences& estimates) {
  for (const Cut& cut : problem.cuts()) {
    for (std::int32_t i = 0; i < cut.segments; ++i) {
      const SegmentId id(cut.first.index() + static_cast<std::size_t>(i));
      if (!problem.Estimated(id, unit) || !problem.Runs(id, unit)) continue;
      estimates.Add("unit " + Quoted(problem.platform().unit(unit).name) + ": parts of layers of model " +
                    Quoted(problem.scenario().model(cut.model).name) +
                    " of which no profile has a time take their share of the whole layer's");
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

// There may be millions of pairs: the first are named, the others counted.
class Pairs {
 public:
  bool empty() const { return first_.empty(); }
  template <class Name>
  void Add(const Name& name) {
    if (first_.size() < kMostNamed) {
      first_.push_back(name());
    } else {
      ++others_;
    }
  }
  std::string Text() const {
    return Joined(std::span(first_)) + (others_ > 0 ? " and " + Counted(others_, "other pair") : "");
  }

 private:
  std::vector<std::string> first_;
  std::int64_t others_ = 0;
};

// Of each model those that may run on the unit.
std::vector<std::vector<SegmentId>> SegmentsOn(const Problem& problem, UnitId unit) {
  std::vector<std::vector<SegmentId>> of_models(problem.scenario().models.size());
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    const SegmentId id(s);
    if (problem.Runs(id, unit)) of_models[problem.model_of(id).index()].push_back(id);
  }
  return of_models;
}

// Models on `unit` beside models on the other, of which no profile tells a slowdown.
void AddUnslowed(const Problem& problem, UnitId unit, UnitId beside, Pairs& pairs) {
  const auto works = SegmentsOn(problem, unit), others = SegmentsOn(problem, beside);
  const auto job = [&](std::size_t model, UnitId on) {
    return Quoted(problem.scenario().models[model].name) + " on " + Quoted(problem.platform().unit(on).name);
  };
  for (std::size_t a = 0; a < works.size(); ++a) {
    for (std::size_t b = 0; b < others.size(); ++b) {
      if (works[a].empty() || others[b].empty()) continue;
      if (problem.slowdowns().KnowBeside(works[a], unit, others[b], beside)) continue;
      pairs.Add([&] { return job(a, unit) + " beside " + job(b, beside); });
    }
  }
}

bool HasUnstable(const Profile& profile) {
  return std::ranges::any_of(profile.entries, &CostEntry::unstable) ||
         std::ranges::any_of(profile.parts, &PartEntry::unstable);
}

// Of the entry or part at this place; see CostTable::Measured.
bool IsUnstableAt(const Scenario& scenario, std::size_t place) {
  for (const Profile& profile : scenario.profiles) {
    const std::size_t entries = profile.entries.size(), parts = profile.parts.size();
    if (place < entries) return profile.entries[place].unstable;
    if (place < entries + parts) return profile.parts[place - entries].unstable;
    place -= entries + parts;
  }
  return false;
}

bool IsOfUnstable(const Problem& problem, SegmentId id, UnitId unit) {
  if (!problem.Runs(id, unit)) return false;
  const Scenario& scenario = problem.scenario();
  const Segment& segment = problem.segment(id);
  const Cut& cut = problem.cut(segment.cut);
  const auto query = scenario.Query(cut.model, unit, cut.batch, segment.layers);
  if (!query) return false;
  const auto extent = [&] {
    return SplitRangeOf(*scenario.model(cut.model).model, segment.layers, segment.part->axis).extent;
  };
  const auto samples = segment.part ? scenario.costs->PartSamples(*query, *segment.part, extent())
                                    : scenario.costs->Samples(*query);
  return samples && std::ranges::any_of(samples->sources, [&](const SegmentSamples::Source& source) {
           return IsUnstableAt(scenario, source.place);
         });
}

}  // namespace

std::vector<std::string> KeptWhole(const Problem& problem) {
  const Scenario& scenario = problem.scenario();
  Sentences kept;
  for (const Stream& stream : scenario.streams) {
    const ScenarioModel& model = scenario.model(stream.model);
    if (!CouldBeSplit(*model.model)) continue;
    for (std::size_t u = 0; u < problem.units(); ++u) {
      const auto query = scenario.Query(stream.model, UnitId(u), stream.batch);
      if (!query || !scenario.costs->KnownAsWholeAlone(*query)) continue;
      kept.Add("unit " + Quoted(problem.platform().unit(UnitId(u)).name) + ": model " + Quoted(model.name) +
               " is kept whole, no profile has a time of anything but the whole model");
    }
  }
  return kept.Take();
}

std::vector<std::string> EstimatesOf(const Problem& problem) {
  Sentences estimates;
  for (const UnitLoad& load : problem.scenario().loads) AddLoad(problem, load, estimates);
  for (std::size_t u = 0; u < problem.units(); ++u) AddParts(problem, UnitId(u), estimates);
  for (const std::vector<std::string>& command : problem.scenario().programs) {
    estimates.Add("background: what the program " + Quoted(command[0]) +
                  " costs is not known and counts nothing");
  }
  return estimates.Take();
}

BesideEachOther::BesideEachOther(const Scenario& scenario)
    : platform_(&*scenario.platform), measured_(platform_->units.size()) {
  const UnitNames units(*platform_);
  for (const Profile& profile : scenario.profiles) {
    for (const CoRunningEntry& entry : profile.co_running) {
      others_known_ = true;
      const UnitId unit = units.Find(entry.unit), beside = units.Find(entry.beside);
      if (unit.valid() && beside.valid()) known_.insert(std::minmax(unit, beside));
    }
    if (profile.origin.kind != OriginKind::kMeasured) continue;
    for (const CostEntry& entry : profile.entries) {
      const UnitId unit = units.Find(entry.unit);
      if (unit.valid()) measured_[unit.index()] = 1;
      some_measured_ = some_measured_ || unit.valid();
    }
  }
}

std::string UnstableTimes(const Problem& problem, const std::vector<char>& worked) {
  if (std::ranges::none_of(problem.scenario().profiles, HasUnstable)) return {};
  std::set<std::pair<ModelId, UnitId>> said;
  Pairs unstable;
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    for (std::size_t u = 0; u < worked.size(); ++u) {
      const SegmentId id(s);
      const UnitId unit(u);
      const ModelId model = problem.model_of(id);
      if (!worked[u] || said.contains({model, unit}) || !IsOfUnstable(problem, id, unit)) continue;
      said.emplace(model, unit);
      unstable.Add([&] {
        return Quoted(problem.scenario().model(model).name) + " on " +
               Quoted(problem.platform().unit(unit).name);
      });
    }
  }
  if (unstable.empty()) return {};
  return "samples of " + unstable.Text() +
         " did not come together (unstable): their times are taken all the same";
}

std::vector<std::string> SlowdownsTakenAsNone(const Problem& problem, const std::vector<char>& worked) {
  const Platform& platform = problem.platform();
  const BesideEachOther beside(problem.scenario());
  Pairs units, apart, models;
  for (std::size_t a = 0; a < worked.size() && beside.any(); ++a) {
    for (std::size_t b = a + 1; b < worked.size() && worked[a]; ++b) {
      if (!worked[b]) continue;
      const UnitId one(a), other(b);
      const auto both = [&] {
        return Quoted(platform.unit(one).name) + " and " + Quoted(platform.unit(other).name);
      };
      if (!CanMeet(platform, one, other)) {
        if (beside.LackingAcross(one, other)) apart.Add(both);
      } else if (beside.Lacking(one, other)) {
        units.Add(both);
      } else if (beside.Known(one, other)) {
        AddUnslowed(problem, one, other, models);
        AddUnslowed(problem, other, one, models);
      }
    }
  }
  std::vector<std::string> taken;
  if (!units.empty()) {
    taken.push_back("units " + units.Text() +
                    " share a memory, and no profile says what they cost each other: taken is nothing");
  }
  if (!apart.empty()) {
    taken.push_back(
        "units " + apart.Text() +
        " have memories of their own, and nobody has measured what they cost each other all the same, by "
        "the host's threads or its clocks: taken is nothing");
  }
  if (!models.empty()) {
    taken.push_back("no profile has a slowdown of " + models.Text() + ": taken is none");
  }
  return taken;
}

}  // namespace tandem
