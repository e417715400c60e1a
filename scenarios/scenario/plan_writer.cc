#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "profiles/base/files.h"
#include "profiles/base/json_output.h"
#include "profiles/program/shipped.h"
#include "scenarios/scenario/plan.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Names of files, as they are written from the one place, written from the other: within one folder as they
// are, from nowhere in particular in full.
class Rebase {
 public:
  Rebase(const fs::path& from, const fs::path& to)
      : from_(from),
        folder_(fs::absolute(to).parent_path()),
        stays_(fs::absolute(from).parent_path() == folder_) {}
  explicit Rebase(const fs::path& from) : from_(from) {}

  void operator()(Json& name) const {
    if (stays_ || !name.is_string() || IsShippedName(name.get_ref<const std::string&>())) return;
    fs::path file = fs::absolute(ResolvePath(name.get_ref<const std::string&>(), from_)).lexically_normal();
    if (!folder_.empty()) file = file.lexically_proximate(folder_);
    std::string rebased = file.generic_string();
    if (IsShippedName(rebased)) rebased = "./" + rebased;
    name = rebased;
  }
  void operator()(Json& object, const char* key) const {
    if (object.contains(key)) (*this)(object[key]);
  }

 private:
  fs::path from_, folder_;
  bool stays_ = false;
};

// A profile in place.
void RebaseProfile(Json& profile, const Rebase& rebase) {
  rebase(profile, "platform");
  for (Json& list : profile) {
    if (!list.is_array()) continue;
    for (Json& entry : list) {
      rebase(entry, "model");
      rebase(entry, "beside_model");
    }
  }
}

// As it stands in a file, a plan's without its policy.
Json ReadScenarioJson(const fs::path& source) {
  Json json = Json::parse(ReadTextFile(source));
  return json.value("tandem", "").starts_with("plan/") ? Json(json["scenario"]) : json;
}

void RebaseScenario(Json& json, const Rebase& rebase) {
  rebase(json, "platform");
  if (json.contains("profiles")) {
    for (Json& profile : json["profiles"])
      profile.is_object() ? RebaseProfile(profile, rebase) : rebase(profile);
  }
  if (json.contains("resident")) {
    for (Json& models : json["resident"]) {
      for (Json& model : models) rebase(model);
    }
  }
  for (Json& stream : json["streams"]) {
    rebase(stream, "model");
    if (stream.contains("arrival")) rebase(stream["arrival"], "file");
  }
}

// Without its policies.
Json ScenarioJson(const fs::path& source, const Rebase& rebase) {
  Json json = ReadScenarioJson(source);
  json.erase("policies");
  RebaseScenario(json, rebase);
  return json;
}

// With platform and profiles in place, without policies.
Json WholeScenarioJson(const Scenario& scenario) {
  Json json = ScenarioJson(scenario.file, Rebase(scenario.file));
  json["seed"] = scenario.seed;
  json["platform"] = Json::parse(PlatformJson(*scenario.platform));
  json["profiles"] = Json::array();
  for (const Profile& profile : scenario.profiles) {
    json["profiles"].push_back(Json::parse(ProfileJson(profile)));
    Json& written = json["profiles"].back();
    if (!IsShippedName(profile.platform)) written["platform"] = scenario.platform->name;
    RebaseProfile(written, Rebase(profile.file));
  }
  return json;
}

// A profile in place may name files from elsewhere than it did where it was read.
std::uint64_t HashOf(const Json& profile) {
  const JsonDocument document = JsonDocument::Parse(profile.dump(), "profile");
  return ProfileHash(ReadProfile(document.root()));
}

Json RunJson(const ScheduledRun& run, const Scenario& scenario) {
  Json json = {{"stream", scenario.streams[run.stream.index()].name}, {"first", run.first}};
  if (run.count != 1) json["count"] = run.count;
  if (run.segments == ScheduledRun::kAllSegments && run.segment == 0) return json;
  json["segment"] = run.segment;
  if (run.segments != ScheduledRun::kAllSegments) json["segments"] = run.segments;
  return json;
}

Json ScheduleJson(const FixedSchedule& schedule, const Scenario& scenario) {
  Json json = Json::object();
  for (std::size_t u = 0; u < schedule.units.size(); ++u) {
    Json runs = Json::array();
    for (const ScheduledRun& run : schedule.units[u]) runs.push_back(RunJson(run, scenario));
    json[scenario.platform->units[u].name] = std::move(runs);
  }
  return json;
}

Json ResidentJson(const Plan& plan, const Scenario& scenario, const Rebase& rebase) {
  Json json = Json::object();
  for (std::size_t u = 0; u < plan.residents.size(); ++u) {
    if (!plan.residents[u]) continue;
    Json models = Json::array();
    for (const ModelId model : *plan.residents[u]) {
      models.push_back(scenario.model(model).name);
      rebase(models.back());
    }
    json[scenario.platform->units[u].name] = std::move(models);
  }
  return json;
}

std::string HashText(std::uint64_t hash) {
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[hash >> shift & 15];
  return text;
}

void AddPolicy(const Plan& plan, const Scenario& scenario, Json& json) {
  const PolicySpec& policy = plan.policy;
  if (!policy.decided) {
    json["policy"] = Json::parse(PolicyJson(policy, scenario));
    json["granularity"] = NameOf(kGranularityNames, plan.granularity);
    return;
  }
  json["policy"] = {{"name", policy.declaration->name}};
  if (policy.label != policy.declaration->name) json["policy"]["label"] = policy.label;
  json["granularity"] = NameOf(kGranularityNames, plan.granularity);
  if (policy.decided->schedule) {
    json["schedule"] = ScheduleJson(*policy.decided->schedule, scenario);
  } else {
    json["rule"] = Json::parse(PolicyJson(*policy.decided->rule, scenario));
  }
}

