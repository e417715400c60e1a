// Is no feature of scenarios and plans without an answer of each target, and no field without a feature or a
// reason?
#include "sim/emit/features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/joined.h"
#include "sim/emit/left_out.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

const std::set<std::string> kShippedTargets = {"deepstream", "onnxruntime", "systemd", "tensorrt", "triton"};

TEST(Features, EachTargetAnswersForEachOnce) {
  std::set<std::string> answering;
  for (const EmitterDeclaration& target : Emitters()) {
    if (target.answers.empty()) continue;  // of other tests
    answering.insert(target.name);
    std::multiset<std::string_view> answered, features;
    for (const FeatureAnswer& answer : target.answers) answered.insert(answer.feature);
    for (const Feature& feature : Features()) features.insert(feature.name);
    EXPECT_EQ(answered, features) << target.name;
    EXPECT_FALSE(target.called.empty()) << target.name;
  }
  EXPECT_EQ(answering, kShippedTargets);
}

TEST(Features, HaveNamesAndWordsOfTheirOwn) {
  std::set<std::string_view> names, summaries;
  for (const Feature& feature : Features()) {
    EXPECT_TRUE(names.insert(feature.name).second) << feature.name;
    EXPECT_TRUE(summaries.insert(feature.summary).second) << feature.summary;
    EXPECT_FALSE(feature.lost.empty()) << feature.name;
    EXPECT_NE(feature.uses, nullptr) << feature.name;
  }
}

// "platform_unit.cores", in the spelling in which tandem writes it.
void AddFields(const Json& node, const std::string& of, std::set<std::string>& fields) {
  if (node.is_array()) {
    for (const Json& each : node) AddFields(each, of, fields);
  }
  if (!node.is_object()) return;
  if (node.value("additionalProperties", Json()) == Json(false)) {
    const Json properties = node.value("properties", Json::object());
    for (const auto& [key, value] : properties.items()) {
      const bool again = value.is_object() && value.value("$comment", "") == "in another unit";
      if (!again) fields.insert(of + "." + key);
    }
  }
  for (const auto& [key, value] : node.items()) {
    if (key != "$defs") AddFields(value, of, fields);
  }
}

std::set<std::string> FieldsOfScenariosAndPlans() {
  std::set<std::string> fields;
  for (const FileKindDeclaration& kind : FileKinds()) {
    if (kind.kind != "scenario/1" && kind.kind != "plan/1") continue;
    const Json schema = Json::parse(SchemaText(kind));
    AddFields(schema, std::string(kind.Name()), fields);
    for (const auto& [name, definition] : schema["$defs"].items()) AddFields(definition, name, fields);
  }
  return fields;
}

constexpr const char* kItsTime = "how long things take, which a target finds as it is";
constexpr const char* kOfTheRule = "what a policy's rule goes by; the feature is the rule";
constexpr const char* kForJudging = "by what runs are judged, not what is done";
constexpr const char* kForPeople = "a name or a note";
constexpr const char* kHasFields = "what stands in it has fields of its own";
constexpr const char* kWhatWasFound = "what the simulation was and found";

// '*' at the end: all that begin so.
const std::map<std::string, std::string> kNothingToDeploy = {
    {"scenario.tandem", kForPeople},
    {"scenario.name", kForPeople},
    {"scenario.note", kForPeople},
    {"scenario.platform", kHasFields},
    {"scenario.profiles", kItsTime},
    {"scenario.streams", kHasFields},
    {"scenario.objective", kForJudging},
    {"scenario.then", kForJudging},
    {"scenario.limits", kForJudging},
    {"arrival.percentile", kForJudging},
    {"arrival.rules", kForJudging},
    {"stream.name", kForPeople},
    {"stream.note", kForPeople},
    {"stream.age", kForJudging},
    {"stream.model", "every target writes the model's file or says where it has to come from"},
    {"platform.*", kHasFields},
    {"platform_price.*", kForJudging},
    {"platform_hub.*", kItsTime},
    {"platform_link.from", kItsTime},
    {"platform_link.to", kItsTime},
    {"platform_link.hub", kItsTime},
    {"platform_link.latency_us", kItsTime},
    {"platform_link.bandwidth_bytes_per_s", kItsTime},
    {"platform_link.note", kForPeople},
    {"platform_memory.name", kForPeople},
    {"platform_memory.note", kForPeople},
    {"platform_memory.bandwidth_bytes_per_s", kItsTime},
    {"platform_unit.name", kForPeople},
    {"platform_unit.note", kForPeople},
    {"platform_unit.memory", kItsTime},
    {"platform_unit.dispatch_us", kItsTime},
    {"platform_unit.idle_w", kForJudging},
    {"platform_unit.busy_w", kForJudging},
    {"platform_unit_state.idle_w", kForJudging},
    {"platform_unit_state.busy_w", kForJudging},
    {"profile.*", kItsTime},
    {"profile_*", kItsTime},
    {"policy.*", kOfTheRule},
    {"own_policy.*", kOfTheRule},
    {"resource.*", kOfTheRule},
    {"decided_policy.*", kForPeople},
    {"plan.tandem", kForPeople},
    {"plan.scenario", kHasFields},
    {"plan.profiles", kWhatWasFound},
    {"plan.predicted", kWhatWasFound},
    {"plan.search", kWhatWasFound},
    {"plan_profile.*", kWhatWasFound},
    {"plan_prediction.*", kWhatWasFound},
    {"plan_loads.*", kWhatWasFound},
    {"search_story.*", kWhatWasFound},
    {"search_relaxed.*", kWhatWasFound},
};

bool FitsPattern(const std::string& pattern, const std::string& field) {
  return pattern.ends_with('*') ? field.starts_with(pattern.substr(0, pattern.size() - 1)) : field == pattern;
}

TEST(Features, EveryFieldHasOneOrAReason) {
  std::set<std::string> of_features;
  for (const Feature& feature : Features()) of_features.insert(feature.fields.begin(), feature.fields.end());
  const std::set<std::string> fields = FieldsOfScenariosAndPlans();
  ASSERT_GT(fields.size(), 100u);
  std::set<std::string> reasons;
  for (const std::string& field : fields) {
    bool has_reason = false;
    for (const auto& [pattern, reason] : kNothingToDeploy) {
      if (!FitsPattern(pattern, field)) continue;
      has_reason = true;
      reasons.insert(pattern);
    }
    EXPECT_NE(of_features.contains(field), has_reason)
        << field << ": a feature in sim/emit/*_features.cc names it, or kNothingToDeploy here says why none "
        << "does; not both";
  }
  for (const std::string& field : of_features) EXPECT_TRUE(fields.contains(field)) << field << " is no field";
  for (const auto& [pattern, reason] : kNothingToDeploy) {
    EXPECT_TRUE(reasons.contains(pattern)) << pattern << " is no field";
  }
}

// A list of the answers cannot be had by hand: what stands in the page is what the targets say.
TEST(Features, StandInTheDocumentation) {
  const std::string page = ReadTextFile(TANDEM_TEST_DIR "/../docs/emit.md");
  const std::string begin = "<!-- features -->\n", end = "<!-- end of features -->";
  const std::size_t from = page.find(begin);
  ASSERT_NE(from, std::string::npos);
  const std::size_t to = page.find(end, from);
  ASSERT_NE(to, std::string::npos);
  EXPECT_EQ(page.substr(from + begin.size(), to - from - begin.size()), FeatureTable())
      << "put this between the marks of docs/emit.md";
}

}  // namespace
}  // namespace tandem
