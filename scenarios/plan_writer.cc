#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "profiles/files.h"
#include "profiles/json_output.h"
#include "profiles/shipped.h"
#include "scenarios/plan.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Names of files, as they are written from the one place, written from the other: within one folder as they
// are.
class Rebase {
 public:
  Rebase(const fs::path& from, const fs::path& to)
      : from_(from),
        folder_(fs::absolute(to).parent_path()),
        stays_(fs::absolute(from).parent_path() == folder_) {}

  void operator()(Json& name) const {
    if (stays_ || !name.is_string() || IsShippedName(name.get_ref<const std::string&>())) return;
    const fs::path file = fs::absolute(ResolvePath(name.get_ref<const std::string&>(), from_));
    std::string rebased = file.lexically_normal().lexically_proximate(folder_).generic_string();
    if (IsShippedName(rebased)) rebased = "./" + rebased;
    name = rebased;
  }
  void operator()(Json& object, const char* key) const {
    if (object.contains(key)) (*this)(object[key]);
  }

 private:
  fs::path from_, folder_;
  bool stays_;
};

// Without its policies.
Json ScenarioJson(const fs::path& source, const Rebase& rebase) {
  Json json = Json::parse(ReadTextFile(source));
  if (json.value("tandem", "").starts_with("plan/")) json = Json(json["scenario"]);
  json.erase("policies");
  rebase(json, "platform");
  if (json.contains("profiles")) {
    for (Json& profile : json["profiles"]) rebase(profile);
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
  return json;
}

Json RunJson(const PlannedRun& run, const Scenario& scenario) {
  Json json = {{"stream", scenario.streams[run.stream.index()].name}, {"first", run.first}};
  if (run.count != 1) json["count"] = run.count;
  if (run.segments == PlannedRun::kAllSegments && run.segment == 0) return json;
  json["segment"] = run.segment;
  if (run.segments != PlannedRun::kAllSegments) json["segments"] = run.segments;
  return json;
}

Json ScheduleJson(const FixedSchedule& schedule, const Scenario& scenario) {
  Json json = Json::object();
  for (std::size_t u = 0; u < schedule.units.size(); ++u) {
    Json runs = Json::array();
    for (const PlannedRun& run : schedule.units[u]) runs.push_back(RunJson(run, scenario));
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

Json PredictionJson(const PlanPrediction& predicted) {
  Json json = {{"engine", predicted.engine}};
  if (predicted.objective) json["objective"] = *predicted.objective;
  json["makespan_ns"] = predicted.makespan.count();
  if (predicted.bound) json["bound_ns"] = predicted.bound->count();
  return json;
}

}  // namespace

std::string PlanJson(const Plan& plan, const Scenario& scenario, const fs::path& source,
                     const fs::path& path) {
  const Rebase rebase(source, path);
  Json json = {{"tandem", "plan/1"}, {"scenario", ScenarioJson(source, rebase)}};
  AddPolicy(plan, scenario, json);
  json["segments"] = Json::array();
  for (const PlanSegments& segments : plan.segments) {
    Json layers = "*";
    if (!segments.layers.empty()) layers = segments.layers;
    Json model = segments.model;
    rebase(model);
    json["segments"].push_back({{"model", model}, {"batch", segments.batch}, {"layers", layers}});
  }
  json["splits"] = Json::array();
  if (const Json resident = ResidentJson(plan, scenario, rebase); !resident.empty())
    json["resident"] = resident;
  json["profiles"] = Json::array();
  for (std::size_t p = 0; p < plan.profiles.size(); ++p) {
    Json name = json["scenario"]["profiles"][p];
    json["profiles"].push_back({{"profile", name}, {"hash", HashText(plan.profiles[p].hash)}});
  }
  json["predicted"] = PredictionJson(plan.predicted);
  return JsonOutput(json);
}

}  // namespace tandem
