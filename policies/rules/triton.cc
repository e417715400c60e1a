// Triton's scheduling: a model has instances on units (where nobody says it one on each that can run it, on a
// cpu only where no other can), each of which does one request at a time. A free instance takes the first
// request of its model, by level, then by when it became ready, and waits for its turn: of all instances that
// wait the one with the least executions x "priority" is first, and begins once its unit has a slot and every
// resource that it needs is there. Meanwhile no other instance begins, not on an idle unit either, and each
// end or arrival lets one begin, or, where the end frees an instance that has more to do, two. The "priority"
// of a stream makes the levels of its model. With "rate_limit": "off" a free instance begins at once, and its
// unit takes what has begun in that order. A model in another batch is another model with instances of its
// own. What goes together into a batch the streams' "batching" says, as Triton's dynamic batcher does; this
// rule takes its first request. None is taken beforehand, as Triton may do. Tie-break: who came to wait
// first, instances by model, then unit; Triton leaves it to a heap. Source: the rate limiter of
// triton-inference-server/core, src/rate_limiter.cc, which "tritonserver --rate-limit=execution_count"
// switches on.
#include <algorithm>
#include <array>
#include <map>

#include "policies/engine/policy.h"
#include "policies/kinds/instance_turns.h"
#include "policies/kinds/named_codecs.h"
#include "profiles/base/mistakes.h"

namespace tandem::triton {
namespace {

constexpr std::array<Named<bool>, 2> kLimitNames = {{{"execution_count", true}, {"off", false}}};
constexpr std::int64_t kMostInstances = 1024, kGreatestPriority = 1'000'000, kMostOfResource = 1'000'000;

using Counts = std::vector<std::optional<std::int64_t>>;

struct NamedResource {
  std::optional<std::int64_t> count;  // nothing: the most that one instance needs
  Counts needs;                       // per model, or empty
};

struct TritonParameters : PolicyParameters {
  std::vector<std::optional<Counts>> instances;  // per model, then per unit; or empty
  Counts priority;                               // per model, or empty
  std::map<std::string, NamedResource> resources;
  bool limits = true;
};

// Some unit, and none that cannot run the model where the profiles tell.
void CheckInstances(const JsonReader& value, const TritonParameters& parameters, Context context) {
  const auto& scenario = context.As<Scenario>();
  Mistakes mistakes;
  const auto instances = value.Find("instances");
  if (!instances || !scenario.platform || parameters.instances.empty()) return;
  for (const JsonReader model : instances->Members()) {
    const ModelId id = FindModel(scenario, model.key(), model);
    if (model.size() == 0) model.Fail("it has an instance on one unit at least");
    for (const Stream& stream : scenario.streams) {
      if (stream.model != id || !scenario.costs || !SomeUnitRuns(scenario, stream)) continue;
      for (const JsonReader unit : model.Members()) {
        const UnitId on = FindUnit(scenario, unit.key(), unit);
        if (scenario.CanRun(id, on, stream.batch)) continue;
        mistakes.Try([&] {
          unit.Fail("stream " + Quoted(stream.name) +
                    " cannot run there: " + WhyCannotRun(scenario, stream, on));
        });
      }
    }
  }
  mistakes.Tell();
}

std::int64_t MostNeeded(const Counts& needs) {
  std::int64_t most = 0;
  for (const auto& need : needs) most = std::max(most, need.value_or(0));
  return most;
}

void CheckResource(const JsonReader& value, const NamedResource& resource, Context) {
  const std::int64_t most = MostNeeded(resource.needs);
  if (!resource.count || *resource.count >= most) return;
  value.Get("count").Fail("an instance that needs " + std::to_string(most) + " would wait for ever");
}

const Fields<NamedResource>& ResourceFields() {
  using R = NamedResource;
  static const auto fields =
      Fields<R>("resource")
          .Optional("count", &R::count, as::Maybe(as::Integer(1, kMostOfResource)),
                    "How much there is; without it as much as one instance needs at most.")
          .Needed("needs", &R::needs, as::PerModel(as::Integer(1, kMostOfResource)),
                  "Model to what an instance of it takes.")
          .Rule(CheckResource);
  return fields;
}

// A unit's own resource has the unit's name.
void CheckResourceNames(const JsonReader& value, const TritonParameters&, Context context) {
  const auto& scenario = context.As<Scenario>();
  const auto resources = value.Find("resources");
  if (!resources || !scenario.platform) return;
  for (const JsonReader resource : resources->Members()) {
    for (const Unit& unit : scenario.platform->units) {
      if (unit.name == resource.key()) {
        resource.Fail("a unit is called so, and its slots are a resource already");
      }
    }
  }
}

const Fields<TritonParameters>& Keys() {
  using P = TritonParameters;
  static const auto fields =
      Fields<P>()
          .Optional("instances", &P::instances,
                    as::PerModel(as::PerUnit(as::Maybe(as::Integer(1, kMostInstances)))),
                    "model to units to how many instances; where it is not named one on each unit that can "
                    "run it, a cpu only where no other can")
          .Optional("priority", &P::priority, as::PerModel(as::Integer(1, kGreatestPriority)),
                    "model to the rate limiter's priority: of 2 it has half the turns of 1, which it has "
                    "where it is not named")
          .Optional("resources", &P::resources, as::MapOf(as::ObjectOf(ResourceFields())),
                    "name to its `count` and what an instance of each model `needs` of it; beside each "
                    "unit's slots, of which every instance needs one")
          .Optional("rate_limit", &P::limits, as::OneOf(kLimitNames, "rate limit"),
                    "do instances take turns, or does each begin when it is free?")
          .Rule(CheckInstances)
          .Rule(CheckResourceNames);
  return fields;
}

// 1 is the most urgent: the greatest "priority" of a stream.
void SetLevels(const Scenario& scenario, Serving& serving) {
  for (std::size_t m = 0; m < scenario.models.size(); ++m) {
    std::map<std::int64_t, std::int64_t> level_of;  // by negated priority
    for (const Stream& stream : scenario.streams) {
      if (stream.model == ModelId(m)) level_of[-stream.priority] = 0;
    }
    std::int64_t next = 0;
    for (auto& [priority, level] : level_of) level = ++next;
    serving.of_levels.push_back(next);
    for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
      if (scenario.streams[s].model == ModelId(m))
        serving.levels[s] = level_of[-scenario.streams[s].priority];
    }
  }
}

bool IsCpu(const Problem& problem, UnitId unit) {
  return problem.platform().unit(unit).kind == UnitKind::kCpu;
}

bool OnlyCpusRun(const Problem& problem, SegmentId segment) {
  for (std::size_t u = 0; u < problem.units(); ++u) {
    if (!IsCpu(problem, UnitId(u)) && problem.Runs(segment, UnitId(u))) return false;
  }
  return true;
}

// Any of it; `needed`: which no other kind of unit could, where it is a cpu.
bool RunsAny(const Problem& problem, ModelId model, UnitId unit, bool needed) {
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    const SegmentId segment(s);
    if (problem.model_of(segment) != model || !problem.Runs(segment, unit)) continue;
    if (!needed || !IsCpu(problem, unit) || OnlyCpusRun(problem, segment)) return true;
  }
  return false;
}

