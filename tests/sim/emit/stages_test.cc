// What do the targets have for a model that only a program of its own can look into?
#include "tests/sim/emit/board_for_targets.h"

namespace tandem {
namespace {

// A camera's decoder on the cores, and an engine on the GPU or the DLA behind it.
class StagesOfTargets : public BoardForTargets {
 protected:
  StagesOfTargets() {
    WriteFile(folder_ / "decode.json", R"({"tandem": "model/1", "name": "decode", "layers": [
        {"name": "sent", "op": "input", "shape": [1, 64], "type": "uint8"},
        {"name": "image", "op": "opaque", "inputs": ["sent"], "shape": [1, 3, 8, 8], "type": "bf16"}]})");
    WriteFile(folder_ / "engine.json", R"({"tandem": "model/1", "name": "engine", "layers": [
        {"name": "image", "op": "input", "shape": [1, 3, 8, 8]},
        {"name": "boxes", "op": "opaque", "inputs": ["image"], "shape": [1, 9], "params": 100}]})");
    WriteFile(folder_ / "board.profile.json", R"({"tandem": "profile/1", "platform": "board.platform.json",
        "origin": {"kind": "published", "source": "made up"}, "entries": [
          {"model": "decode.json", "unit": "cpu", "layers": "*", "median_us": 900},
          {"model": "engine.json", "unit": "gpu", "layers": "*", "median_us": 200, "precision": "fp16"},
          {"model": "engine.json", "unit": "dla1", "layers": "*", "median_us": 150, "precision": "int8"},
          {"model": "tiny.json", "unit": "gpu", "layers": "*", "median_us": 200, "precision": "fp16"}]})");
  }
  bool Exists(const std::string& file) const { return std::filesystem::exists(folder_ / "out" / file); }

  const std::string pipeline_ = R"(
      {"name": "decode", "model": "decode.json", "count": 4, "arrival": {"type": "periodic", "fps": 15}},
      {"name": "find", "model": "engine.json", "depends_on": {"stream": "decode", "data": true}},
      {"name": "name", "model": "tiny.json", "depends_on": {"stream": "find"}})";
  const std::string found_ = R"({"name": "find", "model": "engine.json", "count": 2,
      "arrival": {"type": "periodic", "fps": 30}})";
};

TEST_F(StagesOfTargets, TritonHasAFileOfPythonForEach) {
  const auto emitted = Emit("triton", R"("fcfs")", pipeline_);
  const std::string config = Text("models/decode/config.pbtxt");
  EXPECT_NE(config.find("name: \"decode\"\nbackend: \"python\"\nmax_batch_size: 0\n"), std::string::npos)
      << config;
  EXPECT_NE(config.find("name: \"sent\"\n  data_type: TYPE_UINT8\n  dims: [1, 64]\n"), std::string::npos)
      << config;
  EXPECT_NE(config.find("name: \"image\"\n  data_type: TYPE_BF16\n"), std::string::npos) << config;
  EXPECT_EQ(config.find("intra_op_thread_count"), std::string::npos) << "a word of ONNX Runtime's";
  EXPECT_NE(Text("models/decode/1/model.py").find("raise utils.TritonModelException"), std::string::npos);
  EXPECT_FALSE(Exists("models/decode/1/model.onnx"));
  EXPECT_TRUE(Exists("models/tiny/1/model.onnx"));
  EXPECT_TRUE(Says(emitted,
                   "model \"decode\": only a program of its own can look into it: "
                   "models/decode/1/model.py is the place for that, to be filled in"));
  EXPECT_FALSE(Says(emitted, "model \"decode\": tandem knows no weights"));
  EXPECT_TRUE(Says(emitted, "model \"tiny\": tandem knows no weights"));
}

// The server's module stands in; with what its owner writes, execute answers.
TEST_F(StagesOfTargets, TritonsFileOfPythonRunsWhenItIsFilledIn) {
  if (RunShell("command -v python3").status != 0) GTEST_SKIP() << "python3 is not here";
  Emit("triton", R"("fcfs")", pipeline_);
  const std::filesystem::path place = folder_ / "out/models/decode/1";
  WriteFile(place / "triton_python_backend_utils.py",
            "class TritonModelException(Exception):\n    pass\n\n\nclass InferenceResponse:\n"
            "    def __init__(self, output_tensors):\n        self.tensors = output_tensors\n");
  const std::string call = "cd " + place.string() +
                           " && python3 -c 'import model; m = model.TritonPythonModel(); m.initialize({}); "
                           "print([r.tensors for r in m.execute([1, 2])])'";
  const ProgramResult empty = RunShell(call);
  EXPECT_NE(empty.status, 0);
  EXPECT_NE(empty.errors.find("the stage is not filled in"), std::string::npos) << empty.errors;
  std::string text = Text("models/decode/1/model.py");
  const std::string unfilled = "raise utils.TritonModelException(\"the stage is not filled in\")  # FILL IN";
  ASSERT_NE(text.find(unfilled), std::string::npos) << text;
  WriteFile(place / "model.py", text.replace(text.find(unfilled), unfilled.size(), "return [10 * request]"));
  const ProgramResult filled = RunShell(call);
  EXPECT_EQ(filled.output, "[[10], [20]]\n") << filled.errors;
}

