// Does every network of the zoo come back from an ONNX file as it was, weights and all?
#include "profiles/importers/onnx/export.h"

#include <gtest/gtest.h>

#include "profiles/importers/onnx/import.h"
#include "profiles/model/model_export.h"
#include "profiles/model/model_source.h"
#include "profiles/model/structure.h"
#include "profiles/model/zoo.h"
#include "tests/support/error_of.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

Weights Zeros(const Model& model) {
  Weights weights;
  for (std::size_t i = 0; i < model.size(); ++i) {
    for (const auto& [role, shape] : WeightShapes(model, LayerId(i))) {
      weights[{model.layer(LayerId(i)).name, role}] = {
          shape, std::vector<float>(static_cast<std::size_t>(Elements(shape)))};
    }
  }
  return weights;
}

ImportedModel WriteAndRead(const Model& model, const Weights& weights, bool want_weights) {
  ImportOptions options;
  options.want_weights = want_weights;
  return ImportOnnxBytes(OnnxBytes(model, weights), model.name() + ".onnx", options);
}

// What the header of the exporter says: scale has two nodes, batch norm always has a gamma and a beta, fc
// flattens what is no matrix.
struct Change {
  Op op;
  std::int64_t params, added_layers;
};

Change ExpectedChange(const Model& model, const Layer& layer) {
  const Counts& counts = layer.counts;
  if (layer.op == Op::kScale && layer.As<ScaleAttributes>().bias) return {Op::kMul, counts.params / 2, 1};
  if (layer.op == Op::kBatchNorm && !layer.As<BatchNormAttributes>().affine) {
    return {layer.op, counts.state, 0};
  }
  if (layer.op == Op::kFc && model.layer(layer.inputs[0]).output.size() != 2) {
    return {layer.op, counts.params, 1};
  }
  return {layer.op, counts.params, 0};
}

class OnnxExportOfZoo : public testing::TestWithParam<ZooEntry> {};

TEST_P(OnnxExportOfZoo, KeepsEveryLayer) {
  const Model model = GetParam().build();
  const Model again = WriteAndRead(model, Zeros(model), false).model;
  std::size_t layers = model.size();
  for (const Layer& layer : model.layers()) {
    const LayerId id = again.Find(layer.name);
    ASSERT_TRUE(id.valid()) << layer.name;
    const Change expected = ExpectedChange(model, layer);
    EXPECT_EQ(again.layer(id).op, expected.op) << layer.name;
    EXPECT_EQ(again.layer(id).output, layer.output) << layer.name;
    EXPECT_EQ(again.layer(id).counts.params, expected.params) << layer.name;
    EXPECT_EQ(again.layer(id).counts.state, layer.counts.state) << layer.name;
    EXPECT_EQ(again.layer(id).counts.macs, layer.counts.macs) << layer.name;
    layers += static_cast<std::size_t>(expected.added_layers);
  }
  EXPECT_EQ(again.size(), layers);
  EXPECT_EQ(again.totals().macs, model.totals().macs);
}

INSTANTIATE_TEST_SUITE_P(, OnnxExportOfZoo, testing::ValuesIn(Zoo()),
                         [](const auto& entry) { return entry.param.name; });

TEST(OnnxExport, AModelAndItsFileAreAlikeByStructure) {
  for (const char* name : {"resnet18", "squeezenet_1_1", "mobilenet_v2"}) {
    const Model model = FindInZoo(name)->build();
    EXPECT_EQ(StructureOf(WriteAndRead(model, Zeros(model), false).model), StructureOf(model)) << name;
  }
}

TEST(OnnxExport, KeepsWeights) {
  const Model model = FindInZoo("mobilenet_v2")->build();
  const Weights weights = RandomWeights(model, 3);
  const ImportedModel again = WriteAndRead(model, weights, true);
  ASSERT_EQ(again.weights.size(), weights.size());
  for (const auto& [key, tensor] : weights) {
    ASSERT_TRUE(again.weights.contains(key)) << key.layer << " " << key.role;
    EXPECT_EQ(again.weights.at(key).shape, tensor.shape);
    EXPECT_EQ(again.weights.at(key).values, tensor.values) << key.layer << " " << key.role;
  }
}

// What a file of any batch is in batch 3.
ImportedModel InBatchOfThree(const Model& model) {
  const TempFolder folder;
  const std::filesystem::path file = folder / "any.onnx";
  ExportModelOfAnyBatch(file, model, RandomWeights(model, 1));
  ImportOptions options;
  options.input = model.layer(model.Inputs()[0]).output;
  options.input->front() = 3;
  return ImportModel(file, options);
}

