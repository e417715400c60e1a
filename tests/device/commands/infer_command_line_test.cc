// Does `tandem-device infer` feed what it is given, give back what the unit made, and refuse what does not
// fit?
#include <gtest/gtest.h>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "device/host/info.h"
#include "profiles/base/files.h"
#include "profiles/base/sha256.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {
namespace fs = std::filesystem;

class InferCommand : public ::testing::Test {
 protected:
  InferCommand() {
    Write("difference.json", R"({"tandem": "model/1", "name": "difference",
      "layers": [{"name": "whole", "op": "input", "shape": [1, 3]},
                 {"name": "part", "op": "input", "shape": [1, 3]},
                 {"name": "d", "op": "sub", "inputs": ["whole", "part"]},
                 {"name": "minus", "op": "neg", "inputs": ["d"]},
                 {"name": "same", "op": "abs", "inputs": ["d"]}]})");
  }

  void Write(const std::string& name, std::string_view text) { WriteFile(folder_ / name, text); }
  void WriteFloats(const std::string& name, const std::vector<float>& values) {
    Write(name, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
  }
  std::vector<float> ReadFloats(const std::string& name) {
    const std::string bytes = ReadTextFile(folder_ / name);
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  ProgramResult Infer(const std::string& arguments) {
    return RunShell("cd " + folder_.string() + " && " TANDEM_PROGRAM " infer " + arguments);
  }

  TempFolder folder_;
};

TEST_F(InferCommand, FeedsInputsAndGivesOutputsInTheModelsOrder) {
  WriteFloats("in.raw", {5, 6, 7, 1, 2, 30});
  const ProgramResult result =
      Infer("difference.json --unit reference --repeat 3 --input in.raw --output out.raw --json");
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(ReadFloats("out.raw"), (std::vector<float>{-4, -4, 23, 4, 4, 23}));
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_EQ(json.at("model"), "difference.json");
  EXPECT_EQ(json.at("samples"), 3);
  EXPECT_LE(json.at("min_ms").get<double>(), json.at("median_ms").get<double>());
  const std::string bytes = ReadTextFile(folder_ / "out.raw");
  EXPECT_EQ(json.at("output_sha256"), Sha256(std::as_bytes(std::span(bytes))));
}

TEST_F(InferCommand, BatchMultipliesWhatTheFilesHold) {
  WriteFloats("in.raw", {1, 2, 3, 4, 5, 6, 0, 0, 0, 1, 1, 1});
  const ProgramResult result =
      Infer("difference.json --unit reference --repeat 1 --batch 2 --input in.raw --output out.raw --json");
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(ReadFloats("out.raw"), (std::vector<float>{-1, -2, -3, -3, -4, -5, 1, 2, 3, 3, 4, 5}));
  EXPECT_EQ(nlohmann::json::parse(result.output).at("batch"), 2);
}

TEST_F(InferCommand, InputOfAnotherSizeIsRefusedWithTheBytesItTakes) {
  WriteFloats("in.raw", {1, 2, 3, 4, 5});
  const ProgramResult result = Infer("difference.json --unit reference --input in.raw --output out.raw");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.errors,
            "in.raw: holds 20 bytes; the model's input (\"whole\" 1x3, \"part\" 1x3, float32) takes 24\n");
  EXPECT_FALSE(fs::exists(folder_ / "out.raw"));
}

TEST_F(InferCommand, RandomInputsAndWeightsFollowTheSeed) {
  const std::string model = TANDEM_TEST_DIR "/data/diamond.model.json --unit reference --repeat 1 --json";
  const auto hash = [&](const std::string& more) {
    const ProgramResult result = Infer(model + more);
    EXPECT_EQ(result.status, 0) << result.errors;
    return nlohmann::json::parse(result.output).at("output_sha256").get<std::string>();
  };
  EXPECT_EQ(hash(""), hash(" --seed 1"));
  EXPECT_NE(hash(""), hash(" --seed 2"));
}

TEST_F(InferCommand, WhereNothingWasToBeChosenNothingIsSaidToBeChosenAnew) {
  const std::string command = "difference.json --unit reference --repeat 1 --add-kernels store.json";
  const ProgramResult json = Infer(command + " --json"), text = Infer(command);
  ASSERT_EQ(json.status, 0) << json.errors;
  EXPECT_EQ(nlohmann::json::parse(json.output).at("kernels_taken"), nullptr);
  EXPECT_NE(text.output.find("kernels without another way: there was nothing to choose\n"), std::string::npos)
      << text.output;
}

