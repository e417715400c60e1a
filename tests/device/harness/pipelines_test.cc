// Does the harness run an application as it is: stages that only their programs can look into, a network for
// each object that was found, results that wait for all of them, and frames that are left out?
#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>
#include <tuple>

#include "scenarios/arrivals/arrivals.h"
#include "scenarios/trace/read.h"
#include "tests/support/device/harness_files.h"

namespace tandem {
namespace {

using OfStream = std::pair<std::string, std::int64_t>;  // of a stream, by index

// What the trace of a run tells.
struct TracedPipeline {
  std::map<std::string, std::int64_t> tasks;            // "decode on npu"
  std::map<OfStream, Nanos> release, end;               // of those that ran
  std::map<OfStream, std::pair<Nanos, Nanos>> dropped;  // released, dropped

  std::set<std::int64_t> Of(const std::string& stream) const {
    std::set<std::int64_t> indices;
    for (const auto& [request, at] : end) {
      if (request.first == stream) indices.insert(request.second);
    }
    return indices;
  }
};

TracedPipeline WhatRan(const RunAnswer& result) {
  const JsonDocument document = JsonDocument::Parse(result.trace, "trace");
  const Trace trace = ReadTrace(document.root());
  const TracedRun& run = trace.runs.at(0);
  const auto name = [&](std::int32_t stream) { return run.streams[static_cast<std::size_t>(stream)]; };
  TracedPipeline ran;
  for (const TracedSpan& span : run.spans) {
    if (span.kind != SpanKind::kCompute) continue;
    const OfStream request(name(span.stream), span.index);
    ++ran.tasks[request.first + " on " + run.tracks[static_cast<std::size_t>(span.track)].unit];
    ran.release[request] = span.release;
    ran.end[request] = std::max(ran.end[request], span.end);
  }
  for (const TracedDrop& drop : run.drops) {
    ran.dropped[{name(drop.stream), drop.index}] = {drop.release, drop.at};
  }
  return ran;
}

std::set<std::int64_t> UpTo(std::int64_t count) {
  std::set<std::int64_t> indices;
  for (std::int64_t k = 0; k < count; ++k) indices.insert(k);
  return indices;
}

// An engine of an NPU that is emulated, a closed library behind a program, and networks on reference kernels.
class Pipelines : public HarnessFiles {
 protected:
  Pipelines() {
    log = (folder / "asked").string();
    units = R"([{"name": "one", "kind": "cpu", "memory": "dram", "backend": "reference"},
                {"name": "npu", "kind": "npu", "memory": "dram", "backend": "emulated"},
                {"name": "tpu", "kind": "tpu", "memory": "dram", "backend": "command",
                 "command": ["python3", ")" +
            std::string(TANDEM_TEST_DIR) + R"(/support/device/echo_adapter.py", "--log", ")" + log +
            R"("]}])";
    stages = {"npu", "tpu"};
    for (const auto& [model, unit] : {std::pair("eye", "npu"), std::pair("mind", "tpu")}) {
      Write(std::string(model) + ".json", "model/1", R"("name": ")" + std::string(model) + R"(", "layers": [
                {"name": "in", "op": "input", "shape": [1, 12], "type": "uint8"},
                {"name": "out", "op": "opaque", "inputs": ["in"], "shape": [1, 72], "type": "fp16"}])");
      times += R"(, {"model": "./)" + std::string(model) + R"(.json", "unit": ")" + unit +
               R"(", "layers": "*", "median_us": 300})";
    }
  }

  // One run of that policy, whose trace the judge has nothing against.
  TracedPipeline Run(const std::string& policy, FakeKernels* fake = nullptr) {
    order_ = Request({policy});
    order_.trace = true;
    result_ = RunPlans(order_, Place(fake));
    EXPECT_EQ(result_.runs.size(), 1U);
    EXPECT_TRUE(result_.runs.at(0).complete) << result_.runs[0].failure;
    EXPECT_EQ(result_.runs[0].outputs.wrong, 0) << "worst " << result_.runs[0].outputs.worst;
    ExpectLawful(order_, result_);
    return WhatRan(result_);
  }
  const OutputCheck& outputs() const { return result_.runs.at(0).outputs; }

  // Those of which the scenario says that they follow requests 0 to count - 1 of another stream.
  std::set<std::int64_t> Following(const std::string& stream, std::int64_t count) const {
    const Scenario& scenario = order_.plans.at(0).scenario;
    std::set<std::int64_t> indices;
    for (const Stream& each : scenario.streams) {
      if (each.name != stream) continue;
      DependencyDraws draws(each, scenario.seed);
      for (std::int64_t k = 0; k < count; ++k) {
        if (draws.Exists(k)) indices.insert(k);
      }
    }
    return indices;
  }

  std::string log;
  RunOrder order_;
  RunAnswer result_;
};

