// Does every network of the zoo come back from an ONNX file as it was, weights and all?
#include "profiles/importers/onnx/export.h"

#include <gtest/gtest.h>

#include "profiles/importers/onnx/import.h"
#include "profiles/model/structure.h"
#include "profiles/model/zoo.h"
#include "tests/support/error_of.h"

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