Json PartJson(const LayerPart& part) {
  return {{"axis", NameOf(kSplitAxisNames, part.axis)}, {"first", part.first}, {"end", part.end}};
}

// The layers of a segment, or these with the part of them.
Json SegmentJson(const PlanSegments& segments, std::size_t s) {
  if (!segments.parts[s]) return segments.layers[s];
  return {{"layers", segments.layers[s]}, {"part", PartJson(*segments.parts[s])}};
}

// Where another mode than the scenario's was chosen.
Json EdgesJson(const CutPlan& cuts, const Scenario& scenario, const Rebase& rebase) {
  Json edges = Json::array();
  for (const EdgeMode& edge : cuts.edges) {
    const ScenarioModel& model = scenario.model(edge.model);
    Json name = model.name;
    rebase(name);
    Json json = {{"model", name}, {"batch", edge.batch}, {"from", model.model->layer(edge.from).name}};
    if (edge.to.valid()) json["to"] = model.model->layer(edge.to).name;
    json["transfer"] = NameOf(kTransferModeNames, edge.mode);
    edges.push_back(std::move(json));
  }
  return edges;
}

// Models that are not cut by the granularity.
Json CutsJson(const CutPlan& cuts, const Scenario& scenario, const Rebase& rebase) {
  Json list = Json::array();
  for (const ModelPieces& cut : cuts.cuts) {
    const ScenarioModel& model = scenario.model(cut.model);
    PlanSegments segments{model.name, cut.batch, {}, {}};
    Json pieces = Json::array();
    for (const CutPiece& piece : cut.pieces) {
      segments.layers.emplace_back();
      for (const LayerId layer : piece.layers)
        segments.layers.back().push_back(model.model->layer(layer).name);
      segments.parts.push_back(piece.part);
      pieces.push_back(SegmentJson(segments, segments.parts.size() - 1));
    }
    Json name = model.name;
    rebase(name);
    list.push_back({{"model", name}, {"batch", cut.batch}, {"layers", std::move(pieces)}});
  }
  return list;
}

Json PredictionJson(const PlanPrediction& predicted) {
  Json json = {{"engine", predicted.engine}};
  if (predicted.objective) json["objective"] = *predicted.objective;
  json["makespan_ns"] = predicted.makespan.count();
  if (predicted.bound) json["bound_ns"] = predicted.bound->count();
  return json;
}

Json PlanJsonOf(const Plan& plan, const Scenario& scenario, Json scenario_json, const Rebase& rebase) {
  Json json = {{"tandem", "plan/1"}, {"scenario", std::move(scenario_json)}};
  AddPolicy(plan, scenario, json);
  json["segments"] = Json::array();
  for (const PlanSegments& segments : plan.segments) {
    Json layers = segments.layers.empty() ? Json("*") : Json::array();
    for (std::size_t s = 0; s < segments.layers.size(); ++s) layers.push_back(SegmentJson(segments, s));
    Json model = segments.model;
    rebase(model);
    json["segments"].push_back({{"model", model}, {"batch", segments.batch}, {"layers", layers}});
  }
  if (const auto& decided = plan.policy.decided; decided && decided->cuts) {
    json["cuts"] = CutsJson(*decided->cuts, scenario, rebase);
    json["edges"] = EdgesJson(*decided->cuts, scenario, rebase);
  }
  if (const Json resident = ResidentJson(plan, scenario, rebase); !resident.empty())
    json["resident"] = resident;
  json["profiles"] = Json::array();
  for (std::size_t p = 0; p < plan.profiles.size(); ++p) {
    const Json& profile = json["scenario"]["profiles"][p];
    const bool in_place = profile.is_object();
    json["profiles"].push_back({{"profile", in_place ? Json("in place") : profile},
                                {"hash", HashText(in_place ? HashOf(profile) : plan.profiles[p].hash)}});
  }
  json["predicted"] = PredictionJson(plan.predicted);
  return json;
}

}  // namespace

std::string PlanJson(const Plan& plan, const Scenario& scenario, const fs::path& source,
                     const fs::path& path) {
  const Rebase rebase(source, path);
  return JsonOutput(PlanJsonOf(plan, scenario, ScenarioJson(source, rebase), rebase));
}

std::string WholePlanJson(const Plan& plan, const Scenario& scenario) {
  const Rebase rebase(scenario.file);
  Scenario renamed;  // a policy's parameters speak of models, units and streams too
  renamed.platform = scenario.platform;
  renamed.streams = scenario.streams;
  renamed.models = scenario.models;
  for (ScenarioModel& model : renamed.models) {
    Json name = model.name;
    rebase(name);
    model.name = name;
  }
  return JsonOutput(PlanJsonOf(plan, renamed, WholeScenarioJson(scenario), rebase));
}

std::string ScenarioWith(const Scenario& scenario, const Profile& profile) {
  Json json = ReadScenarioJson(scenario.file);
  json["platform"] = Json::parse(PlatformJson(*scenario.platform));
  json["profiles"] = Json::array({Json::parse(ProfileJson(profile))});
  return JsonOutput(json);
}

}  // namespace tandem
