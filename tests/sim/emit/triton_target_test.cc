// Is the model repository what was simulated, in the words that Triton takes?
#include "tests/sim/emit/board_for_targets.h"

namespace tandem {
namespace {

using TritonTarget = BoardForTargets;

const std::string kPolicy =
    R"({"name": "triton", "instances": {"tiny.json": {"gpu": 2}, "small.json": {"gpu": 1,
    "cpu": 1}}, "priority": {"small.json": 3}, "resources": {"bus": {"count": 2, "needs": {"tiny.json": 1}}}})";

TEST_F(TritonTarget, HasTheInstancesPrioritiesAndResourcesThatWereSimulated) {
  const auto emitted = Emit("triton", kPolicy, streams_);
  EXPECT_EQ(Text("models/tiny/config.pbtxt"), R"(name: "tiny"
platform: "onnxruntime_onnx"
max_batch_size: 0
input {
  name: "data"
  data_type: TYPE_FP32
  dims: [1, 3, 8, 8]
}
output {
  name: "fc"
  data_type: TYPE_FP32
  dims: [1, 10]
}
instance_group {
  name: "tiny_gpu"
  count: 2
  kind: KIND_GPU
  gpus: [0]
  rate_limiter {
    resources {
      name: "gpu"
      global: true
      count: 1
    }
    resources {
      name: "bus"
      global: true
      count: 1
    }
    priority: 1
  }
}
dynamic_batching {
  priority_levels: 2
  default_priority_level: 2
}
optimization {
  execution_accelerators {
    gpu_execution_accelerator {
      name: "tensorrt"
      parameters {
        key: "precision_mode"
        value: "FP16"
      }
    }
  }
}
)");
  EXPECT_EQ(Text("start.sh"), R"sh(#!/bin/sh
# Starts tritonserver with all models, and the rate limiter as it was simulated.
set -e
cd "$(dirname "$0")"
exec "${TRITONSERVER:-tritonserver}" --model-repository=models --model-control-mode=explicit \
  --load-model=tiny \
  --load-model=small \
  --rate-limit=execution_count \
  --rate-limit-resource=bus:2 \
  --rate-limit-resource=cpu:1 \
  --rate-limit-resource=gpu:2 \
  --host-policy=unit_0,cpu-cores=2-3 \
  "$@"
)sh");
  const std::string small = Text("models/small/config.pbtxt");
  EXPECT_NE(small.find("kind: KIND_CPU\n  host_policy: \"unit_0\"\n"), std::string::npos) << small;
  EXPECT_NE(small.find("priority: 3\n"), std::string::npos);
  EXPECT_NE(small.find("key: \"intra_op_thread_count\"\n  value {\n    string_value: \"2\"\n"),
            std::string::npos);
  EXPECT_EQ(small.find("dynamic_batching"), std::string::npos) << "one stream, one level";
  EXPECT_FALSE(Says(emitted, "its rule"));
  EXPECT_TRUE(Says(emitted, "stream \"front\": deadline of 5000 us: Triton does not count it"));
  EXPECT_TRUE(Says(emitted, "stream \"front\": its priority is level 1 of its model"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/models/tiny/1/model.onnx"));
}

TEST_F(TritonTarget, OfAnotherPolicySaysThatItWillNotDecideSo) {
  const auto emitted = Emit("triton", R"("eft")", streams_);
  EXPECT_TRUE(Says(emitted,
                   "policy \"eft\": its rule (each task goes, when it is ready, to the unit that would "
                   "finish it first): Triton has rules of its own"));
  EXPECT_NE(Text("models/tiny/config.pbtxt").find("count: 2\n  kind: KIND_GPU"), std::string::npos)
      << "an instance per slot";
}

TEST_F(TritonTarget, ADlaIsASecondaryDeviceWithAnEngineOfItsOwn) {
  const auto emitted =
      Emit("triton", R"({"name": "triton", "instances": {"tiny.json": {"dla1": 1}}})", streams_);
  const std::string config = Text("models/tiny/config.pbtxt");
  EXPECT_NE(config.find("platform: \"tensorrt_plan\""), std::string::npos);
  EXPECT_NE(
      config.find(
          "kind: KIND_GPU\n  gpus: [0]\n  secondary_devices {\n    kind: KIND_NVDLA\n    device_id: 1\n"),
      std::string::npos)
      << config;
  EXPECT_NE(Text("build_engines.sh")
                .find("--saveEngine=models/tiny/1/model.plan --useDLACore=1 --allowGPUFallback "
                      "--int8 --fp16\n"),
            std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/onnx/tiny.onnx"));
  EXPECT_TRUE(Says(emitted, "unit \"stick\": Triton has no kind of instance for a unit of kind vpu"));
}

TEST_F(TritonTarget, ClockStatesAreForWhoDeploysToSet) {
  const auto with = [&](const char* file, const std::string& of, const std::string& more) {
    std::string text = ReadTextFile(folder_ / file);
    for (auto at = text.find(of); at != std::string::npos; at = text.find(of, at + 1)) {
      text.insert(at + of.size(), more);
    }
    WriteFile(folder_ / file, text);
  };
  with("board.platform.json", R"("name": "gpu",)", R"( "states": [{"name": "900MHz", "idle_w": 1}],)");
  with("board.profile.json", R"("unit": "gpu",)", R"( "variant": "900MHz",)");
  const auto emitted = Emit("triton", R"({"name": "single", "unit": "gpu"})", kOneStream);
  EXPECT_TRUE(Says(emitted, "unit \"gpu\": that it is in its clock state \"900MHz\": Triton sets no clocks"));
}

TEST_F(TritonTarget, WhereAGpuAndADlaShareAModelItBecomesTwo) {
  const auto emitted =
      Emit("triton", R"({"name": "triton", "instances": {"tiny.json": {"gpu": 1, "dla1": 1}}})", streams_);
  EXPECT_NE(Text("models/tiny.dla1/config.pbtxt").find("KIND_NVDLA"), std::string::npos);
  EXPECT_EQ(Text("models/tiny/config.pbtxt").find("KIND_NVDLA"), std::string::npos);
  EXPECT_TRUE(Says(emitted, "that unit \"dla1\" takes its requests, too"));
}

const std::string kCut = R"({"name": "given", "granularity": "layer",
    "map": {"tiny.json": {"fc": "gpu", "*": "dla1"}}})";
const std::string kBatchedStream =
    R"({"name": "front", "model": "tiny.json", "count": 4, "arrival": {"type": "periodic",
    "fps": 15}})";