TEST_F(InferCommand, KernelsThatAProfileKeepsAreTakenAndOthersChosenAnew) {
  Write("conv.json", R"({"tandem": "model/1", "name": "conv", "layers": [
    {"name": "in", "op": "input", "shape": [1, 16, 16, 16]},
    {"name": "c", "op": "conv", "inputs": ["in"], "out_channels": 16, "kernel": [3, 3], "pad": [1, 1, 1, 1]}]})");
  const ProgramResult profiled = RunShell(
      "cd " + folder_.string() + " && " TANDEM_PROGRAM " profile --model ./conv.json --budget 1 -o p.json");
  if (profiled.status != 0) GTEST_SKIP() << "no kernels to choose here: " << profiled.errors;
  const auto kept = nlohmann::json::parse(ReadTextFile(folder_ / "p.json"));
  const std::string unit = kept.at("entries").at(0).at("unit");
  const auto infer = [&](const std::string& more, const std::string& model = "./conv.json") {
    const ProgramResult result = Infer(model + " --unit " + unit + " --repeat 2 --json" + more);
    EXPECT_EQ(result.status, 0) << result.errors;
    return nlohmann::json::parse(result.output);
  };
  if (!kept.contains("kernels")) GTEST_SKIP() << "its backend has nothing to choose";
  EXPECT_TRUE(infer(" --kernels p.json").at("kernels_taken"));
  for (const std::string& spelled : {std::string("conv.json"), (folder_ / "conv.json").string()}) {
    EXPECT_TRUE(infer(" --kernels p.json", spelled).at("kernels_taken")) << spelled << " is the same file";
  }
  EXPECT_FALSE(infer("").contains("kernels_taken"));
  EXPECT_FALSE(infer(" --add-kernels store.json").at("kernels_taken")) << "there is none yet";
  EXPECT_TRUE(infer(" --add-kernels store.json").at("kernels_taken"));
  EXPECT_EQ(Infer("./conv.json --unit " + unit + " --kernels p.json --add-kernels store.json").status, 2);
  EXPECT_FALSE(infer(" --batch 2 --kernels p.json").at("kernels_taken")) << "they are of another batch";
  EXPECT_EQ(Infer("./conv.json --unit " + unit + " --kernels none.json").status, 2);
}

TEST_F(InferCommand, StepsAreListedWithTheirLayers) {
  const ProgramResult result = Infer("difference.json --unit reference --repeat 2 --steps --json");
  ASSERT_EQ(result.status, 0) << result.errors;
  const auto steps = nlohmann::json::parse(result.output).at("steps");
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].at("layers"), nlohmann::json::array({"d"}));
  EXPECT_GE(steps[0].at("median_ms").get<double>(), 0);
}

TEST_F(InferCommand, UnitIsOneOfThePlatformAskedFor) {
  Write("board.json", R"({"tandem": "platform/1", "name": "board", "memories": [{"name": "dram"}],
    "units": [{"name": "npu", "kind": "npu", "memory": "dram"},
              {"name": "plain", "kind": "cpu", "memory": "dram", "backend": "reference"}]})");
  const ProgramResult plain = Infer("difference.json --platform board.json --unit plain --repeat 1 --json");
  ASSERT_EQ(plain.status, 0) << plain.errors;
  EXPECT_EQ(nlohmann::json::parse(plain.output).at("unit"), "plain");
  const ProgramResult misspelt = Infer("difference.json --platform board.json --unit plein");
  EXPECT_EQ(misspelt.status, 2);
  EXPECT_EQ(misspelt.errors, "--unit: no unit \"plein\" in platform \"board\"; did you mean \"plain\"?\n");
  const ProgramResult first = Infer("difference.json --platform board.json");
  EXPECT_EQ(first.status, 2);
  EXPECT_EQ(first.errors.rfind("board.json: unit \"npu\" names no backend", 0), 0u) << first.errors;
}

