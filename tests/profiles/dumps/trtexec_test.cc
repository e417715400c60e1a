// Is a dump of trtexec --exportProfile read as its writer means it?
#include <gtest/gtest.h>

#include "tests/support/dump_testing.h"

namespace tandem {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kDump = R"([
  { "count" : 4 }
, { "name" : "Reformatting CopyNode for Input Tensor 0 to conv1 + relu1", "timeMs" : 0.04, "averageMs" : 0.01, "medianMs" : 0.009, "percentage" : 1 }
, { "name" : "conv1 + relu1", "timeMs" : 4, "averageMs" : 1, "medianMs" : 0.9, "percentage" : 90 }
, { "name" : "fire2/expand1x1 copy", "timeMs" : 0.08, "averageMs" : 0.02, "medianMs" : 0.02, "percentage" : 2 }
])";

TEST(TrtexecProfile, MediansAreTakenWhereTheyAreThere) {
  const ProfileDump dump = DumpOf(kDump);
  EXPECT_EQ(dump.tool, "trtexec --exportProfile");
  EXPECT_EQ(dump.statistic, "medians of 4 runs");
  ASSERT_EQ(dump.rows.size(), 3U);
  EXPECT_EQ(dump.rows[1].time.median, Nanos{900'000});
  EXPECT_EQ(dump.rows[1].parts, (Names{"conv1", "relu1"}));
  EXPECT_EQ(dump.rows[0].serves_row, "conv1 + relu1");
  EXPECT_EQ(dump.rows[2].serves_tensor, "fire2/expand1x1");
}

TEST(TrtexecProfile, OldVersionsGiveMeansThatAreSumsOverTheRuns) {
  const ProfileDump dump =
      DumpOf(R"([{"count": 200}, {"name": "conv1", "timeMs": 50, "averageMs": 0.25, "percentage": 100}])");
  EXPECT_EQ(dump.statistic, "means of 200 runs");
  EXPECT_EQ(dump.rows[0].time.median, Nanos{250'000});
}

DumpRow RowOf(const std::string& name) {
  return DumpOf(R"([{"count": 1}, {"name": ")" + name + R"(", "timeMs": 1}])").rows.at(0);
}

TEST(TrtexecProfile, NamesSayWhatWasFused) {
  EXPECT_EQ(RowOf("a + b||c + d").parts, (Names{"a", "b", "c", "d"}));
  EXPECT_EQ(RowOf("a || b").parts, (Names{"a", "b"}));
  EXPECT_EQ(RowOf("PWN(PWN(sigmoid_1), mul_2)").parts, (Names{"sigmoid_1", "mul_2"}));
  EXPECT_EQ(RowOf("conv + PWN(a, b)").parts, (Names{"conv", "a", "b"}));
  EXPECT_EQ(RowOf("{ForeignNode[conv1...prob]}").parts, (Names{"conv1...prob"}));
  EXPECT_EQ(RowOf("fc + (Unnamed Layer* 12) [Shuffle]").parts, (Names{"fc"}));
  EXPECT_EQ(RowOf("a, b").parts, (Names{"a, b"}));
}

TEST(TrtexecProfile, ReformattingSaysWhomItServes) {
  EXPECT_EQ(RowOf("Reformatting CopyNode for Output Tensor 0 to conv1").serves_row, "conv1");
  EXPECT_EQ(RowOf("Reformatting CopyNode for Network Input data").serves_tensor, "data");
  EXPECT_EQ(RowOf("conv1 + relu1 input reformatter 0").serves_row, "conv1 + relu1");
  EXPECT_EQ(RowOf("conv1 output reformatter x").parts, (Names{"conv1 output reformatter x"}));
}

TEST(TrtexecProfile, MistakesAreNamed) {
  EXPECT_EQ(DumpError("[{\"count\": 0}]"), "dump:/0/count: 0 is out of range: from 1 to 1000000000");
  EXPECT_EQ(DumpError("[{\"count\": 2}]"), "dump: has no row with the time of a layer");
  EXPECT_EQ(DumpError("[{\"count\": 2}, {\"name\": \"a\"}]"), "dump:/1: the key \"timeMs\" is missing");
  EXPECT_EQ(DumpError(R"([{"count": 2}, {"name": "a", "timeMs": 4, "averageMs": 4}])"),
            "dump:/1/averageMs: is not timeMs / count; was this file edited?");
  EXPECT_EQ(
      DumpError("{}", "trtexec"),
      "dump: expected an array whose first element is {\"count\": N}, as trtexec --exportProfile writes it");
}

TEST(TrtexecProfile, NoDamageCrashes) { ExpectNoDamageCrashes(kDump, "trtexec"); }

}  // namespace
}  // namespace tandem
