// Does a model's file say all that the model is, and is every mistake in one named where it stands?
#include "profiles/model/model_json.h"

#include <gtest/gtest.h>

#include <limits>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/model/model_source.h"
#include "profiles/model/safetensors.h"
#include "profiles/model/zoo.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

ImportedModel Parse(const std::string& text) { return ReadModel(JsonDocument::Parse(text, "m.json").root()); }

// Of the layers alone; the rest of the file is right.
std::string ErrorIn(const std::string& layers) {
  return ErrorOf([&] { Parse(R"({"tandem": "model/1", "name": "m", "layers": [)" + layers + "]}"); });
}

std::string WithInputBefore(const std::string& layer) {
  return R"({"name": "in", "op": "input", "shape": [1, 4, 8, 8]}, )" + layer;
}

void ExpectSame(const Model& a, const Model& b) {
  EXPECT_EQ(ModelJson(a, {}), ModelJson(b, {}));
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Layer &x = a.layer(LayerId(i)), &y = b.layer(LayerId(i));
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.op, y.op);
    EXPECT_EQ(x.inputs, y.inputs);
    EXPECT_EQ(x.output, y.output) << x.name;
    EXPECT_EQ(x.counts.params, y.counts.params) << x.name;
    EXPECT_EQ(x.counts.state, y.counts.state) << x.name;
    EXPECT_EQ(x.counts.macs, y.counts.macs) << x.name;
  }
}

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("tandem_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};
using ModelFiles = Folder;

TEST(ModelJson, EveryModelOfTheZooComesBackAsItWas) {
  ASSERT_FALSE(Zoo().empty());
  for (const ZooEntry& entry : Zoo()) {
    SCOPED_TRACE(entry.name);
    const Model model = entry.build();
    ExpectSame(model, Parse(ModelJson(model, {})).model);
  }
}

TEST(ModelJson, EveryFieldThatDiffersFromItsDefaultComesBack) {
  // Each layer stands with another value than the default in every field of its operation.
  const char* layers[] = {
      R"({"name": "x", "op": "conv", "inputs": ["in"], "out_channels": 6, "kernel": [2, 3], "stride": [2, 1], "pad": [1, 2, 3, 4], "dilation": [1, 2], "groups": 2, "bias": false})",
      R"({"name": "x", "op": "deconv", "inputs": ["in"], "out_channels": 6, "kernel": [3, 3], "stride": [2, 2], "output_pad": [1, 1]})",
      R"({"name": "x", "op": "fc", "inputs": ["in"], "out_features": 5, "bias": false, "axis": -1})",
      R"({"name": "x", "op": "max_pool", "inputs": ["in"], "kernel": [3, 3], "stride": [2, 2], "pad": [1, 1, 1, 1], "dilation": [2, 2], "ceil_mode": true})",
      R"({"name": "x", "op": "avg_pool", "inputs": ["in"], "kernel": [3, 3], "count_include_pad": false})",
      R"({"name": "x", "op": "avg_pool", "inputs": ["in"], "global": true})",
      R"({"name": "x", "op": "leaky_relu", "inputs": ["in"], "slope": 0.1})",
      R"({"name": "x", "op": "prelu", "inputs": ["in"], "shared": true})",
      R"({"name": "x", "op": "elu", "inputs": ["in"], "alpha": 0.5})",
      R"({"name": "x", "op": "hard_sigmoid", "inputs": ["in"], "alpha": 0.16, "beta": 0.4})",
      R"({"name": "x", "op": "clip", "inputs": ["in"], "min": -1.5, "max": 1e300})",
      R"({"name": "x", "op": "lrn", "inputs": ["in"], "size": 3, "alpha": 0.1, "beta": 0.5, "k": 2, "within_channel": true})",
      R"({"name": "x", "op": "batch_norm", "inputs": ["in"], "epsilon": 0.001, "affine": false})",
      R"({"name": "x", "op": "layer_norm", "inputs": ["in"], "epsilon": 0.001, "axis": 1, "bias": false})",
      R"({"name": "x", "op": "scale", "inputs": ["in"], "bias": false})",
      R"({"name": "x", "op": "add", "inputs": ["in", "in"], "coefficients": [1.5, -1]})",
      R"({"name": "x", "op": "sub", "inputs": ["in"], "has_constant": true, "constant_shape": [4, 1, 1], "constant_first": true})",
      R"({"name": "x", "op": "concat", "inputs": ["in", "in"], "axis": 2})",
      R"({"name": "x", "op": "dropout", "inputs": ["in"], "ratio": 0.2})",
      R"({"name": "x", "op": "reshape", "inputs": ["in"], "shape": [0, 2, -1]})",
      R"({"name": "x", "op": "opaque", "inputs": ["in", "in"], "shape": [1, 7], "params": 12})",
      R"({"name": "x", "op": "opaque", "inputs": ["in"], "shape": [1, 7], "type": "int8"})",
      R"({"name": "x", "op": "transpose", "inputs": ["in"], "order": [0, 2, 3, 1]})",
      R"({"name": "x", "op": "pad", "inputs": ["in"], "before": [0, 0, 1, 2], "after": [0, 0, 3, 4], "mode": "reflect", "value": 1.25})",
      R"({"name": "x", "op": "slice", "inputs": ["in"], "axes": [1], "starts": [1], "ends": [9223372036854775807], "steps": [2]})",
      R"({"name": "x", "op": "upsample", "inputs": ["in"], "scale_h": 2, "scale_w": 1.5, "mode": "linear", "align": "corners"})",
      R"({"name": "x", "op": "reduce_mean", "inputs": ["in"], "axes": [2, 3], "keep_dims": false})"};
  for (const std::string layer : layers) {
    SCOPED_TRACE(layer);
    const std::string text =
        R"({"tandem": "model/1", "name": "m", "layers": [)" + WithInputBefore(layer) + "]}";
    const std::string written = ModelJson(Parse(text).model, {});
    EXPECT_EQ(ModelJson(Parse(written).model, {}), written);
    // The written text holds every key of the given one.
    const JsonDocument given = JsonDocument::Parse(layer, "given");
    const JsonDocument came_back = JsonDocument::Parse(written, "written");
    const JsonReader result = *++came_back.root().Get("layers").Elements().begin();
    EXPECT_EQ(result.size(), given.root().size());
    for (const JsonReader member : given.root().Members())
      EXPECT_TRUE(result.Find(member.key())) << member.key();
  }
}

TEST(ModelJson, ABoundThatIsInfiniteIsWrittenAsTheLargestNumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Model model = Model::Build("m",
                                   {{"in", Op::kInput, InputAttributes{{1, 4}}, {}},
                                    {"c", Op::kClip, ClipAttributes{0, infinity}, {"in"}}},
                                   "m");
  const Model read = Parse(ModelJson(model, {})).model;
  EXPECT_EQ(read.layer(LayerId(1)).As<ClipAttributes>().max, std::numeric_limits<double>::max());
}

TEST(ModelJson, MistakesInALayerPointAtIt) {
  EXPECT_EQ(ErrorIn(R"({"name": "in", "op": "imput", "shape": [1]})"),
            "m.json:/layers/0/op: unknown operation \"imput\"; did you mean \"input\"?");
  EXPECT_EQ(ErrorIn(WithInputBefore(R"({"name": "c", "op": "conv", "inputs": ["in"], "kernel": [3, 3]})")),
            "m.json:/layers/1: the key \"out_channels\" is missing");
  EXPECT_EQ(
      ErrorIn(WithInputBefore(
          R"({"name": "c", "op": "conv", "inputs": ["in"], "out_channels": 1, "kernel": [3, 3], "strid": [1, 1]})")),
      "m.json:/layers/1: unknown key \"strid\"; did you mean \"stride\"?");
  EXPECT_EQ(ErrorIn(WithInputBefore(
                R"({"name": "c", "op": "conv", "inputs": ["in"], "out_channels": 1, "kernel": [3]})")),
            "m.json:/layers/1/kernel: expected the two extents [height, width]");
  EXPECT_EQ(ErrorIn(WithInputBefore(R"({"name": "p", "op": "relu", "inputs": ["inn"]})")),
            "m.json:/layers/1: layer \"p\" reads \"inn\", which no layer makes; did you mean \"in\"?");
  EXPECT_EQ(ErrorIn(WithInputBefore(R"({"name": "in", "op": "relu", "inputs": ["in"]})")),
            "m.json:/layers/1: two layers are called \"in\"");
  EXPECT_EQ(ErrorIn(WithInputBefore(
                R"({"name": "c", "op": "conv", "inputs": ["in"], "out_channels": 1, "kernel": [9, 9]})")),
            "m.json:/layers/1: layer \"c\" (conv): its window of 9 is larger than its padded input of 8");
  EXPECT_EQ(
      ErrorIn(
          R"({"name": "a", "op": "relu", "inputs": ["b"]}, {"name": "b", "op": "relu", "inputs": ["a"]})"),
      "m.json: the layers form a cycle: \"a\" -> \"b\" -> \"a\"");
}

TEST(ModelJson, AbsurdNumbersAreErrorsNotCrashes) {
  const std::string huge = "9223372036854775807";
  EXPECT_NE(ErrorIn(R"({"name": "in", "op": "input", "shape": [)" + huge + ", " + huge + "]}"), "no error");
  for (const std::string& field :
       {"\"stride\": [" + huge + ", 1]", "\"pad\": [" + huge + ", 0, 0, 0]",
        "\"dilation\": [" + huge + ", 1]", "\"groups\": " + huge, "\"output_pad\": [" + huge + ", 0]"}) {
    for (const std::string op : {"conv", "deconv"}) {
      if (op == "conv" && field.find("output_pad") != std::string::npos) continue;
      EXPECT_NE(ErrorIn(WithInputBefore(
                    "{\"name\": \"c\", \"op\": \"" + op +
                    "\", \"inputs\": [\"in\"], \"out_channels\": 4, \"kernel\": [1, 1], " + field + "}")),
                "no error")
          << op << field;
    }
  }
}

TEST_F(ModelFiles, WeightsStandBesideTheModelAndComeBackExactly) {
  ImportedModel imported{Parse(R"({"tandem": "model/1", "name": "m", "layers": [
      {"name": "in", "op": "input", "shape": [1, 2]},
      {"name": "a/b:c", "op": "fc", "inputs": ["in"], "out_features": 3}]})")
                             .model,
                         {}};
  imported.weights[{"a/b:c", "weight"}] = {{3, 2}, {1, -2.5f, 1e-30f, 3e38f, 0, -0.0f}};
  imported.weights[{"a/b:c", "bias"}] = {{3}, {0.1f, 0.2f, 0.3f}};
  const auto files = ModelFilesOf(folder_ / "net.json", imported);
  WriteModelFiles(files, imported);
  EXPECT_EQ(files, (std::vector<fs::path>{folder_ / "net.json", folder_ / "net.safetensors"}));
  const ImportedModel read = ImportModel(folder_ / "net.json");
  ASSERT_EQ(read.weights.size(), 2u);
  for (const auto& [key, tensor] : imported.weights) {
    EXPECT_EQ(read.weights.at(key).shape, tensor.shape);
    EXPECT_EQ(read.weights.at(key).values, tensor.values);
  }
  ImportOptions graph_alone;
  graph_alone.want_weights = false;
  EXPECT_TRUE(ImportModel(folder_ / "net.json", graph_alone).weights.empty());
}