TEST_F(StagesOfTargets, TritonBuildsNoEngineOfAStageForADla) {
  Emit("triton", R"("single:dla1")", found_);
  EXPECT_NE(Text("models/engine/config.pbtxt").find("backend: \"python\""), std::string::npos);
  EXPECT_NE(Text("models/engine/config.pbtxt").find("kind: KIND_MODEL"), std::string::npos);
  EXPECT_EQ(Text("models/engine/config.pbtxt").find("KIND_NVDLA"), std::string::npos);
  EXPECT_FALSE(Exists("build_engines.sh"));
}

TEST_F(StagesOfTargets, TensorRtRunsAnEngineThatItsOwnerPutsThere) {
  const auto emitted = Emit("tensorrt", R"("single:gpu")", found_);
  EXPECT_EQ(nlohmann::json::parse(Text("engines.json"))["engines"], nlohmann::json::parse(R"([
      {"engine": "engines/engine.gpu.engine", "model": "engine", "units": ["gpu"], "onnx": null, "build": [],
       "run": ["--loadEngine=engines/engine.gpu.engine", "--infStreams=2",
               "--exportProfile=profiles/engine.gpu.json", "--exportTimes=profiles/engine.gpu.times.json"]}])"));
  EXPECT_FALSE(Exists("onnx"));
  EXPECT_TRUE(Says(emitted, "engines/engine.gpu.engine is the place for that"));
  // The scripts do without it, and run it once it is there.
  const std::string out = (folder_ / "out").string();
  const std::string with = "TRTEXEC=true sh " + out;
  EXPECT_EQ(RunShell(with + "/build.sh").errors, "FILL IN: put your engine at engines/engine.gpu.engine\n");
  const ProgramResult without = RunShell(with + "/run.sh");
  EXPECT_EQ(without.status, 0);
  EXPECT_EQ(without.errors, "skipped: engines/engine.gpu.engine, which is yours to put there\n");
  WriteFile(folder_ / "out/engines/engine.gpu.engine", "an engine");
  EXPECT_EQ(RunShell(with + "/build.sh").errors, "");
  const ProgramResult runs = RunShell("TRTEXEC=echo sh " + out + "/run.sh");
  EXPECT_EQ(runs.status, 0) << runs.errors;
  EXPECT_EQ(runs.output.rfind("--loadEngine=engines/engine.gpu.engine ", 0), 0U) << runs.output;
}

TEST_F(StagesOfTargets, DeepStreamLoadsAnEngineAndBuildsNone) {
  const auto emitted = Emit("deepstream", R"("single:dla1")", found_);
  const std::string config = Text("config_infer_find.txt");
  EXPECT_EQ(config.find("onnx-file"), std::string::npos) << config;
  EXPECT_EQ(config.find("int8-calib-file"), std::string::npos) << config;
  EXPECT_NE(
      config.find("# FILL IN: only a program of its own can look into this model. Put your engine there.\n"
                  "model-engine-file=onnx/engine.onnx_b1_dla1_int8.engine\n"),
      std::string::npos)
      << config;
  EXPECT_FALSE(Exists("onnx"));
  EXPECT_TRUE(Says(emitted, "model-engine-file of config_infer_find.txt is the place for that"));
}

TEST_F(StagesOfTargets, SystemdStartsAScript) {
  const auto emitted = Emit("systemd", R"("fcfs")", pipeline_);
  EXPECT_NE(Text("units/tandem-decode.service")
                .find("ExecStart=\"/usr/local/share/tandem/stages/decode\"\n\n[Install]\n"),
            std::string::npos);
  EXPECT_TRUE(Says(emitted, "stages/decode is the place for that"));
  ExpectShell("stages/decode");
  const std::string out = (folder_ / "out").string();
  const ProgramResult unfilled = RunShell(out + "/stages/decode");
  EXPECT_EQ(unfilled.status, 1);
  EXPECT_EQ(unfilled.errors, "the stage is not filled in\n");
  ASSERT_EQ(RunShell("DESTDIR=" + out + "/root sh " + out + "/install.sh").status, 0);
  EXPECT_EQ(RunShell(out + "/root/usr/local/share/tandem/stages/engine").status, 1) << "it can be run";
}

}  // namespace
}  // namespace tandem
