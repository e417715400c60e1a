// ONNX Runtime: a session per part of a model and unit, the order in which each unit runs, and a script for
// the npm package onnxruntime-node that does so and measures it.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "profiles/base/file_kinds.h"
#include "profiles/base/joined.h"
#include "profiles/base/json_output.h"
#include "profiles/base/suggest.h"
#include "profiles/program/version.h"
#include "scenarios/report/objective.h"
#include "sim/emit/emitter.h"
#include "sim/emit/onnxruntime_sessions.h"
#include "sim/emit/stage.h"

namespace tandem::onnxruntime {
namespace {

using Json = nlohmann::ordered_json;

std::string UnitText(const Unit& unit) { return "unit " + Quoted(unit.name); }

bool IsUsed(const Deployment& deployment, std::size_t unit) {
  return std::any_of(deployment.shares().begin(), deployment.shares().end(),
                     [&](const DeployedShare& share) { return share.unit == UnitId(unit); });
}

// Stages say themselves what they need.
bool RunsSessions(const Deployment& deployment, std::size_t unit) {
  return std::any_of(deployment.shares().begin(), deployment.shares().end(), [&](const DeployedShare& share) {
    return share.unit == UnitId(unit) && !IsStage(deployment, share.segment);
  });
}

void SayOfUnit(const Deployment& deployment, std::size_t u, Emitted& emitted) {
  const Unit& unit = deployment.platform().units[u];
  const Provider provider = ProviderOf(unit);
  const std::string of = UnitText(unit) + ": ";
  if (provider.name.empty()) {
    emitted.Lacks(of + "no execution provider of onnxruntime-node is known for a unit of kind " +
                  std::string(NameOf(kUnitKindNames, unit.kind)) +
                  "; put yours into executionProviders of its sessions, run.mjs refuses to run without");
  }
  if (provider.name == "cuda" && !unit.On(RunsOn::kNvidiaCard)) {
    emitted.Lacks(of + "is taken to be an NVIDIA card, number " + std::to_string(provider.device) +
                  " as CUDA counts: the platform does not say what it is");
  }
  if (provider.name == "cpu" && unit.cores.empty()) {
    emitted.Lacks(
        of +
        "the platform names no cores: its threads are not pinned, and ONNX Runtime takes as many as "
        "it likes");
  }
  if (provider.name == "cpu" && unit.cores.size() > 1) {
    emitted.Lacks(of +
                  "the first of its threads is the caller's, which no session option pins: run.mjs keeps its "
                  "process to "
                  "core " +
                  std::to_string(unit.cores[0]) +
                  ", and who uses the sessions without it has to do the same");
  }
  if (provider.name == "cuda") {
    emitted.Lacks(
        of +
        "what it makes for other units, and they for it, comes over the host's memory, by copies of "
        "ONNX Runtime");
  }
  if (unit.backend != nullptr && unit.backend->command == KeyUse::kRefused) {
    emitted.Lacks(of + "its times are of other kernels than ONNX Runtime's (backend " +
                  Quoted(unit.backend->name) +
                  "): a profile measured by scripts/adapters/adapter_ort.mjs predicts what run.mjs measures");
  }
}

void SayOfPolicy(const Deployment& deployment, Emitted& emitted) {
  const Plan& plan = deployment.plan();
  if (plan.decisions.schedule) return;
  emitted.Lacks("policy " + Quoted(plan.policy.label) +
                " decides while requests come: ONNX Runtime has no scheduler, and the units run the tasks, "
                "in the order, "
                "that the simulation gave them");
}

// Of a batch only the request that began it has tasks.
void SayOfBatches(const Deployment& deployment, Emitted& emitted) {
  for (std::size_t s = 0; s < deployment.scenario().streams.size(); ++s) {
    const std::int64_t along = deployment.RanAlong(StreamId(s));
    if (along == 0) continue;
    emitted.Lacks(
        "stream " + Quoted(deployment.scenario().streams[s].name) + ": " + Counted(along, "request") +
        " that ran along in batches of others: run.mjs runs of each batch its first request, alone");
  }
}

void SayOfScenario(const Deployment& deployment, Emitted& emitted) {
  const Scenario& scenario = deployment.scenario();
  SayOfPolicy(deployment, emitted);
  for (std::size_t u = 0; u < scenario.units.size(); ++u) {
    if (RunsSessions(deployment, u)) SayOfUnit(deployment, u, emitted);
  }
  SayOfBatches(deployment, emitted);
  if (deployment.tasks().size() < deployment.tasks_in_all()) {
    emitted.Lacks("of " + std::to_string(deployment.tasks_in_all()) + " tasks the first " +
                  std::to_string(deployment.tasks().size()) + " are there");
  }
}

// Of a split the first part stands for all.
bool IsRun(const Deployment& deployment, const DeployedTask& task) {
  const Segment& segment = deployment.problem().segment(task.segment);
  if (!segment.part) return true;
  const Cut& cut = deployment.problem().cut(segment.cut);
  for (std::size_t s = cut.first.index(); s < task.segment.index(); ++s) {
    if (deployment.problem().segment(SegmentId(s)).layers == segment.layers) return false;
  }
  return true;
}

// [stream, segment, first request, count] in the order of the unit; requests that follow each other are one
// row.
Json OrderOf(const Deployment& deployment, std::size_t unit) {
  Json rows = Json::array();
  for (const DeployedTask& task : deployment.tasks()) {
    if (task.unit != UnitId(unit) || !IsRun(deployment, task)) continue;
    const std::string& stream = deployment.scenario().streams[task.stream.index()].name;
    const Cut& cut = deployment.problem().cut(task.stream);
    const std::size_t segment = task.segment.index() - cut.first.index();
    if (!rows.empty()) {
      Json& last = rows.back();
      if (last[0] == stream && last[1] == segment &&
          last[2].get<std::int64_t>() + last[3].get<std::int64_t>() == task.index) {
        last[3] = last[3].get<std::int64_t>() + 1;
        continue;
      }
    }
    rows.push_back({stream, segment, task.index, 1});
  }
  return rows;
}

Json UnitJson(const Deployment& deployment, std::size_t u) {
  const Unit& unit = deployment.platform().units[u];
  const Waiting waiting = deployment.plan().policy.declaration->waiting;
  const auto& schedule = deployment.plan().decisions.schedule;
  const bool in_order =
      schedule ? !schedule->slack : waiting == Waiting::kOwnOrder || waiting == Waiting::kSchedule;
  return {
      {"name", unit.name},   {"kind", NameOf(kUnitKindNames, unit.kind)},  {"cores", unit.cores},
      {"slots", unit.slots}, {"takes", in_order ? "next" : "first_ready"}, {"order", OrderOf(deployment, u)}};
}

// Releases are those of the simulation, by index; null: that request did not run.
Json ReleasesOf(const Deployment& deployment, StreamId stream) {
  std::map<std::int64_t, Nanos> releases;
  for (const DeployedTask& task : deployment.tasks()) {
    if (task.stream == stream) releases.emplace(task.index, task.release);
  }
  Json list = Json::array();
  for (const auto& [index, release] : releases) {
    while (static_cast<std::int64_t>(list.size()) < index) list.push_back(nullptr);
    list.push_back(release.count());
  }
  return list;
}

Json ArrivalJson(const Deployment& deployment, StreamId id) {
  const Scenario& scenario = deployment.scenario();
  const Arrival& arrival = scenario.streams[id.index()].arrival;
  if (std::holds_alternative<OfflineArrival>(arrival)) return {{"type", "offline"}};
  if (const auto* closed = std::get_if<ClosedArrival>(&arrival)) {
    return {{"type", "closed"}, {"in_flight", closed->in_flight}, {"per_query", closed->per_query}};
  }
  if (const auto* dependent = std::get_if<DependentArrival>(&arrival)) {
    Json json = {{"type", "after"}, {"stream", scenario.streams[dependent->parent.index()].name}};
    for (const StreamId joined : dependent->joins) {
      json["joins"].push_back(scenario.streams[joined.index()].name);
    }
    return json;
  }
  Json json = {{"type", "at"}};
  if (const auto* periodic = std::get_if<PeriodicArrival>(&arrival)) {
    json["rate_per_s"] =
        1e9 * static_cast<double>(periodic->divisor) / static_cast<double>(periodic->period_ns);
    json["jitter_ns"] = periodic->jitter.count();
  }
  if (const auto* poisson = std::get_if<PoissonArrival>(&arrival)) json["rate_per_s"] = poisson->rate_per_s;
  json["release_ns"] = ReleasesOf(deployment, id);
  return json;
}

Json StreamJson(const Deployment& deployment, std::size_t s, const std::vector<std::string>& sessions) {
  const Stream& stream = deployment.scenario().streams[s];
  const StreamReport& predicted = deployment.predicted().streams[s];
  Json latency;
  if (predicted.latency) {
    latency = {{"mean", predicted.latency->mean.count()},
               {"p50", predicted.latency->p50.count()},
               {"p99", predicted.latency->p99.count()},
               {"max", predicted.latency->max.count()}};
  }
  return {{"name", stream.name},
          {"session", sessions[deployment.problem().cut_of(StreamId(s)).index()]},
          {"requests", predicted.released},
          {"batch", stream.batch},
          {"priority", stream.priority},
          {"deadline_ns", stream.deadline ? Json(stream.deadline->count()) : Json()},
          {"arrival", ArrivalJson(deployment, StreamId(s))},
          {"predicted",
           {{"completed", predicted.completed},
            {"missed", predicted.missed},
            {"last_completion_ns", predicted.last_completion.count()},
            {"latency_ns", latency}}}};
}

Json RunJson(const Deployment& deployment, const std::vector<std::string>& sessions) {
  const Report& predicted = deployment.predicted();
  Json json = {{"emitted_by", "tandem " + std::string(Version())},
               {"scenario", deployment.scenario().name},
               {"policy", deployment.plan().policy.label},
               {"objective", NameOf(kObjectiveNames, deployment.scenario().objective)},
               {"predicted", {{"engine", predicted.engine}, {"makespan_ns", predicted.makespan.count()}}},
               {"units", Json::array()},
               {"streams", Json::array()}};
  if (deployment.plan().predicted.interval) {
    Json interval = Json::array();
    for (const Nanos bound : deployment.plan().predicted.makespan_interval) interval.push_back(bound.count());
    json["predicted"]["interval"] = *deployment.plan().predicted.interval;
    json["predicted"]["makespan_interval_ns"] = std::move(interval);
  }
  for (std::size_t u = 0; u < deployment.platform().units.size(); ++u) {
    if (IsUsed(deployment, u)) json["units"].push_back(UnitJson(deployment, u));
  }
  for (std::size_t s = 0; s < deployment.scenario().streams.size(); ++s) {
    json["streams"].push_back(StreamJson(deployment, s, sessions));
  }
  return json;
}

Emitted Emit(const Deployment& deployment) {
  Emitted emitted;
  PlainNames names;
  std::vector<std::string> sessions;  // per cut
  for (const Cut& cut : deployment.problem().cuts()) {
    const std::string& model = deployment.scenario().model(cut.model).model->name();
    sessions.push_back(names.Of(model + (cut.batch > 1 ? "_b" + std::to_string(cut.batch) : "")));
    AddSessions(deployment, cut, sessions.back(), emitted);
  }
  emitted.Add("run.json", JsonOutput(RunJson(deployment, sessions)));
  emitted.files.push_back({"run.mjs", EmitAsset("run.mjs"), true});
  SayOfScenario(deployment, emitted);
  return emitted;
}

constexpr std::string_view kAsSimulated = "run.mjs runs those that came in the simulation";

const FeatureAnswers kAnswers = {
    {"schedule", Expressed::kYes},
    {"slack", Expressed::kNo, "a unit takes the first of its order that is ready, however long that takes"},
    {"rule", Expressed::kPartly},
    {"replicas", Expressed::kYes},
    {"cuts", Expressed::kYes},
    {"splits", Expressed::kPartly},
    {"stages", Expressed::kPartly},
    {"edges", Expressed::kNo, "all are copied from process to process"},
    {"zero_copy", Expressed::kNo, "tensors are copied from process to process"},
    {"copies_beside", Expressed::kNo, "tensors are copied from process to process"},
    {"memory", Expressed::kNo},
    {"programs", Expressed::kNo, "run.mjs does not start it"},
    {"clock_states", Expressed::kNo},
    {"precision", Expressed::kNo},
    {"slots", Expressed::kYes},
    {"time_shared", Expressed::kNo},
    {"time_slices", Expressed::kNo},
    {"preempts", Expressed::kNo},
    {"cores", Expressed::kPartly},
    {"device", Expressed::kYes},
    {"exclusion", Expressed::kNo},
    {"commands", Expressed::kPartly, "run.mjs starts it for stages alone, all else runs in ONNX Runtime"},
    {"residents", Expressed::kNo,
     "ONNX Runtime has no such limit, and run.mjs loads all of its sessions first"},
    {"on_chip", Expressed::kNo},
    {"loads", Expressed::kNo, "run.mjs does not make it"},
    {"speeds", Expressed::kNo},
    {"heat", Expressed::kNo},
    {"away", Expressed::kNo},
    {"arrivals", Expressed::kYes},
    {"in_flight", Expressed::kYes},
    {"depends_on", Expressed::kYes},
    {"probability", Expressed::kPartly, kAsSimulated},
    {"every", Expressed::kYes},
    {"joins", Expressed::kYes},
    {"times", Expressed::kPartly, kAsSimulated},
    {"data", Expressed::kNo, "run.mjs gives each inputs of its own"},
    {"priorities", Expressed::kPartly,
     "ONNX Runtime has none; it counts as far as the order of tasks has it"},
    {"critical", Expressed::kNo},
    {"deadline", Expressed::kPartly, "run.mjs counts it, nothing is done to meet it"},
    {"end_to_end_deadline", Expressed::kNo},
    {"drop_late", Expressed::kPartly,
     "run.mjs drops nothing: it runs the requests that the simulation did not drop"},
    {"keep_latest", Expressed::kPartly,
     "run.mjs drops nothing: it runs the requests that the simulation did not drop"},
    {"batch", Expressed::kYes},
    {"batching", Expressed::kNo, "run.mjs puts none together"},
    {"batching_wait", Expressed::kNo},
    {"batching_preferred", Expressed::kNo, "run.mjs puts none together"},
    {"batching_across", Expressed::kNo, "run.mjs puts none together"},
};

const EmitterRegistration kOnnxRuntime{
    {.name = "onnxruntime",
     .summary = "sessions for ONNX Runtime, ONNX files, and a script for onnxruntime-node that runs the plan",
     .emit = Emit,
     .called = "run.mjs",
     .answers = kAnswers}};

}  // namespace
}  // namespace tandem::onnxruntime