TEST_F(InferCommand, ProgramsTellTheirHashAndTakeNoFiles) {
  if (RunShell("python3 -c ''").status != 0) GTEST_SKIP() << "no python3 to run the adapter";
  Write("board.json", R"({"tandem": "platform/1", "name": "board", "memories": [{"name": "dram"}],
    "units": [{"name": "tpu", "kind": "tpu", "memory": "dram", "backend": "command",
               "command": ["python3", ")" TANDEM_TEST_DIR R"(/support/device/echo_adapter.py"]}]})");
  const ProgramResult result =
      Infer("alexnet --platform board.json --repeat 2 --steps --json --allow-commands");
  ASSERT_EQ(result.status, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_TRUE(json.at("output_sha256").is_null());
  EXPECT_EQ(json.at("output_hash").get<std::string>().size(), 64u);
  EXPECT_EQ(json.at("steps").size(), 1u);
  WriteFloats("in.raw", {1, 2, 3, 4, 5, 6});
  const ProgramResult fed = Infer("difference.json --platform board.json --input in.raw --allow-commands");
  EXPECT_EQ(fed.status, 2);
  EXPECT_EQ(fed.errors, "--input: unit \"tpu\" takes no input from here and gives no output\n");
  const ProgramResult refused = Infer("alexnet --platform board.json --repeat 1");
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.errors.find("board.json: names a program to be started, unit \"tpu\": \"python3 "), 0u)
      << refused.errors;
}

TEST_F(InferCommand, ProgramsWhoseOutputsChangeForOneInputAreTold) {
  if (RunShell("python3 -c ''").status != 0) GTEST_SKIP() << "no python3 to run the adapter";
  Write("board.json", R"({"tandem": "platform/1", "name": "board", "memories": [{"name": "dram"}],
    "units": [{"name": "tpu", "kind": "tpu", "memory": "dram", "backend": "command",
               "command": ["python3", ")" TANDEM_TEST_DIR R"(/support/device/echo_adapter.py",
                           "--at", "run", "--after", "1", "--do", "ok 2000000 another"]}]})");
  const ProgramResult json =
      Infer("difference.json --platform board.json --repeat 2 --json --allow-commands");
  EXPECT_EQ(json.status, 1);
  EXPECT_EQ(json.errors,
            "tandem-device infer: unit \"tpu\": its program tells several hashes of the outputs for one "
            "input: they change from run to run\n");
  EXPECT_EQ(nlohmann::json::parse(json.output).at("output_hash_changed"), true);
  EXPECT_EQ(nlohmann::json::parse(json.output).at("output_hash"), "another");
  const ProgramResult text = Infer("difference.json --platform board.json --repeat 2 --allow-commands");
  EXPECT_NE(text.output.find("output hash another of the last run, and others of runs before\n"),
            std::string::npos)
      << text.output;
}

// A unit that runs without an end, and in its third run does that.
std::string BoardOfAUnitThatInItsThirdRun(const std::string& does) {
  return R"({"tandem": "platform/1", "name": "board", "memories": [{"name": "dram"}],
    "units": [{"name": "tpu", "kind": "tpu", "memory": "dram", "backend": "command",
               "command": ["sh", "-c", "echo tandem-unit/1 mine 1; n=0; while read -r what rest; do )"
         R"(case $what in run) n=$((n + 1)); [ $n = 3 ] && )" +
         does + R"(; echo ok 1 same;; quit) exit;; *) echo ok 1;; esac; done"]}]})";
}

TEST_F(InferCommand, InterruptedSaysSoAsOtherRunsDo) {
  for (const std::string signal : {"INT", "TERM", "HUP"}) {
    Write("board.json", BoardOfAUnitThatInItsThirdRun("kill -" + signal + " $PPID"));
    const ProgramResult result =
        Infer("difference.json --platform board.json --repeat 1000000 --json --allow-commands");
    EXPECT_EQ(result.status, 130) << signal;
    EXPECT_EQ(result.output, "") << signal;
    EXPECT_EQ(result.errors, "tandem-device infer: interrupted: nothing is timed\n") << signal;
  }
}

TEST_F(InferCommand, ComesToItsEndOnceNobodyReadsItsAnswer) {
  Write("board.json", BoardOfAUnitThatInItsThirdRun("true"));
  const ProgramResult result =
      RunShell("cd " + folder_.string() +
               " && { timeout 60 " TANDEM_PROGRAM
               " infer difference.json --platform board.json --repeat 1000000 --json "
               "--allow-commands; echo $? > status; } | true");
  EXPECT_EQ(ReadTextFile(folder_ / "status"), "130\n") << result.errors;
}

