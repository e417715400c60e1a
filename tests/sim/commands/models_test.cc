// Can a user look at any model of the zoo, and import and keep their own?
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "profiles/base/files.h"
#include "profiles/base/table.h"
#include "profiles/model/model_export.h"
#include "profiles/model/zoo.h"
#include "tests/support/program.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class ModelsCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("tandem_models_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string File(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

TEST_F(ModelsCommand, ListNamesEveryModelOfTheZoo) {
  const ProgramResult result = RunTandem("models list --json");
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json list = Json::parse(result.output);
  ASSERT_EQ(list.size(), Zoo().size());
  for (std::size_t i = 0; i < list.size(); ++i) EXPECT_EQ(list[i]["name"], Zoo()[i].name);
  const std::string table = RunTandem("models list").output;
  for (const ZooEntry& entry : Zoo()) EXPECT_NE(table.find("\n" + entry.name + " "), std::string::npos);
}

TEST_F(ModelsCommand, NamesDoNotReachTheTerminalRaw) {
  WriteFile(File("evil.json"), R"({"tandem": "model/1", "name": "m\u009b2J",
      "layers": [{"name": "\u001b[31mred\u202e\nx", "op": "input", "shape": [1, 3, 8, 8]}]})");
  const ProgramResult shown = RunTandem("models show " + File("evil.json"));
  const ProgramResult checked = RunTandem("models show " + File("evil.json") + " --json");
  ASSERT_EQ(shown.status, 0) << shown.errors;
  EXPECT_NE(shown.output.find("\\u001b[31mred\\u202e\\u000ax"), std::string::npos) << shown.output;
  for (const std::string& text : {shown.output, checked.output}) {
    EXPECT_EQ(text.find_first_of("\x1b\xc2\xe2"), std::string::npos) << text;
  }
  EXPECT_EQ(Json::parse(checked.output)["layers"][0]["name"], "\x1b[31mred\xe2\x80\xae\nx");
}

TEST_F(ModelsCommand, ShowHasTheShapeThatScriptsRelyOn) {
  const ProgramResult result = RunTandem("models show squeezenet_1_1 --json");
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output.back(), '\n');
  const Json model = Json::parse(result.output);
  EXPECT_EQ(model["name"], "squeezenet_1_1");
  const Json& conv = model["layers"][1];
  EXPECT_EQ(conv["name"], "conv1");
  EXPECT_EQ(conv["op"], "conv");
  EXPECT_EQ(conv["inputs"], Json({"data"}));
  EXPECT_EQ(conv["params"], 64 * 3 * 9 + 64);
  EXPECT_EQ(conv["state"], 0);
  std::int64_t params = 0, macs = 0, layers = 0;
  for (const Json& layer : model["layers"]) {
    params += layer["params"].get<std::int64_t>();
    macs += layer["macs"].get<std::int64_t>();
  }
  for (const auto& [op, count] : model["totals"]["by_op"].items()) layers += count.get<std::int64_t>();
  EXPECT_EQ(model["totals"]["params"], params);
  EXPECT_EQ(model["totals"]["macs"], macs);
  EXPECT_EQ(model["totals"]["layers"], layers);
  EXPECT_EQ(model["layers"].size(), static_cast<std::size_t>(layers));
  ASSERT_EQ(model["branch_groups"].size(), 8u);
  EXPECT_EQ(model["branch_groups"][0]["branches"].size(), 2u);
}

TEST_F(ModelsCommand, OfQuantisedModelsShowSaysWhatInt8Holds) {
  WriteFile(File("bytes.json"), R"({"tandem": "model/1", "name": "bytes", "layers": [
    {"name": "in", "op": "input", "shape": [1, 3, 8, 8]},
    {"name": "in_q", "op": "quantize", "inputs": ["in"], "scale": 0.01},
    {"name": "conv", "op": "conv", "inputs": ["in_q"], "out_channels": 4, "kernel": [3, 3], "quantized": true},
    {"name": "fc", "op": "fc", "inputs": ["conv"], "out_features": 5}]})");
  // 4 x 3 x 3 x 3 weights of a byte; 4 offsets and 4 steps, and the fc's 4 x 36 weights and 5 offsets in
  // fp32.
  const std::int64_t weights = 4 * 27, others = 4 + 4 + 5 * 4 * 36 + 5;
  const ProgramResult text = RunShell("COLUMNS=200 " TANDEM_PROGRAM " models show " + File("bytes.json"));
  ASSERT_EQ(text.status, 0) << text.errors;
  EXPECT_NE(text.output.find(Grouped(4 * (weights + others)) + " bytes in fp32, " +
                             Grouped(weights + 4 * others) + " in int8"),
            std::string::npos)
      << text.output;
  const Json shown = Json::parse(RunTandem("models show --json " + File("bytes.json")).output);
  EXPECT_EQ(shown["totals"]["weight_bytes_int8"], weights + 4 * others);
  const Json plain = Json::parse(RunTandem("models show squeezenet_1_1 --json").output);
  EXPECT_FALSE(plain["totals"].contains("weight_bytes_int8"));
}

