#include "policies/kinds/named_codecs.h"

#include <algorithm>

namespace tandem::as {
namespace {

std::vector<UnitId> ReadUnits(const JsonReader& list, const Scenario& scenario, const ListRule& rule) {
  rule.CheckSize(list);
  std::vector<UnitId> units;
  for (const JsonReader name : list.Elements()) {
    const UnitId unit = FindUnit(scenario, name.String(), name);
    if (unit.valid() && std::find(units.begin(), units.end(), unit) != units.end()) rule.FailTwice(name);
    units.push_back(unit);
  }
  return units;
}

}  // namespace

CodecOf<std::vector<UnitId>> UnitsNamed(std::string_view few, std::string_view twice) {
  const ListRule rule{.least = 1, .few = few, .twice = twice};
  return Custom<std::vector<UnitId>>(
      [rule](SchemaDefs&) { return rule.Schema(SchemaNode(R"("type": "string")")); },
      [rule](const JsonReader& value, std::vector<UnitId>& into, Context context) {
        into = ReadUnits(value, context.As<Scenario>(), rule);
      },
      [](const std::vector<UnitId>& from, std::string& text, Context context) {
        std::vector<std::string> names;
        for (const UnitId unit : from) names.push_back(context.As<Scenario>().platform->unit(unit).name);
        if (!names.empty()) text += JsonStrings(names);
      });
}

}  // namespace tandem::as
