// Is each feature of scenarios and plans seen where one uses it, and nowhere else?
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "policies/kinds/make_plan.h"
#include "profiles/base/files.h"
#include "sim/emit/features.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

using Json = nlohmann::json;
using FeatureNames = std::set<std::string>;
using Decide = std::function<Decisions(const Scenario&)>;

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
  FeatureUses() {
    WriteFile(folder_ / "net.json", R"({"tandem": "model/1", "name": "net", "layers": [
        {"name": "in", "op": "input", "shape": [1, 2, 2, 2]},
        {"name": "conv", "op": "conv", "inputs": ["in"], "out_channels": 2, "kernel": [1, 1]},
        {"name": "act", "op": "relu", "inputs": ["conv"]}]})");
    WriteFile(folder_ / "stage.json", R"({"tandem": "model/1", "name": "stage", "layers": [
        {"name": "in", "op": "input", "shape": [1, 2]},
        {"name": "out", "op": "opaque", "inputs": ["in"], "shape": [1, 2]}]})");
  }

  // The base with these operations of a JSON patch; `policy` with the member's own granularity, and with what
  // it has decided before the run.
  FeatureNames Used(const std::string& patch, const std::string& policy = R"("fcfs")",
                    const Decide& decide = nullptr) {
    const Json changed = Json::parse(kTwoUnits).patch(Json::parse("[" + patch + "]"));
    const JsonDocument document = JsonDocument::Parse(changed.dump(), (folder_ / "n.scenario.json").string());
    const Scenario scenario = ReadScenario(document.root());
    const JsonDocument of_policy = JsonDocument::Parse(policy, "policy");
    PolicySpec spec = ReadPolicy(of_policy.root(), scenario);
    if (decide) spec.decided = std::make_shared<Decisions>(decide(scenario));
    const PreparedRun run = Prepare(scenario, spec);
    const Report report =
        ReportOf(run, Engine::kVirtual, BoundFor(scenario, {spec}), RunOn(Engine::kVirtual, run));
    const Deployment deployment(scenario,
                                MakePlan(*run.problem, *run.spec, *run.policy, PredictionOf(report)), report,
                                Engine::kVirtual);
    FeatureNames used;
    for (const Feature& feature : Features()) {
      if (!feature.uses(deployment).empty()) used.emplace(feature.name);
    }
    return used;
  }

  TempFolder folder_;
};

// All requests of both streams, 4 each: per unit the segments of each that it runs, from the first on so
// many.
Decisions InOrder(const std::vector<std::pair<std::int32_t, std::int32_t>>& of_units, CutPlan cuts = {},
                  std::optional<Nanos> slack = {}) {
  FixedSchedule schedule{{}, slack};
  for (const auto& [segment, segments] : of_units) {
    schedule.units.push_back(
        {{StreamId(0), segment, segments, 0, 4}, {StreamId(1), segment, segments, 0, 4}});
    if (segments == 0) schedule.units.back().clear();
  }
  Decisions decisions;
  if (!cuts.empty()) decisions.granularity = Granularity::kLayer;
  if (!cuts.empty()) decisions.cuts = std::make_shared<CutPlan>(std::move(cuts));
  decisions.schedule = std::make_shared<FixedSchedule>(std::move(schedule));
  return decisions;
}

LayerId LayerOf(const Scenario& scenario, const std::string& name) {
  return scenario.models[0].model->Find(name);
}

struct UseCase {
  std::string patch;
  FeatureNames features;  // beside the arrivals
  std::string policy = R"("fcfs")";
  Decide decide = nullptr;
};

