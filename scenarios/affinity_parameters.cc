#include "scenarios/affinity_parameters.h"

#include "profiles/input_error.h"
#include "scenarios/scenario.h"

namespace tandem {
namespace {

void CheckRuns(const JsonReader& value, const Scenario& scenario, ModelId model, UnitId unit) {
  if (!scenario.costs) return;
  for (const Stream& stream : scenario.streams) {
    if (stream.model != model || scenario.CanRun(model, unit, stream.batch)) continue;
    if (!SomeUnitRuns(scenario, stream)) continue;  // it runs in parts only
    value.Fail("stream " + Quoted(stream.name) +
               " cannot run there: " + WhyCannotRun(scenario, stream, unit));
  }
}

void CheckDistinct(const JsonReader& value, const Scenario& scenario, const AffinityParameters& parameters,
                   UnitId unit) {
  if (!unit.valid() || scenario.models.size() > scenario.units.size()) return;
  for (std::size_t other = 0; other < parameters.unit_of.size(); ++other) {
    if (parameters.unit_of[other] != unit) continue;
    value.Fail("unit " + Quoted(value.String()) + " is bound to model " +
               Quoted(scenario.models[other].name) + " already, and there are enough units for each of the " +
               std::to_string(scenario.models.size()) + " models to have one of its own");
  }
}

std::shared_ptr<const PolicyParameters> Read(const JsonReader& value, const Scenario& scenario) {
  auto parameters = std::make_shared<AffinityParameters>();
  parameters->unit_of.resize(scenario.models.size());
  const auto map = value.Find("map");
  if (!map) return parameters;
  for (const JsonReader member : map->Members()) {
    const ModelId model = FindModel(scenario, member.key(), member);
    const UnitId unit = FindUnit(scenario, member.String(), member);
    CheckDistinct(member, scenario, *parameters, unit);
    if (unit.valid()) CheckRuns(member, scenario, model, unit);
    if (parameters->unit_of[model.index()]) member.Fail("the model is bound to a unit already");
    parameters->unit_of[model.index()] = unit;
  }
  return parameters;
}

const PolicyRegistration kAffinity{
    {"affinity",
     "each model is bound to one unit, which takes the earliest task of its models",
     false,
     true,
     {"map"},
     Read}};

}  // namespace
}  // namespace tandem
