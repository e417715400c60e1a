// Do the names of a timing dump lead to layers where that is certain, to a refusal where it is not, and is no
// time lost on the way?
#include "profiles/dumps/mapping.h"

#include <gtest/gtest.h>

#include "profiles/base/input_error.h"
#include "profiles/model/model_builder.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using Groups = std::vector<std::string>;  // "conv1+relu1 1000"

ConvAttributes Plain() { return {4, {1, 1}, {}, {}, {}, 1, true, {0, 0}}; }

// conv1 bn1 scale1 relu1 pool1, then a and b side by side, concat, fc, drop, prob.
Model Branched() {
  ModelBuilder builder("branched");
  builder.Input("data", {1, 4, 8, 8});
  builder.Conv("conv1", Plain());
  builder.Add("bn1", Op::kBatchNorm);
  builder.Add("scale1", Op::kScale);
  builder.Add("relu1", Op::kRelu);
  PoolAttributes pool;
  pool.kernel = {2, 2};
  builder.MaxPool("pool1", pool);
  builder.Conv("a", Plain(), "pool1");
  builder.Add("relu_a", Op::kRelu);
  builder.Conv("b", Plain(), "pool1");
  builder.Add("concat", Op::kConcat, DefaultAttributes(Op::kConcat), {"relu_a", "b"});
  builder.Fc("fc", 10, "concat");
  builder.Add("drop", Op::kDropout);
  builder.Add("prob", Op::kSoftmax);
  return builder.Build();
}

// relu1 is read twice; `second` ends in a convolution, too, where `both`.
Model Residual(bool both) {
  ModelBuilder builder("residual");
  builder.Input("data", {1, 4, 8, 8});
  builder.Conv("conv1", Plain());
  builder.Add("relu1", Op::kRelu);
  builder.Conv("conv2", Plain(), "relu1");
  std::string other = "relu1";
  if (both) other = builder.Conv("conv3", Plain(), "relu1");
  builder.Add("sum", Op::kAdd, DefaultAttributes(Op::kAdd), {"conv2", other});
  builder.Add("relu2", Op::kRelu);
  return builder.Build();
}

DumpRow Row(const std::string& name, std::vector<std::string> parts, std::int64_t nanos) {
  DumpRow row;
  row.name = name;
  row.place = "dump:/" + name;
  row.time.median = Nanos{nanos};
  row.parts = std::move(parts);
  return row;
}

DumpRow CopyFor(const std::string& name, const std::string& row_served, const std::string& tensor,
                std::int64_t nanos) {
  DumpRow row = Row(name, {}, nanos);
  row.serves_row = row_served;
  row.serves_tensor = tensor;
  return row;
}

// A row per name, of 1000 ns.
ProfileDump Rows(const std::vector<std::string>& names) {
  ProfileDump dump;
  for (const std::string& name : names) dump.rows.push_back(Row(name, {name}, 1000));
  return dump;
}

Groups GroupsOf(const DumpMapping& mapping, const Model& model) {
  Groups groups;
  for (const MappedGroup& group : mapping.groups) {
    std::string text;
    for (const LayerId id : group.layers) text += (text.empty() ? "" : "+") + model.layer(id).name;
    groups.push_back(text + " " + std::to_string(TotalOf(group.time).count()));
  }
  return groups;
}

Groups Mapped(const ProfileDump& dump, const Model& model, const LayerMap& map = {}) {
  const DumpMapping mapping = MapDump(dump, model, "dump", map);
  EXPECT_EQ(mapping.dump_total, mapping.mapped_total + mapping.left_out_total);
  return GroupsOf(mapping, model);
}