TEST_F(InferCommand, EmulatedUnitsNeedAProfile) {
  Write("board.json", R"({"tandem": "platform/1", "name": "board", "memories": [{"name": "dram"}],
    "units": [{"name": "tpu", "kind": "tpu", "memory": "dram", "backend": "emulated"}]})");
  const ProgramResult result = Infer("difference.json --platform board.json");
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.errors.find("and there is no profile here"), std::string::npos) << result.errors;
}

TEST_F(InferCommand, SlipsOfTheCommandLineEndWithTwo) {
  EXPECT_EQ(Infer("difference.json --cores 1,1").errors, "--cores: core 1 is named twice\n");
  EXPECT_EQ(Infer("difference.json --cores 0-2,1").errors, "--cores: core 1 is named twice\n");
  EXPECT_EQ(Infer("difference.json --cores 0-x").errors,
            "--cores: expected cores such as 0,1 or 0-3, from 0 to 65535, found \"0-x\"\n");
  EXPECT_EQ(Infer("difference.json --cores -1").status, 2);
  EXPECT_EQ(Infer("difference.json --cores 0 --unit reference").status, 2);
  EXPECT_EQ(Infer("difference.json --unit reference --repeat 0").status, 2);
  EXPECT_EQ(Infer("difference.json --unit reference --precision fp16").errors,
            "--precision: unit \"reference\" computes in fp32, not in fp16\n");
  EXPECT_EQ(Infer("resnet5 --unit reference").status, 2);
  EXPECT_EQ(Infer("difference.json --unit reference --input .").status, 2);
  EXPECT_EQ(Infer("difference.json --platform nowhere.json").status, 2);
}

TEST_F(InferCommand, OutputOfBeforeIsReplacedAndAFileOfAnotherSizeIsNot) {
  const std::string once = "difference.json --unit reference --repeat 1 --output out.raw";
  ASSERT_EQ(Infer(once).status, 0);
  const std::vector<float> before = ReadFloats("out.raw");
  const ProgramResult again = Infer(once + " --seed 2");
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_NE(ReadFloats("out.raw"), before);
  Write("out.raw", "what I found out");
  const ProgramResult refused = Infer(once);
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(
      refused.errors,
      "out.raw: is a file of 16 bytes, which --output would replace by raw numbers of 24 bytes; --force "
      "does it\n");
  EXPECT_EQ(ReadTextFile(folder_ / "out.raw"), "what I found out");
  EXPECT_EQ(Infer(once + " --force").status, 0);
}

TEST_F(InferCommand, OutputThatCannotBeWrittenEndsWithThree) {
  const ProgramResult result = Infer("difference.json --unit reference --repeat 1 --output no/such/folder");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.output, "");
}

TEST_F(InferCommand, OutputThatIsNoNumberIsTold) {
  WriteFloats("in.raw", {1, 2, 3, NAN, 5, INFINITY});
  const ProgramResult result = Infer("difference.json --unit reference --repeat 1 --input in.raw");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.errors,
            "tandem-device: 2 numbers of the input are infinite or not a number: max pools and fused "
            "activations may turn what comes of them into numbers\n"
            "tandem-device: 4 numbers of the output are infinite or not a number\n");
}

TEST_F(InferCommand, ThatWholeNumbersLoseWhatIsNoNumberIsToldOfTheInput) {
  Write("grid.json", R"({"tandem": "model/1", "name": "grid", "layers": [
    {"name": "in", "op": "input", "shape": [1, 3]},
    {"name": "q", "op": "quantize", "inputs": ["in"], "scale": 0.5, "type": "int8"}]})");
  WriteFloats("in.raw", {NAN, 2, 3});
  const ProgramResult result = Infer("grid.json --cores " + std::to_string(UsableCores().front()) +
                                     " --precision int8 --repeat 1 --input in.raw --output out.raw");
  if (result.status == 3) GTEST_SKIP() << result.errors;
  EXPECT_EQ(result.errors,
            "tandem-device: 1 numbers of the input are infinite or not a number: no whole number stands for "
            "them, and what a quantize makes of them is numbers\n");
  EXPECT_EQ(ReadFloats("out.raw"), (std::vector<float>{0, 2, 3}));
}

}  // namespace
}  // namespace tandem
