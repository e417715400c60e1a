// Single: everything runs on one unit, which takes the earliest task; the baseline of every paper on several.
// Tie-break: task order. Source: study 000 compares with the GPU alone.
#include "policies/kinds/list_policy.h"
#include "policies/kinds/named_codecs.h"
#include "profiles/base/input_error.h"

namespace tandem::single {
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

// There is no default: the message says how to name the unit.
void CheckNamed(const JsonReader& value, const SingleParameters&, Context context) {
  if (value.Find("unit")) return;
  const auto& platform = context.As<Scenario>().platform;
  value.Fail("policy \"single\" wants to know the unit: \"single:UNIT\" for short" +
             (platform ? Suggestion("", platform->UnitNames()) : std::string()));
}

void CheckRunsAll(const JsonReader& value, const SingleParameters& parameters, Context context) {
  const Scenario& scenario = context.As<Scenario>();
  if (!parameters.unit.valid()) return;
  const Stream* stream = CannotRun(scenario, parameters.unit);
  if (!stream) return;
  const JsonReader unit = value.Get("unit");
  unit.Fail("unit " + Quoted(unit.String()) + " cannot run model " +
            Quoted(scenario.model(stream->model).name) + ": " +
            WhyCannotRun(scenario, *stream, parameters.unit));
}

const Fields<SingleParameters>& Keys() {
  static const auto fields = Fields<SingleParameters>()
                                 .Rule(CheckNamed)
                                 .Needed("unit", &SingleParameters::unit, as::UnitNamed(), "runs everything")
                                 .Rule(CheckRunsAll);
  return fields;
}

std::vector<std::string> Variants(const Scenario& scenario) {
  std::vector<std::string> variants;
  for (const Unit& unit : scenario.platform->units) variants.push_back(JsonString("single:" + unit.name));
  return variants;
}

// A unit whose residents are open holds what it is to run, as far as it has room.
Prepared Make(const PolicySpec& spec, const Problem& asked) {
  const UnitId unit = spec.As<SingleParameters>().unit;
  std::vector<std::vector<ModelId>> models(asked.units());
  for (std::size_t m = 0; m < asked.scenario().models.size(); ++m) models[unit.index()].emplace_back(m);
  const auto decided = std::make_shared<const Problem>(asked.With(asked.HoldingBound(models)));
  const Problem& problem = *decided;
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
  const auto rule = [unit](UnitId at, StreamId, SegmentId) { return LaneRule{.takes = at == unit}; };
  return {std::make_unique<ListPolicy>(problem, rule), decided};
}

const PolicyRegistration kSingle{
    {.name = "single",
     .summary = "everything runs on one unit, which takes the earliest task; \"single:UNIT\" for short",
     .keys = KeysFrom<Keys>(),
     .short_key = "unit",
     .variants = Variants,
     .make = Make}};

}  // namespace
}  // namespace tandem::single
