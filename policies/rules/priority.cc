// Priority: every unit has a ranking of models and takes the best-ranked waiting task. With "rank", a unit
// that it does not name, and a model that is unranked on a unit, run nothing there. Without it a unit ranks
// models by their time on it over their fastest time on any other unit, ascending; models that no other unit
// runs come first, and equal ones in order of first appearance; where a unit runs only parts of a model,
// those parts count. Tie-break: task order. Source: study 003.
#include <algorithm>

#include "policies/kinds/list_policy.h"
#include "policies/kinds/named_codecs.h"
#include "profiles/base/input_error.h"

namespace tandem::priority {
namespace {

struct PriorityParameters : PolicyParameters {
  // Per unit of the platform, best first; an empty ranking runs nothing. Nothing: ranked by profiled times.
  std::optional<std::vector<std::vector<ModelId>>> rank;
};

std::vector<ModelId> ReadRanking(const JsonReader& value, const Scenario& scenario) {
  std::vector<ModelId> ranking;
  for (const JsonReader element : value.Elements()) {
    const ModelId model = FindModel(scenario, element.String(), element);
    if (std::find(ranking.begin(), ranking.end(), model) != ranking.end()) {
      element.Fail("model " + Quoted(element.String()) + " is ranked twice");
    }
    ranking.push_back(model);
  }
  return ranking;
}

// Is the stream's model ranked on a unit that can run it? In parts it may run on several: then anywhere.
bool IsServed(const Scenario& scenario, const Stream& stream, const std::vector<std::vector<ModelId>>& rank) {
  const bool by_times = scenario.costs && SomeUnitRuns(scenario, stream);
  for (std::size_t unit = 0; unit < rank.size(); ++unit) {
    if (std::find(rank[unit].begin(), rank[unit].end(), stream.model) == rank[unit].end()) continue;
    if (!by_times || scenario.CanRun(stream.model, UnitId(unit), stream.batch)) return true;
  }
  return false;
}

using Rank = std::vector<std::vector<ModelId>>;

void ReadRank(const JsonReader& rank, Rank& rankings, Context context) {
  const Scenario& scenario = context.As<Scenario>();
  rankings.resize(scenario.units.size());
  for (const JsonReader member : rank.Members()) {
    const UnitId unit = FindUnit(scenario, member.key(), member);
    std::vector<ModelId> ranking = ReadRanking(member, scenario);
    if (unit.valid()) rankings[unit.index()] = std::move(ranking);
  }
  for (const Stream& stream : scenario.streams) {
    if (!scenario.platform || IsServed(scenario, stream, rankings)) continue;
    rank.Fail("model " + Quoted(scenario.model(stream.model).name) + " of stream " + Quoted(stream.name) +
              " is ranked on no unit that can run it, so it would never run");
  }
}

void WriteRank(const Rank& rank, std::string& text, Context context) {
  const Scenario& scenario = context.As<Scenario>();
  JsonObject units;
  for (std::size_t u = 0; u < rank.size(); ++u) {
    if (rank[u].empty()) continue;
    std::vector<std::string> names;
    for (const ModelId model : rank[u]) names.push_back(scenario.model(model).name);
    units.Add(scenario.platform->units[u].name, JsonStrings(names));
  }
  text += units.Text();
}

const Fields<PriorityParameters>& Keys() {
  static const auto fields = Fields<PriorityParameters>().Optional(
      "rank", &PriorityParameters::rank,
      as::Custom<Rank>(R"("type": "object", "additionalProperties":)"
                       R"( {"type": "array", "uniqueItems": true, "items": {"type": "string"}})",
                       ReadRank, WriteRank),
      "per unit its models, the best first");
  return fields;
}

// What the unit runs of the model: its time there over the least elsewhere; 0 where nothing else runs it.
double RatioOf(const Problem& problem, ModelId model, UnitId unit) {
  std::vector<Nanos> totals(problem.units());
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    const SegmentId segment(s);
    if (problem.model_of(segment) != model || !problem.Runs(segment, unit)) continue;
    for (std::size_t u = 0; u < totals.size(); ++u) {
      const Nanos time = problem.Time(segment, UnitId(u));
      if (time == Problem::kCannot) totals[u] = Problem::kCannot;
      if (totals[u] != Problem::kCannot) totals[u] += time;
    }
  }
  const auto here = static_cast<double>(totals[unit.index()].count());
  double ratio = 0;
  for (std::size_t u = 0; u < totals.size(); ++u) {
    if (UnitId(u) == unit || totals[u] == Problem::kCannot) continue;
    ratio = std::max(ratio, here / static_cast<double>(std::max<std::int64_t>(totals[u].count(), 1)));
  }
  return ratio;
}

std::vector<ModelId> RankByTimes(const Problem& problem, UnitId unit) {
  std::vector<std::pair<double, ModelId>> order;
  for (std::size_t m = 0; m < problem.scenario().models.size(); ++m) {
    order.emplace_back(RatioOf(problem, ModelId(m), unit), ModelId(m));
  }
  std::sort(order.begin(), order.end());
  std::vector<ModelId> ranking;
  for (const auto& [ratio, model] : order) ranking.push_back(model);
  return ranking;
}

// Per unit and model its place in the ranking; -1: none.
std::vector<std::vector<std::int32_t>> Places(const Problem& problem, const PriorityParameters& parameters) {
  const std::size_t models = problem.scenario().models.size();
  std::vector<std::vector<std::int32_t>> places;
  for (std::size_t u = 0; u < problem.units(); ++u) {
    const std::vector<ModelId> ranking =
        parameters.rank ? (*parameters.rank)[u] : RankByTimes(problem, UnitId(u));
    places.emplace_back(models, -1);
    for (std::size_t i = 0; i < ranking.size(); ++i) {
      places[u][ranking[i].index()] = static_cast<std::int32_t>(i);
    }
  }
  return places;
}

void CheckServed(const PolicySpec& spec, const Problem& problem,
                 const std::vector<std::vector<std::int32_t>>& places) {
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    const SegmentId segment(s);
    bool served = false;
    for (std::size_t u = 0; u < problem.units(); ++u) {
      served =
          served || (places[u][problem.model_of(segment).index()] >= 0 && problem.Runs(segment, UnitId(u)));
    }
    if (served) continue;
    FailPolicy(spec, problem,
               "no unit that ranks model " +
                   Quoted(problem.scenario().model(problem.model_of(segment)).name) + " can run " +
                   problem.NameOf(segment) + ", so it would never run");
  }
}

Prepared Make(const PolicySpec& spec, const Problem& problem) {
  const auto places = Places(problem, spec.As<PriorityParameters>());
  CheckServed(spec, problem, places);
  return std::make_unique<ListPolicy>(problem, [&](UnitId unit, StreamId stream, SegmentId) {
    const std::int32_t place = places[unit.index()][problem.cut(stream).model.index()];
    return LaneRule{.takes = place >= 0, .rank = place};
  });
}

const PolicyRegistration kPriority{
    {.name = "priority",
     .summary = "every unit has a ranking of models and takes the best-ranked waiting task",
     .keys = KeysFrom<Keys>(),
     .make = Make}};

}  // namespace
}  // namespace tandem::priority