TEST_F(ModelsCommand, TheTableFitsTheTerminal) {
  for (const char* columns : {"72", "78"}) {
    const ProgramResult result =
        RunShell("COLUMNS=" + std::string(columns) + " " TANDEM_PROGRAM " models show googlenet");
    ASSERT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(WidestLine(result.output), std::stoul(columns));
  }
  // Where there is room nothing is cut.
  const ProgramResult wide = RunShell("COLUMNS=200 " TANDEM_PROGRAM " models show googlenet");
  EXPECT_NE(wide.output.find("inception_4a/relu_3x3_reduce"), std::string::npos);
  const std::string whole = RunShell("COLUMNS=72 " TANDEM_PROGRAM " models show googlenet --wide").output;
  EXPECT_NE(whole.find("inception_4a/relu_3x3_reduce"), std::string::npos) << whole;
  EXPECT_EQ(whole.find("incep.."), std::string::npos) << whole;
  EXPECT_LE(WidestLine(RunShell("unset COLUMNS; " TANDEM_PROGRAM " models show googlenet").output), 80u);
  EXPECT_LE(WidestLine(RunShell("unset COLUMNS; " TANDEM_PROGRAM " models list").output), 80u);
}

TEST_F(ModelsCommand, InputAndBatchReplaceTheModelsOwn) {
  const auto output_shape = [](const std::string& arguments) {
    const ProgramResult result = RunTandem("models show squeezenet_1_1 --json " + arguments);
    EXPECT_EQ(result.status, 0) << result.errors;
    return Json::parse(result.output)["layers"][1]["output_shape"];
  };
  EXPECT_EQ(output_shape("--input 1x3x227x227"), Json({1, 64, 113, 113}));
  EXPECT_EQ(output_shape("--batch 4 --input 1x3x227x227"), Json({4, 64, 113, 113}));
  for (const char* shape : {"1x3x", "x", "1x0x3", "1x-3", "1X3", "99999999999999999999"}) {
    const ProgramResult result = RunTandem("models show squeezenet_1_1 --input " + std::string(shape));
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.errors, "--input: expected a shape with its batch, such as 1x3x224x224, found \"" +
                                 std::string(shape) + "\"\n");
  }
  EXPECT_EQ(RunTandem("models show squeezenet_1_1 --input 1x3").status, 2);
}

TEST_F(ModelsCommand, WhatIsNoModelIsExplained) {
  EXPECT_EQ(RunTandem("models show resnt50").errors,
            "unknown model \"resnt50\"; did you mean \"resnet50\"?\n");
  EXPECT_EQ(RunTandem("models show /no/such.json").errors, "/no/such.json: no such file\n");
  WriteFile(File("net.xyz"), "?");
  const ProgramResult suffix = RunTandem("models import " + File("net.xyz"));
  EXPECT_EQ(suffix.status, 2);
  EXPECT_NE(suffix.errors.find("the suffix tells the format of a model, and \".xyz\" is unknown; known: "),
            std::string::npos)
      << suffix.errors;
  EXPECT_NE(suffix.errors.find(".json"), std::string::npos) << suffix.errors;
}

