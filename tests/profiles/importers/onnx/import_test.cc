// Do whole ONNX files become the networks that they hold?
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "profiles/model/model_source.h"
#include "profiles/model/safetensors.h"
#include "tests/support/onnx_test_graph.h"

namespace tandem {
namespace {

struct Expected {
  const char* file;
  std::int64_t params, state, macs;
};

class SharedOnnx : public testing::TestWithParam<Expected> {};

TEST_P(SharedOnnx, HasTheCountsOfItsNetwork) {
  const std::filesystem::path file = std::filesystem::path(TANDEM_SHARED_DATA) / "onnx" / GetParam().file;
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there";
  const ImportedModel imported = ImportModel(file);
  const Counts totals = imported.model.totals();
  EXPECT_EQ(totals.params, GetParam().params);
  EXPECT_EQ(totals.state, GetParam().state);
  EXPECT_EQ(totals.macs, GetParam().macs);
  EXPECT_EQ(imported.model.WithBatch(3).totals().macs, 3 * totals.macs);
}

INSTANTIATE_TEST_SUITE_P(Files, SharedOnnx,
                         testing::Values(Expected{"tv_resnet50.onnx", 25557032, 53120, 4089184256},
                                         Expected{"tv_mobilenet_v2.onnx", 3504872, 34112, 300774272},
                                         Expected{"light_bvlc_alexnet.onnx", 60965224, 0, 654560384},
                                         Expected{"light_squeezenet.onnx", 1235496, 0, 349151936}),
                         [](const auto& param) {
                           const std::string file = param.param.file;
                           return file.substr(0, file.find('.'));
                         });

using Ints = std::vector<std::int64_t>;

// What a small classifier looks like: two outputs and a node that nothing needs.
OnnxTestGraph Classifier() {
  OnnxTestGraph graph;
  graph.Input("image", {-1, 3, 4, 4}).Floats("w", {2, 3, 3, 3}).Floats("fc", {8, 5});
  graph.Node("Conv", {"image", "w"}, {"conv"})
      .Node("Relu", {"conv"}, {"relu"})
      .Node("Tanh", {"relu"}, {"unused"});
  graph.Node("Flatten", {"relu"}, {"flat"}).Node("Gemm", {"flat", "fc"}, {"y"});
  return graph;
}

TEST(OnnxImport, NamesTheModelAfterItsFileAndLayersAfterNodes) {
  OnnxTestGraph graph = Classifier();
  graph.graph().mutable_node(1)->clear_name();
  graph.graph().mutable_node(3)->set_name("n_conv");
  const Model model = graph.Import().model;
  EXPECT_EQ(model.name(), "net");
  std::string names;
  for (const Layer& layer : model.layers()) names += layer.name + " ";
  EXPECT_EQ(names, "image n_conv relu n_conv_2 n_y ");
}

TEST(OnnxImport, LeavesOutWhatNoOutputNeeds) {
  OnnxTestGraph graph = Classifier();
  EXPECT_EQ(OpsOf(graph.Import().model), "input conv relu flatten fc");
  graph.graph().add_output()->set_name("unused");
  EXPECT_EQ(OpsOf(graph.Import().model), "input conv relu tanh flatten fc");
  graph.graph().add_output()->set_name("nowhere");
  EXPECT_EQ(graph.Error(), "net.onnx: nothing makes the output \"nowhere\"");
}

TEST(OnnxImport, AnOutputThatIsReadOnIsStillAnOutput) {
  OnnxTestGraph graph = Classifier();
  for (const char* output : {"relu", "image", "relu"}) graph.graph().add_output()->set_name(output);
  const Model model = graph.Import().model;
  EXPECT_EQ(OpsOf(model), "input conv relu flatten fc identity identity");
  std::string outputs;
  for (const LayerId id : model.Outputs()) {
    outputs += model.layer(id).name + " " + ShapeText(model.layer(id).output) + " ";
  }
  EXPECT_EQ(outputs, "n_y 1x5 n_relu/output 1x2x2x2 image/output 1x3x4x4 ");
}

TEST(OnnxImport, PutsNodesInOrder) {
  OnnxTestGraph graph = Classifier();
  graph.graph().mutable_node()->SwapElements(0, 4);
  EXPECT_EQ(OpsOf(graph.Import().model), "input conv relu flatten fc");
}

TEST(OnnxImport, TakesAGraphInputForAWeightWhereItIsUsedAsOne) {
  OnnxTestGraph graph;
  graph.Input("image", {1, 3, 4, 4})
      .Input("w", {2, 3, 3, 3})
      .Input("layer.scale", {2, 1, 1})
      .Input("unread", {7});
  graph.Node("Conv", {"image", "w"}, {"conv"}).Node("Mul", {"conv", "layer.scale"}, {"y"});
  const ImportedModel imported = graph.Import();
  EXPECT_EQ(OpsOf(imported.model), "input conv mul");
  EXPECT_EQ(imported.model.totals().params, 54 + 2);
  EXPECT_TRUE(imported.weights.empty());
}

TEST(OnnxImport, TakesAnInputWithAnInitializerForAConstant) {
  OnnxTestGraph graph;
  graph.Input("w", {2, 3, 3, 3}).Input("image", {1, 3, 4, 4}).Floats("w", {2, 3, 3, 3});
  graph.Node("Conv", {"image", "w"}, {"y"});
  EXPECT_EQ(OpsOf(graph.Import().model), "input conv");
  EXPECT_EQ(graph.Import().weights.size(), 1U);
}

TEST(OnnxImport, GivesWeightsOfOneNumberRepeated) {
  OnnxTestGraph graph;
  graph.Input("image", {1, 3, 4, 4}).Ints("s", {2, 3, 3, 3});
  graph.Node("ConstantOfShape", {"s"}, {"w"}, {{"value", OnnxTestTensor({1}, std::vector<float>{0.5F})}});
  graph.Node("Conv", {"image", "w"}, {"y"});
  EXPECT_EQ(graph.Import().weights.at({"n_y", "weight"}).values, std::vector<float>(54, 0.5F));
}

TEST(OnnxImport, LeavesWeightsOutWhereTheyAreNotWanted) {
  ImportOptions options;
  options.want_weights = false;
  EXPECT_TRUE(Classifier().Import(options).weights.empty());
  EXPECT_EQ(Classifier().Import().weights.size(), 2U);
}

TEST(OnnxImport, TakesWeightsFromAFileBesideTheModel) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "onnx_beside.safetensors";
  Weights weights = Classifier().Import().weights;
  weights.at({"n_y", "weight"}).values[3] = 42;
  WriteSafetensors(file, weights);
  ImportOptions options;
  options.weights = file;
  const ImportedModel imported = Classifier().Import(options);
  EXPECT_EQ(imported.weights.at({"n_y", "weight"}).values[3], 42);
  std::filesystem::remove(file);
}

TEST(OnnxImport, ItsWeightsFitItsLayers) {
  const ImportedModel imported = Classifier().Import();
  EXPECT_NO_THROW(CheckWeights(imported.model, imported.weights, "net.onnx"));
}

TEST(OnnxInput, IsAskedForWhereItsShapeIsOpen) {
  OnnxTestGraph graph;
  graph.Input("image", {-1, 3, -1, -1}).Node("Relu", {"image"}, {"y"});
  EXPECT_EQ(graph.Error(),
            "net.onnx: input \"image\" has the shape 1x3x?x?, which is open; give one with `tandem models "
            "import --input`, such as "
            "1x3x224x224");
  ImportOptions options;
  options.input = Shape{2, 3, 8, 8};
  EXPECT_EQ(LastShape(graph.Import(options).model), "2x3x8x8");
  graph.Input("second", {1}).Node("Add", {"y", "second"}, {"z"});
  EXPECT_EQ(graph.Error(options),
            "net.onnx: an input shape can be asked for where a model has one input; this one has 2");
  OnnxTestGraph none;
  none.Input("x", {1}).Node("Relu", {"x"}, {"y"});
  none.graph().mutable_input(0)->clear_type();
  EXPECT_EQ(none.Error(), "net.onnx: input \"x\" has no shape; give one with `tandem models import --input`");
}

TEST(OnnxImport, NamesAnOperatorThatIsNotSupportedEvenWhereNothingNeedsIt) {
  OnnxTestGraph graph = Classifier();
  graph.graph().mutable_node(2)->set_op_type("Loop");
  EXPECT_EQ(graph.Error(), "net.onnx: node \"n_unused\": the operator Loop is not supported");
  graph.graph().mutable_node(2)->clear_name();
  EXPECT_EQ(graph.Error(), "net.onnx: node \"unused\": the operator Loop is not supported");
  graph.graph().mutable_node(2)->set_op_type("Relu");
  graph.graph().mutable_node(2)->set_domain("com.example");
  EXPECT_EQ(graph.Error(), "net.onnx: node \"unused\": the operator com.example.Relu is not supported");
}

TEST(OnnxImport, RefusesOtherOperatorSets) {
  OnnxTestGraph old(6);
  old.Input("x", {1}).Node("Relu", {"x"}, {"y"});
  EXPECT_EQ(old.Error(),
            "net.onnx: uses operator set 6; supported are 7 to 21 (onnx.version_converter can convert)");
  old.proto().clear_opset_import();
  EXPECT_EQ(old.Error(), "net.onnx: states no operator set (opset_import)");
}

TEST(OnnxImport, RefusesGraphsThatDoNotHold) {
  OnnxTestGraph unknown;
  unknown.Input("image", {1}).Node("Relu", {"imag"}, {"y"});
  EXPECT_EQ(unknown.Error(),
            "net.onnx: node \"n_y\" reads \"imag\", which nothing makes; did you mean \"image\"?");
  OnnxTestGraph cycle;
  cycle.Input("x", {1}).Node("Add", {"x", "c"}, {"a"}).Node("Relu", {"a"}, {"b"}).Node("Relu", {"b"}, {"c"});
  EXPECT_EQ(cycle.Error(), "net.onnx: the nodes form a cycle: \"n_a\" -> \"n_b\" -> \"n_c\" -> \"n_a\"");
  OnnxTestGraph twice;
  twice.Input("x", {1}).Node("Relu", {"x"}, {"y"}).Node("Tanh", {"x"}, {"y"});
  EXPECT_EQ(twice.Error(), "net.onnx: node \"n_y\" makes \"y\", which is there already");
  OnnxTestGraph initializers;
  initializers.Input("x", {1}).Floats("c", {1}).Floats("c", {1}).Node("Add", {"x", "c"}, {"y"});
  EXPECT_EQ(initializers.Error(), "net.onnx: two initializers or inputs are called \"c\"");
  OnnxTestGraph outputless;
  outputless.Input("x", {1}).Node("Relu", {"x"}, {"y"}).Node("Relu", {"y"}, {});
  EXPECT_NE(outputless.Error().find("(Relu): it has no output"), std::string::npos);
}

TEST(OnnxImport, TellsAnOnnxModelFromOtherFiles) {
  EXPECT_EQ(ErrorOfBytes(""), "net.onnx: is not an ONNX model: it has no graph of nodes");
  const std::string unreadable =
      "net.onnx: is not an ONNX model, is cut short, or has graphs nested too deep";
  EXPECT_EQ(ErrorOfBytes("name: \"alexnet\"\n"), unreadable);
  EXPECT_EQ(ErrorOfBytes(std::string(1000, '\0')), unreadable);
}

// Whatever the bytes, the answer is a model or an InputError.
TEST(OnnxImport, SurvivesDamage) {
  const std::string whole = Classifier().proto().SerializeAsString();
  int refused = 0;
  for (std::size_t length = 0; length < whole.size(); length += 3) {
    if (ErrorOfBytes(whole.substr(0, length)) != "no error") ++refused;
  }
  EXPECT_GT(refused, 0);
  std::mt19937_64 bits(1);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = whole;
    for (int change = 0; change < 1 + round % 4; ++change) {
      damaged[bits() % damaged.size()] = static_cast<char>(bits());
    }
    ErrorOfBytes(damaged);
  }
}

}  // namespace
}  // namespace tandem
