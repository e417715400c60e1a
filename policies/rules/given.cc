// Given: the user says which unit runs what. "map" goes from patterns for layer names (* and ?) to units, or
// from patterns for model names to such maps of their own; whole models match by their own name. Of the
// entries that match, the first in the file counts; a group of layers matches where one of its layers does. A
// unit takes the earliest of its tasks. Tie-break: task order. Source: placement by hand, as frameworks'
// device annotations do it.
#include <algorithm>

#include "policies/kinds/list_policy.h"
#include "policies/kinds/name_pattern.h"
#include "policies/kinds/named_codecs.h"
#include "profiles/base/input_error.h"

namespace tandem::given {
namespace {

struct Entry {
  std::optional<std::string> model;  // pattern; nothing: any
  std::string pattern;
  UnitId unit;  // invalid only without a platform
};

struct GivenParameters : PolicyParameters {
  std::vector<Entry> map;
};

// The names that an entry's pattern is for: of models, or of their layers.
std::vector<std::string> Names(const Scenario& scenario, const std::optional<std::string>& model,
                               bool whole) {
  std::vector<std::string> names;
  for (const ScenarioModel& m : scenario.models) {
    if (model && !MatchesPattern(m.name, *model)) continue;
    if (whole) names.push_back(m.name);
    for (std::size_t l = 0; !whole && l < m.model->size(); ++l)
      names.push_back(m.model->layer(LayerId(l)).name);
  }
  return names;
}

// A pattern that nothing matches is a slip.
void CheckMatches(const JsonReader& member, const std::vector<std::string>& names, const std::string& what) {
  const auto matches = [&](const std::string& name) { return MatchesPattern(name, member.key()); };
  if (std::any_of(names.begin(), names.end(), matches)) return;
  member.Fail("no " + what + " matches " + Quoted(member.key()) + Suggestion(member.key(), names));
}

void ReadEntries(const JsonReader& map, const Scenario& scenario, bool whole,
                 const std::optional<std::string>& model, std::vector<Entry>& entries) {
  for (const JsonReader member : map.Members()) {
    if (member.IsObject() && !model) {
      CheckMatches(member, Names(scenario, std::nullopt, true), "model");
      ReadEntries(member, scenario, whole, std::string(member.key()), entries);
      continue;
    }
    CheckMatches(member, Names(scenario, model, whole), whole ? "model" : "layer");
    entries.push_back({model, std::string(member.key()), FindUnit(scenario, member.String(), member)});
  }
}

void ReadMap(const JsonReader& map, std::vector<Entry>& entries, Context context) {
  const bool whole = context.As<Granularity>() == Granularity::kModel;
  ReadEntries(map, context.As<Scenario>(), whole, std::nullopt, entries);
}

// Entries of one model that follow each other share an object, as they did when they were read: a key must
// not come twice.
void WriteMap(const std::vector<Entry>& entries, std::string& text, Context context) {
  const Scenario& scenario = context.As<Scenario>();
  JsonObject map;
  for (auto entry = entries.begin(); entry != entries.end();) {
    const auto model = entry->model;
    JsonObject of_model;
    JsonObject& target = model ? of_model : map;
    for (; entry != entries.end() && entry->model == model; ++entry) {
      target.AddString(entry->pattern, scenario.platform->unit(entry->unit).name);
    }
    if (model) map.Add(*model, of_model.Text());
  }
  text += map.Text();
}

const Fields<GivenParameters>& Keys() {
  static const auto fields = Fields<GivenParameters>().Needed(
      "map", &GivenParameters::map,
      as::Custom<std::vector<Entry>>(
          R"("type": "object", "additionalProperties": {"anyOf": [{"type": "string"},)"
          R"( {"type": "object", "additionalProperties": {"type": "string"}}]})",
          ReadMap, WriteMap),
      "layer name to unit, or model name to such a map; * and ? as in file names");
  return fields;
}

bool Matches(const Problem& problem, SegmentId id, const Entry& entry) {
  const ScenarioModel& model = problem.scenario().model(problem.model_of(id));
  if (entry.model && !MatchesPattern(model.name, *entry.model)) return false;
  const std::vector<LayerId>& layers = problem.segment(id).layers;
  if (layers.empty()) return MatchesPattern(model.name, entry.pattern);
  return std::any_of(layers.begin(), layers.end(), [&](LayerId layer) {
    return MatchesPattern(model.model->layer(layer).name, entry.pattern);
  });
}

const Entry& EntryOf(const PolicySpec& spec, const Problem& problem, SegmentId segment) {
  for (const Entry& entry : spec.As<GivenParameters>().map) {
    if (Matches(problem, segment, entry)) return entry;
  }
  FailPolicy(spec, problem,
             "no pattern of \"map\" matches " + problem.NameOf(segment) + "; \"*\" matches everything");
}

void CheckRuns(const PolicySpec& spec, const Problem& problem, SegmentId segment, const Entry& entry) {
  if (problem.Runs(segment, entry.unit)) return;
  FailPolicy(spec, problem,
             "\"map\" sends " + problem.NameOf(segment) + " by " + Quoted(entry.pattern) + " to unit " +
                 Quoted(problem.platform().unit(entry.unit).name) + ", which cannot run it");
}

Prepared Make(const PolicySpec& spec, const Problem& asked) {
  std::vector<const Entry*> entries;
  std::vector<UnitId> unit_of;
  for (std::size_t s = 0; s < asked.segments().size(); ++s) {
    entries.push_back(&EntryOf(spec, asked, SegmentId(s)));
    unit_of.push_back(entries.back()->unit);
  }
  const auto decided = std::make_shared<const Problem>(asked.WithSent(unit_of));
  const Problem& problem = *decided;
  for (std::size_t s = 0; s < entries.size(); ++s) CheckRuns(spec, problem, SegmentId(s), *entries[s]);
  const auto rule = [&](UnitId unit, StreamId, SegmentId segment) {
    return LaneRule{.takes = unit_of[segment.index()] == unit};
  };
  return {std::make_unique<ListPolicy>(problem, rule), decided};
}

const PolicyRegistration kGiven{{.name = "given",
                                 .summary = "each task goes where the user, or a plan, says",
                                 .waiting = Waiting::kSchedule,
                                 .keys = KeysFrom<Keys>(),
                                 .takes_plan = true,
                                 .make = Make}};

}  // namespace
}  // namespace tandem::given
