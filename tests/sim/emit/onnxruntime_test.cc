// Does the target onnxruntime say what the plan says: sessions, order, arrivals, and what is left out?
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "policies/kinds/make_plan.h"
#include "profiles/base/files.h"
#include "profiles/base/joined.h"
#include "profiles/model/model_source.h"
#include "sim/emit/left_out.h"
#include "sim/emit/onnxruntime_sessions.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

// A CPU of two cores that is quick at `conv`, a card that is quick at the rest, and a copy between them.
constexpr const char* kBoard =
    R"("memories": [{"name": "m"}],
       "units": [{"name": "cpu", "kind": "cpu", "memory": "m", "backend": "cpu", "cores": [2, 3]},
                 {"name": "card", "kind": "gpu", "memory": "m", "backend": "cuda", "device": 1}])";
constexpr const char* kTimes =
    R"("entries": [{"model": "./m0.json", "unit": "cpu", "layers": ["conv"], "median_us": 10},
                   {"model": "./m0.json", "unit": "card", "layers": ["act"], "median_us": 10}])";
constexpr const char* kNet = R"([{"name": "in", "op": "input", "shape": [1, 2, 2, 2]},
    {"name": "conv", "op": "conv", "inputs": ["in"], "out_channels": 2, "kernel": [1, 1]},
    {"name": "act", "op": "relu", "inputs": ["conv"]}])";

class OnnxRuntimeTarget : public testing::Test {
 protected:
  // What the policy's plan becomes.
  void Emit(const std::string& streams, const std::string& policy, const std::string& granularity,
            const std::string& board = kBoard, const std::string& times = kTimes,
            const std::string& net = kNet) {
    const auto write = [&](const char* name, const std::string& kind, const std::string& members) {
      WriteFile(folder_ / name, R"({"tandem": ")" + kind + R"(", )" + members + "}");
    };
    write("m0.json", "model/1", R"("name": "m0", "layers": )" + net);
    write("board.platform.json", "platform/1", R"("name": "board", )" + board);
    write("times.profile.json", "profile/1",
          R"("platform": "board.platform.json", "origin": {"kind": "estimated", "method": "made up"}, )" +
              times);
    write(
        "run.scenario.json", "scenario/1",
        R"("name": "run", "platform": "board.platform.json", "profiles": ["times.profile.json"], "policies": [],
             "transfer": "none", "streams": [)" +
            streams + "]");
    scenario_ = ReadScenarioFile(folder_ / "run.scenario.json");
    const JsonDocument document = JsonDocument::Parse(
        R"({"name": ")" + policy + R"(", "granularity": ")" + granularity + R"("})", "policy");
    spec_ = ReadPolicy(document.root(), scenario_);
    const PreparedRun run = Prepare(scenario_, spec_);
    const Report report =
        ReportOf(run, Engine::kVirtual, BoundFor(scenario_, {spec_}), RunOn(Engine::kVirtual, run));
    deployment_ = std::make_unique<Deployment>(
        scenario_, MakePlan(*run.problem, *run.spec, *run.policy, PredictionOf(report)), report,
        Engine::kVirtual);
    emitted_ = EmittedBy(*FindEmitter("onnxruntime"), *deployment_);
  }
  Json FileOf(const std::string& path) const {
    for (const EmittedFile& file : emitted_.files) {
      if (file.path == path) return Json::parse(file.text);
    }
    return Json();
  }
  std::string Lacking() const { return Joined(emitted_.not_expressed, "\n"); }

  TempFolder folder_;
  Scenario scenario_;
  PolicySpec spec_;
  std::unique_ptr<Deployment> deployment_;
  Emitted emitted_;
};

constexpr const char* kThree =
    R"({"name": "s", "model": "./m0.json", "count": 3, "arrival": {"type": "offline"}})";

TEST_F(OnnxRuntimeTarget, ACutModelIsASessionForEachPartAndUnit) {
  Emit(kThree, "fcfs", "layer");
  const Json session = FileOf("sessions/m0.json");
  EXPECT_EQ(session["inputs"], Json::parse(R"({"in": [1, 2, 2, 2]})"));
  EXPECT_EQ(session["outputs"], Json({"act"}));
  EXPECT_EQ(session["segments"], Json::parse(R"([
      {"file": "models/m0.0.onnx", "layers": ["conv"], "inputs": ["in"], "outputs": ["conv"],
       "options": {"cpu": {"executionProviders": [{"name": "cpu"}], "graphOptimizationLevel": "all",
                           "executionMode": "sequential", "intraOpNumThreads": 2, "interOpNumThreads": 1,
                           "extra": {"session.intra_op.allow_spinning": "0", "session.inter_op.allow_spinning": "0",
                                     "session.intra_op_thread_affinities": "4"}}}},
      {"file": "models/m0.1.onnx", "layers": ["act"], "inputs": ["conv"], "outputs": ["act"],
       "options": {"card": {"executionProviders": [{"name": "cuda", "deviceId": 1}], "graphOptimizationLevel": "all",
                            "executionMode": "sequential", "intraOpNumThreads": 1, "interOpNumThreads": 1,
                            "extra": {"session.intra_op.allow_spinning": "0",
                                      "session.inter_op.allow_spinning": "0"}}}}])"));
}