TEST_F(Pipelines, StagesThatNobodyCanLookIntoRunBesideNetworks) {
  streams =
      R"([{"name": "decode", "model": "./eye.json", "count": 4, "arrival": {"type": "periodic", "fps": 200}},
                {"name": "look", "model": "./m0.json", "depends_on": {"stream": "decode", "data": true}},
                {"name": "track", "model": "./mind.json", "depends_on": {"stream": "look", "data": true}}])";
  const TracedPipeline ran = Run(R"("fcfs")");
  EXPECT_EQ(ran.tasks, (std::map<std::string, std::int64_t>{
                           {"decode on npu", 4}, {"look on one", 4}, {"track on tpu", 4}}));
  for (std::int64_t k = 0; k < 4; ++k) {
    EXPECT_GE(ran.release.at({"look", k}), ran.end.at({"decode", k}));
    EXPECT_GE(ran.release.at({"track", k}), ran.end.at({"look", k}));
  }
  EXPECT_EQ(outputs().checked, 4 + 4) << "numbers of the kernels, hashes of the program";
  EXPECT_EQ(outputs().unchecked, 4) << "what is emulated makes nothing";
  std::ifstream asked(log);
  std::stringstream lines;
  lines << asked.rdbuf();
  EXPECT_NE(lines.str().find("load 1 1 " + (folder / "mind.json").string() + "\n"), std::string::npos)
      << lines.str();
}

TEST_F(Pipelines, AStageHasNoKernels) {
  stages = {};
  times += R"(, {"model": "./eye.json", "unit": "one", "layers": "*", "median_us": 1})";
  streams = R"([{"name": "decode", "model": "./eye.json", "count": 1, "arrival": {"type": "offline"}}])";
  const RunOrder order = Request({R"("single:one")"});
  try {
    RunPlans(order, Place());
    ADD_FAILURE() << "it ran";
  } catch (const EnvironmentError& error) {
    EXPECT_EQ(std::string(error.what()),
              "unit \"one\", model \"" + (folder / "eye.json").string() +
                  "\": the backend reference has no kernel for operation \"opaque\" of layer \"out\"");
  }
}

// A classifier for each object: none in two frames of ten, up to three in one.
constexpr const char* kObjects = R"([
    {"name": "find", "model": "./eye.json", "count": 24, "arrival": {"type": "periodic", "fps": 500}},
    {"name": "name", "model": "./m0.json", "depends_on": {"stream": "find", "times": [2, 3, 4, 1]}},
    {"name": "now_and_then", "model": "./m1.json", "depends_on": {"stream": "find", "every": 5}},
    {"name": "result", "model": "./mind.json", "depends_on": {"stream": "find", "joins": ["name"]}}])";

TEST_F(Pipelines, ANetworkRunsOnceForEachObject) {
  streams = kObjects;
  for (const std::string policy : {R"("fcfs")", R"("eft")"}) {
    const TracedPipeline ran = Run(policy);
    EXPECT_EQ(ran.Of("find"), UpTo(24));
    std::size_t objects = 0;
    std::set<std::int64_t> before = UpTo(24);
    for (const char* const name : {"name_1", "name_2", "name_3"}) {
      const std::set<std::int64_t> of = ran.Of(name);
      EXPECT_EQ(of, Following(name, 24)) << name;
      EXPECT_LT(of.size(), before.size()) << "not every frame has as many";
      EXPECT_TRUE(std::includes(before.begin(), before.end(), of.begin(), of.end()))
          << name << ": a second object without a first";
      before = of;
      objects += of.size();
    }
    EXPECT_FALSE(before.empty()) << "some frame has three";
    EXPECT_EQ(ran.Of("now_and_then"), (std::set<std::int64_t>{0, 5, 10, 15, 20}));
    EXPECT_EQ(static_cast<std::size_t>(outputs().checked), objects + 5 + 24) << "far apart as they are";
  }
}

