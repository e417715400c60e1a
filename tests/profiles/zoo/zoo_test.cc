// Are the models of the zoo the networks that they are named after?
#include "profiles/model/zoo.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

namespace tandem {
namespace {

Model FromZoo(const std::string& name) {
  const ZooEntry* entry = FindInZoo(name);
  if (entry == nullptr) throw std::runtime_error("the zoo has no " + name);
  return entry->build();
}

std::map<Op, int> CountByOp(const Model& model) {
  std::map<Op, int> count;
  for (const Layer& layer : model.layers()) ++count[layer.op];
  return count;
}

struct Row {
  std::string name;
  std::int64_t params, state;
  std::int64_t macs;
  std::int64_t side = 224;

  friend void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }
};

// Published counts; what the v1 ResNets save against v1.5 is the same for all three depths.
constexpr std::int64_t kSavedByV1 = 231'211'008;
const Row kRows[] = {
    {"alexnet", 61'100'840, 0, 714'188'480},
    {"alexnet_caffe", 60'965'224, 0, 724'406'816, 227},
    {"alexnet_darknet", 62'378'344, 0, 1'135'256'096, 227},
    {"caffenet", 60'965'224, 0, 724'406'816, 227},
    {"vgg16", 138'357'544, 0, 15'470'264'320},
    {"vgg16_darknet", 138'357'544, 0, 15'470'264'320},
    {"resnet18", 11'689'512, 9'600, 1'814'073'344},
    {"resnet34", 21'797'672, 17'024, 3'663'761'408},
    {"resnet50", 25'557'032, 53'120, 4'089'184'256},
    {"resnet101", 44'549'160, 105'344, 7'801'405'440},
    {"resnet152", 60'192'808, 151'424, 11'513'626'624},
    {"resnet50_v1", 25'557'032, 53'120, 4'089'184'256 - kSavedByV1},
    {"resnet101_v1", 44'549'160, 105'344, 7'801'405'440 - kSavedByV1},
    {"resnet152_v1", 60'192'808, 151'424, 11'513'626'624 - kSavedByV1},
    {"densenet121", 7'978'856, 83'648, 2'834'161'664},
    {"densenet201", 20'013'928, 229'056, 4'291'365'888},
    {"googlenet", 6'998'552, 0, 1'582'671'872},
    {"squeezenet_1_0", 1'248'424, 0, 818'924'576},
    {"squeezenet_1_1", 1'235'496, 0, 349'151'936},
    {"mobilenet_v2", 3'504'872, 34'112, 300'774'272},
    {"mobilenet_v1", 4'231'976, 21'888, 568'740'352},
};

class ZooCounts : public testing::TestWithParam<Row> {};

TEST_P(ZooCounts, AreThePublishedOnes) {
  const Row& row = GetParam();
  const Model model = FromZoo(row.name);
  EXPECT_EQ(model.name(), row.name);
  EXPECT_EQ(model.totals().params, row.params);
  EXPECT_EQ(model.totals().state, row.state);
  EXPECT_EQ(model.totals().macs, row.macs);
  ASSERT_EQ(model.Inputs().size(), 1u);
  EXPECT_EQ(model.layer(model.Inputs()[0]).output, (Shape{1, 3, row.side, row.side}));
  ASSERT_EQ(model.Outputs().size(), 1u);
  EXPECT_EQ(Elements(model.layer(model.Outputs()[0]).output), 1000);
}

INSTANTIATE_TEST_SUITE_P(All, ZooCounts, testing::ValuesIn(kRows),
                         [](const auto& instance) { return instance.param.name; });

struct LayerCounts {
  std::string name;
  std::map<Op, int> layers;

  friend void PrintTo(const LayerCounts& counts, std::ostream* out) { *out << counts.name; }
};

class Study000 : public testing::TestWithParam<LayerCounts> {};

TEST_P(Study000, FindsAsManyLayersOfEachKind) {
  std::map<Op, int> counted = CountByOp(FromZoo(GetParam().name));
  for (const auto& [op, count] : GetParam().layers) {
    EXPECT_EQ(counted[op], count) << OpName(op);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Study000,
    testing::Values(
        LayerCounts{"alexnet_darknet",
                    {{Op::kConv, 5}, {Op::kFc, 3}, {Op::kMaxPool, 3}, {Op::kAvgPool, 0}, {Op::kSoftmax, 1}}},
        LayerCounts{
            "densenet201_darknet",
            {{Op::kConv, 201}, {Op::kMaxPool, 4}, {Op::kAvgPool, 1}, {Op::kSoftmax, 1}, {Op::kConcat, 98}}},
        LayerCounts{
            "resnet152_darknet",
            {{Op::kConv, 152}, {Op::kMaxPool, 1}, {Op::kAvgPool, 1}, {Op::kSoftmax, 1}, {Op::kAdd, 50}}},
        LayerCounts{
            "vgg16_darknet",
            {{Op::kConv, 13}, {Op::kFc, 3}, {Op::kMaxPool, 5}, {Op::kAvgPool, 0}, {Op::kSoftmax, 1}}}),
    [](const auto& instance) { return instance.param.name; });

TEST(Zoo, IsInOrderOfNameAndDescribesEachModelInOneLine) {
  for (std::size_t i = 0; i < Zoo().size(); ++i) {
    const ZooEntry& entry = Zoo()[i];
    EXPECT_EQ(FindInZoo(entry.name), &entry);
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
    EXPECT_LE(entry.summary.size(), 40u) << entry.name;
    EXPECT_EQ(entry.summary.find('\n'), std::string::npos);
    EXPECT_TRUE(i == 0 || Zoo()[i - 1].name < entry.name) << entry.name;
  }
  EXPECT_EQ(FindInZoo("resnet"), nullptr);
}

const Layer& LayerOf(const Model& model, std::string_view name) {
  const LayerId id = model.Find(name);
  if (!id.valid()) throw std::runtime_error(model.name() + " has no layer " + std::string(name));
  return model.layer(id);
}

Shape OutputOf(const Model& model, const std::string& name) { return LayerOf(model, name).output; }

std::int64_t StrideOf(const Model& model, const std::string& name) {
  return LayerOf(model, name).As<ConvAttributes>().stride.h;
}

TEST(Zoo, TakesAnotherBatch) {
  for (const ZooEntry& entry : Zoo()) {
    const Model model = entry.build();
    const Counts one = model.totals(), three = model.WithBatch(3).totals();
    EXPECT_EQ(three.macs, 3 * one.macs) << entry.name;
    EXPECT_EQ(three.params, one.params) << entry.name;
  }
}

TEST(Zoo, TakesAnotherInputSize) {
  const Model caffe = FromZoo("squeezenet_1_1").WithInputShape({1, 3, 227, 227});
  EXPECT_EQ(caffe.totals().macs, 387'747'520);
  for (const char* name : {"alexnet", "vgg16", "resnet50", "densenet121", "mobilenet_v2"}) {
    const Model model = FromZoo(name);
    const Model larger = model.WithInputShape({1, 3, 320, 256});
    EXPECT_EQ(larger.totals().params, model.totals().params) << name;
    EXPECT_GT(larger.totals().macs, model.totals().macs) << name;
  }
}

TEST(ZooResnet, StridesInTheThreeByThreeOrInTheFirstConvolution) {
  const Model v15 = FromZoo("resnet50"), v1 = FromZoo("resnet50_v1");
  EXPECT_EQ(StrideOf(v15, "layer2.0.conv1"), 1);
  EXPECT_EQ(StrideOf(v15, "layer2.0.conv2"), 2);
  EXPECT_EQ(StrideOf(v1, "res3a_branch2a"), 2);
  EXPECT_EQ(StrideOf(v1, "res3a_branch2b"), 1);
  EXPECT_EQ(StrideOf(v15, "layer1.0.downsample.0"), 1);
  EXPECT_EQ(StrideOf(v1, "res5a_branch1"), 2);
}

TEST(ZooResnet, CaffesNamesTurnToNumbersInTheLongStages) {
  const Model deep = FromZoo("resnet152_v1");
  for (const char* name :
       {"res2c", "res3b7", "res4b35", "res5c", "bn4b35_branch2c", "scale5a_branch1", "fc1000"}) {
    EXPECT_TRUE(deep.Find(name).valid()) << name;
  }
  EXPECT_TRUE(FromZoo("resnet50_v1").Find("res4f_branch2b_relu").valid());
}

TEST(ZooCaffe, PoolsRoundedUp) {
  EXPECT_EQ(OutputOf(FromZoo("resnet50_v1"), "pool1"), (Shape{1, 64, 56, 56}));
  const Model googlenet = FromZoo("googlenet");
  EXPECT_EQ(OutputOf(googlenet, "pool2/3x3_s2"), (Shape{1, 192, 28, 28}));
  EXPECT_EQ(OutputOf(googlenet, "pool4/3x3_s2"), (Shape{1, 832, 7, 7}));
  EXPECT_EQ(OutputOf(googlenet, "pool5/7x7_s1"), (Shape{1, 1024, 1, 1}));
  EXPECT_EQ(OutputOf(FromZoo("squeezenet_1_1"), "conv10"), (Shape{1, 1000, 13, 13}));
}

TEST(ZooCaffe, CaffenetPoolsBeforeItNormalises) {
  const Model alexnet = FromZoo("alexnet_caffe"), caffenet = FromZoo("caffenet");
  EXPECT_LT(alexnet.Find("norm1"), alexnet.Find("pool1"));
  EXPECT_GT(caffenet.Find("norm1"), caffenet.Find("pool1"));
  EXPECT_EQ(OutputOf(caffenet, "norm2"), OutputOf(alexnet, "pool2"));
}

TEST(ZooDarknet, NumbersItsSectionsAsDarknetPrintsThem) {
  EXPECT_TRUE(FromZoo("alexnet_darknet").Find("softmax_13").valid());
  EXPECT_TRUE(FromZoo("vgg16_darknet").Find("softmax_23").valid());
  EXPECT_TRUE(FromZoo("resnet152_darknet").Find("softmax_204").valid());
  EXPECT_TRUE(FromZoo("densenet201_darknet").Find("softmax_304").valid());
}

TEST(ZooDarknet, ShortcutsTakeEverySecondPixelAndPadChannels) {
  const Model model = FromZoo("resnet152_darknet");
  // Three blocks of four sections follow conv_0 and max_1; block 4 is the first that halves.
  EXPECT_EQ(OutputOf(model, "slice_17"), (Shape{1, 256, 28, 28}));
  EXPECT_EQ(OutputOf(model, "pad_17"), (Shape{1, 512, 28, 28}));
  EXPECT_EQ(OutputOf(model, "shortcut_17"), (Shape{1, 512, 28, 28}));
  EXPECT_DOUBLE_EQ(LayerOf(model, "leaky_17").As<LeakyReluAttributes>().slope, 0.1);
  EXPECT_FALSE(model.Find("leaky_16").valid());
}

TEST(ZooDarknet, RoutesPutNewFeaturesFirst) {
  const Model model = FromZoo("densenet201_darknet");
  const Layer& route = LayerOf(model, "route_4");
  ASSERT_EQ(route.inputs.size(), 2u);
  EXPECT_EQ(model.layer(route.inputs[0]).name, "leaky_3");
  EXPECT_EQ(model.layer(route.inputs[1]).name, "max_1");
  EXPECT_EQ(route.output, (Shape{1, 96, 56, 56}));
}

// "a + b||c" of a fused row -> a, b, c
std::vector<std::string> LayersOfRow(std::string row) {
  std::vector<std::string> layers;
  for (const char* separator : {" + ", "||"}) {
    for (std::size_t at; (at = row.find(separator)) != std::string::npos;) {
      row.replace(at, std::string(separator).size(), "\n");
    }
  }
  std::istringstream lines(row);
  for (std::string layer; std::getline(lines, layer);) layers.push_back(layer);
  return layers;
}

// What Caffe and TensorRT put around the network.
bool IsOfTheRuntime(const std::string& layer) {
  return layer == "input" || layer == "data" || layer.ends_with("_zipper") || layer.ends_with("_unzipper") ||
         layer.ends_with("_split");
}

TEST(ZooCaffe, HasEveryLayerThatPublishedProfilesName) {
  const std::map<std::string, Model> models = {{"bvlc-alexnet", FromZoo("alexnet_caffe")},
                                               {"bvlc-googlenet", FromZoo("googlenet")},
                                               {"deepscale-squeezenet-1.0", FromZoo("squeezenet_1_0")},
                                               {"deepscale-squeezenet-1.1", FromZoo("squeezenet_1_1")}};
  for (const char* board : {"exynos5_cortexA15", "jetson_tx1", "rk3399"}) {
    std::ifstream file(std::string(TANDEM_SHARED_DATA) + "/latencies/" + board + "_perlayer.csv");
    if (!file) GTEST_SKIP() << "no shared data here";
    std::set<std::pair<std::string, std::string>> rows;
    std::string line;
    for (std::getline(file, line); std::getline(file, line);) {
      std::istringstream fields(line);
      std::vector<std::string> field(7);
      for (std::string& text : field) std::getline(fields, text, ',');
      rows.emplace(field[1], field[6]);
    }
    EXPECT_FALSE(rows.empty()) << board;
    for (const auto& [model, row] : rows) {
      for (const std::string& layer : LayersOfRow(row)) {
        EXPECT_TRUE(IsOfTheRuntime(layer) || models.at(model).Find(layer).valid()) << model << " " << layer;
      }
    }
  }
}

}  // namespace
}  // namespace tandem
