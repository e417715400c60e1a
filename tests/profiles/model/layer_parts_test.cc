// How far can layers of every kind be split, alone and as groups, and what is refused?
#include "profiles/model/layer_parts.h"

#include <gtest/gtest.h>

#include "profiles/model/model_builder.h"

namespace tandem {
namespace {

class LayerParts : public testing::Test {
 protected:
  LayerParts() { net_.Input("in", {1, 8, 12, 10}); }

  // "extent/granule" along channels and rows; "-": not at all.
  std::string Of(const std::vector<std::string>& names) const {
    const Model model = net_.Build();
    std::vector<LayerId> layers;
    for (const std::string& name : names) layers.push_back(model.Find(name));
    const auto text = [&](SplitAxis axis) {
      const SplitRange range = SplitRangeOf(model, layers, axis);
      if (range.extent == 0) return std::string("-");
      return std::to_string(range.extent) + "/" + std::to_string(range.granule);
    };
    return text(SplitAxis::kChannels) + " " + text(SplitAxis::kRows);
  }

  ModelBuilder net_{"net"};
};

TEST_F(LayerParts, ConvolutionsSplitAnywhereAndGroupedOnesBetweenTheirGroups) {
  net_.Conv("plain", SquareConv(6, 3, 1, 1));
  net_.Conv("grouped", Grouped(2, SquareConv(12, 3, 2, 1)), "in");
  net_.Conv("depthwise", Grouped(8, SquareConv(8, 3, 1, 1)), "in");
  net_.Conv("widening", Grouped(8, SquareConv(24, 3, 1, 1)), "in");
  EXPECT_EQ(Of({"plain"}), "6/1 12/1");
  EXPECT_EQ(Of({"grouped"}), "12/6 6/1");
  EXPECT_EQ(Of({"depthwise"}), "8/1 12/1");
  EXPECT_EQ(Of({"widening"}), "24/3 12/1");
}

TEST_F(LayerParts, FullyConnectedLayersHaveNoRows) {
  net_.Fc("fc", 20);
  net_.Relu("relu");
  EXPECT_EQ(Of({"fc"}), "20/1 -");
  EXPECT_EQ(Of({"fc", "relu"}), "20/1 -");
}

TEST_F(LayerParts, PoolingsSplitByRowsWhereTheyHaveWindows) {
  net_.MaxPool("pool", SquarePool(2, 2));
  net_.AvgPool("global", GlobalPool(), "in");
  net_.AvgPool("adaptive", AdaptivePool(3), "in");
  EXPECT_EQ(Of({"pool"}), "8/1 6/1");
  EXPECT_EQ(Of({"global"}), "8/1 -");
  EXPECT_EQ(Of({"adaptive"}), "8/1 -");
}

TEST_F(LayerParts, WhatWorksValueByValueSplits) {
  net_.Relu("relu");
  net_.Add("norm", Op::kBatchNorm, "in");
  net_.Sum("sum", "relu", "norm");
  EXPECT_EQ(Of({"relu"}), "8/1 12/1");
  EXPECT_EQ(Of({"norm"}), "8/1 12/1");
  EXPECT_EQ(Of({"sum"}), "8/1 12/1");
}

TEST_F(LayerParts, FusedGroupsSplitWhereEachPartNeedsNothingOfTheOthers) {
  net_.Conv("conv", SquareConv(8, 3, 1, 1));
  net_.Add("norm", Op::kBatchNorm);
  net_.Sum("residual", "norm", "in");
  net_.Relu("relu");
  net_.MaxPool("pool", SquarePool(2, 2));
  net_.Conv("after", SquareConv(8, 1));
  EXPECT_EQ(Of({"conv", "norm"}), "8/1 12/1");
  EXPECT_EQ(Of({"conv", "norm", "residual", "relu"}), "8/1 12/1") << "the other summand is read whole";
  EXPECT_EQ(Of({"conv", "norm", "residual", "relu", "pool"}), "8/1 -") << "windows reach into other rows";
  EXPECT_EQ(Of({"pool", "after"}), "- -") << "a convolution reads all channels";
  EXPECT_EQ(Of({"conv", "relu"}), "- -") << "they do not follow each other";
}

TEST_F(LayerParts, OnlyTheLastLayersOutputMayBeReadFromOutside) {
  net_.Conv("conv", SquareConv(8, 3, 1, 1));
  net_.Relu("relu");
  net_.Sum("sum", "conv", "relu");
  EXPECT_EQ(Of({"conv", "relu"}), "- -");
  EXPECT_EQ(Of({"conv", "relu", "sum"}), "8/1 12/1");
}

TEST_F(LayerParts, WhatNeedsAllChannelsIsRefused) {
  net_.Add("lrn", Op::kLrn);
  net_.Add("softmax", Op::kSoftmax);
  net_.Concat("concat", {"in", "softmax"});
  for (const char* name : {"in", "lrn", "softmax", "concat"}) EXPECT_EQ(Of({name}), "- -") << name;
  EXPECT_EQ(Of({}), "- -");
}

TEST_F(LayerParts, HaveANamePeopleRead) {
  EXPECT_EQ((LayerPart{SplitAxis::kChannels, 0, 32}).Text(), "channels 0-31");
  EXPECT_EQ((LayerPart{SplitAxis::kRows, 5, 6}).Text(), "rows 5-5");
}

}  // namespace
}  // namespace tandem
