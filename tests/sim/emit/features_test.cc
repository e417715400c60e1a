// Is no feature of scenarios and plans without an answer of each target, no field without a feature or a
// reason, and is each feature seen where it is used?
#include "sim/emit/features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "policies/kinds/make_plan.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/joined.h"
#include "sim/emit/left_out.h"
#include "tests/support/temp_folder.h"

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

// Two units of times, and a stream `s` that `t` may follow.
const char* const kTwoUnits = R"({"tandem": "scenario/1", "name": "n", "transfer": "none", "policies": [],
    "platform": {"tandem": "platform/1", "name": "p", "memories": [{"name": "m"}, {"name": "n"}],
                 "links": [{"from": "m", "to": "n", "bandwidth_bytes_per_s": 1000000000}],
                 "units": [{"name": "a", "kind": "cpu", "memory": "m"}, {"name": "b", "kind": "gpu", "memory": "m"}]},
    "profiles": [{"tandem": "profile/1", "platform": "p", "origin": {"kind": "published", "source": "x"},
        "entries": [{"model": "alexnet", "unit": "a", "layers": "*", "median_us": 10},
                    {"model": "alexnet", "unit": "b", "layers": "*", "median_us": 10}],
        "loads": [{"model": "alexnet", "unit": "a", "median_us": 1}]}],
    "streams": [{"name": "s", "model": "alexnet", "count": 4, "arrival": {"type": "periodic", "period_us": 1000}},
                {"name": "t", "model": "alexnet", "count": 4, "arrival": {"type": "periodic", "period_us": 1000,
                 "phase_us": 500}}]})";

class FeatureUses : public testing::Test {
 protected:
  // The base with these operations of a JSON patch; `policy` with the member's own granularity.
  std::set<std::string> Used(const std::string& patch, const std::string& policy = R"("fcfs")") {
    const Json changed = Json::parse(kTwoUnits).patch(Json::parse("[" + patch + "]"));
    const JsonDocument document = JsonDocument::Parse(changed.dump(), (folder_ / "n.scenario.json").string());
    scenario_ = ReadScenario(document.root());
    const JsonDocument of_policy = JsonDocument::Parse(policy, "policy");
    const PolicySpec spec = ReadPolicy(of_policy.root(), scenario_);
    const PreparedRun run = Prepare(scenario_, spec);
    const Report report =
        ReportOf(run, Engine::kVirtual, BoundFor(scenario_, {spec}), RunOn(Engine::kVirtual, run));
    const Deployment deployment(scenario_,
                                MakePlan(*run.problem, *run.spec, *run.policy, PredictionOf(report)), report,
                                Engine::kVirtual);
    std::set<std::string> used;
    for (const Feature& feature : Features()) {
      if (!feature.uses(deployment).empty()) used.emplace(feature.name);
    }
    return used;
  }

  TempFolder folder_;
  Scenario scenario_;
};

using FeatureNames = std::set<std::string>;

TEST_F(FeatureUses, OfAPlainScenarioAreItsArrivalsAndItsRule) {
  EXPECT_EQ(Used(""), (FeatureNames{"arrivals", "rule"}));
}