const std::string kDropping = R"(
    {"name": "front", "model": "tiny.json", "count": 4, "arrival": {"type": "periodic", "fps": 15}, "priority": 2,
     "deadline_us": 5000, "drop_late": true},
    {"name": "rear", "model": "tiny.json", "count": 3, "arrival": {"type": "periodic", "fps": 50}},
    {"name": "plates", "model": "small.json", "count": 2, "arrival": {"type": "closed"}, "deadline_ms": 9,
     "drop_late": true})";

TEST_F(TritonTarget, WhatWaitsBeyondItsDeadlineIsDroppedAsItsStreamSays) {
  const auto emitted = Emit("triton", kPolicy, kDropping);
  EXPECT_NE(Text("models/tiny/config.pbtxt").find(R"(dynamic_batching {
  priority_levels: 2
  default_priority_level: 2
  priority_queue_policy {
    key: 1
    value {
      timeout_action: REJECT
      default_timeout_microseconds: 5000
    }
  }
})"),
            std::string::npos)
      << Text("models/tiny/config.pbtxt");
  EXPECT_NE(Text("models/small/config.pbtxt").find(R"(dynamic_batching {
  default_queue_policy {
    timeout_action: REJECT
    default_timeout_microseconds: 9000
  }
})"),
            std::string::npos)
      << Text("models/small/config.pbtxt");
  EXPECT_TRUE(Says(emitted, "stream \"front\": drop_late: Triton drops what waits for an instance"));
  EXPECT_TRUE(Says(emitted, "stream \"front\": deadline of 5000 us: Triton does not count it"));
}

TEST_F(TritonTarget, WhereStreamsOfALevelDifferNothingIsDroppedAndThatIsSaid) {
  const auto emitted = Emit("triton", R"("triton")", R"(
      {"name": "front", "model": "tiny.json", "count": 4, "arrival": {"type": "closed"}, "deadline_us": 5000,
       "drop_late": true},
      {"name": "rear", "model": "tiny.json", "count": 3, "arrival": {"type": "closed"}})");
  EXPECT_EQ(Text("models/tiny/config.pbtxt").find("queue_policy"), std::string::npos);
  EXPECT_TRUE(Says(emitted, "stream \"front\": deadline of 5000 us: Triton does not count it"));
  EXPECT_TRUE(Says(emitted, "stream \"front\": drop_late: Triton drops what waits too long only where"));
}