void AddGroups(const Problem& problem, const TritonParameters& parameters, ModelId model, Serving& serving) {
  const Counts* counts = nullptr;
  if (!parameters.instances.empty() && parameters.instances[model.index()]) {
    counts = &*parameters.instances[model.index()];
  }
  for (std::size_t u = 0; u < problem.units(); ++u) {
    const std::int64_t count = counts ? (*counts)[u].value_or(0) : 1;
    if (count > 0 && RunsAny(problem, model, UnitId(u), !counts))
      serving.groups.push_back({model, UnitId(u), count});
  }
}

Serving ServingOf(const PolicySpec& spec, const Problem& problem) {
  const auto& parameters = spec.As<TritonParameters>();
  const Scenario& scenario = problem.scenario();
  Serving serving;
  serving.takes_turns = parameters.limits;
  serving.levels.resize(scenario.streams.size());
  SetLevels(scenario, serving);
  for (std::size_t m = 0; m < scenario.models.size(); ++m) {
    serving.weights.push_back(parameters.priority.empty() ? 1 : parameters.priority[m].value_or(1));
    AddGroups(problem, parameters, ModelId(m), serving);
  }
  for (const auto& [name, named] : parameters.resources) {
    Serving::Resource resource{name, named.count.value_or(MostNeeded(named.needs)), {}};
    for (std::size_t m = 0; m < scenario.models.size(); ++m) {
      resource.needs.push_back(named.needs.empty() ? 0 : named.needs[m].value_or(0));
    }
    serving.resources.push_back(std::move(resource));
  }
  return serving;
}

class TritonPolicy final : public Policy {
 public:
  TritonPolicy(const Problem& problem, const Serving& serving) : turns_(problem, serving) {}

  void Ready(const Task& task, const Board&) override { turns_.Add(task); }
  bool Take(UnitId unit, const Board&, Task& task) override { return turns_.Take(unit, task); }
  // Whoever begins then may be on another unit.
  bool Ended(const Task& task, UnitId unit, const Board&) override {
    turns_.Ended(task, unit);
    return true;
  }
  void Drop(const Task& task) override { turns_.Remove(task); }
  void SetAside(const Task& task) override { turns_.Returned(task); }

  const InstanceTurns& turns() const { return turns_; }

 private:
  InstanceTurns turns_;
};

void CheckServed(const PolicySpec& spec, const Problem& problem, const InstanceTurns& turns) {
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    const SegmentId segment(s);
    bool served = false;
    for (std::size_t u = 0; u < problem.units(); ++u) {
      served = served || (problem.Runs(segment, UnitId(u)) &&
                          turns.HasInstance(turns.lines().LineOf(segment), UnitId(u)));
    }
    if (served || !problem.RunsSomewhere(segment)) continue;
    FailPolicy(spec, problem,
               "no unit with an instance of model " +
                   Quoted(problem.scenario().model(problem.model_of(segment)).name) + " can run " +
                   problem.NameOf(segment) + ", so it would never run");
  }
}

Prepared Make(const PolicySpec& spec, const Problem& problem) {
  auto policy = std::make_unique<TritonPolicy>(problem, ServingOf(spec, problem));
  CheckServed(spec, problem, policy->turns());
  return policy;
}

const PolicyRegistration kTriton{
    {.name = "triton",
     .summary = "as Triton's rate limiter: an instance of the model with the least executions x priority "
                "takes its next request, and begins once its unit has a slot; no other begins before",
     .waiting = Waiting::kBoard,
     .keys = KeysFrom<Keys>(),
     .serving = ServingOf,
     .make = Make}};

}  // namespace
}  // namespace tandem::triton
