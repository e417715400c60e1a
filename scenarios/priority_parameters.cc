#include "scenarios/priority_parameters.h"

#include <algorithm>

#include "profiles/input_error.h"
#include "scenarios/scenario.h"

namespace tandem {
namespace {

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

std::shared_ptr<const PolicyParameters> Read(const JsonReader& value, const Scenario& scenario) {
  auto parameters = std::make_shared<PriorityParameters>();
  const auto rank = value.Find("rank");
  if (!rank) return parameters;
  std::vector<std::vector<ModelId>> rankings(scenario.units.size());
  for (const JsonReader member : rank->Members()) {
    const UnitId unit = FindUnit(scenario, member.key(), member);
    std::vector<ModelId> ranking = ReadRanking(member, scenario);
    if (unit.valid()) rankings[unit.index()] = std::move(ranking);
  }
  for (const Stream& stream : scenario.streams) {
    if (!scenario.platform || IsServed(scenario, stream, rankings)) continue;
    rank->Fail("model " + Quoted(scenario.model(stream.model).name) + " of stream " + Quoted(stream.name) +
               " is ranked on no unit that can run it, so it would never run");
  }
  parameters->rank = std::move(rankings);
  return parameters;
}

const PolicyRegistration kPriority{
    {"priority",
     "every unit has a ranking of models and takes the best-ranked waiting task",
     false,
     true,
     {"rank"},
     Read}};

}  // namespace
}  // namespace tandem
