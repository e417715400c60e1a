// Are requests that go together in the simulation put together by Triton, from a model that takes any batch?
#include "profiles/model/model_source.h"
#include "tests/sim/emit/board_for_targets.h"

namespace tandem {
namespace {

// tiny.json alone on the GPU, in batches of 1, 2 and 4.
class TritonBatching : public BoardForTargets {
 protected:
  TritonBatching() {
    const std::string file = "board.profile.json";
    std::string text = ReadTextFile(folder_ / file);
    const std::string first = "\"entries\": [";
    for (const char* const more : {R"({"model": "tiny.json", "unit": "gpu", "layers": "*", "batch": 2,
              "median_us": 250, "precision": "fp16"},)",
                                   R"({"model": "tiny.json", "unit": "gpu", "layers": "*", "batch": 4,
              "median_us": 300, "precision": "fp16"},)",
                                   R"({"model": "tiny.json", "unit": "dla1", "layers": "*", "batch": 2,
              "median_us": 400, "precision": "int8"},)"}) {
      text.insert(text.find(first) + first.size(), more);
    }
    WriteFile(folder_ / file, text);
  }

  static std::string StreamOf(const std::string& name, const std::string& batching,
                              const std::string& more = "") {
    return R"({"name": ")" + name + R"(", "model": "tiny.json", "count": 8, "arrival": {"type": "periodic",
        "fps": 100})" +
           (batching.empty() ? "" : R"(, "batching": )" + batching) + more + "}";
  }

  Shape OutputInBatchOf(std::int64_t batch) const {
    ImportOptions options;
    options.input = Shape{batch, 3, 8, 8};
    const Model model = ImportModel(folder_ / "out/models/tiny/1/model.onnx", options).model;
    return model.layer(model.Outputs()[0]).output;
  }
};

const std::string kOnGpu = R"({"name": "triton", "instances": {"tiny.json": {"gpu": 1}}})";