std::vector<UseCase> CasesOfScenarios() {
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
  return {
      {stream("priority", "2"), {"priorities", "rule"}},
      {stream("deadline_us", "500"), {"deadline", "rule"}},
      {deadline + stream("critical", "true"), {"deadline", "critical", "rule"}},
      {deadline + stream("drop_late", "true"), {"deadline", "drop_late", "rule"}},
      {stream("keep_latest", "1"), {"keep_latest", "rule"}},
      {times_of_two + stream("batch", "2"), {"batch", "rule"}},
      {times_of_two + stream("batching", R"({"most": 2})"), {"batching", "rule"}},
      {times_of_two + stream("batching", R"({"most": 2, "wait_us": 10, "preferred": [2], "across": true})"),
       {"batching", "batching_wait", "batching_preferred", "batching_across", "rule"}},
      {stream("arrival", R"({"type": "closed"})"), {"in_flight", "rule"}},
      {follows(""), {"depends_on", "rule"}},
      {follows(R"(, "probability": 0.5)"), {"depends_on", "probability", "rule"}},
      {follows(R"(, "every": 2)"), {"depends_on", "every", "rule"}},
      {follows(R"(, "data": true)"), {"depends_on", "data", "rule"}},
      {follows(R"(, "times": [0, 0, 1])"), {"depends_on", "times", "rule"}},
      {follows("") + ", " +
           add("/streams/-", R"({"name": "u", "model": "alexnet", "depends_on": {"stream": "s"}})") + ", " +
           add("/streams/-",
               R"({"name": "v", "model": "alexnet", "depends_on": {"stream": "t", "joins": ["u"]}})"),
       {"depends_on", "joins", "rule"}},
      {follows("") + ", " + add("/streams/1/end_to_end_deadline_us", "500"),
       {"depends_on", "end_to_end_deadline", "rule"}},
      {unit("slots", "2"), {"slots", "rule"}},
      {shared.substr(0, shared.size() - 2), {"slots", "time_shared", "rule"}},
      {shared + unit("slice_us", "2"), {"slots", "time_shared", "time_slices", "rule"}},
      {shared + unit("preempts", "true"), {"slots", "time_shared", "preempts", "rule"}},
      {unit("cores", "[0]"), {"cores", "rule"}},
      {unit("device", "1"), {"device", "rule"}},
      {unit("backend", R"("command")") + ", " + unit("command", R"(["true"])"), {"commands", "rule"}},
      {unit("resident_models", "1"), {"residents", "rule"}},
      {unit("on_chip_bytes", "1000000000") + ", " + unit("stream_bytes_per_s", "1000000000"),
       {"on_chip", "rule"}},
      {add("/profiles/0/entries/0/precision", R"("fp16")"), {"precision", "rule"}},
      {unit("states", R"([{"name": "slow", "idle_w": 1}])") + ", " +
           add("/profiles/0/entries/0/variant", R"("slow")"),
       {"clock_states", "rule"}},
      {add("/platform/memories/0/capacity_bytes", "10000000000"), {"memory", "rule"}},
      {add("/transfer", R"("copy")") + ", " + add("/platform/links/0/engine", "true"),
       {"copies_beside", "rule"}},
      {add("/transfer", R"("zero_copy")"), {"zero_copy", "rule"}},
      {add("/background", R"([{"unit": "a", "load_pct": 10}, {"command": ["true"]}])"),
       {"loads", "programs", "rule"}},
      {add("/speeds", R"([{"unit": "a", "at_us": 1, "speed": 0.5}])"), {"speeds", "rule"}},
      {add("/heat", R"([{"unit": "a", "time_constant_us": 1000000, "hot": 0.9, "speed": 0.5}])"),
       {"heat", "rule"}},
      {add("/away", R"([{"unit": "a", "from_us": 100, "until_us": 200}])"), {"away", "rule"}},
  };
}