std::string Refusal(const ProfileDump& dump, const Model& model, const LayerMap& map = {}) {
  try {
    MapDump(dump, model, "dump", map);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

const std::vector<std::string> kAllNames = {"conv1", "bn1",    "scale1", "relu1", "pool1", "a",
                                            "b",     "relu_a", "concat", "fc",    "prob"};

TEST(DumpMapping, ExactNamesAreTheirLayers) {
  EXPECT_EQ(Mapped(Rows(kAllNames), Branched()).size(), kAllNames.size());
}

TEST(DumpMapping, JoinedNamesAreOneGroup) {
  ProfileDump dump = Rows({"pool1", "b", "concat", "fc", "prob"});
  dump.rows.push_back(Row("conv1 + ...", {"conv1", "bn1", "scale1", "relu1"}, 5000));
  dump.rows.push_back(Row("a + relu_a", {"a", "relu_a"}, 700));
  EXPECT_EQ(Mapped(dump, Branched()), (Groups{"conv1+bn1+scale1+relu1 5000", "pool1 1000", "a+relu_a 700",
                                              "b 1000", "concat 1000", "fc 1000", "prob 1000"}));
}

TEST(DumpMapping, WhatFollowsAConvolutionAloneIsTakenIn) {
  EXPECT_EQ(Mapped(Rows({"conv1", "pool1", "a", "b", "concat", "fc", "prob"}), Branched()),
            (Groups{"conv1+bn1+scale1+relu1 1000", "pool1 1000", "a+relu_a 1000", "b 1000", "concat 1000",
                    "fc 1000", "prob 1000"}));
}

TEST(DumpMapping, AConcatWithoutARowTookNoTimeOfItsOwn) {
  const Groups groups = Mapped(Rows({"conv1", "pool1", "a", "b", "fc", "prob"}), Branched());
  EXPECT_EQ(groups.at(4), "concat 0");
}

TEST(DumpMapping, CopiesOfItsInputsAreTheConcat) {
  ProfileDump dump = Rows({"conv1", "pool1", "a", "b", "fc", "prob"});
  dump.rows.push_back(CopyFor("a copy", "", "a", 30));
  dump.rows.push_back(CopyFor("b copy", "", "b", 40));
  EXPECT_EQ(Mapped(dump, Branched()).at(4), "concat 70");
}

TEST(DumpMapping, ReformattingIsCountedWithTheRowThatItServes) {
  ProfileDump dump = Rows(kAllNames);
  dump.rows.push_back(CopyFor("Reformatting 1", "pool1", "", 5));
  dump.rows.push_back(CopyFor("Reformatting 2", "", "data", 7));
  dump.rows.push_back(CopyFor("Reformatting 3", "", "prob", 9));
  const Groups groups = Mapped(dump, Branched());
  EXPECT_EQ(groups.front(), "conv1 1007");
  EXPECT_EQ(groups.at(4), "pool1 1005");
  EXPECT_EQ(groups.back(), "prob 1009");
}

TEST(DumpMapping, ACopyThatSeveralMayHaveNeededIsRefused) {
  ProfileDump dump = Rows(kAllNames);
  dump.rows.push_back(CopyFor("pool1 copy", "", "pool1", 5));
  EXPECT_NE(Refusal(dump, Branched()).find("\"pool1 copy\" may serve several layers behind \"pool1\""),
            std::string::npos);
}

TEST(DumpMapping, APoolingTakesNothingIn) {
  ModelBuilder builder("pooled");
  builder.Input("data", {1, 4, 8, 8});
  PoolAttributes pool;
  pool.kernel = {2, 2};
  builder.MaxPool("pool1", pool);
  builder.Add("relu1", Op::kRelu);
  const Model model = builder.Build();
  EXPECT_EQ(
      Refusal(Rows({"pool1"}), model),
      "dump: it is not certain which layers of model \"pooled\" ran:\n  no row for \"relu1\" (relu)\n"
      "  Is it this model? If so, say what the names mean in a file for --map: {\"tandem\": \"layer-map/1\", "
      "\"map\": {\"name in the dump\": [\"layer\", ...]}}");
}

TEST(DumpMapping, AnAdditionGoesToTheOnlyConvolutionInFrontOfIt) {
  EXPECT_EQ(Mapped(Rows({"conv1", "conv2"}), Residual(false)),
            (Groups{"conv1+relu1 1000", "conv2+sum+relu2 1000"}));
}

TEST(DumpMapping, AnAdditionBehindTwoConvolutionsIsRefused) {
  const std::string refusal = Refusal(Rows({"conv1", "conv2", "conv3"}), Residual(true));
  EXPECT_NE(refusal.find("no row for \"sum\" (add), \"relu2\" (relu)"), std::string::npos) << refusal;
}

TEST(DumpMapping, UnknownNamesAreListedWithTheirPlaces) {
  auto names = kAllNames;
  names[0] = "conv_1";
  const std::string refusal = Refusal(Rows(names), Branched());
  EXPECT_NE(refusal.find("\n  dump:/conv_1: \"conv_1\" is no layer; did you mean \"conv1\"?\n"),
            std::string::npos)
      << refusal;
}

TEST(DumpMapping, ALayerInTwoRowsIsRefused) {
  ProfileDump dump = Rows(kAllNames);
  dump.rows.push_back(Row("again", {"fc"}, 1));
  EXPECT_NE(Refusal(dump, Branched()).find("\"again\" runs layer \"fc\", which \"fc\" runs too"),
            std::string::npos);
}

TEST(DumpMapping, ARangeIsAllLayersOnTheWaysBetween) {
  ProfileDump dump;
  dump.rows.push_back(Row("{ForeignNode}", {"conv1...concat"}, 9000));
  dump.rows.push_back(Row("fc", {"fc"}, 10));
  dump.rows.push_back(Row("prob", {"prob"}, 20));
  EXPECT_EQ(Mapped(dump, Branched()),
            (Groups{"conv1+bn1+scale1+relu1+pool1+a+relu_a+b+concat 9000", "fc 10", "prob 20"}));
  dump.rows[0].parts = {"concat...conv1"};
  EXPECT_NE(Refusal(dump, Branched()).find("names \"concat...conv1\", which is no layer"), std::string::npos);
}

TEST(DumpMapping, TheUsersMapPlacesJoinsAndLeavesOut) {
  ProfileDump dump = Rows({"kernel_7", "pool1", "a", "b", "concat", "fc", "prob"});
  dump.rows.push_back(Row("ReorderOutput", {"ReorderOutput"}, 50));
  dump.rows.push_back(Row("Profiler", {"Profiler"}, 60));
  const LayerMap map{"map.json", {{"kernel_7", {"conv1"}}, {"ReorderOutput", {"pool1"}}, {"Profiler", {}}}};
  const Model model = Branched();
  const DumpMapping mapping = MapDump(dump, model, "dump", map);
  EXPECT_EQ(GroupsOf(mapping, model).at(0), "conv1+bn1+scale1+relu1 1000");
  EXPECT_EQ(GroupsOf(mapping, model).at(1), "pool1 1050");
  EXPECT_EQ(mapping.left_out, std::vector<std::string>{"Profiler"});
  EXPECT_EQ(mapping.dump_total, Nanos{7110});
  EXPECT_EQ(mapping.mapped_total, Nanos{7050});
}

TEST(DumpMapping, AMapThatNamesWhatIsNotThereIsRefused) {
  EXPECT_EQ(Refusal(Rows(kAllNames), Branched(), {"map.json", {{"con1", {}}}}),
            "map.json:/map: the dump has no row \"con1\"; did you mean \"conv1\"?");
  EXPECT_EQ(Refusal(Rows(kAllNames), Branched(), {"map.json", {{"conv1", {"conv2"}}}}),
            "map.json:/map: model \"branched\" has no layer \"conv2\"; did you mean \"conv1\"?");
}

TEST(DumpMapping, SamplesOfRowsThatAreCountedTogetherAreAdded) {
  ModelBuilder builder("two");
  builder.Input("data", {1, 4, 8, 8});
  builder.Conv("conv1", Plain());
  builder.Add("relu1", Op::kRelu);
  const Model model = builder.Build();
  ProfileDump dump = Rows({"conv1", "relu1"});
  dump.rows[0].time = Timing::OfSamples({Nanos{10}, Nanos{30}, Nanos{20}});
  dump.rows[1].time = Timing::OfSamples({Nanos{1}, Nanos{2}, Nanos{9}});
  const DumpMapping mapping = MapDump(dump, model, "dump", {"map.json", {{"relu1", {"conv1", "relu1"}}}});
  ASSERT_EQ(mapping.groups.size(), 1U);
  EXPECT_EQ(mapping.groups[0].time.samples, (std::vector<Nanos>{Nanos{11}, Nanos{32}, Nanos{29}}));
  EXPECT_EQ(mapping.runs, 3U);
}

std::string MapError(const std::string& text) {
  return ErrorOf([&] {
    const JsonDocument document = JsonDocument::Parse(text, "map.json");
    ReadLayerMap(document.root());
  });
}

TEST(LayerMapFile, IsReadStrictly) {
  EXPECT_EQ(MapError(R"({"tandem": "layer-map/1", "map": {"a": ["b", "b"]}})"),
            "map.json:/map/a/1: the layer \"b\" is given twice");
  EXPECT_EQ(MapError(R"({"tandem": "layer-map/1", "maps": {}})"),
            "map.json: unknown key \"maps\"; did you mean \"map\"?");
  EXPECT_EQ(MapError(R"({"tandem": "layer-map/1", "map": {"a": "b"}})"),
            "map.json:/map/a: expected an array, found the string \"b\"");
}

}  // namespace
}  // namespace tandem
