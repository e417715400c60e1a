// Does a segment cost its own entry, else the least sum of entries that make it up, and nothing else?
#include "profiles/costs/cost_table.h"

#include <gtest/gtest.h>

#include "profiles/base/input_error.h"
#include "profiles/model/model_builder.h"

namespace tandem {
namespace {

// data -> a -> b -> drop -> c
Model Chain() {
  ModelBuilder net("chain");
  net.Input("data", {1, 4, 8, 8});
  net.Conv("a", SquareConv(4, 1));
  net.Relu("b");
  net.Add("drop", Op::kDropout);
  net.Conv("c", SquareConv(4, 1));
  return net.Build();
}

class CostTableTest : public testing::Test {
 protected:
  CostTableTest() : model_(Chain()) {
    const std::string board = R"({"tandem": "platform/1", "name": "b", "memories": [{"name": "m"}],
      "units": [{"name": "u", "kind": "cpu", "memory": "m"}, {"name": "v", "kind": "gpu", "memory": "m"}]})";
    platform_ = ReadPlatform(JsonDocument::Parse(board, "b.json").root());
  }

  // `entries`: the text between the brackets, the model left out.
  CostTable Table(std::string entries) {
    for (std::size_t at = 0; (at = entries.find("{", at)) != std::string::npos; at += 20) {
      entries.insert(at + 1, "\"model\": \"chain\", ");
    }
    const std::string text =
        R"({"tandem": "profile/1", "platform": "b", "origin": {"kind": "published", "source": "s"}, "entries": [)" +
        entries + "]}";
    profile_ = ReadProfile(JsonDocument::Parse(text, "p.json").root());
    return CostTable(platform_, {&profile_}, {{"chain", &model_}});
  }

  std::vector<LayerId> Layers(const std::vector<std::string>& names) const {
    std::vector<LayerId> layers;
    for (const std::string& name : names) layers.push_back(model_.Find(name));
    return layers;
  }

  // In ns; -1: it cannot run.
  std::int64_t Time(const CostTable& table, const std::vector<std::string>& names, bool mapped = false,
                    std::int64_t batch = 1) const {
    const auto cost = table.Time({kChain, kU, Variant{}, batch, Layers(names), mapped});
    return cost ? cost->time.count() : -1;
  }

  static constexpr ModelId kChain{std::size_t{0}};
  static constexpr UnitId kU{std::size_t{0}}, kV{std::size_t{1}};
  const std::vector<std::string> all_ = {"data", "a", "b", "drop", "c"};
  Model model_;
  Platform platform_;
  Profile profile_;
};

constexpr const char* kSingles = R"({"unit": "u", "layers": ["a"], "median_us": 5},
  {"unit": "u", "layers": ["b"], "median_us": 2}, {"unit": "u", "layers": ["c"], "median_us": 3})";

TEST_F(CostTableTest, AStarIsTheWholeModelOnly) {
  const CostTable table = Table(R"({"unit": "u", "layers": "*", "median_us": 7, "energy_j": 0.5})");
  EXPECT_EQ(Time(table, all_), 7000);
  EXPECT_EQ(Time(table, {"a", "b", "c"}), 7000) << "free layers add nothing";
  EXPECT_EQ(Time(table, {"a", "b"}), -1);
  EXPECT_EQ(table.Time({kChain, kU, Variant{}})->energy_j, 0.5);
  EXPECT_FALSE(table.Time({kChain, kV, Variant{}}));
  EXPECT_FALSE(table.Time({kChain, kU, Variant{}, 2}));
}

TEST_F(CostTableTest, WithoutAnOwnEntryItIsTheLeastSum) {
  const CostTable table =
      Table(std::string(kSingles) + R"(, {"unit": "u", "layers": ["a", "b"], "median_us": 6},
    {"unit": "u", "layers": ["b", "drop", "c"], "median_us": 1})");
  EXPECT_EQ(Time(table, all_), 6000) << "a, then b with c";
  EXPECT_EQ(Time(table, {"a", "b"}), 6000);
  EXPECT_EQ(Time(table, {"b", "drop"}), 2000);
  EXPECT_EQ(Time(table, {"data"}), 0);
}