TEST_F(OnnxRuntimeTarget, OneSessionOverTheWholeAssignsLayersByNodeName) {
  Emit(kThree, "fcfs", "layer");
  const Json whole = FileOf("sessions/m0.json")["whole"];
  EXPECT_EQ(whole["file"], "models/m0.onnx");
  EXPECT_EQ(whole["options"]["executionProviders"],
            Json::parse(R"([{"name": "cuda", "deviceId": 1}, {"name": "cpu"}])"));
  EXPECT_EQ(whole["options"]["extra"]["session.name_based_layer_assignment"], "cpu(conv); gpu:1(act)");
}

TEST_F(OnnxRuntimeTarget, TheOrderIsTheSimulations) {
  Emit(kThree, "fcfs", "layer");
  const Json run = FileOf("run.json");
  EXPECT_EQ(run["predicted"]["makespan_ns"], 40000);
  EXPECT_EQ(run["units"][0]["order"], Json::parse(R"([["s", 0, 0, 3]])"));
  EXPECT_EQ(run["units"][1]["order"], Json::parse(R"([["s", 1, 0, 3]])"));
  EXPECT_EQ(run["units"][0]["cores"], Json({2, 3}));
  EXPECT_EQ(run["units"][0]["takes"], "first_ready");
  EXPECT_EQ(run["streams"][0]["predicted"]["latency_ns"]["max"], 40000);
}

TEST_F(OnnxRuntimeTarget, EachPartIsAFileThatReadsAndMakesWhatItsSessionSays) {
  Emit(kThree, "fcfs", "layer");
  std::string files;
  for (const EmittedFile& file : emitted_.files) {
    if (!file.write) continue;
    const std::filesystem::path path = folder_ / PlainNames().Of(file.path);
    file.write(path);
    const ImportedModel model = ImportModel(path);
    files += file.path + ":";
    for (const Layer& layer : model.model.layers()) files += " " + layer.name;
    files += model.weights.empty() ? "\n" : ", weights\n";
  }
  EXPECT_EQ(files,
            "models/m0.onnx: in conv act, weights\nmodels/m0.0.onnx: in conv, weights\n"
            "models/m0.1.onnx: conv act\n");
}

TEST_F(OnnxRuntimeTarget, StreamsComeAsTheyWereSimulated) {
  Emit(R"({"name": "p", "model": "./m0.json", "count": 3, "arrival": {"type": "periodic", "period_us": 50},
           "deadline_us": 30, "priority": 2},
          {"name": "c", "model": "./m0.json", "count": 2, "arrival": {"type": "closed", "in_flight": 2}},
          {"name": "d", "model": "./m0.json", "depends_on": {"stream": "p"}})",
       "fcfs", "layer");
  const Json streams = FileOf("run.json")["streams"];
  EXPECT_EQ(
      streams[0]["arrival"],
      Json::parse(
          R"({"type": "at", "rate_per_s": 20000.0, "jitter_ns": 0, "release_ns": [0, 50000, 100000]})"));
  EXPECT_EQ(streams[0]["deadline_ns"], 30000);
  EXPECT_EQ(streams[1]["arrival"], Json::parse(R"({"type": "closed", "in_flight": 2, "per_query": 1})"));
  EXPECT_EQ(streams[2]["arrival"], Json::parse(R"({"type": "after", "stream": "p"})"));
  EXPECT_NE(Lacking().find("stream \"p\": priority 2"), std::string::npos) << Lacking();
}

