#include "sim/study/known_data.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "policies/problem/estimates.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "profiles/base/table.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

// The weakest of what a time is made of counts. kParts: of some layers or groups, not of the whole model.
enum class TimeSource : std::uint8_t { kMeasured, kPublished, kEstimated, kParts, kNone };
constexpr std::array<Named<TimeSource>, 5> kTimeSourceNames = {{{"measured", TimeSource::kMeasured},
                                                                {"published", TimeSource::kPublished},
                                                                {"estimated", TimeSource::kEstimated},
                                                                {"parts", TimeSource::kParts},
                                                                {"none", TimeSource::kNone}}};

struct KnownRow {
  ModelId model;
  std::int64_t batch = 1;
  std::vector<TimeSource> units;
};

// Models of streams beside each other on two units of one memory, and how many were measured so.
struct KnownPairs {
  UnitId a, b;
  std::int64_t all = 0, measured = 0;
};

using UnitPairs = std::vector<std::pair<UnitId, UnitId>>;

// Pairs of units of one memory; what they cost each other is not known.
struct Unslowed {
  UnitPairs first;  // of them all, as far as they are kept
  std::int64_t all = 0;
  std::set<UnitId> units;
};

struct KnownData {
  std::vector<KnownRow> times;            // of what streams ask for
  std::map<MemoryId, Unslowed> unslowed;  // none is empty
  UnitPairs first_unslowed;               // of all memories, as far as they are kept
  std::vector<KnownPairs> pairs;          // of the others of one memory
};

constexpr std::size_t kMostPairsKept = 131'072;  // as many as 512 units have

TimeSource SourceOf(OriginKind kind) {
  return kind == OriginKind::kMeasured    ? TimeSource::kMeasured
         : kind == OriginKind::kPublished ? TimeSource::kPublished
                                          : TimeSource::kEstimated;
}

// Of the profile that has the entry at this place; see CostTable::Measured.
TimeSource SourceAt(const Scenario& scenario, std::size_t place) {
  for (const Profile& profile : scenario.profiles) {
    const std::size_t entries = profile.entries.size() + profile.parts.size();
    if (place < entries) return SourceOf(profile.origin.kind);
    place -= entries;
  }
  return TimeSource::kNone;
}

KnownRow RowOf(const Scenario& scenario, ModelId model, std::int64_t batch) {
  KnownRow row{model, batch, std::vector(scenario.units.size(), TimeSource::kNone)};
  for (std::size_t u = 0; u < scenario.units.size(); ++u) {
    const auto query = scenario.Query(model, UnitId(u), batch);
    if (!query) continue;
    std::optional<TimeSource> weakest;
    for (const CostTable::Measured& entry : scenario.costs->EntriesOf(*query)) {
      const TimeSource source = SourceAt(scenario, entry.place);
      weakest = weakest ? std::max(*weakest, source) : source;
    }
    if (weakest) row.units[u] = scenario.costs->Time(*query) ? *weakest : TimeSource::kParts;
  }
  return row;
}

std::vector<char> Used(const KnownData& known, std::size_t units) {
  std::vector<char> used(units);
  for (const KnownRow& row : known.times) {
    for (std::size_t u = 0; u < units; ++u) used[u] |= row.units[u] != TimeSource::kNone ? 1 : 0;
  }
  return used;
}

// Entries that name both models: "unit model" and "beside beside_model", either of them first.
std::set<std::pair<std::string, std::string>> MeasuredPairs(const Scenario& scenario) {
  std::set<std::pair<std::string, std::string>> pairs;
  for (const Profile& profile : scenario.profiles) {
    ModelKeys keys(profile.file);
    for (const CoRunningEntry& entry : profile.co_running) {
      if (entry.model.empty() || entry.beside_model.empty() || !entry.layers.empty()) continue;
      const std::string one = entry.unit + " " + keys.Of(entry.model),
                        other = entry.beside + " " + keys.Of(entry.beside_model);
      pairs.emplace(one, other);
      pairs.emplace(other, one);
    }
  }
  return pairs;
}

KnownPairs PairsOn(const Scenario& scenario, const KnownData& known, std::size_t a, std::size_t b,
                   const std::set<std::pair<std::string, std::string>>& measured) {
  KnownPairs pairs{UnitId(a), UnitId(b)};
  const auto models_on = [&](std::size_t unit) {
    std::set<std::string> models;
    for (const KnownRow& row : known.times) {
      if (row.units[unit] == TimeSource::kNone) continue;
      models.insert(scenario.platform->units[unit].name + " " + scenario.model(row.model).key);
    }
    return models;
  };
  for (const std::string& one : models_on(a)) {
    for (const std::string& other : models_on(b)) {
      ++pairs.all;
      pairs.measured += measured.contains({one, other}) ? 1 : 0;
    }
  }
  return pairs;
}

