#include <algorithm>
#include <set>

#include "profiles/base/decimal.h"
#include "profiles/base/input_error.h"
#include "profiles/program/shipped.h"
#include "scenarios/scenario/parts.h"
#include "scenarios/scenario/plan.h"

namespace tandem {
namespace {

constexpr std::string_view kKind = "plan/1";
constexpr std::int64_t kMostRequests = std::int64_t{1} << 31;
constexpr std::size_t kHashDigits = 16;

StreamId FindStream(const Scenario& scenario, const JsonReader& name) {
  std::vector<std::string> known;
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    if (scenario.streams[s].name == name.String()) return StreamId(s);
    known.push_back(scenario.streams[s].name);
  }
  name.Fail("no stream is called " + Quoted(name.String()) + Suggestion(name.String(), known));
}

ScheduledRun ReadRun(const JsonReader& value, const Scenario& scenario) {
  value.OnlyKeys({"stream", "first", "count", "segment", "segments"});
  ScheduledRun run;
  run.stream = FindStream(scenario, value.Get("stream"));
  run.first = value.Get("first").Integer(0, kMostRequests - 1);
  if (const auto count = value.Find("count")) run.count = count->Integer(1, kMostRequests);
  const std::int64_t layers = std::int64_t{1} << 20;
  if (const auto segment = value.Find("segment")) {
    run.segment = static_cast<std::int32_t>(segment->Integer(0, layers));
  }
  if (const auto segments = value.Find("segments")) {
    value.Get("segment");
    run.segments = static_cast<std::int32_t>(segments->Integer(1, layers));
  }
  return run;
}

FixedSchedule ReadSchedule(const JsonReader& value, const Scenario& scenario) {
  FixedSchedule schedule;
  schedule.units.resize(scenario.units.size());
  for (const JsonReader member : value.Members()) {
    const UnitId unit = FindUnit(scenario, member.key(), member);
    if (!unit.valid()) continue;
    for (const JsonReader run : member.Elements()) {
      schedule.units[unit.index()].push_back(ReadRun(run, scenario));
    }
  }
  return schedule;
}

std::vector<std::optional<std::vector<ModelId>>> ReadResidents(const JsonReader& root,
                                                               const Scenario& scenario) {
  std::vector<std::optional<std::vector<ModelId>>> residents(scenario.units.size());
  const auto value = root.Find("resident");
  if (!value) return residents;
  for (const JsonReader member : value->Members()) {
    const UnitId unit = FindUnit(scenario, member.key(), member);
    std::vector<ModelId> models;
    for (const JsonReader model : member.Elements()) {
      models.push_back(FindModel(scenario, model.String(), model));
    }
    if (!unit.valid()) continue;
    residents[unit.index()] = std::move(models);
  }
  return residents;
}

PolicySpec ReadOwnPolicy(const JsonReader& value, const Scenario& scenario) {
  if (value.IsObject() && value.Find("plan")) value.Get("plan").Fail("a plan does not follow another plan");
  return ReadPolicy(value, scenario);
}

// The name and label alone: what it decides is in the plan.
PolicySpec ReadDecidedPolicy(const JsonReader& value) {
  value.OnlyKeys({"name", "label"});
  const JsonReader name = value.Get("name");
  PolicySpec policy;
  policy.declaration = FindPolicy(name.String());
  if (!policy.declaration) name.Fail("unknown policy " + Quoted(name.String()));
  const auto label = value.Find("label");
  policy.label = label ? label->Name() : std::string(policy.declaration->name);
  return policy;
}

LayerPart ReadPart(const JsonReader& value) {
  value.OnlyKeys({"axis", "first", "end"});
  LayerPart part;
  part.axis = value.Get("axis").OneOf(kSplitAxisNames, "axis");
  part.first = value.Get("first").Integer(0, kMostRequests);
  part.end = value.Get("end").Integer(part.first + 1, kMostRequests);
  return part;
}

LayerId FindLayer(const ScenarioModel& model, const JsonReader& name) {
  const LayerId layer = model.model->Find(name.String());
  if (layer.valid()) return layer;
  std::vector<std::string> known;
  for (const Layer& other : model.model->layers()) known.push_back(other.name);
  name.Fail("model " + Quoted(model.name) + " has no layer " + Quoted(name.String()) +
            Suggestion(name.String(), known));
}

// A list of layers, or an object with these and a part.
CutPiece ReadPiece(const JsonReader& value, const ScenarioModel& model) {
  CutPiece piece;
  if (value.IsObject()) {
    value.OnlyKeys({"layers", "part"});
    piece.part = ReadPart(value.Get("part"));
  }
  for (const JsonReader layer : (value.IsObject() ? value.Get("layers") : value).Elements()) {
    piece.layers.push_back(FindLayer(model, layer));
  }
  if (piece.layers.empty()) value.Fail("a segment needs at least one layer");
  return piece;
}

ModelId ReadModelOf(const JsonReader& value, const Scenario& scenario) {
  const JsonReader name = value.Get("model");
  return FindModel(scenario, name.String(), name);
}

ModelPieces ReadCut(const JsonReader& value, const Scenario& scenario) {
  value.OnlyKeys({"model", "batch", "layers"});
  ModelPieces cut{ReadModelOf(value, scenario), value.Get("batch").Integer(1), {}};
  for (const JsonReader piece : value.Get("layers").Elements()) {
    cut.pieces.push_back(ReadPiece(piece, scenario.model(cut.model)));
    std::sort(cut.pieces.back().layers.begin(), cut.pieces.back().layers.end());
  }
  return cut;
}

EdgeMode ReadEdge(const JsonReader& value, const Scenario& scenario) {
  value.OnlyKeys({"model", "batch", "from", "to", "transfer"});
  EdgeMode edge;
  edge.model = ReadModelOf(value, scenario);
  edge.batch = value.Get("batch").Integer(1);
  const ScenarioModel& model = scenario.model(edge.model);
  edge.from = FindLayer(model, value.Get("from"));
  if (const auto to = value.Find("to")) edge.to = FindLayer(model, *to);
  edge.mode = value.Get("transfer").OneOf(kTransferModeNames, "transfer mode");
  return edge;
}

// Null where nothing is cut otherwise than by the granularity.
std::shared_ptr<const CutPlan> ReadCuts(const JsonReader& root, const Scenario& scenario) {
  auto cuts = std::make_shared<CutPlan>();
  if (const auto list = root.Find("cuts")) {
    for (const JsonReader cut : list->Elements()) cuts->cuts.push_back(ReadCut(cut, scenario));
  }
  if (const auto list = root.Find("edges")) {
    for (const JsonReader edge : list->Elements()) cuts->edges.push_back(ReadEdge(edge, scenario));
  }
  return cuts->empty() ? nullptr : cuts;
}

Decisions ReadDecisions(const JsonReader& root, const Scenario& scenario) {
  Decisions decisions;
  decisions.cuts = ReadCuts(root, scenario);
  decisions.granularity = root.Get("granularity").OneOf(kGranularityNames, "granularity");
  decisions.residents = ReadResidents(root, scenario);
  if (const auto schedule = root.Find("schedule")) {
    decisions.schedule = std::make_shared<FixedSchedule>(ReadSchedule(*schedule, scenario));
    if (const auto rule = root.Find("rule")) rule->Fail("a plan has a schedule or a rule");
  } else {
    const auto rule = root.Find("rule");
    decisions.rule = std::make_shared<PolicySpec>(ReadOwnPolicy(rule ? *rule : root.Get("policy"), scenario));
  }
  return decisions;
}

PolicySpec ReadPlanPolicy(const JsonReader& root, const Scenario& scenario) {
  const JsonReader value = root.Get("policy");
  if (!root.Find("schedule") && !root.Find("rule")) {
    for (const char* key : {"cuts", "edges"}) {
      if (const auto alone = root.Find(key)) alone->Fail("it needs a \"schedule\" or a \"rule\" beside it");
    }
    return ReadOwnPolicy(value, scenario);
  }
  PolicySpec policy = ReadDecidedPolicy(value);
  policy.decided = std::make_shared<Decisions>(ReadDecisions(root, scenario));
  return policy;
}

std::uint64_t ReadHash(const JsonReader& value) {
  const std::string_view text = value.String();
  std::uint64_t hash = 0;
  bool right = text.size() == kHashDigits;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    right = right && (digit || (c >= 'a' && c <= 'f'));
    hash = hash << 4 | static_cast<std::uint64_t>(digit ? c - '0' : c - 'a' + 10);
  }
  if (!right) value.Fail("a hash is 16 digits of 0-9 and a-f");
  return hash;
}

