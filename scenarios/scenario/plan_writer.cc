#include <nlohmann/json.hpp>

#include "profiles/base/files.h"
#include "profiles/base/json_output.h"
#include "profiles/base/json_write.h"
#include "profiles/costs/fields.h"
#include "profiles/program/shipped.h"
#include "scenarios/scenario/plan_fields.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Names of files, as they are written from the one place, written from the other: within one folder as they
// are, from nowhere in particular in full.
class Rebase {
 public:
  Rebase(const fs::path& from, const fs::path& to)
      : from_(from), to_(to), stays_(WayTo(from, to) == from.filename()) {}
  explicit Rebase(const fs::path& from) : from_(from) {}

  void operator()(Json& name) const {
    if (stays_ || !name.is_string() || IsShippedName(name.get_ref<const std::string&>())) return;
    const fs::path file = ResolvePath(name.get_ref<const std::string&>(), from_);
    std::string rebased =
        to_.empty() ? fs::absolute(file).lexically_normal().generic_string() : WayTo(file, to_);
    if (IsShippedName(rebased)) rebased = "./" + rebased;
    name = rebased;
  }
  void operator()(Json& object, const char* key) const {
    if (object.contains(key)) (*this)(object[key]);
  }

 private:
  fs::path from_, to_;
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
  if (json.contains("co_compiled")) {
    for (Json& lists : json["co_compiled"]) {
      for (Json& models : lists) {
        for (Json& model : models) rebase(model);
      }
    }
  }
  for (Json& stream : json["streams"]) {
    rebase(stream, "model");
    if (stream.contains("arrival")) rebase(stream["arrival"], "file");
  }
}

// The objective that was asked for, where the file would mean another.
void KeepObjective(const Scenario& scenario, Json& json) {
  const Objective standard = DefaultObjective(scenario.streams).objective;
  const std::string name(NameOf(kObjectiveNames, scenario.objective));
  if (json.value("objective", std::string(NameOf(kObjectiveNames, standard))) != name)
    json["objective"] = name;
}

// Those that were chosen, where the file would mean others.
void KeepVariants(const Scenario& scenario, Json& json) {
  if (!scenario.variants_were_set) return;
  for (std::size_t u = 0; u < scenario.units.size(); ++u) {
    const auto& variant = scenario.units[u].variant;
    const std::string& unit = scenario.platform->units[u].name;
    if (variant) json["variants"][unit] = scenario.costs->TextOf(UnitId(u), *variant);
  }
}

// Without its policies.
Json ScenarioJson(const Scenario& scenario, const fs::path& source, const Rebase& rebase) {
  Json json = ReadScenarioJson(source);
  json.erase("policies");
  KeepObjective(scenario, json);
  KeepVariants(scenario, json);
  RebaseScenario(json, rebase);
  return json;
}

// With platform and profiles in place, without policies.
Json WholeScenarioJson(const Scenario& scenario) {
  Json json = ScenarioJson(scenario, scenario.file, Rebase(scenario.file));
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

// A profile in place may name files from elsewhere than it did where it was read, and need not say its kind.
std::uint64_t HashOf(Json profile) {
  profile["tandem"] = ProfileFields().kind();
  const JsonDocument document = JsonDocument::Parse(JsonLine(profile), "profile");
  return ProfileHash(ReadProfile(document.root()));
}

// As far as names in a plan speak of it.
Scenario NamesOf(const Scenario& scenario, const Rebase& rebase) {
  Scenario named;
  named.platform = scenario.platform;
  named.streams = scenario.streams;
  named.models = scenario.models;
  for (ScenarioModel& model : named.models) {
    Json name = model.name;
    rebase(name);
    model.name = name;
  }
  return named;
}

std::string PlanText(const Plan& plan, const Scenario& scenario, Json scenario_json, const Rebase& rebase) {
  PlanFile file{NamesOf(scenario, rebase), plan};
  for (std::size_t p = 0; p < plan.profiles.size(); ++p) {
    const Json& profile = scenario_json["profiles"][p];
    PlanProfile& written = file.plan.profiles[p];
    written.name = profile.is_object() ? "in place" : profile.get<std::string>();
    if (profile.is_object()) written.hash = HashOf(profile);
  }
  Json json = Json::parse(PlanFileFields().Text(file));
  json["scenario"] = std::move(scenario_json);
  return JsonOutput(json);
}

}  // namespace

std::string PlanJson(const Plan& plan, const Scenario& scenario, const fs::path& source,
                     const fs::path& path) {
  const Rebase rebase(source, path);
  return PlanText(plan, scenario, ScenarioJson(scenario, source, rebase), rebase);
}

std::string WholePlanJson(const Plan& plan, const Scenario& scenario) {
  return PlanText(plan, scenario, WholeScenarioJson(scenario), Rebase(scenario.file));
}

std::string ScenarioWith(const Scenario& scenario, const Profile& profile) {
  Json json = ReadScenarioJson(scenario.file);
  KeepObjective(scenario, json);
  KeepVariants(scenario, json);
  json["platform"] = Json::parse(PlatformJson(*scenario.platform));
  Json written = Json::parse(ProfileJson(profile));
  if (!profile.file.empty()) RebaseProfile(written, Rebase(profile.file));
  json["profiles"] = Json::array({std::move(written)});
  return JsonOutput(json);
}

std::string ScenarioAsSet(const Scenario& scenario, const fs::path& path) {
  Json json = ReadScenarioJson(scenario.file);
  KeepObjective(scenario, json);
  KeepVariants(scenario, json);
  if (json.value("seed", std::uint64_t{1}) != scenario.seed) json["seed"] = scenario.seed;
  RebaseScenario(json, Rebase(scenario.file, path));
  return JsonOutput(json);
}

}  // namespace tandem
