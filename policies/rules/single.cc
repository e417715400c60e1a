// Single: everything runs on one unit, which takes the earliest task; the baseline of every paper on several.
// Tie-break: task order. Source: study 000 compares with the GPU alone.
#include "policies/kinds/list_policy.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

struct SingleParameters : PolicyParameters {
  UnitId unit;  // invalid only without a platform
};

// The stream whose model the unit cannot run, whole or in parts.
const Stream* CannotRun(const Scenario& scenario, UnitId unit) {
  if (!scenario.costs) return nullptr;
  for (const Stream& stream : scenario.streams) {
    if (!scenario.CanRun(stream.model, unit, stream.batch)) return &stream;
  }
  return nullptr;
}

std::shared_ptr<const PolicyParameters> Read(const JsonReader& value, const Scenario& scenario) {
  const auto unit = value.Find("unit");
  if (!unit) {
    value.Fail("policy \"single\" wants to know the unit: \"single:UNIT\" for short" +
               (scenario.platform ? Suggestion("", scenario.platform->UnitNames()) : std::string()));
  }
  auto parameters = std::make_shared<SingleParameters>();
  parameters->unit = FindUnit(scenario, unit->String(), *unit);
  if (!parameters->unit.valid()) return parameters;
  if (const Stream* stream = CannotRun(scenario, parameters->unit)) {
    unit->Fail("unit " + Quoted(unit->String()) + " cannot run model " +
               Quoted(scenario.model(stream->model).name) + ": " +
               WhyCannotRun(scenario, *stream, parameters->unit));
  }
  return parameters;
}

void Write(const PolicyParameters& parameters, const Scenario& scenario, JsonObject& into) {
  const UnitId unit = static_cast<const SingleParameters&>(parameters).unit;
  into.AddString("unit", scenario.platform->unit(unit).name);
}

std::vector<std::string> Variants(const Scenario& scenario) {
  std::vector<std::string> variants;
  for (const Unit& unit : scenario.platform->units) variants.push_back(JsonString("single:" + unit.name));
  return variants;
}

// A unit whose residents are open holds what it is to run, as far as it has room.
std::unique_ptr<Policy> Make(const PolicySpec& spec, Problem& problem) {
  const UnitId unit = spec.As<SingleParameters>().unit;
  std::vector<std::vector<ModelId>> models(problem.units());
  for (std::size_t m = 0; m < problem.scenario().models.size(); ++m) models[unit.index()].emplace_back(m);
  HoldBoundModels(problem, models);
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    const SegmentId segment(s);
    if (problem.Runs(segment, unit)) continue;
    const std::string& model = problem.scenario().model(problem.model_of(segment)).name;
    const bool full = problem.Profiled(segment, unit) != Problem::kCannot;
    FailPolicy(spec, problem,
               "unit " + Quoted(problem.platform().unit(unit).name) +
                   (full ? " cannot hold model " + Quoted(model) + " beside the others"
                         : " cannot run " + problem.NameOf(segment)));
  }
  return std::make_unique<ListPolicy>(
      problem, [unit](UnitId at, StreamId, SegmentId) { return LaneRule{.takes = at == unit}; });
}

const PolicyRegistration kSingle{
    {.name = "single",
     .summary = "everything runs on one unit, which takes the earliest task; \"single:UNIT\" for short",
     .keys = {"unit"},
     .short_key = "unit",
     .read = Read,
     .write = Write,
     .variants = Variants,
     .make = Make}};

}  // namespace
}  // namespace tandem