std::vector<PlanProfile> ReadProfiles(const JsonReader& value, const Scenario& scenario) {
  std::vector<PlanProfile> profiles;
  for (const JsonReader element : value.Elements()) {
    element.OnlyKeys({"profile", "hash"});
    const std::string name = element.Get("profile").Name();
    const JsonReader hash = element.Get("hash");
    profiles.push_back({name, ReadHash(hash)});
    if (profiles.size() > scenario.profiles.size()) element.Fail("the scenario has no such profile");
    const Profile& profile = scenario.profiles[profiles.size() - 1];
    if (ProfileHash(profile) != profiles.back().hash) {
      hash.Fail("the plan was made from another version of profile " + Quoted(name) + "; make it again");
    }
  }
  if (profiles.size() != scenario.profiles.size()) value.Fail("the scenario has more profiles");
  return profiles;
}

PlanSegments ReadSegments(const JsonReader& value, const Scenario& scenario) {
  value.OnlyKeys({"model", "batch", "layers"});
  PlanSegments segments;
  const JsonReader name = value.Get("model");
  segments.model = name.String();
  const ScenarioModel& model = scenario.model(FindModel(scenario, segments.model, name));
  segments.batch = value.Get("batch").Integer(1);
  const JsonReader layers = value.Get("layers");
  if (layers.IsString()) {
    if (layers.String() != "*") layers.Fail("a list of segments, or \"*\" for the whole model");
    return segments;
  }
  for (const JsonReader segment : layers.Elements()) {
    const CutPiece piece = ReadPiece(segment, model);
    segments.layers.emplace_back();
    for (const LayerId layer : piece.layers) {
      segments.layers.back().push_back(model.model->layer(layer).name);
    }
    segments.parts.push_back(piece.part);
  }
  return segments;
}