// The model that requests are sent to has to be there.
TEST_F(TritonTarget, OfTwoDlasTheFirstHasTheNameOfTheModel) {
  for (const char* const file : {"board.platform.json", "board.profile.json"}) {
    std::string text = ReadTextFile(folder_ / file);
    const std::string unit = R"({"name": "dla1", "kind": "npu", "memory": "dram"})";
    const std::string entry =
        R"({"model": "tiny.json", "unit": "dla1", "layers": "*", "median_us": 300, "precision": "int8"})";
    for (const std::string& of : {unit, entry}) {
      const std::size_t at = text.find(of);
      if (at == std::string::npos) continue;
      std::string other = of;
      other.replace(other.find("dla1"), 4, "dla0");
      text.insert(at, other + ", ");
    }
    WriteFile(folder_ / file, text);
  }
  const auto emitted =
      Emit("triton", R"({"name": "triton", "instances": {"tiny.json": {"dla0": 1, "dla1": 1}}})", streams_);
  EXPECT_NE(Text("models/tiny/config.pbtxt").find("device_id: 0"), std::string::npos);
  EXPECT_NE(Text("models/tiny.dla1/config.pbtxt").find("device_id: 1"), std::string::npos);
  EXPECT_NE(Text("perf/run.sh").find("-m tiny -i grpc"), std::string::npos);
  EXPECT_TRUE(Says(emitted, "model \"tiny\": that unit \"dla1\" takes its requests, too"));
  EXPECT_FALSE(Says(emitted, "that unit \"dla0\" takes"));
}