TEST(OnnxExport, OfAnyBatchIsAskedForEach) {
  for (const char* name : {"resnet18", "mobilenet_v2", "squeezenet_1_1"}) {
    const Model model = FindInZoo(name)->build(), three = model.WithBatch(3);
    const Model again = InBatchOfThree(model).model;
    ASSERT_EQ(again.Outputs().size(), 1u) << name;
    EXPECT_EQ(again.layer(again.Outputs()[0]).output, three.layer(three.Outputs()[0]).output) << name;
    EXPECT_EQ(again.totals().macs, three.totals().macs) << name;
  }
}

// A fc over the last of three axes writes a Reshape, and scales that a float does not hold sizes.
TEST(OnnxExport, OfAnyBatchHasNoConstantThatHoldsIt) {
  FcAttributes fc;
  fc.axis = 2;
  fc.out_features = 5;
  UpsampleAttributes up;
  up.scale_h = 7.0 / 3;
  up.scale_w = 5.0 / 3;
  const Model rows = Model::Build(
      "rows", {{"x", Op::kInput, InputAttributes{{1, 4, 6}}, {}}, {"fc", Op::kFc, fc, {"x"}}}, "rows");
  const Model again = InBatchOfThree(rows).model;
  EXPECT_EQ(again.layer(again.Outputs()[0]).output, (Shape{3, 4, 5}));
  const Model image = Model::Build(
      "image", {{"x", Op::kInput, InputAttributes{{1, 2, 3, 3}}, {}}, {"up", Op::kUpsample, up, {"x"}}},
      "image");
  const Model larger = InBatchOfThree(image).model;
  EXPECT_EQ(larger.layer(larger.Outputs()[0]).output, (Shape{3, 2, 7, 5}));
}

TEST(OnnxExport, OfAnyBatchReadWithoutOneIsOfOne) {
  const TempFolder folder;
  const Model model = FindInZoo("squeezenet_1_1")->build();
  ExportModelOfAnyBatch(folder / "any.onnx", model, Zeros(model));
  EXPECT_EQ(ImportModel(folder / "any.onnx").model.batch(), 1);
}

TEST(OnnxExport, OfAnyBatchIsRefusedWhereTheBatchIsNoExtentOfItsOwn) {
  ReshapeAttributes all;
  all.shape = {1, -1};
  const Model flat = Model::Build(
      "flat", {{"x", Op::kInput, InputAttributes{{1, 4, 6}}, {}}, {"all", Op::kReshape, all, {"x"}}}, "flat");
  EXPECT_EQ(ErrorOf([&] { CheckAnyBatch(flat); }),
            "flat: layer \"all\" is 1x24 in batch 1 and 1x48 in batch 2: its first extent is not the batch");
}

TEST(OnnxExport, KeepsQuantisedWeightsOfWhichEachOutputHasAnotherZeroPoint) {
  FcAttributes fc;
  fc.out_features = 2;
  fc.bias = false;
  fc.quantized = true;
  const Model model =
      Model::Build("net",
                   {{"x", Op::kInput, InputAttributes{{1, 3}}, {}},
                    {"x_q", Op::kQuantize, QuantizeAttributes{0.1, 0, GridType::kInt8}, {"x"}},
                    {"fc", Op::kFc, fc, {"x_q"}},
                    {"fc_q", Op::kQuantize, QuantizeAttributes{0.5, 0, GridType::kInt8}, {"fc"}}},
                   "net");
  const Tensor weight{{2, 3}, {-100, 0, 27, 0, 1, 127.5F}};  // from -200 to 54, and from 0 to 255
  const Weights weights{{{"fc", "weight"}, weight}, {{"fc", "step"}, {{2}, {0.5F, 0.5F}}}};
  const ImportedModel read = WriteAndRead(model, weights, true);
  EXPECT_EQ(read.weights.at({"fc", "weight"}).values, weight.values);
  EXPECT_TRUE(read.model.layer(read.model.Find("fc")).As<FcAttributes>().quantized);
}

TEST(OnnxExport, RefusesScalesThatNoFileCanHold) {
  UpsampleAttributes a;
  a.scale_h = 1 - 1e-12;  // 8 rows; as a float it is 1, which makes 9
  const Model model = Model::Build(
      "net", {{"x", Op::kInput, InputAttributes{{1, 2, 9, 30}}, {}}, {"up", Op::kUpsample, a, {"x"}}}, "net");
  EXPECT_EQ(ErrorOf([&] { OnnxBytes(model, {}); }),
            "net: layer \"up\": its scales have more digits than an ONNX file holds");
}

}  // namespace
}  // namespace tandem
