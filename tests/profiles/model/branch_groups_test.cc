// Which layers may run side by side?
#include "profiles/model/branch_groups.h"

#include <gtest/gtest.h>

#include "profiles/model/model_builder.h"
#include "profiles/model/zoo.h"

namespace tandem {
namespace {

ModelBuilder StartingAtFork() {
  ModelBuilder net("net");
  net.Input("in", {1, 8, 4, 4});
  net.Relu("fork");
  return net;
}

// "fork>join: a b | c"
std::vector<std::string> Found(const Model& model) {
  std::vector<std::string> found;
  for (const BranchGroup& group : FindBranchGroups(model)) {
    std::string text = model.layer(group.fork).name + ">" + model.layer(group.join).name + ":";
    for (std::size_t i = 0; i < group.branches.size(); ++i) {
      if (i > 0) text += " |";
      for (const LayerId id : group.branches[i]) text += " " + model.layer(id).name;
    }
    found.push_back(text);
  }
  return found;
}

using Texts = std::vector<std::string>;

TEST(BranchGroups, AreChainsFromOneForkToOneJoin) {
  ModelBuilder net = StartingAtFork();
  net.Relu("a", "fork");
  net.Relu("b");
  net.Relu("c", "fork");
  net.Concat("join", {"b", "c"});
  net.Relu("after");
  EXPECT_EQ(Found(net.Build()), Texts{"fork>join: a b | c"});
}

TEST(BranchGroups, AnIdentityShortcutIsNoBranch) {
  ModelBuilder net = StartingAtFork();
  net.Relu("a");
  net.Sum("join", "a", "fork");
  EXPECT_EQ(Found(net.Build()), Texts{});
}

TEST(BranchGroups, AChainBesideAnIdentityShortcutNeedsASecondChain) {
  ModelBuilder net = StartingAtFork();
  net.Relu("a", "fork");
  net.Relu("b", "fork");
  net.Concat("join", {"a", "b", "fork"});
  EXPECT_EQ(Found(net.Build()), Texts{"fork>join: a | b"});
}

TEST(BranchGroups, AForkInsideABranchBreaksItAndFormsItsOwn) {
  ModelBuilder net = StartingAtFork();
  net.Relu("a", "fork");
  net.Relu("b", "a");
  net.Relu("c", "a");
  net.Concat("inner", {"b", "c"});
  net.Relu("d", "fork");
  net.Concat("outer", {"inner", "d"});
  EXPECT_EQ(Found(net.Build()), Texts{"a>inner: b | c"});
}

TEST(BranchGroups, ChainsBesideAnInnerForkStayAGroup) {
  ModelBuilder net = StartingAtFork();
  net.Relu("a", "fork");
  net.Relu("b", "a");
  net.Relu("c", "a");
  net.Concat("inner", {"b", "c"});
  net.Relu("d", "fork");
  net.Relu("e", "fork");
  net.Concat("outer", {"inner", "d", "e"});
  EXPECT_EQ(Found(net.Build()), (Texts{"fork>outer: d | e", "a>inner: b | c"}));
}

TEST(BranchGroups, OneForkMayFeedTwoJoins) {
  ModelBuilder net = StartingAtFork();
  for (const char* name : {"a", "b", "c", "d"}) net.Relu(name, "fork");
  net.Concat("first", {"a", "c"});
  net.Concat("second", {"b", "d"});
  EXPECT_EQ(Found(net.Build()), (Texts{"fork>first: a | c", "fork>second: b | d"}));
}

TEST(BranchGroups, WaysThatNeverMeetAreNone) {
  ModelBuilder net = StartingAtFork();
  net.Relu("a", "fork");
  net.Relu("b", "fork");
  EXPECT_EQ(Found(net.Build()), Texts{});
}

TEST(BranchGroups, ALayerThatAJoinReadsTwiceIsNoChain) {
  ModelBuilder net = StartingAtFork();
  net.Relu("a", "fork");
  net.Relu("b", "fork");
  net.Concat("join", {"a", "a", "b"});
  EXPECT_EQ(Found(net.Build()), Texts{});
}

std::vector<std::size_t> SizesIn(const std::string& name) {
  const Model model = FindInZoo(name)->build();
  std::vector<std::size_t> sizes;
  for (const BranchGroup& group : FindBranchGroups(model)) sizes.push_back(group.branches.size());
  return sizes;
}

TEST(BranchGroups, OfTheStudiesNetworks) {
  EXPECT_EQ(SizesIn("squeezenet_1_0"), std::vector<std::size_t>(8, 2));
  EXPECT_EQ(SizesIn("squeezenet_1_1"), std::vector<std::size_t>(8, 2));
  EXPECT_EQ(SizesIn("googlenet"), std::vector<std::size_t>(9, 4));
  EXPECT_EQ(SizesIn("vgg16"), std::vector<std::size_t>{});
}

TEST(BranchGroups, AResnetHasOneWhereAShortcutIsProjected) {
  EXPECT_EQ(SizesIn("resnet18"), std::vector<std::size_t>(3, 2));
  EXPECT_EQ(SizesIn("resnet50"), std::vector<std::size_t>(4, 2));
  EXPECT_EQ(SizesIn("resnet152_v1"), std::vector<std::size_t>(4, 2));
}

TEST(BranchGroups, OfAFireModuleAreItsTwoExpansionsWithTheirActivations) {
  const Texts found = Found(FindInZoo("squeezenet_1_1")->build());
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0],
            "fire2/relu_squeeze1x1>fire2/concat: fire2/expand1x1 fire2/relu_expand1x1 | fire2/expand3x3 "
            "fire2/relu_expand3x3");
}

}  // namespace
}  // namespace tandem
