// Are the models of the zoo the networks that they are named after?
#include "profiles/zoo.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <ostream>

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
  std::optional<std::int64_t> macs;
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
    {"resnet18", 11'689'512, 9'600, {}},
    {"resnet34", 21'797'672, 17'024, {}},
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
    {"mobilenet_v1", 4'231'976, 21'888, {}},
};

class ZooCounts : public testing::TestWithParam<Row> {};

TEST_P(ZooCounts, AreThePublishedOnes) {
  const Row& row = GetParam();
  const Model model = FromZoo(row.name);
  EXPECT_EQ(model.name(), row.name);
  EXPECT_EQ(model.totals().params, row.params);
  EXPECT_EQ(model.totals().state, row.state);
  EXPECT_EQ(model.totals().macs, row.macs.value_or(model.totals().macs));
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
    EXPECT_EQ(counted[op], count) << NameOf(kOpNames, op);
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
    EXPECT_LE(entry.summary.size(), 80u) << entry.name;
    EXPECT_EQ(entry.summary.find('\n'), std::string::npos);
    EXPECT_TRUE(i == 0 || Zoo()[i - 1].name < entry.name) << entry.name;
  }
  EXPECT_EQ(FindInZoo("resnet"), nullptr);
}

}  // namespace
}  // namespace tandem
