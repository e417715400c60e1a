// What does a part of a layer take: as measured, on the line between sizes, below the least its time, else
// its share?
#include <gtest/gtest.h>

#include "profiles/costs/cost_table.h"
#include "profiles/model/model_builder.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

class PartCost : public testing::Test {
 protected:
  PartCost() {
    ModelBuilder net("net");
    net.Input("in", {1, 4, 8, 8});
    net.Conv("a", SquareConv(16, 1));
    net.Relu("b");
    net.Conv("grouped", Grouped(4, SquareConv(16, 1)));
    model_ = std::make_unique<Model>(net.Build());
    const std::string board = R"({"tandem": "platform/1", "name": "b", "memories": [{"name": "m"}],
      "units": [{"name": "u", "kind": "cpu", "memory": "m"}]})";
    platform_ = ReadPlatform(JsonDocument::Parse(board, "b.json").root());
  }

  CostTable Table(const std::string& entries, const std::string& parts) {
    const std::string text =
        R"({"tandem": "profile/1", "platform": "b", "origin": {"kind": "published", "source": "s"},
            "entries": [)" +
        entries + R"(], "parts": [)" + parts + "]}";
    profile_ = ReadProfile(JsonDocument::Parse(text, "p.json").root());
    return CostTable(platform_, {&profile_}, {{"net", model_.get()}});
  }
  static std::string Entry(const std::string& layers, double us, const std::string& more = "") {
    return R"({"model": "net", "unit": "u", "layers": )" + layers + R"(, "median_us": )" +
           std::to_string(us) + more + "}";
  }
  static std::string Size(int size, double us, const std::string& more = "") {
    return Entry(R"(["a"])", us, R"(, "size": )" + std::to_string(size) + more);
  }

  // In ns, "about" where it is an estimate; "nothing".
  std::string Time(const CostTable& table, std::int64_t size, const std::vector<std::string>& names = {"a"},
                   SplitAxis axis = SplitAxis::kChannels) const {
    const auto cost = Part(table, size, names, axis);
    if (!cost) return "nothing";
    return (cost->estimated ? "about " : "") + std::to_string(cost->time.count());
  }
  std::optional<CostTable::PartCost> Part(const CostTable& table, std::int64_t size,
                                          const std::vector<std::string>& names, SplitAxis axis) const {
    std::vector<LayerId> layers;
    for (const std::string& name : names) layers.push_back(model_->Find(name));
    const std::int64_t extent = axis == SplitAxis::kChannels ? 16 : 8;
    return table.Part({ModelId(0), UnitId(0), Variant{}, 1, layers}, {axis, 0, size}, extent);
  }

  std::unique_ptr<Model> model_;
  Platform platform_;
  Profile profile_;
};

TEST_F(PartCost, IsOnTheLineBetweenMeasuredSizesAndTheWhole) {
  const CostTable table = Table(Entry(R"(["a"])", 20), Size(4, 8) + "," + Size(8, 12));
  EXPECT_EQ(Time(table, 4), "8000");
  EXPECT_EQ(Time(table, 6), "10000");
  EXPECT_EQ(Time(table, 12), "16000") << "between 8 and the whole layer";
  EXPECT_EQ(Time(table, 16), "20000");
  EXPECT_EQ(Time(table, 1), "8000") << "below the least its time";
}

TEST_F(PartCost, OffTheLineIsRoundedAwayFromTheSmallerSize) {
  EXPECT_EQ(Time(Table(Entry(R"(["a"])", 20), Size(4, 10) + "," + Size(7, 10.001)), 5), "10001");
  EXPECT_EQ(Time(Table(Entry(R"(["a"])", 20), Size(4, 10) + "," + Size(7, 9.999)), 5), "9999");
}

TEST_F(PartCost, WithoutAnyMeasuredSizeIsAnEstimateOfItsShare) {
  const CostTable table = Table(Entry(R"(["a"])", 20) + "," + Entry(R"(["a", "b"])", 0.001), Size(4, 8));
  EXPECT_EQ(Time(table, 6, {"a", "b"}), "about 1") << "of the group's own time, rounded up";
  EXPECT_EQ(Time(table, 2, {"a"}, SplitAxis::kRows), "about 5000") << "channels say nothing of rows";
}