TEST_F(ModelFiles, AModelThatIsThereKeepsItsWeightsWhereAnotherCannotBeWritten) {
  const auto model = [](float number) {
    return ImportedModel{Parse(R"({"tandem": "model/1", "name": "m", "layers": [
                                   {"name": "in", "op": "input", "shape": [1, 2]},
                                   {"name": "f", "op": "fc", "inputs": ["in"], "out_features": 1}]})")
                             .model,
                         {{{"f", "weight"}, {{1, 2}, {number, 0}}}, {{"f", "bias"}, {{1}, {0}}}}};
  };
  const auto files = ModelFilesOf(folder_ / "net.json", model(1));
  const auto number = [&] { return ReadSafetensors(files[1]).at({"f", "weight"}).values[0]; };
  const fs::path taken = files[0].string() + ".part" + std::to_string(::getpid());
  fs::create_directory(taken);
  EXPECT_THROW(WriteModelFiles(files, model(1)), EnvironmentError);
  EXPECT_FALSE(fs::exists(files[1])) << "no weights without a graph";
  fs::remove(taken);
  WriteModelFiles(files, model(1));
  fs::create_directory(taken);
  EXPECT_THROW(WriteModelFiles(files, model(2)), EnvironmentError);
  EXPECT_EQ(number(), 1);
  fs::remove(taken);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2)
      << "nothing temporary is left";
  WriteModelFiles(files, model(2));
  EXPECT_EQ(number(), 2);
}