TEST_F(ModelsCommand, AnEngineOfAnAcceleratorIsDescribedInsteadOfRead) {
  for (const char* name : {"net.rknn", "net.engine", "net.trt", "net.hef", "net_edgetpu.tflite"}) {
    WriteFile(File(name), "?");
    const ProgramResult result = RunTandem("models import " + File(name));
    EXPECT_EQ(result.status, 2);
    const std::string stem = std::filesystem::path(name).stem().string();
    EXPECT_EQ(
        result.errors,
        File(name) +
            ": is an engine for one accelerator, which nobody else can look into. Describe it in a model/1 "
            "file, \"" +
            stem +
            ".model.json\", with a layer of operation \"opaque\" and the sizes of what goes in and comes out "
            "(docs/formats.md, \"model/1: a network\"); a unit of backend \"command\" runs it\n");
  }
  EXPECT_NE(RunTandem("models show net.rknn").errors.find("is an engine for one accelerator"),
            std::string::npos)
      << "whether it is there or not";
}

TEST_F(ModelsCommand, WhatWasImportedAndKeptReadsAsTheSame) {
  const ProgramResult given = RunTandem("models import googlenet --json -o " + File("kept"));
  ASSERT_EQ(given.status, 0) << given.errors;
  EXPECT_EQ(given.errors, "wrote " + File("kept.json") + "\n");
  EXPECT_EQ(given.output, RunTandem("models show googlenet --json").output);
  EXPECT_EQ(given.output, RunTandem("models import --json " + File("kept.json")).output);
}

TEST_F(ModelsCommand, AnExportedModelIsTheSameForTheSameSeed) {
  if (ModelExportFormats() != ".onnx") GTEST_SKIP() << "built without ONNX";
  const auto write = [&](const std::string& options, const std::string& name) {
    const ProgramResult result = RunTandem("models export squeezenet_1_1 " + options + " -o " + File(name));
    EXPECT_EQ(result.status, 0);
    return result.errors;
  };
  EXPECT_EQ(write("", "a.onnx"), "wrote " + File("a.onnx") + " with random weights of seed 1\n");
  EXPECT_EQ(write("--seed 2", "b.onnx"), "wrote " + File("b.onnx") + " with random weights of seed 2\n");
  const ProgramResult kept = RunTandem("models import " + File("b.onnx") + " -o " + File("b"));
  EXPECT_EQ(kept.status, 0) << kept.errors;
  EXPECT_EQ(write("--weights " + File("b.safetensors"), "c.onnx"),
            "wrote " + File("c.onnx") + " with the weights of the model\n");
  EXPECT_NE(ReadTextFile(File("a.onnx")), ReadTextFile(File("b.onnx")));
  EXPECT_EQ(ReadTextFile(File("c.onnx")), ReadTextFile(File("b.onnx")));
}

TEST_F(ModelsCommand, AnExportNeedsAFormat) {
  const ProgramResult result = RunTandem("models export squeezenet_1_1 -o " + File("net.tflite"));
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.errors, File("net.tflite") +
                               ": the suffix tells the format to write, and \".tflite\" is unknown; this "
                               "build writes: " +
                               ModelExportFormats() + "\n");
}

TEST_F(ModelsCommand, WhatAnImporterAssumedIsSaidBesideTheResult) {
  WriteFile(File("net.prototxt"),
            "layer { name: 'd' type: 'Data' top: 'd' transform_param { crop_size: 9 } }\n"
            "layer { name: 'r' type: 'ReLU' bottom: 'd' top: 'r' }\n");
  for (const char* command : {"show ", "import "}) {
    const ProgramResult result =
        RunTandem("models " + std::string(command) + File("net.prototxt") + " --json");
    ASSERT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(Json::parse(result.output)["layers"].size(), 2U);
    EXPECT_EQ(result.errors, "tandem: " + File("net.prototxt") +
                                 ": note: layer \"d\": the file does not say how many channels its images "
                                 "have; 3 are assumed\n");
  }
}

TEST_F(ModelsCommand, AnInputShapeNeedsOneInput) {
  WriteFile(File("two.json"), R"({"tandem": "model/1", "name": "two", "layers": [
    {"name": "a", "op": "input", "shape": [1, 2]}, {"name": "b", "op": "input", "shape": [1, 2]},
    {"name": "sum", "op": "add", "inputs": ["a", "b"]}]})");
  const ProgramResult result = RunTandem("models show --input 1x3 " + File("two.json"));
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(
      result.errors,
      File("two.json") + ": an input shape can be asked for where a model has one input; this one has 2\n");
  EXPECT_EQ(RunTandem("models show --batch 3 " + File("two.json")).status, 0);
}

}  // namespace
}  // namespace tandem