TEST_F(CostTableTest, AnOwnEntryCountsEvenWhereASumWouldBeLess) {
  const CostTable table =
      Table(std::string(kSingles) + R"(, {"unit": "u", "layers": ["a", "b"], "median_us": 9},
    {"unit": "u", "layers": "*", "median_us": 20})");
  EXPECT_EQ(Time(table, {"a", "b"}), 9000);
  EXPECT_EQ(Time(table, {"data", "a", "b", "drop"}), 9000);
  EXPECT_EQ(Time(table, all_), 20000);
}

TEST_F(CostTableTest, AFreeLayerCostsItsEntryIfItHasOne) {
  const CostTable table =
      Table(std::string(kSingles).append(R"(, {"unit": "u", "layers": ["drop"], "median_us": 0.25})"));
  EXPECT_EQ(Time(table, all_), 10250);
  EXPECT_EQ(Time(table, {"drop"}), 250);
}

TEST_F(CostTableTest, WhatReadsFromOutsideGoesThroughTheMapping) {
  const CostTable table =
      Table(std::string(kSingles) + R"(, {"unit": "u", "layers": ["b"], "mapped": true, "median_us": 4},
    {"unit": "u", "layers": ["a", "b"], "mapped": true, "median_us": 8})");
  EXPECT_EQ(Time(table, {"b", "drop", "c"}, true), 7000) << "b through the mapping, c from within";
  EXPECT_EQ(Time(table, {"b", "drop", "c"}), 5000);
  EXPECT_EQ(Time(table, all_, true), 11000);
  EXPECT_EQ(Time(table, {"c"}, true), -1);
}

TEST_F(CostTableTest, WhyNotNamesWhatIsMissing) {
  const CostTable table = Table(R"({"unit": "u", "layers": ["a"], "median_us": 5},
    {"unit": "u", "layers": ["b", "drop", "c"], "median_us": 5, "batch": 1},
    {"unit": "v", "layers": "*", "median_us": 5, "batch": 4, "variant": "x"})");
  const auto why = [&](UnitId unit, const std::vector<std::string>& names) {
    return table.WhyNot({kChain, unit, Variant{}, 1, Layers(names)});
  };
  EXPECT_EQ(why(kU, {"b"}), "unit \"u\" has no time for layer \"b\" of model \"chain\"");
  EXPECT_EQ(why(kU, {"b", "c"}), "unit \"u\" has no time for layers \"b\", \"c\" of model \"chain\"");
  EXPECT_EQ(why(kV, all_),
            "unit \"v\" has no time for model \"chain\" in fp32 at batch 1; it has x/fp32 at batch 4");
  EXPECT_EQ(table.WhyNot({kChain, kV, Variant{"x", "fp32"}, 4, Layers({"a"})}),
            "unit \"v\" has a time for the whole of model \"chain\" alone");
}

TEST_F(CostTableTest, TheDefaultVariantRunsMostAndIsFastest) {
  const CostTable table = Table(R"({"unit": "u", "layers": "*", "variant": "slow", "median_us": 9},
    {"unit": "u", "layers": "*", "variant": "quick", "median_us": 7},
    {"unit": "u", "layers": "*", "variant": "also", "median_us": 7},
    {"unit": "u", "layers": "*", "variant": "slow", "median_us": 12, "batch": 2},
    {"unit": "u", "layers": ["a"], "variant": "partly", "median_us": 1})");
  const std::vector<CostTable::Wanted> one = {{kChain, 1}}, both = {{kChain, 1}, {kChain, 2}};
  EXPECT_EQ(table.DefaultVariant(kU, one).name, "also");
  EXPECT_EQ(table.DefaultVariant(kU, both).name, "slow");
  EXPECT_EQ(table.DefaultVariant(kV, one), Variant{});
}