// `lacking`: those too of which runs say it in their reports.
void AddPairs(const Scenario& scenario, bool lacking, KnownData& known) {
  const std::size_t units = scenario.platform->units.size();
  const auto measured = MeasuredPairs(scenario);
  const std::vector<char> used = Used(known, units);
  const BesideEachOther beside(scenario);
  std::vector<char> unslowed(units);
  for (std::size_t a = 0; a < units; ++a) {
    Unslowed* of = nullptr;  // of a's memory
    for (std::size_t b = a + 1; b < units && used[a]; ++b) {
      const UnitId one(a), other(b);
      if (!used[b] || !CanMeet(*scenario.platform, one, other)) continue;
      if (beside.Known(one, other)) {
        known.pairs.push_back(PairsOn(scenario, known, a, b, measured));
      } else if (lacking || !beside.Lacking(one, other)) {
        if (of == nullptr) of = &known.unslowed[scenario.platform->units[a].memory];
        ++of->all;
        unslowed[a] = unslowed[b] = 1;
        if (of->first.size() < kMostPairsKept) of->first.emplace_back(one, other);
        if (known.first_unslowed.size() < kMostPairsKept) known.first_unslowed.emplace_back(one, other);
      }
    }
  }
  for (std::size_t u = 0; u < units; ++u) {
    if (unslowed[u]) known.unslowed[scenario.platform->units[u].memory].units.insert(UnitId(u));
  }
}

KnownData TimesKnown(const Scenario& scenario) {
  KnownData known;
  std::set<std::pair<ModelId, std::int64_t>> asked;
  for (const Stream& stream : scenario.streams) {
    if (asked.emplace(stream.model, stream.batch).second) {
      known.times.push_back(RowOf(scenario, stream.model, stream.batch));
    }
  }
  return known;
}

KnownData KnownDataOf(const Scenario& scenario, bool lacking) {
  KnownData known = TimesKnown(scenario);
  AddPairs(scenario, lacking, known);
  return known;
}

bool Some(const KnownData& known, TimeSource source) {
  return std::any_of(known.times.begin(), known.times.end(), [&](const KnownRow& row) {
    return std::find(row.units.begin(), row.units.end(), source) != row.units.end();
  });
}

// A sentence for all of them where they are every two of some units, else one each.
void AddUnslowed(const Scenario& scenario, MemoryId memory, const Unslowed& unslowed,
                 std::vector<std::string>& taken) {
  const std::string behind = " share memory " + Quoted(scenario.platform->memories[memory.index()].name) +
                             ", and no profile says what they cost each other: taken is nothing";
  const auto add = [&](const std::set<UnitId>& units) {
    std::vector<std::string> names;
    for (const UnitId unit : units) names.push_back(Quoted(scenario.platform->unit(unit).name));
    const std::string last = names.back();
    names.pop_back();
    taken.push_back("units " + Joined(names) + " and " + last + behind);
  };
  const auto units = static_cast<std::int64_t>(unslowed.units.size());
  if (2 * unslowed.all == units * (units - 1)) return add(unslowed.units);
  for (const auto& [a, b] : unslowed.first) add({a, b});
  const std::int64_t others = unslowed.all - static_cast<std::int64_t>(unslowed.first.size());
  if (others > 0) taken.push_back(Counted(others, "other pair") + " of units" + behind);
}

// What the words of the table say, a sentence each.
std::vector<std::string> WordsOfTable(const KnownData& known) {
  std::vector<std::string> words;
  if (Some(known, TimeSource::kNone)) words.emplace_back("none: that model does not run there");
  if (Some(known, TimeSource::kParts)) {
    words.emplace_back("parts: of that model only what has a time runs there");
  }
  if (Some(known, TimeSource::kEstimated)) {
    words.emplace_back("estimated: nobody has measured such times there");
  }
  return words;
}

// Of units and models of which a profile says what they meet where tasks share the unit's time: "unit model",
// or "unit " for any.
std::set<std::string> MeasuredSharing(const Scenario& scenario) {
  std::set<std::string> measured;
  for (const Profile& profile : scenario.profiles) {
    ModelKeys keys(profile.file);
    for (const SharingEntry& entry : profile.sharing) {
      measured.insert(entry.unit + " " + (entry.model.empty() ? "" : keys.Of(entry.model)));
    }
  }
  return measured;
}

// Nobody can measure it of a unit whose slots take turns: what a turn costs the platform says.
void AddSharedFairly(const Scenario& scenario, const KnownData& known, std::vector<std::string>& taken) {
  const std::set<std::string> measured = MeasuredSharing(scenario);
  for (std::size_t u = 0; u < scenario.platform->units.size(); ++u) {
    const Unit& unit = scenario.platform->units[u];
    if (!unit.time_shared || unit.slots < 2 || unit.slice || measured.contains(unit.name + " ")) continue;
    std::vector<std::string> models;
    for (const KnownRow& row : known.times) {
      if (row.units[u] == TimeSource::kNone) continue;
      const ScenarioModel& model = scenario.model(row.model);
      const std::string name = Quoted(BaseName(model.name));
      const bool said = std::ranges::find(models, name) != models.end();
      if (!said && !measured.contains(unit.name + " " + model.key)) models.push_back(name);
    }
    if (models.empty()) continue;
    taken.push_back("unit " + Quoted(unit.name) + ": no profile says how much sharing its time slows " +
                    Joined(models) +
                    " down (\"sharing\"): taken is an equal share, and no interval says how unsure that is");
  }
}

