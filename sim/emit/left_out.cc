#include "sim/emit/left_out.h"

#include <algorithm>
#include <variant>

#include "profiles/base/decimal.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "profiles/model/model_source.h"
#include "sim/emit/stage.h"

namespace tandem {
namespace {

void SayPolicy(const Deployment& deployment, const std::string& target, Emitted& emitted) {
  const Plan& plan = deployment.plan();
  const std::string policy = "policy " + Quoted(plan.policy.label);
  if (plan.decisions.schedule) {
    emitted.Lacks(policy + ": the order in which each unit runs its tasks: " + target +
                  " runs them as they come");
    return;
  }
  const PolicySpec& rule = plan.decisions.rule ? *plan.decisions.rule : plan.policy;
  emitted.Lacks(policy + ": its rule (" + std::string(rule.declaration->summary) + "): " + target +
                " has rules of its own, so the prediction is not of what it will do");
}

// Whose requests were all dropped, say: no unit is known for them.
bool Ran(const Deployment& deployment, StreamId stream) {
  return std::any_of(deployment.shares().begin(), deployment.shares().end(),
                     [&](const DeployedShare& share) { return share.stream == stream; });
}

void SayStream(const Deployment& deployment, StreamId id, const std::string& target,
               const Expresses& expresses, Emitted& emitted) {
  const Stream& stream = deployment.scenario().streams[id.index()];
  const std::string of = "stream " + Quoted(stream.name) + ": ";
  if (!Ran(deployment, id)) {
    emitted.Lacks(of + "none of its requests ran in the simulation, so nothing says where they are to run");
  }
  if (stream.priority != 0 && !expresses.priorities) {
    emitted.Lacks(of + "priority " + std::to_string(stream.priority) + ": " + target + " knows none");
  }
  if (stream.critical) {
    emitted.Lacks(of + "critical: " + target + " keeps no unit from other streams while it waits");
  }
  const bool drops = !expresses.drops.empty() && expresses.drops[id.index()];
  const auto lacks_deadline = [&](const char* what, Nanos deadline) {
    emitted.Lacks(of + what + DecimalText(deadline.count(), 3) + " us: " + target +
                  (stream.drop_late && !drops ? " neither counts it nor drops what is late (drop_late)"
                                              : " does not count it"));
  };
  if (stream.deadline) lacks_deadline("deadline of ", *stream.deadline);
  if (stream.end_to_end_deadline) {
    lacks_deadline("deadline from end to end of ", *stream.end_to_end_deadline);
  }
  if (stream.keep_latest) {
    emitted.Lacks(of + "keep_latest: " + target + " drops no request for a newer one");
  }
  if (const auto* parent = std::get_if<DependentArrival>(&stream.arrival)) {
    emitted.Lacks(of + "that each request follows one of another stream" +
                  (parent->probability < 1 ? ", with a probability" : "") +
                  (parent->every > 1 ? ", every " + std::to_string(parent->every) + "th" : "") +
                  (parent->joins.empty() ? "" : ", when all that it joins have ended") +
                  (parent->data ? ", and reads what that has made" : "") +
                  ": who sends requests has to do it");
  }
}

void SayUnit(const Deployment& deployment, UnitId id, const std::string& target, Emitted& emitted) {
  const Unit& unit = deployment.platform().unit(id);
  if (unit.InClockState()) {
    emitted.Lacks(UnitText(deployment.platform(), id) + ": that it is in its clock state " +
                  Quoted(unit.state) + ": " + target + " sets no clocks");
  }
  if (!unit.resident_models) return;
  emitted.Lacks(UnitText(deployment.platform(), id) + ": that it holds " +
                Counted(*unit.resident_models, "model") + " at a time: " + target +
                " keeps all of them loaded");
}

void SayTransfers(const Deployment& deployment, const std::string& target, Emitted& emitted) {
  const auto& cuts = deployment.plan().decisions.cuts;
  if (cuts && !cuts->edges.empty()) {
    emitted.Lacks("how single tensors come from unit to unit (\"edges\"): " + target +
                  " copies as it sees fit");
  } else if (deployment.scenario().transfer == TransferMode::kZeroCopy) {
    emitted.Lacks("transfer \"zero_copy\": " + target + " copies as it sees fit");
  }
}

void SaySplits(const Deployment& deployment, const std::string& target, Emitted& emitted) {
  for (const Segment& segment : deployment.problem().segments()) {
    if (!segment.part) continue;
    const ScenarioModel& model = deployment.scenario().model(deployment.problem().cut(segment.cut).model);
    const auto name = [&](LayerId layer) { return model.model->layer(layer).name; };
    emitted.Lacks("model " + Quoted(model.name) + ": that " + Joined(segment.layers, " + ", name) +
                  " is split over units: " + target + " runs a layer whole, on the unit of its first part");
  }
}

}  // namespace

void SayOfWeights(const Deployment& deployment, ModelId id, Emitted& emitted) {
  const ScenarioModel& model = deployment.scenario().model(id);
  if (IsStageOnly(*model.model)) return;  // no file of it is written
  if (!LoadModel(model.name, deployment.scenario().file).weights.empty()) return;
  emitted.Lacks("model " + Quoted(model.model->name()) +
                ": tandem knows no weights of it: its files have random ones, which take as long");
}

void SayWhatIsLeftOut(const Deployment& deployment, const std::string& target, const Expresses& expresses,
                      Emitted& emitted) {
  const Scenario& scenario = deployment.scenario();
  if (!expresses.turns) SayPolicy(deployment, target, emitted);
  for (std::size_t u = 0; u < scenario.units.size(); ++u) SayUnit(deployment, UnitId(u), target, emitted);
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    SayStream(deployment, StreamId(s), target, expresses, emitted);
  }
  for (const UnitLoad& load : scenario.loads) {
    emitted.Lacks(UnitText(deployment.platform(), load.unit) + ": a background load of " +
                  std::to_string(load.load_pct) + " %: it is not made");
  }
  for (const auto& program : scenario.programs) {
    emitted.Lacks("background program " + Quoted(Joined(program, " ")) + ": it is not started");
  }
  if (!expresses.splits) SaySplits(deployment, target, emitted);
  SayTransfers(deployment, target, emitted);
  if (!expresses.weights) return;
  for (std::size_t m = 0; m < scenario.models.size(); ++m) SayOfWeights(deployment, ModelId(m), emitted);
}

}  // namespace tandem