TEST_F(FeatureUses, AreSeenWhereTheFieldsAre) {
  const auto add = [](const std::string& path, const std::string& value) {
    return R"({"op": "add", "path": ")" + path + R"(", "value": )" + value + "}";
  };
  const auto unit = [&](const std::string& key, const std::string& value) {
    return add("/platform/units/0/" + key, value);
  };
  const auto stream = [&](const std::string& key, const std::string& value) {
    return add("/streams/0/" + key, value);
  };
  // `t` follows `s`, with these members.
  const auto follows = [](const std::string& more) {
    return R"({"op": "replace", "path": "/streams/1", "value": {"name": "t", "model": "alexnet", "depends_on": {"stream": "s")" +
           more + "}}}";
  };
  const std::string deadline = stream("deadline_us", "500") + ", ";
  const std::string shared = unit("slots", "2") + ", " + unit("time_shared", "true") + ", ";
  const std::string times_of_two =
      add("/profiles/0/entries/-",
          R"({"model": "alexnet", "unit": "a", "layers": "*", "batch": 2, "median_us": 15})") +
      ", ";
  const std::vector<std::pair<std::string, FeatureNames>> cases = {
      {stream("priority", "2"), {"priorities"}},
      {stream("deadline_us", "500"), {"deadline"}},
      {deadline + stream("critical", "true"), {"deadline", "critical"}},
      {deadline + stream("drop_late", "true"), {"deadline", "drop_late"}},
      {stream("keep_latest", "1"), {"keep_latest"}},
      {times_of_two + stream("batch", "2"), {"batch"}},
      {times_of_two + stream("batching", R"({"most": 2})"), {"batching"}},
      {times_of_two + stream("batching", R"({"most": 2, "wait_us": 10, "preferred": [2], "across": true})"),
       {"batching", "batching_wait", "batching_preferred", "batching_across"}},
      {stream("arrival", R"({"type": "closed"})"), {"in_flight"}},
      {follows(""), {"depends_on"}},
      {follows(R"(, "probability": 0.5)"), {"depends_on", "probability"}},
      {follows(R"(, "every": 2)"), {"depends_on", "every"}},
      {follows(R"(, "data": true)"), {"depends_on", "data"}},
      {follows(R"(, "times": [0, 0, 1])"), {"depends_on", "times"}},
      {follows("") + ", " +
           add("/streams/-", R"({"name": "u", "model": "alexnet", "depends_on": {"stream": "s"}})") + ", " +
           add("/streams/-",
               R"({"name": "v", "model": "alexnet", "depends_on": {"stream": "t", "joins": ["u"]}})"),
       {"depends_on", "joins"}},
      {follows("") + ", " + add("/streams/1/end_to_end_deadline_us", "500"),
       {"depends_on", "end_to_end_deadline"}},
      {unit("slots", "2"), {"slots"}},
      {shared.substr(0, shared.size() - 2), {"slots", "time_shared"}},
      {shared + unit("slice_us", "2"), {"slots", "time_shared", "time_slices"}},
      {shared + unit("preempts", "true"), {"slots", "time_shared", "preempts"}},
      {unit("cores", "[0]"), {"cores"}},
      {unit("device", "1"), {"device"}},
      {unit("resident_models", "1"), {"residents"}},
      {unit("on_chip_bytes", "1000000000") + ", " + unit("stream_bytes_per_s", "1000000000"), {"on_chip"}},
      {add("/profiles/0/entries/0/precision", R"("fp16")"), {"precision"}},
      {unit("states", R"([{"name": "slow", "idle_w": 1}])") + ", " +
           add("/profiles/0/entries/0/variant", R"("slow")"),
       {"clock_states"}},
      {add("/platform/memories/0/capacity_bytes", "10000000000"), {"memory"}},
      {add("/transfer", R"("copy")") + ", " + add("/platform/links/0/engine", "true"), {"copies_beside"}},
      {add("/transfer", R"("zero_copy")"), {"zero_copy"}},
      {add("/background", R"([{"unit": "a", "load_pct": 10}, {"command": ["true"]}])"),
       {"loads", "programs"}},
      {add("/speeds", R"([{"unit": "a", "at_us": 1, "speed": 0.5}])"), {"speeds"}},
      {add("/heat", R"([{"unit": "a", "time_constant_us": 1000000, "hot": 0.9, "speed": 0.5}])"), {"heat"}},
      {add("/away", R"([{"unit": "a", "from_us": 100, "until_us": 200}])"), {"away"}},
  };
  for (const auto& [patch, expected] : cases) {
    FeatureNames all = expected;
    all.insert({"arrivals", "rule"});
    SCOPED_TRACE(patch);
    EXPECT_EQ(Used(patch), all);
  }
}

TEST_F(FeatureUses, OfSeveralUnitsAreSeenWhereBothWork) {
  const std::string at_once =
      R"({"op": "replace", "path": "/streams/0/arrival", "value": {"type": "offline"}})";
  EXPECT_EQ(Used(at_once), (FeatureNames{"arrivals", "replicas", "rule"}));
  const std::string other = R"({"op": "replace", "path": "/streams/1/model", "value": "resnet18"},
      {"op": "add", "path": "/profiles/0/entries/-", "value":
       {"model": "resnet18", "unit": "b", "layers": "*", "median_us": 10}},
      {"op": "add", "path": "/platform/units/0/cores", "value": [0]},
      {"op": "add", "path": "/platform/units/1/cores", "value": [0]})";
  EXPECT_EQ(Used(other, R"({"name": "affinity", "map": {"alexnet": "a", "resnet18": "b"}})"),
            (FeatureNames{"arrivals", "cores", "exclusion", "rule"}));
}

TEST_F(FeatureUses, OfACutModelAreItsParts) {
  const std::string by_layer = R"({"op": "replace", "path": "/profiles/0/entries", "value": [
      {"model": "./net.json", "unit": "a", "layers": ["conv"], "median_us": 10},
      {"model": "./net.json", "unit": "b", "layers": ["act"], "median_us": 10}]},
      {"op": "replace", "path": "/streams/0/model", "value": "./net.json"},
      {"op": "replace", "path": "/streams/1/model", "value": "./net.json"},
      {"op": "remove", "path": "/profiles/0/loads"})";
  WriteFile(folder_ / "net.json", R"({"tandem": "model/1", "name": "net", "layers": [
      {"name": "in", "op": "input", "shape": [1, 2, 2, 2]},
      {"name": "conv", "op": "conv", "inputs": ["in"], "out_channels": 2, "kernel": [1, 1]},
      {"name": "act", "op": "relu", "inputs": ["conv"]}]})");
  EXPECT_EQ(Used(by_layer, R"({"name": "fcfs", "granularity": "layer"})"),
            (FeatureNames{"arrivals", "cuts", "rule"}));
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
