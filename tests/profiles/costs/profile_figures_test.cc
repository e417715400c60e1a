// Are the figures of study 000 drawn from a profile as they should be?
#include "profiles/costs/profile_figures.h"

#include <gtest/gtest.h>

#include "profiles/model/model_source.h"

namespace tandem {
namespace {

// Of squeezenet_1_1: conv1 has 3x3 filters, fire2/squeeze1x1 1x1.
Profile Read(const std::string& entries) {
  const std::string text = R"({"tandem": "profile/1", "platform": "board",
      "origin": {"kind": "measured", "host": "h", "clocks": {}, "libraries": {}, "threads": {"cpu": [0]},
                 "date": "2026-11-20", "cache_mode": "warm"}, "entries": [)" +
                           entries + "]}";
  return ReadProfile(JsonDocument::Parse(text, "p.json").root());
}

std::string Entry(const std::string& layers, int micros, const std::string& more = "") {
  return R"({"model": "squeezenet_1_1", "unit": "cpu", "layers": [)" + layers + R"(], "median_us": )" +
         std::to_string(micros) + more + "}";
}

struct Names {
  std::string conv1, relu1, pool1, squeeze;
  std::int64_t macs = 0;
};

// The first layers, whatever they are called.
Names First() {
  const Model model = LoadModel("squeezenet_1_1", {}).model;
  Names names;
  for (const Layer& layer : model.layers()) {
    const auto take = [&](std::string& name) {
      if (name.empty()) name = layer.name;
    };
    if (layer.op == Op::kConv && !names.conv1.empty()) take(names.squeeze);
    if (layer.op == Op::kConv && names.conv1.empty()) names.macs = layer.counts.macs;
    if (layer.op == Op::kConv) take(names.conv1);
    if (layer.op == Op::kRelu) take(names.relu1);
    if (layer.op == Op::kMaxPool) take(names.pool1);
  }
  return names;
}

std::string Quote(const std::string& name) { return "\"" + name + "\""; }

TEST(ProfileFigures, AGroupWithAConvolutionCountsAsOne) {
  const Names names = First();
  const ProfileFigures figures = FiguresOf(Read(Entry(Quote(names.conv1) + ", " + Quote(names.relu1), 300) +
                                                ", " + Entry(Quote(names.pool1), 100)));
  ASSERT_EQ(figures.points.size(), 1U);
  EXPECT_EQ(figures.points[0].kernel, "3x3");
  EXPECT_EQ(figures.points[0].macs, names.macs);
  ASSERT_EQ(figures.shares.size(), 1U);
  EXPECT_EQ(figures.shares[0].convolutions, Nanos{300'000});
  EXPECT_EQ(figures.shares[0].all, Nanos{400'000});
  EXPECT_EQ(figures.shares[0].cores, 1U);
}

TEST(ProfileFigures, NoLayerCountsTwice) {
  const Names names = First();
  const ProfileFigures figures =
      FiguresOf(Read(Entry(Quote(names.conv1), 250) + ", " + Entry(Quote(names.relu1), 90) + ", " +
                     Entry(Quote(names.conv1) + ", " + Quote(names.relu1), 300) + ", " +
                     R"({"model": "squeezenet_1_1", "unit": "cpu", "layers": "*", "median_us": 9000})"));
  EXPECT_EQ(figures.shares.at(0).all, Nanos{300'000}) << "the group, and no part of it again";
  EXPECT_EQ(figures.points.size(), 1U);
}

TEST(ProfileFigures, WorkGrowsWithTheBatch) {
  const Names names = First();
  const ProfileFigures figures = FiguresOf(Read(Entry(Quote(names.conv1), 250, R"(, "batch": 4)")));
  EXPECT_EQ(figures.points.at(0).macs, 4 * names.macs);
  EXPECT_EQ(figures.shares.at(0).batch, 4);
}

TEST(ProfileFigures, VariantsOfAUnitStandApart) {
  const Names names = First();
  const ProfileFigures figures = FiguresOf(
      Read(Entry(Quote(names.conv1), 250) + ", " + Entry(Quote(names.conv1), 90, R"(, "variant": "fast")")));
  ASSERT_EQ(figures.shares.size(), 2U);
  EXPECT_EQ(figures.shares[0].unit, "cpu");
  EXPECT_EQ(figures.shares[1].unit, "cpu, fast/fp32");
  EXPECT_EQ(figures.fits.size(), 2U);
}

TEST(ProfileFigures, TheFitFindsAStraightLine) {
  const Model model = LoadModel("squeezenet_1_1", {}).model;
  std::string entries;
  for (const Layer& layer : model.layers()) {
    if (layer.op != Op::kConv) continue;
    const auto micros = static_cast<int>(20 + 50 * layer.counts.macs / 1'000'000);
    entries += (entries.empty() ? "" : ", ") + Entry(Quote(layer.name), micros);
  }
  const ProfileFigures figures = FiguresOf(Read(entries));
  ASSERT_EQ(figures.fits.size(), 1U);
  EXPECT_NEAR(figures.fits[0].per_mmac_ns, 50'000, 200);
  EXPECT_NEAR(figures.fits[0].fixed_ns, 20'000, 1000);
  EXPECT_GT(figures.fits[0].explained, 0.999);
  EXPECT_EQ(figures.kernels.size(), 2U) << "1x1 and 3x3";
}

}  // namespace
}  // namespace tandem