TEST_F(ModelFiles, AnErrorInTheWeightsNamesBothFiles) {
  const fs::path file = folder_ / "m.json";
  WriteFile(file, R"({"tandem": "model/1", "name": "m", "weights": "w.safetensors", "layers": [
      {"name": "in", "op": "input", "shape": [1, 2]}]})");
  try {
    ImportModel(file);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(),
              file.string() + ":/weights: " + (folder_ / "w.safetensors").string() + ": no such file");
  }
}

TEST_F(ModelFiles, AreTheGraphAndItsWeightsWhereverTheseStand) {
  const fs::path graph = folder_ / "m.json";
  const std::string layers = R"("layers": [{"name": "in", "op": "input", "shape": [1, 4, 8, 8]}])";
  WriteFile(graph, R"({"tandem": "model/1", "name": "m", )" + layers + "}");
  EXPECT_EQ(FilesOfModel(graph), std::vector<fs::path>{graph});
  WriteFile(graph, R"({"tandem": "model/1", "name": "m", "weights": "w/m.safetensors", )" + layers + "}");
  EXPECT_EQ(FilesOfModel(graph), (std::vector<fs::path>{graph, folder_ / "w/m.safetensors"}));
}

TEST(ElementTypes, ProgramsReadAndMakeWhatTheModelSays) {
  const std::string typed =
      R"({"tandem": "model/1", "name": "m", "layers": [{"name": "in", "op": "input", "shape": [1, 3, 4, 4], "type": "uint8"},
          {"name": "a", "op": "opaque", "inputs": ["in"], "shape": [1, 10], "type": "int64"},
          {"name": "b", "op": "opaque", "inputs": ["a"], "shape": [1, 10]}]})";
  const Model model = Parse(typed).model;
  EXPECT_EQ(model.ElementBytes(LayerId(0)), 1);
  EXPECT_EQ(model.BytesIn(LayerId(1)), 48);
  EXPECT_EQ(model.BytesOut(LayerId(1)), 80);
  EXPECT_EQ(model.ElementBytes(LayerId(2)), std::nullopt);
  EXPECT_EQ(model.BytesOut(LayerId(2)), 40);
  EXPECT_EQ(Parse(ModelJson(model, {})).model.BytesIn(LayerId(1)), 48);
  EXPECT_EQ(model.WithBatch(2).BytesIn(LayerId(1)), 96) << "at another batch it is of that type, too";
}

TEST(ElementTypes, WhatAKernelReadsHasNone) {
  const std::string error = ErrorIn(
      R"({"name": "in", "op": "input", "shape": [1, 4]}, {"name": "a", "op": "opaque", "inputs": ["in"],
               "shape": [1, 4], "type": "int8"}, {"name": "b", "op": "relu", "inputs": ["a"]})");
  EXPECT_NE(error.find("m.json:/layers/1: layer \"a\" has a \"type\", and layer \"b\" (relu) reads it"),
            std::string::npos)
      << error;
}

}  // namespace
}  // namespace tandem
