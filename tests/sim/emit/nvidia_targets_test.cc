// Do trtexec and DeepStream get what the plan says, as far as they have words for it?
#include <map>
#include <sstream>

#include "tests/sim/emit/board_for_targets.h"

namespace tandem {
namespace {

using TensorRtTarget = BoardForTargets;
using DeepStreamTarget = BoardForTargets;

std::string LinesWith(const std::string& text, const std::string& word) {
  std::string found, line;
  for (std::istringstream lines(text); std::getline(lines, line);) {
    if (line.find(word) != std::string::npos) found += line + "\n";
  }
  return found;
}

TEST_F(TensorRtTarget, HasAnEnginePerModelAndChip) {
  const auto emitted =
      Emit("tensorrt", R"({"name": "triton", "instances": {"tiny.json": {"gpu": 1, "dla1": 1},
      "small.json": {"gpu": 1, "cpu": 1}}})",
           streams_);
  EXPECT_EQ(LinesWith(Text("build.sh"), "--onnx"),
            "\"$trtexec\" --onnx=onnx/tiny.onnx --saveEngine=engines/tiny.gpu.engine --fp16\n"
            "\"$trtexec\" --onnx=onnx/tiny.onnx --saveEngine=engines/tiny.dla1.engine --useDLACore=1 "
            "--allowGPUFallback --int8 --fp16\n"
            "\"$trtexec\" --onnx=onnx/small.onnx --saveEngine=engines/small.gpu.engine --fp16\n");
  EXPECT_EQ(LinesWith(Text("run.sh"), "tiny.dla1"),
            "\"$trtexec\" --loadEngine=engines/tiny.dla1.engine --useDLACore=1 "
            "--exportProfile=profiles/tiny.dla1.json "
            "--exportTimes=profiles/tiny.dla1.times.json $(streams \"${STREAMS:-1}\")\n");
  const auto listing = nlohmann::json::parse(Text("engines.json"));
  ASSERT_EQ(listing["engines"].size(), 3U);
  EXPECT_EQ(listing["engines"][1]["units"][0], "dla1");
  EXPECT_EQ(listing["engines"][0]["run"][1], "--infStreams=2") << "the slots of the GPU";
  EXPECT_TRUE(
      Says(emitted, "unit \"cpu\": TensorRT runs on GPU and DLA, not on a unit of kind cpu: \"small\""));
  EXPECT_TRUE(Says(emitted, "engine \"tiny.dla1\": the scales of int8"));
  EXPECT_TRUE(Says(emitted, "stream \"front\": priority 2: TensorRT knows none"));
  ExpectShell("build.sh");
  ExpectShell("run.sh");
}

TEST_F(TensorRtTarget, LayersAreGivenToGpuAndDla) {
  Emit("tensorrt",
       R"({"name": "given", "granularity": "layer", "map": {"tiny.json": {"fc": "gpu", "*": "dla1"}}})",
       kOneStream);
  EXPECT_EQ(LinesWith(Text("build.sh"), "--onnx"),
            "\"$trtexec\" --onnx=onnx/tiny.onnx --saveEngine=engines/tiny.gpu_dla1.engine --useDLACore=1 "
            "--allowGPUFallback --int8 --fp16 --layerDeviceTypes=conv1:DLA,relu1:DLA,fc:GPU\n");
}

TEST_F(DeepStreamTarget, SaysOfWhichStreamItHasNoFiles) {
  const auto emitted = Emit(
      "deepstream", R"({"name": "affinity", "map": {"tiny.json": "gpu", "small.json": "cpu"}})", streams_);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/app_plates.txt"));
  EXPECT_TRUE(
      Says(emitted, "stream \"plates\": no file is written for it, since no GPU and no DLA runs any of it"));
}

// 200 us of work, 1 us of time for it, and another stream's request before it.
TEST_F(TensorRtTarget, SaysOfWhichStreamNothingRan) {
  for (const char* const target : {"tensorrt", "deepstream", "systemd", "triton", "onnxruntime"}) {
    const auto emitted =
        Emit(target, R"({"name": "affinity", "map": {"tiny.json": "dla1"}})",
             R"({"name": "all", "model": "tiny.json", "count": 9, "arrival": {"type": "offline"}},
        {"name": "late", "model": "tiny.json", "batch": 1, "count": 2, "arrival": {"type": "periodic", "fps": 1000,
         "phase_us": 10}, "deadline_us": 1, "drop_late": true})");
    EXPECT_TRUE(Says(emitted, "stream \"late\": none of its requests ran in the simulation")) << target;
  }
}