TEST_F(PartCost, IsNothingWhereOnlyTheWholeModelHasATime) {
  const std::vector<std::string> all = {"a", "b", "grouped"};
  EXPECT_EQ(Time(Table(Entry(R"("*")", 20), ""), 8, all), "nothing");
  EXPECT_EQ(Time(Table(Entry(R"("*")", 20) + "," + Entry(R"(["a", "b", "grouped"])", 21), ""), 8, all),
            "about 10000")
      << "the layers have a time as such, too";
  const CostTable table = Table(Entry(R"("*")", 20), "");
  EXPECT_TRUE(table.KnownAsWholeAlone({ModelId(0), UnitId(0), Variant{}, 1}));
  EXPECT_EQ(table.Time({ModelId(0), UnitId(0), Variant{}, 1})->time, Nanos{20000});
}

TEST_F(PartCost, OfLayersWithoutATimeIsKnownAtMeasuredSizesAlone) {
  const CostTable table = Table("", Size(4, 8) + "," + Size(8, 12));
  EXPECT_EQ(Time(table, 4), "8000");
  EXPECT_EQ(Time(table, 5), "nothing");
  EXPECT_EQ(Time(table, 16), "nothing");
  EXPECT_EQ(Time(table, 4, {"a", "b"}), "nothing");
}

TEST_F(PartCost, HasItsShareOfTheEnergy) {
  const CostTable table = Table(Entry(R"(["a"])", 20, R"(, "energy_j": 0.016)"), Size(4, 8));
  EXPECT_DOUBLE_EQ(Part(table, 4, {"a"}, SplitAxis::kChannels)->energy_j.value(), 0.004);
  EXPECT_FALSE(Part(Table(Entry(R"(["a"])", 20), ""), 4, {"a"}, SplitAxis::kChannels)->energy_j.has_value());
}

TEST_F(PartCost, VariesAsTheNearestMeasuredSizeOrAsTheWhole) {
  const auto sampled = [](int size, const std::string& samples) {
    return R"({"model": "net", "unit": "u", "layers": ["a"], "size": )" + std::to_string(size) +
           R"(, "samples_us": [)" + samples + "]}";
  };
  const CostTable table = Table(Entry(R"(["a"])", 20), sampled(4, "7, 8, 9") + "," + sampled(8, "12, 13"));
  const std::vector<LayerId> layers = {model_->Find("a")};
  const CostQuery query{ModelId(0), UnitId(0), Variant{}, 1, layers};
  const auto between = table.PartSamples(query, {SplitAxis::kChannels, 0, 5}, 16);
  ASSERT_EQ(between->sources.size(), 1u);
  EXPECT_EQ(between->sources[0].samples->size(), 3u);
  EXPECT_EQ(between->sources[0].median, Nanos{8000});
  EXPECT_EQ(between->sources[0].time, Nanos{9000});  // on the line from 8 to 12
  const auto estimated = table.PartSamples(query, {SplitAxis::kRows, 0, 2}, 8);
  EXPECT_TRUE(estimated->estimated);
  EXPECT_EQ(estimated->sources[0].time, Nanos{5000});
  EXPECT_EQ(estimated->sources[0].median, Nanos{20000});
}

TEST_F(PartCost, IsReadStrictly) {
  const auto error = [&](const std::string& part) { return ErrorOf([&] { Table("", part); }); };
  EXPECT_EQ(error(Entry(R"("*")", 1, R"(, "size": 2)")),
            "p.json:/parts/0/layers: a whole model is not split; name one layer or a few");
  EXPECT_EQ(error(Size(2, 1, R"(, "axis": "column")")),
            R"(p.json:/parts/0/axis: unknown axis "column"; known: channels, rows)");
  EXPECT_EQ(error(Entry(R"(["a"])", 1)), R"(p.json:/parts/0: the key "size" is missing)");
}

TEST_F(PartCost, SurvivesWriting) {
  Table(Entry(R"(["a"])", 20), Size(4, 8.125, R"(, "axis": "rows", "unstable": true)"));
  profile_.dispatch.push_back({"u", {}, true});
  const Profile again = ReadProfile(JsonDocument::Parse(ProfileJson(profile_), "p.json").root());
  ASSERT_EQ(again.parts.size(), 1U);
  EXPECT_EQ(again.parts[0].size, 4);
  EXPECT_EQ(again.parts[0].axis, SplitAxis::kRows);
  EXPECT_EQ(again.parts[0].time.median, Nanos{8125});
  EXPECT_TRUE(again.parts[0].unstable);
  EXPECT_TRUE(again.dispatch[0].split);
  EXPECT_EQ(ProfileJson(again), ProfileJson(profile_));
}

}  // namespace
}  // namespace tandem
