// What was decided, and what the whole board does.
#include <algorithm>
#include <map>
#include <set>

#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "sim/emit/features.h"
#include "sim/emit/parts.h"
#include "sim/emit/stage.h"

namespace tandem {
namespace {

std::string PolicyHead(const Plan& plan) { return "policy " + Quoted(plan.policy.label); }
std::string ModelHead(const Deployment& deployment, ModelId model) {
  return "model " + Quoted(deployment.scenario().model(model).name);
}

std::vector<FeatureUse> UsesSchedule(const Deployment& deployment) {
  if (!deployment.plan().decisions.schedule) return {};
  return {{PolicyHead(deployment.plan()) + ": the order in which each unit runs its tasks"}};
}

std::vector<FeatureUse> UsesSlack(const Deployment& deployment) {
  const auto& schedule = deployment.plan().decisions.schedule;
  if (!schedule || !schedule->slack) return {};
  return {{PolicyHead(deployment.plan()) + ": how long a unit waits for the next of its order (\"slack\")"}};
}

std::vector<FeatureUse> UsesRule(const Deployment& deployment) {
  const Plan& plan = deployment.plan();
  if (plan.decisions.schedule) return {};
  const PolicySpec& rule = plan.decisions.rule ? *plan.decisions.rule : plan.policy;
  return {{PolicyHead(plan) + ": its rule (" + std::string(rule.declaration->summary) + ")"}};
}

std::vector<FeatureUse> UsesCuts(const Deployment& deployment) {
  std::vector<FeatureUse> uses;
  for (const Cut& cut : deployment.problem().cuts()) {
    if (cut.segments > 1) {
      uses.push_back({ModelHead(deployment, cut.model) + ": its " + std::to_string(cut.segments) + " parts"});
    }
  }
  return uses;
}

std::vector<FeatureUse> UsesSplits(const Deployment& deployment) {
  std::vector<FeatureUse> uses;
  for (const Segment& segment : deployment.problem().segments()) {
    if (!segment.part) continue;
    const ModelId id = deployment.problem().cut(segment.cut).model;
    const Model& model = *deployment.scenario().model(id).model;
    const auto name = [&](LayerId layer) { return model.layer(layer).name; };
    uses.push_back({ModelHead(deployment, id) + ": that " + Joined(segment.layers, " + ", name) +
                    " is split over units"});
  }
  return uses;
}

std::vector<FeatureUse> UsesStages(const Deployment& deployment) {
  std::vector<FeatureUse> uses;
  for (std::size_t m = 0; m < deployment.scenario().models.size(); ++m) {
    if (!HasStage(*deployment.scenario().model(ModelId(m)).model)) continue;
    uses.push_back({ModelHead(deployment, ModelId(m)) + ": what only a program of its own can look into"});
  }
  return uses;
}

std::vector<FeatureUse> UsesEdges(const Deployment& deployment) {
  const auto& cuts = deployment.plan().decisions.cuts;
  if (!cuts || cuts->edges.empty()) return {};
  return {{"how single tensors come from unit to unit (\"edges\")"}};
}

std::vector<FeatureUse> UsesMappings(const Deployment& deployment) {
  if (deployment.scenario().transfer != TransferMode::kZeroCopy) return {};
  return {{"transfer \"zero_copy\""}};
}

std::vector<FeatureUse> UsesCopyEngines(const Deployment& deployment) {
  std::vector<FeatureUse> uses;
  const Platform& platform = deployment.platform();
  if (deployment.scenario().transfer == TransferMode::kNone) return uses;
  for (const Link& link : platform.links) {
    if (!link.engine) continue;
    uses.push_back({"link " + Quoted(platform.memories[link.from.index()].name) + " to " +
                    Quoted(platform.memories[link.to.index()].name) + ": that copies go beside the work"});
  }
  return uses;
}

std::vector<FeatureUse> UsesMemories(const Deployment& deployment) {
  std::vector<FeatureUse> uses;
  for (const Memory& memory : deployment.platform().memories) {
    if (!memory.capacity_bytes) continue;
    uses.push_back({"memory " + Quoted(memory.name) + ": that requests wait for room in its " +
                    std::to_string(*memory.capacity_bytes) + " bytes"});
  }
  return uses;
}

// Of one stream's segment, by whoever ran it.
std::vector<FeatureUse> UsesReplicas(const Deployment& deployment) {
  std::map<std::pair<StreamId, SegmentId>, std::set<UnitId>> ran;
  for (const DeployedShare& share : deployment.shares()) {
    ran[{share.stream, share.segment}].insert(share.unit);
  }
  const auto name = [&](UnitId unit) { return Quoted(deployment.platform().unit(unit).name); };
  std::vector<FeatureUse> uses;
  for (const auto& [of, units] : ran) {
    if (units.size() < 2) continue;
    uses.push_back({"stream " + Quoted(deployment.scenario().streams[of.first.index()].name) +
                        ": which of its requests go to which of units " +
                        Joined(std::vector<UnitId>(units.begin(), units.end()), ", ", name),
                    of.first});
  }
  return uses;
}

std::vector<FeatureUse> UsesPrograms(const Deployment& deployment) {
  std::vector<FeatureUse> uses;
  for (const auto& program : deployment.scenario().programs) {
    uses.push_back({"background program " + Quoted(Joined(program, " "))});
  }
  return uses;
}

}  // namespace

std::vector<Feature> PlanFeatures() {
  return {
      {"schedule",
       "an order of tasks for each unit, fixed before",
       {"plan.schedule", "plan_run.stream", "plan_run.first", "plan_run.count", "plan_run.segment",
        "plan_run.segments"},
       "* runs them as they come",
       UsesSchedule},
      {"slack",
       "how long a unit waits for the next of its order",
       {"plan.slack_us"},
       "* knows none",
       UsesSlack},
      {"rule",
       "a policy that decides while requests come",
       {"scenario.policies", "plan.policy", "plan.rule"},
       "* has rules of its own, so the prediction is not of what it will do",
       UsesRule},
      {"replicas",
       "requests of one stream on several units",
       {"platform_unit.kind", "plan.rule"},
       "* chooses among them by itself",
       UsesReplicas},
      {"cuts",
       "models cut into parts",
       {"plan.granularity", "plan.segments", "plan.cuts", "plan_segments.model", "plan_segments.batch",
        "plan_segments.layers", "plan_cut.model", "plan_cut.batch", "plan_cut.layers", "plan_piece.layers"},
       "* runs it whole",
       UsesCuts},
      {"splits",
       "layers split over units",
       {"plan_piece.part", "plan_part.axis", "plan_part.first", "plan_part.end"},
       "* runs a layer whole, on the unit of its first part",
       UsesSplits},
      {"stages", "layers that only a program can look into", {}, "* has no place for that", UsesStages},
      {"edges",
       "single tensors that come otherwise than the others",
       {"plan.edges", "plan_edge.model", "plan_edge.batch", "plan_edge.from", "plan_edge.to",
        "plan_edge.transfer"},
       "* copies as it sees fit",
       UsesEdges},
      {"zero_copy",
       "tensors that are mapped, not copied",
       {"scenario.transfer"},
       "* copies as it sees fit",
       UsesMappings},
      {"copies_beside",
       "copies beside the units' work",
       {"platform_link.engine"},
       "* copies as it sees fit",
       UsesCopyEngines},
      {"memory",
       "room in memories",
       {"platform_memory.capacity_bytes"},
       "* reserves none: what finds no room fails",
       UsesMemories},
      {"programs", "background programs", {"background.command"}, "it is not started", UsesPrograms},
  };
}

}  // namespace tandem