TEST_F(CostTableTest, AVariantIsFoundByItsNameWhereThatIsEnough) {
  const CostTable table = Table(R"({"unit": "u", "layers": "*", "variant": "trt", "median_us": 9},
    {"unit": "u", "layers": "*", "variant": "trt", "precision": "fp16", "median_us": 7},
    {"unit": "u", "layers": "*", "variant": "cuda", "median_us": 7})");
  EXPECT_EQ(table.FindVariant(kU, "cuda"), (Variant{"cuda", "fp32"}));
  EXPECT_EQ(table.FindVariant(kU, "trt/fp16"), (Variant{"trt", "fp16"}));
  const auto error = [&](const char* text) {
    try {
      (void)table.FindVariant(kU, text);
    } catch (const InputError& input_error) {
      return std::string(input_error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(error("trt"),
            "the unit \"u\" has the variant \"trt\" in several precisions; say which, such as \"trt/fp16\"");
  EXPECT_EQ(error("cudb"), "the unit \"u\" has no variant \"cudb\"; did you mean \"cuda\"?");
}

TEST_F(CostTableTest, ALayerThatTheModelHasNotIsAnErrorWithItsPlace) {
  try {
    Table(R"({"unit": "u", "layers": ["a", "bb"], "median_us": 1})");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "p.json:/entries/0/layers/1: the model \"chain\" has no layer \"bb\"");
  }
}

// How many samples each of the entries has; 0: a median alone.
std::vector<std::size_t> Sizes(const SegmentSamples& samples) {
  std::vector<std::size_t> sizes;
  for (const auto& source : samples.sources) sizes.push_back(source.samples ? source.samples->size() : 0);
  return sizes;
}

TEST_F(CostTableTest, SamplesAreThoseOfTheEntriesThatTheTimeIsMadeOf) {
  const CostTable table = Table(R"({"unit": "u", "layers": ["a"], "samples_us": [5, 7]},
    {"unit": "u", "layers": ["b"], "median_us": 2}, {"unit": "u", "layers": ["c"], "samples_us": [3, 3, 4]},
    {"unit": "u", "layers": ["a", "b"], "samples_us": [8, 9, 9, 9]})");
  const auto all = table.Samples({kChain, kU, Variant{}});
  ASSERT_TRUE(all);
  EXPECT_EQ(Sizes(*all), (std::vector<std::size_t>{2, 0, 3}));  // 5 + 2 is less than 9
  EXPECT_EQ(all->sources[1].time, Nanos{2000});
  EXPECT_EQ(all->sources[2].place, 2u);
  const auto own = table.Samples({kChain, kU, Variant{}, 1, Layers({"a", "b"})});
  EXPECT_EQ(Sizes(*own), (std::vector<std::size_t>{4}));  // an entry of its own comes before a sum
  EXPECT_FALSE(table.Samples({kChain, kV, Variant{}, 1, Layers(all_)}));
}

// Run as one they bring no tensors into their layouts and out of them between each other.
TEST_F(CostTableTest, GroupsThatRunAsOneTakeWhatTheyTakeInsideTheModelAndHalfOfALayoutsChangeAtEitherEnd) {
  const CostTable table = Table(R"({"unit": "u", "layers": ["a"], "samples_us": [9, 10], "inside_us": 5},
    {"unit": "u", "layers": ["b"], "median_us": 6, "inside_us": 4},
    {"unit": "u", "layers": ["c"], "median_us": 8, "inside_us": 6}, {"unit": "v", "layers": "*", "median_us": 1})");
  EXPECT_EQ(Time(table, {"a"}), 9000) << "an entry of its own";
  EXPECT_EQ(Time(table, {"a", "b"}), 5000 + 2000 + 4000 + 2000) << "the relu is in the convolution's layout";
  EXPECT_EQ(Time(table, {"b", "drop", "c"}), 6000 + 6000 + 2000) << "here it is in the caller's";
  EXPECT_EQ(Time(table, all_), 5000 + 2000 + 4000 + 6000 + 1000);
  const auto all = table.Samples({kChain, kU, Variant{}, 1, Layers(all_)});
  ASSERT_EQ(all->sources.size(), 3u);
  EXPECT_EQ(all->sources[0].time, Nanos{7000});
  EXPECT_EQ(all->sources[0].median, Nanos{9000}) << "draws scale by what it adds";

  const CostTable partly = Table(R"({"unit": "u", "layers": ["a"], "median_us": 9, "inside_us": 5},
    {"unit": "u", "layers": ["b"], "median_us": 6}, {"unit": "v", "layers": "*", "median_us": 1})");
  EXPECT_EQ(Time(partly, {"a", "b"}), 15000) << "of one of them nothing is known";
  EXPECT_EQ(Time(table, {"b", "drop"}), 6000) << "no layout but the caller's";
}

}  // namespace
}  // namespace tandem