TEST_F(TritonTarget, AModelThatIsCutIsAnEnsemble) {
  Emit("triton", kCut, kBatchedStream);
  EXPECT_EQ(Text("models/tiny/config.pbtxt"), R"(name: "tiny"
platform: "ensemble"
max_batch_size: 0
input {
  name: "data"
  data_type: TYPE_FP32
  dims: [1, 3, 8, 8]
}
output {
  name: "fc"
  data_type: TYPE_FP32
  dims: [1, 10]
}
ensemble_scheduling {
  step {
    model_name: "tiny.0"
    model_version: -1
    input_map {
      key: "data"
      value: "data"
    }
    output_map {
      key: "conv1"
      value: "conv1"
    }
  }
  step {
    model_name: "tiny.1"
    model_version: -1
    input_map {
      key: "conv1"
      value: "conv1"
    }
    output_map {
      key: "relu1"
      value: "relu1"
    }
  }
  step {
    model_name: "tiny.2"
    model_version: -1
    input_map {
      key: "relu1"
      value: "relu1"
    }
    output_map {
      key: "fc"
      value: "fc"
    }
  }
}
)");
  EXPECT_NE(Text("models/tiny.2/config.pbtxt").find("KIND_GPU"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/models/tiny.2/1/model.onnx"));
}

TEST_F(TritonTarget, ScriptsAreShellAndConfigurationsAreOfTritonsMessages) {
  // The fields that are used, of the types that they have in model_config.proto.
  const char* const proto = R"(syntax = "proto3"; package inference;
enum DataType { TYPE_INVALID = 0; TYPE_FP32 = 11; }
message ModelRateLimiter { message Resource { string name = 1; bool global = 2; uint32 count = 3; }
  repeated Resource resources = 1; uint32 priority = 2; }
message ModelInstanceGroup { enum Kind { KIND_AUTO = 0; KIND_GPU = 1; KIND_CPU = 2; KIND_MODEL = 3; }
  message SecondaryDevice { enum SecondaryDeviceKind { KIND_NVDLA = 0; }
    SecondaryDeviceKind kind = 1; int64 device_id = 2; }
  string name = 1; Kind kind = 4; int32 count = 2; ModelRateLimiter rate_limiter = 6; repeated int32 gpus = 3;
  repeated SecondaryDevice secondary_devices = 8; string host_policy = 9; }
message ModelTensorReshape { repeated int64 shape = 1; }
message ModelInput { string name = 1; DataType data_type = 2; repeated int64 dims = 4; ModelTensorReshape reshape = 5; }
message ModelOutput { string name = 1; DataType data_type = 2; repeated int64 dims = 3; }
message ModelOptimizationPolicy { message ExecutionAccelerators {
    message Accelerator { string name = 1; map<string, string> parameters = 2; }
    repeated Accelerator gpu_execution_accelerator = 1; }
  ExecutionAccelerators execution_accelerators = 5; }
message ModelQueuePolicy { enum TimeoutAction { REJECT = 0; DELAY = 1; }
  TimeoutAction timeout_action = 1; uint64 default_timeout_microseconds = 2; }
message ModelDynamicBatching { repeated int32 preferred_batch_size = 1; uint64 max_queue_delay_microseconds = 2;
  uint64 priority_levels = 4; uint64 default_priority_level = 5;
  ModelQueuePolicy default_queue_policy = 6; map<uint64, ModelQueuePolicy> priority_queue_policy = 7; }
message ModelEnsembling { message Step { string model_name = 1; int64 model_version = 2;
    map<string, string> input_map = 3; map<string, string> output_map = 4; }
  repeated Step step = 1; }
message ModelParameter { string string_value = 1; }
message ModelConfig { string name = 1; string platform = 2; int32 max_batch_size = 4; repeated ModelInput input = 5;
  repeated ModelOutput output = 6; ModelOptimizationPolicy optimization = 12; ModelDynamicBatching dynamic_batching = 11;
  ModelEnsembling ensemble_scheduling = 15; repeated ModelInstanceGroup instance_group = 7;
  map<string, ModelParameter> parameters = 14; }
)";
  const bool has_protoc = RunShell("command -v protoc").status == 0;
  WriteFile(folder_ / "c.proto", proto);
  for (const auto& [policy, streams] :
       {std::pair{kPolicy, streams_}, std::pair{kPolicy, kDropping}, std::pair{kCut, kOneStream}}) {
    int configs = 0;
    const auto emitted = Emit("triton", policy, streams);
    for (const auto& file : emitted["files"]) {
      const std::string path = file;
      if (path.ends_with(".sh")) ExpectShell(path);
      if (!path.ends_with(".pbtxt")) continue;
      ++configs;
      if (!has_protoc) continue;
      const ProgramResult read =
          RunShell("protoc -I " + folder_.string() + " --encode=inference.ModelConfig c.proto < " +
                   (folder_ / "out" / path).string() + " > /dev/null");
      EXPECT_EQ(read.status, 0) << path << ": " << read.errors;
    }
    EXPECT_GE(configs, 2);
    std::filesystem::remove_all(folder_ / "out");
  }
}

TEST_F(TritonTarget, WritesTheLoadOfTheScenario) {
  const auto emitted = Emit("triton", kPolicy, streams_);
  EXPECT_EQ(Text("perf/front.intervals"), "0\n66667\n66666\n66667\n") << "15 a second, dates rounded";
  EXPECT_EQ(Text("perf/rear.jsonl"), "{\"timestamp\": 0}\n{\"timestamp\": 20}\n{\"timestamp\": 40}\n");
  const std::string script = Text("perf/run.sh");
  EXPECT_NE(script.find("-m tiny -i grpc --async --request-intervals=perf/front.intervals --request-count=4"),
            std::string::npos)
      << script;
  EXPECT_NE(script.find("-m small -i grpc --async --concurrency-range=2 --request-count=2"),
            std::string::npos);
  EXPECT_NE(Text("model_analyzer.yaml")
                .find("      - - kind: KIND_CPU\n          count: [1]\n"
                      "        - kind: KIND_GPU\n          count: [1]\n"),
            std::string::npos)
      << Text("model_analyzer.yaml");
  // And reads it again.
  std::filesystem::copy(folder_ / "out/perf/front.intervals", folder_ / "front.intervals");
  Emit("triton", R"("eft")", R"({"name": "front", "model": "tiny.json", "arrival": {"type": "trace",
      "file": "front.intervals", "intervals": true}})");
  EXPECT_EQ(Text("perf/front.intervals"), "0\n66667\n66666\n66667\n");
}

}  // namespace
}  // namespace tandem
