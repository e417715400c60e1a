// Affinity: each model is bound to one unit, models to distinct units while there are enough; the unit takes
// the earliest task of its models. What the map leaves open is bound so that the largest total of count x
// profiled time on a unit is least; a closed stream counts what it has in flight, a dependent one its
// parent's count times the probability. Units whose residents are open hold the models that are bound to
// them. Tie-break: task order; of equally good maps the lexicographically smallest list of unit positions,
// models in order of first appearance. Source: study 003.
#include <algorithm>

#include "policies/kinds/list_policy.h"
#include "policies/kinds/named_codecs.h"
#include "policies/problem/request_weights.h"
#include "policies/search/binding.h"
#include "policies/search/distinct_binding.h"
#include "profiles/base/input_error.h"

namespace tandem::affinity {
namespace {

struct AffinityParameters : PolicyParameters {
  // Per model of the scenario, or empty; nothing: the policy chooses.
  std::vector<std::optional<UnitId>> unit_of;

  std::optional<UnitId> UnitOf(std::size_t model) const {
    return unit_of.empty() ? std::nullopt : unit_of[model];
  }
};

void CheckRuns(const JsonReader& value, const Scenario& scenario, ModelId model, UnitId unit) {
  if (!scenario.costs) return;
  for (const Stream& stream : scenario.streams) {
    if (stream.model != model || scenario.CanRun(model, unit, stream.batch)) continue;
    if (!SomeUnitRuns(scenario, stream)) continue;  // it runs in parts only
    value.Fail("stream " + Quoted(stream.name) +
               " cannot run there: " + WhyCannotRun(scenario, stream, unit));
  }
}

// Can every model have a unit of its own? One that runs in parts only is left to the granularity.
bool EnoughUnits(const Scenario& scenario) {
  std::vector<std::vector<double>> cost(scenario.models.size(),
                                        std::vector<double>(scenario.units.size(), 0.0));
  for (const Stream& stream : scenario.streams) {
    if (!scenario.costs || !SomeUnitRuns(scenario, stream)) continue;
    for (std::size_t u = 0; u < scenario.units.size(); ++u) {
      if (scenario.CanRun(stream.model, UnitId(u), stream.batch)) continue;
      cost[stream.model.index()][u] = BindingChoice::kCannot;
    }
  }
  return DistinctBinding(cost).has_value();
}

void CheckDistinct(const JsonReader& value, const Scenario& scenario,
                   const std::vector<std::optional<UnitId>>& unit_of, UnitId unit) {
  if (!unit.valid()) return;
  for (std::size_t other = 0; other < unit_of.size(); ++other) {
    if (unit_of[other] != unit || !EnoughUnits(scenario)) continue;
    value.Fail("unit " + Quoted(value.String()) + " is bound to model " +
               Quoted(scenario.models[other].name) + " already, and there are enough units for each of the " +
               std::to_string(scenario.models.size()) + " models to have one of its own");
  }
}

void ReadMap(const JsonReader& map, std::vector<std::optional<UnitId>>& unit_of, Context context) {
  const Scenario& scenario = context.As<Scenario>();
  unit_of.resize(scenario.models.size());
  for (const JsonReader member : map.Members()) {
    const ModelId model = FindModel(scenario, member.key(), member);
    const UnitId unit = FindUnit(scenario, member.String(), member);
    CheckDistinct(member, scenario, unit_of, unit);
    if (unit.valid()) CheckRuns(member, scenario, model, unit);
    if (unit_of[model.index()]) member.Fail("the model is bound to a unit already");
    unit_of[model.index()] = unit;
  }
}

void WriteMap(const std::vector<std::optional<UnitId>>& unit_of, std::string& text, Context context) {
  const auto bound = [](const auto& unit) { return unit.has_value(); };
  if (std::none_of(unit_of.begin(), unit_of.end(), bound)) return;
  const Scenario& scenario = context.As<Scenario>();
  JsonObject map;
  for (std::size_t m = 0; m < unit_of.size(); ++m) {
    if (unit_of[m]) map.AddString(scenario.models[m].name, scenario.platform->unit(*unit_of[m]).name);
  }
  text += map.Text();
}

const Fields<AffinityParameters>& Keys() {
  static const auto fields = Fields<AffinityParameters>().Optional(
      "map", &AffinityParameters::unit_of,
      as::Custom<std::vector<std::optional<UnitId>>>(
          R"("type": "object", "additionalProperties": {"type": "string"})", ReadMap, WriteMap),
      "model to unit");
  return fields;
}

// All segments of the stream one after the other; Problem::kCannot where one cannot run.
Nanos TimeOf(const Problem& problem, StreamId stream, UnitId unit) {
  const Cut& cut = problem.cut(stream);
  const bool open = problem.MayChooseResidents(unit);
  Nanos total{0};
  for (std::int32_t i = 0; i < cut.segments; ++i) {
    const SegmentId segment(cut.first.index() + static_cast<std::size_t>(i));
    const Nanos time = open ? problem.Profiled(segment, unit) : problem.Time(segment, unit);
    if (time == Problem::kCannot) return time;
    total += time;
  }
  return total;
}

void AddStream(const Problem& problem, StreamId stream, double count, BindingChoice& choice) {
  std::vector<double>& row = choice.cost[problem.cut(stream).model.index()];
  for (std::size_t u = 0; u < problem.units(); ++u) {
    const Nanos time = TimeOf(problem, stream, UnitId(u));
    if (time == Problem::kCannot || row[u] == BindingChoice::kCannot) {
      row[u] = BindingChoice::kCannot;
    } else {
      row[u] += count * static_cast<double>(time.count());
    }
  }
}

BindingChoice ChoiceOf(const Problem& problem, const AffinityParameters& parameters) {
  const Scenario& scenario = problem.scenario();
  BindingChoice choice;
  choice.cost.assign(scenario.models.size(), std::vector<double>(problem.units(), 0.0));
  choice.loads.assign(scenario.models.size(), std::vector<char>(problem.units(), 0));
  const std::vector<double> counts = RequestWeights(scenario);
  for (std::size_t s = 0; s < counts.size(); ++s) AddStream(problem, StreamId(s), counts[s], choice);
  for (std::size_t u = 0; u < problem.units(); ++u) {
    choice.limits.push_back(problem.MayChooseResidents(UnitId(u)) ? problem.ResidentLimit(UnitId(u))
                                                                  : std::nullopt);
    for (std::size_t m = 0; m < scenario.models.size(); ++m) {
      choice.loads[m][u] = problem.LoadTime(ModelId(m), UnitId(u)) ? 1 : 0;
      const auto bound = parameters.UnitOf(m);
      if (bound && *bound != UnitId(u)) choice.cost[m][u] = BindingChoice::kCannot;
    }
  }
  return choice;
}

[[noreturn]] void FailToBind(const PolicySpec& spec, const Problem& problem, const BindingChoice& choice) {
  const Scenario& scenario = problem.scenario();
  for (std::size_t m = 0; m < choice.cost.size(); ++m) {
    const auto can = [](double cost) { return cost != BindingChoice::kCannot; };
    if (std::any_of(choice.cost[m].begin(), choice.cost[m].end(), can)) continue;
    const auto bound = spec.As<AffinityParameters>().UnitOf(m);
    const std::string model = "model " + Quoted(scenario.models[m].name);
    FailPolicy(spec, problem,
               bound ? "unit " + Quoted(scenario.platform->unit(*bound).name) + " cannot run all of " +
                           model + ", which \"map\" binds to it"
                     : "a model is bound to one unit, and none can run all of " + model);
  }
  FailPolicy(spec, problem, "the units cannot hold as many models as would have to be bound to them");
}

Problem HoldingBound(const Problem& problem, const std::vector<UnitId>& unit_of) {
  std::vector<std::vector<ModelId>> models(problem.units());
  for (std::size_t m = 0; m < unit_of.size(); ++m) models[unit_of[m].index()].emplace_back(m);
  return problem.With(problem.HoldingBound(models));
}

// The first model that its unit has no room for in the end; invalid: there is none.
ModelId WithoutRoom(const Problem& problem, const std::vector<UnitId>& unit_of) {
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    const ModelId model = problem.model_of(SegmentId(s));
    if (!problem.Runs(SegmentId(s), unit_of[model.index()])) return model;
  }
  return ModelId();
}

// What memories have room for is seen only when models are put there: then that binding is out.
Prepared Make(const PolicySpec& spec, const Problem& asked) {
  BindingChoice choice = ChoiceOf(asked, spec.As<AffinityParameters>());
  auto unit_of = BestBinding(choice);
  std::shared_ptr<const Problem> decided;
  while (unit_of) {
    decided = std::make_shared<const Problem>(HoldingBound(asked, *unit_of));
    const ModelId without_room = WithoutRoom(*decided, *unit_of);
    if (!without_room.valid()) break;
    const std::size_t m = without_room.index();
    choice.cost[m][(*unit_of)[m].index()] = BindingChoice::kCannot;
    unit_of = BestBinding(choice);
  }
  if (!unit_of) FailToBind(spec, asked, choice);
  const auto rule = [&](UnitId unit, StreamId stream, SegmentId) {
    return LaneRule{.takes = (*unit_of)[decided->cut(stream).model.index()] == unit};
  };
  return {std::make_unique<ListPolicy>(*decided, rule), decided};
}

const PolicyRegistration kAffinity{
    {.name = "affinity",
     .summary = "each model is bound to one unit, models to distinct units while there are enough; a unit "
                "takes the earliest task of its models",
     .keys = KeysFrom<Keys>(),
     .make = Make}};

}  // namespace
}  // namespace tandem::affinity
