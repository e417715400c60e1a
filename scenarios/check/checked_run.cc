#include "scenarios/check/checked_run.h"

#include <algorithm>
#include <map>
#include <set>

#include "profiles/base/suggest.h"
#include "profiles/costs/profile.h"
#include "scenarios/check/chip.h"

namespace tandem {

CheckedRun::CheckedRun(const Scenario& scenario, const TracedRun& run, Findings& findings)
    : scenario_(&scenario), run_(&run) {
  const auto loaded = [](const UnitLoad& load) { return load.load_pct > 0; };
  exact_ = !run.measured && scenario.speeds.empty() && scenario.heat.empty() &&
           std::none_of(scenario.loads.begin(), scenario.loads.end(), loaded) &&
           std::all_of(scenario.profiles.begin(), scenario.profiles.end(),
                       [](const Profile& profile) {
                         return profile.co_running.empty() && profile.together.empty();
                       }) &&
           std::none_of(scenario.platform->units.begin(), scenario.platform->units.end(),
                        [](const Unit& unit) { return unit.time_shared; });
  ResolveTracks(findings);
  ResolveNames(findings);
  ResolveSegments(findings);
  ResolveEdges(findings);
  if (!usable_) return;
  ResolveResidents(findings);
  FindReachedUnits();
  CollectTasks(findings);
  CollectRequests(findings);
  CollectLost();
  if (usable_) OrderTasks();
}

std::string CheckedRun::Name(const CheckedRequest& request) const {
  return stream(request.stream).name + " #" + std::to_string(request.index);
}

std::string CheckedRun::Name(const TracedSpan& span) const {
  return run_->streams[static_cast<std::size_t>(span.stream)] + " #" + std::to_string(span.index);
}

void CheckedRun::ResolveTracks(Findings& findings) {
  std::set<std::pair<std::string, std::int64_t>> seen;
  const UnitNames names(platform());
  for (const TracedTrack& track : run_->tracks) {
    std::string wrong;
    const UnitId unit = track.unit.empty() ? UnitId() : names.Find(track.unit);
    if (!track.unit.empty()) {
      if (!unit.valid()) {
        wrong = "the platform has no such unit";
      } else if (track.slot >= platform().unit(unit).slots) {
        wrong = "the unit has no such slot";
      } else if (!seen.emplace(track.unit, track.slot).second) {
        wrong = "the slot has two tracks";
      }
    } else {
      const MemoryId from = platform().FindMemory(track.from), to = platform().FindMemory(track.to);
      const bool linked =
          std::any_of(platform().links.begin(), platform().links.end(), [&](const Link& link) {
            return link.engine &&
                   ((link.from == from && link.to == to) || (link.from == to && link.to == from));
          });
      if (!linked) wrong = "the platform has no such copy engine";
    }
    units.push_back(unit);
    if (wrong.empty()) continue;
    findings.Violation("names", track.name, Nanos{0}, wrong);
    usable_ = false;
  }
}

void CheckedRun::ResolveNames(Findings& findings) {
  std::map<std::string_view, StreamId> known;
  for (std::size_t s = 0; s < scenario_->streams.size(); ++s) known.emplace(scenario_->streams[s].name, s);
  for (const std::string& name : run_->streams) {
    const auto found = known.find(name);
    streams.push_back(found == known.end() ? StreamId() : found->second);
    if (found != known.end()) continue;
    findings.Violation("names", name, Nanos{0}, "the scenario has no stream of that name");
    usable_ = false;
  }
}

void CheckedRun::ResolveSegments(Findings& findings) {
  const auto wrong = [&](const std::string& what) {
    findings.Violation("names", "", Nanos{0}, what);
    usable_ = false;
  };
  for (const TraceSegment& segment : run_->segments) {
    CheckedSegment checked;
    for (std::size_t m = 0; m < scenario_->models.size(); ++m) {
      if (scenario_->models[m].name == segment.model) checked.model = ModelId(m);
    }
    if (!checked.model.valid()) {
      wrong("the scenario has no model " + Quoted(segment.model));
    } else {
      for (const std::string& name : segment.layers) {
        checked.layers.push_back(model(checked.model).Find(name));
        if (!checked.layers.back().valid())
          wrong("no layer " + Quoted(name) + " in model " + Quoted(segment.model));
      }
    }
    checked.part = segment.part;
    std::sort(checked.layers.begin(), checked.layers.end());
    if (std::adjacent_find(checked.layers.begin(), checked.layers.end()) != checked.layers.end()) {
      wrong("a task of model " + Quoted(segment.model) + " names a layer twice");
    }
    if (usable_ && checked.part) {
      const auto& part = *checked.part;
      const SplitRange range = SplitRangeOf(model(checked.model), checked.layers, part.axis);
      if (part.end > range.extent) {
        wrong("no " + part.Text() + " of layer " + Quoted(segment.layers.front()) + " of model " +
              Quoted(segment.model) + " to be run by themselves");
      }
    }
    segments.push_back(std::move(checked));
  }
}

void CheckedRun::ResolveResidents(Findings& findings) {
  for (std::size_t u = 0; u < platform().units.size(); ++u) {
    const Unit& unit = platform().units[u];
    std::vector<char> held(scenario_->models.size());
    std::vector<ModelId> listed;
    const auto stated = run_->residents.find(unit.name);
    for (std::size_t m = 0; m < held.size(); ++m) {
      const auto& names = stated == run_->residents.end() ? std::vector<std::string>() : stated->second;
      held[m] = std::find(names.begin(), names.end(), scenario_->models[m].name) != names.end();
      if (held[m]) listed.emplace_back(m);
    }
    if (auto asked = scenario_->units[u].resident) {
      std::sort(asked->begin(), asked->end());
      if (listed != *asked) {
        findings.Violation("residents", unit.name, Nanos{0},
                           "it holds other models than the scenario's \"resident\" says");
      }
    } else if (unit.resident_models && static_cast<std::int64_t>(listed.size()) > *unit.resident_models) {
      findings.Violation("residents", unit.name, Nanos{0},
                         "it holds " + std::to_string(listed.size()) + " models, its limit is " +
                             std::to_string(*unit.resident_models));
    }
    const auto apart = std::find_if(listed.begin(), listed.end(), [&](ModelId model) {
      return !ShareChip(*this, UnitId(u), listed.front(), model);
    });
    if (apart != listed.end()) {
      findings.Violation("residents", unit.name, Nanos{0},
                         "it holds models that are not compiled together for its chip");
    }
    may_hold.push_back(WithLoads(UnitId(u), held));
    holds.push_back(std::move(held));
  }
}

// What can be loaded beside the models that would not come back.
std::vector<char> CheckedRun::WithLoads(UnitId id, const std::vector<char>& held) const {
  const Unit& unit = platform().unit(id);
  std::vector<char> loads(held.size(), HasChip(*this, id) ? 1 : 0);
  for (const Profile& profile : scenario_->profiles) {
    for (const LoadEntry& load : profile.loads) {
      if (load.unit != unit.name || scenario_->units[id.index()].variant != load.variant) continue;
      const std::string key = ModelKey(load.model, profile.file);
      for (std::size_t m = 0; m < held.size(); ++m) loads[m] = loads[m] || scenario_->models[m].key == key;
    }
  }
  std::int64_t stay = 0;
  for (std::size_t m = 0; m < held.size(); ++m) stay += held[m] && !loads[m] ? 1 : 0;
  const auto& asked = scenario_->units[id.index()].resident;
  const auto limit = unit.resident_models || !asked
                         ? unit.resident_models
                         : std::max<std::int64_t>(static_cast<std::int64_t>(asked->size()), 1);
  std::vector<char> may = held;
  for (std::size_t m = 0; m < held.size(); ++m) may[m] = held[m] || (loads[m] && (!limit || stay < *limit));
  return may;
}

void CheckedRun::FindReachedUnits() {
  std::set<MemoryId> memories = {MemoryId(0)};
  for (std::size_t before = 0; before != memories.size();) {
    before = memories.size();
    for (const Link& link : platform().links) {
      if (memories.contains(link.from) || memories.contains(link.to)) memories.insert({link.from, link.to});
    }
  }
  for (const Unit& unit : platform().units) reached.push_back(memories.contains(unit.memory) ? 1 : 0);
}

}  // namespace tandem