TEST_F(Pipelines, AResultWaitsForAllObjectsOfItsFrame) {
  streams = kObjects;
  const TracedPipeline ran = Run(R"("fcfs")");
  EXPECT_EQ(ran.Of("result"), UpTo(24)) << "of frames without objects, too";
  for (std::int64_t k = 0; k < 24; ++k) {
    Nanos last = ran.end.at({"find", k});
    for (const char* const name : {"name_1", "name_2", "name_3"}) {
      const auto object = ran.end.find({name, k});
      if (object != ran.end.end()) last = std::max(last, object->second);
    }
    EXPECT_GE(ran.release.at({"result", k}), last) << k;
  }
}

TEST_F(Pipelines, AFrameAndAScanOfOneIndexAreJoined) {
  streams = R"([
      {"name": "frame", "model": "./m0.json", "count": 9, "arrival": {"type": "periodic", "fps": 250}},
      {"name": "scan", "model": "./eye.json", "count": 6, "arrival": {"type": "periodic", "fps": 250, "phase_ms": 3}},
      {"name": "fuse", "model": "./m1.json", "depends_on": {"stream": "frame", "joins": ["scan"]}}])";
  const TracedPipeline ran = Run(R"("fcfs")");
  EXPECT_EQ(ran.Of("fuse"), UpTo(9)) << "nobody waits for scans that will not come";
  for (std::int64_t k = 0; k < 6; ++k) {
    EXPECT_GE(ran.release.at({"fuse", k}), std::max(ran.end.at({"frame", k}), ran.end.at({"scan", k}))) << k;
  }
}

// A frame each millisecond, and five for each: on a machine that is busy they take longer, and more are left
// out.
TEST_F(Pipelines, OfFramesThatWaitTheLatestRuns) {
  units = kOneFake;
  stages = {};
  times.clear();
  streams = R"([{"name": "camera", "model": "./m0.json", "count": 40, "keep_latest": 1,
                 "arrival": {"type": "periodic", "fps": 1000}},
                {"name": "look", "model": "./m1.json", "keep_latest": 1, "depends_on": {"stream": "camera"}}])";
  FakeKernels fake;
  fake.after = [](int, std::span<float* const>) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  };
  const TracedPipeline ran = Run(R"("fcfs")", &fake);
  std::set<std::int64_t> ended = ran.Of("camera");
  EXPECT_TRUE(ended.contains(39)) << "none is newer than the last";
  EXPECT_LE(ended.size(), 10U) << "40 ms have room for eight";
  const std::set<std::int64_t> looked = ran.Of("look");
  EXPECT_TRUE(std::includes(ended.begin(), ended.end(), looked.begin(), looked.end()))
      << "nothing follows a frame that was left out";
  EXPECT_EQ(outputs().checked, static_cast<std::int64_t>(ended.size() + looked.size()));
  for (const auto& [request, at] : ran.dropped) {
    if (request.first != "camera") continue;
    EXPECT_TRUE(ended.insert(request.second).second) << request.second << " ran and was dropped";
    EXPECT_GE(at.second, at.first + Nanos{900'000}) << "no newer one had come";
  }
  EXPECT_EQ(ended, UpTo(40));
}

// All frames run before what follows them: by then those are too old.
TEST_F(Pipelines, WhatHangsOnAFrameThatIsTooOldIsDropped) {
  units = kOneFake;
  stages = {};
  times.clear();
  streams = R"([{"name": "camera", "model": "./m0.json", "count": 6, "arrival": {"type": "offline"}},
                {"name": "look", "model": "./m1.json", "depends_on": {"stream": "camera"},
                 "end_to_end_deadline_ms": 7, "drop_late": true}])";
  FakeKernels fake;
  fake.after = [](int, std::span<float* const>) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
  };
  const TracedPipeline ran = Run(R"("fcfs")", &fake);
  EXPECT_EQ(ran.tasks, (std::map<std::string, std::int64_t>{{"camera on fake", 6}}));
  EXPECT_EQ(ran.dropped.size(), 6U);
  for (const auto& [request, at] : ran.dropped) {
    EXPECT_EQ(request.first, "look");
    EXPECT_GE(at.second, Nanos{7'000'000});
  }
  EXPECT_EQ(outputs().checked, 6);
}

}  // namespace
}  // namespace tandem