// A sentence each.
std::vector<std::string> TakenInstead(const Scenario& scenario, const KnownData& known) {
  std::vector<std::string> taken;
  for (const auto& [memory, unslowed] : known.unslowed) AddUnslowed(scenario, memory, unslowed, taken);
  for (const KnownPairs& pairs : known.pairs) {
    if (pairs.measured == pairs.all) continue;
    taken.push_back(std::to_string(pairs.measured) + " of " + std::to_string(pairs.all) +
                    " pairs of models were measured beside each other on units " +
                    Quoted(scenario.platform->unit(pairs.a).name) + " and " +
                    Quoted(scenario.platform->unit(pairs.b).name) + ": taken is what else is known of them");
  }
  AddSharedFairly(scenario, known, taken);
  taken.insert(taken.end(), scenario.taken.begin(), scenario.taken.end());
  return taken;
}

std::string NameWithBatch(const Scenario& scenario, const KnownRow& row) {
  const std::string name = BaseName(scenario.model(row.model).name);
  return row.batch == 1 ? name : name + " x " + std::to_string(row.batch);
}

// True: something of it is missing or estimated.
bool Wants(const KnownRow& row) {
  return std::any_of(row.units.begin(), row.units.end(),
                     [](TimeSource source) { return source >= TimeSource::kEstimated; });
}

std::vector<std::string> AllTaken(const Scenario& scenario, const KnownData& known) {
  std::vector<std::string> taken = WordsOfTable(known);
  for (std::string& sentence : TakenInstead(scenario, known)) taken.push_back(std::move(sentence));
  return taken;
}

std::string TableOf(const Scenario& scenario, const KnownData& known, bool all, std::size_t width) {
  std::vector<Table::Column> columns = {{"times of", false, true}};
  for (const Unit& unit : scenario.platform->units) columns.push_back({unit.name});
  Table table(std::move(columns));
  bool some = false;
  for (const KnownRow& row : known.times) {
    if (!all && !Wants(row)) continue;
    some = true;
    std::vector<std::string> cells = {NameWithBatch(scenario, row)};
    for (const TimeSource source : row.units) cells.emplace_back(NameOf(kTimeSourceNames, source));
    table.Add(std::move(cells));
  }
  return some ? table.Text(width) : "";
}

std::string TextOf(const std::vector<std::string>& sentences, std::size_t width) {
  std::string text;
  for (const std::string& sentence : sentences) text += Wrapped(sentence, width);
  return text;
}

}  // namespace

std::string KnownText(const Scenario& scenario, std::size_t width) {
  if (!scenario.costs) return {};
  const KnownData known = KnownDataOf(scenario, true);
  return TableOf(scenario, known, true, width) + TextOf(AllTaken(scenario, known), width);
}

std::string MissingText(const Scenario& scenario, std::size_t width) {
  const KnownData known = TimesKnown(scenario);
  return TableOf(scenario, known, false, width) + TextOf(WordsOfTable(known), width);
}

std::vector<std::string> TakenForWant(const Scenario& scenario) {
  return scenario.costs ? TakenInstead(scenario, KnownDataOf(scenario, false)) : std::vector<std::string>();
}

void AddTakenForWant(const Scenario& scenario, std::vector<Report>& reports) {
  const std::vector<std::string> taken = TakenForWant(scenario);
  for (Report& report : reports) {
    for (const std::string& sentence : taken) {
      const bool said = std::ranges::find(report.estimated, sentence) != report.estimated.end();
      if (!said && report.failed.empty()) report.estimated.push_back(sentence);
    }
  }
}

Json KnownJson(const Scenario& scenario) {
  if (!scenario.costs) return nullptr;
  const KnownData known = KnownDataOf(scenario, true);
  Json json = {{"times", Json::array()}, {"no_co_running", Json::array()}};
  for (const KnownRow& row : known.times) {
    for (std::size_t u = 0; u < row.units.size(); ++u) {
      json["times"].push_back({{"model", scenario.model(row.model).name},
                               {"batch", row.batch},
                               {"unit", scenario.platform->units[u].name},
                               {"time", NameOf(kTimeSourceNames, row.units[u])}});
    }
  }
  for (const auto& [a, b] : known.first_unslowed) {
    json["no_co_running"].push_back({scenario.platform->unit(a).name, scenario.platform->unit(b).name});
  }
  json["pairs"] = Json::array();
  for (const KnownPairs& pairs : known.pairs) {
    json["pairs"].push_back(
        {{"units", {scenario.platform->unit(pairs.a).name, scenario.platform->unit(pairs.b).name}},
         {"measured", pairs.measured},
         {"all", pairs.all}});
  }
  json["taken"] = AllTaken(scenario, known);
  return json;
}

}  // namespace tandem