// Of several units that both work, of cut models, of orders.
std::vector<UseCase> CasesOfPlans() {
  const auto both_run = [](const std::string& model, const std::string& entries) {
    return R"({"op": "replace", "path": "/streams/0/model", "value": "./)" + model +
           R"("}, {"op": "replace", "path": "/streams/1/model", "value": "./)" + model +
           R"("}, {"op": "remove", "path": "/profiles/0/loads"}, {"op": "replace", "path": "/profiles/0/entries", "value": [)" +
           entries + "]}";
  };
  const auto entry = [](const std::string& layers, const std::string& unit) {
    return R"({"model": "./net.json", "unit": ")" + unit + R"(", "layers": [")" + layers +
           R"("], "median_us": 10})";
  };
  const std::string by_layer = both_run("net.json", entry("conv", "a") + "," + entry("act", "b")),
                    anywhere = both_run("net.json", entry("conv", "a") + "," + entry("conv", "b") + "," +
                                                        entry("act", "a") + "," + entry("act", "b"));
  const std::string far = R"(, {"op": "replace", "path": "/platform/units/1/memory", "value": "n"},
      {"op": "replace", "path": "/transfer", "value": "copy"})";
  return {
      {R"({"op": "replace", "path": "/streams/0/arrival", "value": {"type": "offline"}})",
       {"replicas", "rule"}},
      {R"({"op": "replace", "path": "/streams/1/model", "value": "resnet18"},
          {"op": "add", "path": "/profiles/0/entries/-", "value":
           {"model": "resnet18", "unit": "b", "layers": "*", "median_us": 10}},
          {"op": "add", "path": "/platform/units/0/cores", "value": [0]},
          {"op": "add", "path": "/platform/units/1/cores", "value": [0]})",
       {"cores", "exclusion", "rule"},
       R"({"name": "affinity", "map": {"alexnet": "a", "resnet18": "b"}})"},
      {by_layer, {"cuts", "rule"}, R"({"name": "fcfs", "granularity": "layer"})"},
      {both_run("stage.json", R"({"model": "./stage.json", "unit": "a", "layers": "*", "median_us": 10})"),
       {"stages", "rule"}},
      {"",
       {"schedule"},
       R"("best")",
       [](const Scenario&) {
         return InOrder({{0, 1}, {0, 0}});
       }},
      {"",
       {"schedule", "slack"},
       R"("best")",
       [](const Scenario&) {
         return InOrder({{0, 1}, {0, 0}}, {}, Nanos{1000});
       }},
      // Each half of the second layer on a unit.
      {anywhere,
       {"schedule", "cuts", "splits"},
       R"("best")",
       [](const Scenario& scenario) {
         const LayerId act = LayerOf(scenario, "act");
         const auto half = [&](std::int64_t of) {
           return CutPiece{{act}, LayerPart{SplitAxis::kChannels, of, of + 1}};
         };
         return InOrder({{0, 2}, {2, 1}},
                        {{{ModelId(0), 1, {{{LayerOf(scenario, "conv")}, {}}, half(0), half(1)}}}, {}});
       }},
      {by_layer + far,
       {"schedule", "cuts", "edges"},
       R"("best")",
       [](const Scenario& scenario) {
         const LayerId conv = LayerOf(scenario, "conv"), act = LayerOf(scenario, "act");
         return InOrder({{0, 1}, {1, 1}}, {{}, {{ModelId(0), 1, conv, act, TransferMode::kZeroCopy}}});
       }},
  };
}

TEST_F(FeatureUses, OfAPlainScenarioAreItsArrivalsAndItsRule) {
  EXPECT_EQ(Used(""), (FeatureNames{"arrivals", "rule"}));
}

TEST_F(FeatureUses, AreSeenInWhatHasThemAndAlone) {
  FeatureNames seen = {"arrivals"};
  std::vector<UseCase> cases = CasesOfScenarios();
  for (UseCase& of_plan : CasesOfPlans()) cases.push_back(std::move(of_plan));
  for (const UseCase& each : cases) {
    FeatureNames all = each.features;
    all.insert("arrivals");
    SCOPED_TRACE(each.patch);
    EXPECT_EQ(Used(each.patch, each.policy, each.decide), all);
    seen.insert(all.begin(), all.end());
  }
  for (const Feature& feature : Features()) {
    EXPECT_TRUE(seen.contains(std::string(feature.name))) << feature.name << ": no case here uses it";
  }
}

}  // namespace
}  // namespace tandem