TEST_F(TensorRtTarget, RefusesAPlanWithoutGpuAndDla) {
  WriteFile(folder_ / "s.scenario.json", R"({"tandem": "scenario/1", "name": "cpu alone",
      "platform": "board.platform.json", "profiles": ["board.profile.json"], "transfer": "none", "streams": [)" +
                                             kOneStream + R"(], "policies": ["single:cpu"]})");
  for (const char* const target : {"tensorrt", "deepstream"}) {
    const ProgramResult result = RunTandem("plan " + (folder_ / "s.scenario.json").string() + " --emit " +
                                           target + " -o " + (folder_ / "out").string());
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.errors.find("--emit: "), std::string::npos) << result.errors;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
  }
}

using Groups = std::map<std::string, std::map<std::string, std::string>>;

Groups IniOf(const std::string& text) {
  Groups groups;
  std::string line, group;
  for (std::istringstream lines(text); std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line.front() == '[') {
      EXPECT_EQ(line.back(), ']');
      group = line.substr(1, line.size() - 2);
      EXPECT_TRUE(groups.try_emplace(group).second) << group << " is there twice";
      continue;
    }
    const std::size_t at = line.find('=');
    EXPECT_NE(at, std::string::npos) << line;
    EXPECT_TRUE(groups[group].emplace(line.substr(0, at), line.substr(at + 1)).second) << line;
  }
  return groups;
}

TEST_F(DeepStreamTarget, AModelOnADlaHasItsCoreAndFramesAreLeftOut) {
  const auto emitted = Emit("deepstream", R"("single:dla1")", kOneStream);
  Groups infer = IniOf(Text("config_infer_front.txt"));
  EXPECT_EQ(infer["property"],
            (std::map<std::string, std::string>{{"gpu-id", "0"},
                                                {"enable-dla", "1"},
                                                {"use-dla-core", "1"},
                                                {"onnx-file", "onnx/tiny.onnx"},
                                                {"model-engine-file", "onnx/tiny.onnx_b1_dla1_int8.engine"},
                                                {"batch-size", "1"},
                                                {"interval", "2"},
                                                {"network-mode", "1"},
                                                {"int8-calib-file", "onnx/tiny.calib"},
                                                {"infer-dims", "3;8;8"},
                                                {"gie-unique-id", "1"},
                                                {"process-mode", "1"},
                                                {"network-type", "100"},
                                                {"output-tensor-meta", "1"}}));
  Groups app = IniOf(Text("app_front.txt"));
  EXPECT_EQ(app["source0"]["camera-fps-n"], "30");
  EXPECT_EQ(app["primary-gie"]["config-file"], "config_infer_front.txt");
  EXPECT_TRUE(Says(
      emitted, "stream \"front\": its source: taken is a camera of 30 frames per second, of which 2 are"));
  ExpectShell("run.sh");
}

TEST_F(DeepStreamTarget, EachStreamHasASourceOfItsRate) {
  const auto emitted = Emit("deepstream", R"("single:gpu")", streams_);
  Groups rear = IniOf(Text("app_rear.txt"));
  EXPECT_EQ(rear["source0"]["camera-fps-n"], "50");
  EXPECT_EQ(rear["source0"]["camera-v4l2-dev-node"], "1") << "front has the first";
  EXPECT_EQ(rear["primary-gie"]["interval"], "0");
  EXPECT_EQ(IniOf(Text("config_infer_rear.txt"))["property"]["network-mode"], "2") << "fp16";
  EXPECT_EQ(IniOf(Text("config_infer_rear.txt"))["property"]["model-engine-file"],
            "onnx/tiny.onnx_b1_gpu0_fp16.engine")
      << "where nvinfer puts what it builds";
  EXPECT_TRUE(Says(emitted, "stream \"plates\": when its requests come"));
  EXPECT_TRUE(Says(emitted, "model \"small\": tandem knows no weights of it: its files have random ones"));
  EXPECT_NE(Text("run.sh").find("-c app_front.txt -c app_rear.txt -c app_plates.txt"), std::string::npos);
}

}  // namespace
}  // namespace tandem