TEST_F(OnnxRuntimeTarget, WhatIsNotExpressedIsSaid) {
  Emit(kThree, "fcfs", "layer");
  EXPECT_EQ(Lacking(),
            R"(model "m0": tandem knows no weights of it: its files have random ones, which take as long
policy "fcfs" decides while requests come: ONNX Runtime has no scheduler, and the units run the tasks, in the order, that the simulation gave them
unit "cpu": the first of its threads is the caller's, which no session option pins: run.mjs keeps its process to core 2, and who uses the sessions without it has to do the same
unit "cpu": its times are of other kernels than ONNX Runtime's (backend "cpu"): a profile measured by scripts/adapters/adapter_ort.mjs predicts what run.mjs measures
unit "card": what it makes for other units, and they for it, comes over the host's memory, by copies of ONNX Runtime
unit "card": its times are of other kernels than ONNX Runtime's (backend "cuda"): a profile measured by scripts/adapters/adapter_ort.mjs predicts what run.mjs measures)");
}

TEST_F(OnnxRuntimeTarget, UnitsOfOneProviderAreNotToldApartByNodeName) {
  Emit(kThree, "fcfs", "layer",
       R"("memories": [{"name": "m"}], "units": [{"name": "cpu", "kind": "cpu", "memory": "m", "cores": [0]},
                                                 {"name": "card", "kind": "cpu", "memory": "m"}])");
  EXPECT_TRUE(FileOf("sessions/m0.json")["whole"].is_null());
  EXPECT_NE(
      Lacking().find("units \"cpu\", \"card\" are all \"cpu\" to the assignment of layers by node name"),
      std::string::npos)
      << Lacking();
  EXPECT_NE(Lacking().find("unit \"card\": the platform names no cores"), std::string::npos) << Lacking();
}

// `look` is a program's; who reads it, and what it reads, is ONNX.
constexpr const char* kNetWithStage = R"([{"name": "in", "op": "input", "shape": [1, 2, 2, 2]},
    {"name": "conv", "op": "conv", "inputs": ["in"], "out_channels": 2, "kernel": [1, 1]},
    {"name": "look", "op": "opaque", "inputs": ["conv", "in"], "shape": [1, 5], "params": 7},
    {"name": "act", "op": "relu", "inputs": ["look"]}])";
constexpr const char* kTimesWithStage =
    R"("entries": [{"model": "./m0.json", "unit": "cpu", "layers": ["conv"], "median_us": 10},
                   {"model": "./m0.json", "unit": "card", "layers": ["look"], "median_us": 10},
                   {"model": "./m0.json", "unit": "cpu", "layers": ["act"], "median_us": 10}])";

TEST_F(OnnxRuntimeTarget, AStageAmongLayersIsAPlaceAmongTheFilesOfItsModel) {
  Emit(kThree, "fcfs", "layer", kBoard, kTimesWithStage, kNetWithStage);
  const Json session = FileOf("sessions/m0.json");
  ASSERT_EQ(session["segments"].size(), 3U);
  EXPECT_EQ(session["segments"][0]["file"], "models/m0.0.onnx");
  EXPECT_EQ(session["segments"][1],
            Json::parse(R"({"file": null, "stage": "stages/m0.1.mjs", "layers": ["look"],
      "inputs": ["in", "conv"], "outputs": ["look"], "sizes": {"look": 5}})"));
  EXPECT_EQ(session["segments"][2]["inputs"], Json({"look"}));
  EXPECT_TRUE(session["whole"].is_null()) << "no one file has all of it";
  std::string paths;
  for (const EmittedFile& file : emitted_.files) {
    if (file.write) file.write(folder_ / PlainNames().Of(file.path));  // ONNX can say them
    if (file.write || file.stays) paths += file.path + "\n";
  }
  EXPECT_EQ(paths, "models/m0.0.onnx\nstages/m0.1.mjs\nmodels/m0.2.onnx\n");
  EXPECT_NE(Lacking().find("model \"m0\": only a program of its own can look into it: stages/m0.1.mjs"),
            std::string::npos)
      << Lacking();
}

TEST_F(OnnxRuntimeTarget, AUnitOfStagesAloneNeedsNothingOfOnnxRuntime) {
  Emit(kThree, "fcfs", "layer", kBoard, kTimesWithStage, kNetWithStage);
  EXPECT_EQ(Lacking().find("unit \"card\""), std::string::npos) << Lacking();
  EXPECT_NE(Lacking().find("unit \"cpu\""), std::string::npos) << Lacking();
}

TEST(OnnxRuntimeSessions, AUnitThatNoProviderIsKnownForHasNone) {
  Unit unit;
  unit.name = "stick";
  unit.kind = UnitKind::kVpu;
  EXPECT_TRUE(onnxruntime::SessionOptions(unit)["executionProviders"].empty());
}

}  // namespace
}  // namespace tandem