TEST_F(TritonBatching, OfAStreamIsTheModelsInItsWords) {
  const auto emitted =
      Emit("triton", kOnGpu, StreamOf("front", R"({"most": 4, "wait_us": 2000, "preferred": [2, 4]})"));
  EXPECT_EQ(Text("models/tiny/config.pbtxt"), R"(name: "tiny"
platform: "onnxruntime_onnx"
max_batch_size: 4
input {
  name: "data"
  data_type: TYPE_FP32
  dims: [3, 8, 8]
}
output {
  name: "fc"
  data_type: TYPE_FP32
  dims: [10]
}
instance_group {
  name: "tiny_gpu"
  count: 1
  kind: KIND_GPU
  gpus: [0]
  rate_limiter {
    resources {
      name: "gpu"
      global: true
      count: 1
    }
    priority: 1
  }
}
dynamic_batching {
  preferred_batch_size: [2, 4]
  max_queue_delay_microseconds: 2000
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
  EXPECT_EQ(ImportModel(folder_ / "out/models/tiny/1/model.onnx").model.batch(), 1);
  for (const std::int64_t batch : {1, 2, 3, 4}) EXPECT_EQ(OutputInBatchOf(batch), (Shape{batch, 10}));
  EXPECT_TRUE(Says(emitted,
                   "model \"tiny\": that requests go together (\"batching\"): with preferred sizes Triton "
                   "waits no longer than until one of them is full"));
}

TEST_F(TritonBatching, WithoutAWaitTakesWhatThereIs) {
  const auto emitted = Emit("triton", kOnGpu, StreamOf("front", R"({"most": 2})"));
  const std::string config = Text("models/tiny/config.pbtxt");
  EXPECT_NE(config.find("max_batch_size: 2\n"), std::string::npos) << config;
  EXPECT_NE(config.find("dynamic_batching {\n}\n"), std::string::npos) << config;
  EXPECT_FALSE(Says(emitted, "go together"));
}

TEST_F(TritonBatching, WithLevelsAndDropsOfTheOtherStream) {
  const auto emitted = Emit("triton", kOnGpu,
                            StreamOf("front", R"({"most": 2, "wait_us": 500})", R"(, "priority": 1)") + ", " +
                                StreamOf("rear", "", R"(, "deadline_us": 9000, "drop_late": true)"));
  EXPECT_NE(Text("models/tiny/config.pbtxt").find(R"(dynamic_batching {
  max_queue_delay_microseconds: 500
  priority_levels: 2
  default_priority_level: 2
  priority_queue_policy {
    key: 2
    value {
      timeout_action: REJECT
      default_timeout_microseconds: 9000
    }
  }
}
)"),
            std::string::npos)
      << Text("models/tiny/config.pbtxt");
  EXPECT_TRUE(Says(emitted,
                   "stream \"rear\": that its requests run one by one: Triton puts them together with those "
                   "of stream \"front\", which has the same model"));
}

TEST_F(TritonBatching, OfSeveralStreamsIsOneQueue) {
  const std::string together = R"({"most": 2, "across": true})";
  auto emitted = Emit("triton", kOnGpu, StreamOf("front", together) + ", " + StreamOf("rear", together));
  EXPECT_FALSE(Says(emitted, "stream \"rear\"")) << emitted;
  const std::string apart = R"({"most": 2})";
  emitted = Emit("triton", kOnGpu, StreamOf("front", apart) + ", " + StreamOf("rear", apart));
  EXPECT_TRUE(Says(emitted,
                   "stream \"rear\": that its batches are of its requests alone: Triton takes those of "
                   "stream \"front\" along"));
  emitted = Emit("triton", kOnGpu, StreamOf("front", apart) + ", " + StreamOf("rear", R"({"most": 4})"));
  EXPECT_TRUE(Says(emitted,
                   "stream \"rear\": its own \"batching\": Triton has one for a model, that of stream "
                   "\"front\""));
}

TEST_F(TritonBatching, OfAnEngineForADlaIsLeftOut) {
  const auto emitted = Emit("triton", R"({"name": "triton", "instances": {"tiny.json": {"dla1": 1}}})",
                            StreamOf("front", R"({"most": 2})"));
  const std::string config = Text("models/tiny/config.pbtxt");
  EXPECT_NE(config.find("max_batch_size: 0\n"), std::string::npos) << config;
  EXPECT_NE(config.find("dims: [1, 3, 8, 8]"), std::string::npos) << config;
  EXPECT_EQ(config.find("dynamic_batching"), std::string::npos) << config;
  EXPECT_TRUE(
      Says(emitted, "\"tiny\" is an engine for a DLA, which is of one batch: it runs them one by one"));
}

// Its rows are one after the other in the first extent: two requests would be one row of twice the length.
TEST_F(TritonBatching, OfAModelWhoseBatchIsNoExtentOfItsOwnIsLeftOutWithTheReason) {
  std::string text = ReadTextFile(folder_ / "tiny.json");
  text.insert(text.rfind(']'), R"(, {"name": "row", "op": "reshape", "inputs": ["fc"], "shape": [1, -1]})");
  WriteFile(folder_ / "tiny.json", text);
  const auto emitted = Emit("triton", kOnGpu, StreamOf("front", R"({"most": 2})"));
  EXPECT_NE(Text("models/tiny/config.pbtxt").find("max_batch_size: 0\n"), std::string::npos);
  EXPECT_TRUE(Says(emitted,
                   "model \"tiny\": that requests go together (\"batching\"): its file is of one request, "
                   "since it cannot be of more: tiny: layer \"row\" is 1x10 in batch 1 and 1x20 in batch 2: "
                   "its first extent is not the batch"))
      << emitted;
}

// Eight at once, of which one unit begins up to four together, alone on the board: 4 and 4, so 6 ran along.
TEST_F(TritonBatching, ElsewhereIsSaidToBeLeftOut) {
  const std::string at_once = R"({"name": "front", "model": "tiny.json", "count": 8,
      "arrival": {"type": "offline"}, "batching": {"most": 4}})";
  const std::string on_gpu = R"({"name": "single", "unit": "gpu"})";
  auto emitted = Emit("onnxruntime", on_gpu, at_once);
  EXPECT_TRUE(Says(emitted,
                   "stream \"front\": 6 requests that ran along in batches of others: run.mjs runs of each "
                   "batch its first request, alone"))
      << emitted;
  for (const char* const target : {"onnxruntime", "tensorrt", "deepstream", "systemd"}) {
    emitted = Emit(target, on_gpu, at_once);
    EXPECT_TRUE(Says(emitted, "stream \"front\": that up to 4 requests which wait are begun together: "))
        << target;
  }
}

}  // namespace
}  // namespace tandem