PlanPrediction ReadPrediction(const JsonReader& value) {
  value.OnlyKeys({"engine", "objective", "makespan_ns", "bound_ns"});
  PlanPrediction predicted;
  predicted.engine = value.Get("engine").Name();
  if (const auto objective = value.Find("objective")) {
    predicted.objective = objective->Number(0);
  }
  predicted.makespan = Nanos{value.Get("makespan_ns").Integer(0)};
  if (const auto bound = value.Find("bound_ns")) predicted.bound = Nanos{bound->Integer(0)};
  return predicted;
}

Scenario ReadPlanScenario(const JsonReader& value, const ScenarioOptions& options) {
  if (const auto policies = value.Find("policies")) {
    policies->Fail("a plan has one policy, beside its scenario");
  }
  return ReadScenario(value, options);
}

}  // namespace

PlanFile ReadPlan(const JsonReader& root, const ScenarioOptions& options) {
  ExpectFileKind(root, kKind);
  root.OnlyKeys({"tandem", "scenario", "policy", "granularity", "schedule", "rule", "segments", "cuts",
                 "edges", "resident", "profiles", "predicted"});
  PlanFile file{ReadPlanScenario(root.Get("scenario"), options), {}};
  Plan& plan = file.plan;
  plan.granularity = root.Get("granularity").OneOf(kGranularityNames, "granularity");
  plan.profiles = ReadProfiles(root.Get("profiles"), file.scenario);
  plan.policy = ReadPlanPolicy(root, file.scenario);
  file.scenario.policies.push_back(plan.policy);
  for (const JsonReader segments : root.Get("segments").Elements()) {
    plan.segments.push_back(ReadSegments(segments, file.scenario));
  }
  plan.residents = ReadResidents(root, file.scenario);
  plan.predicted = ReadPrediction(root.Get("predicted"));
  return file;
}

Decisions ReadPlanDecisions(const std::filesystem::path& path, const Scenario& scenario) {
  const JsonDocument document = JsonDocument::ReadFile(path);
  ExpectFileKind(document.root(), kKind);
  return ReadDecisions(document.root(), scenario);
}

Scenario ReadScenarioOrPlan(const std::filesystem::path& path, const ScenarioOptions& options) {
  const JsonDocument document = JsonDocument::ReadFile(path);
  const bool is_plan = document.root().IsObject() && document.root().Find("tandem") &&
                       FileKind(document.root()).starts_with("plan/");
  return is_plan ? ReadPlan(document.root(), options).scenario : ReadScenario(document.root(), options);
}

}  // namespace tandem
