// Is a log of `caffe time` read as its writer means it?
#include <gtest/gtest.h>

#include "tests/support/dump_testing.h"

namespace tandem {
namespace {

std::string Line(const std::string& text) {
  return "I0101 12:00:00.000000  1234 caffe.cpp:404] " + text + "\n";
}

std::string Block(const std::string& conv) {
  return Line("Average time per layer: ") + Line("      data\tforward: 0.012 ms.") +
         Line("      data\tbackward: 0.001 ms.") + Line("     conv1\tforward: " + conv + " ms.") +
         Line("     conv1\tbackward: 9.1 ms.") + Line("conv1_conv1_0_split\tforward: 0.004 ms.") +
         Line("Average Forward pass: 12.6 ms.") + Line("Average Backward pass: 9.5 ms.");
}

TEST(CaffeTimeLog, ForwardTimesAreTakenAndBackwardOnesAreNot) {
  const ProfileDump dump = DumpOf(Line("Iteration: 1 forward-backward time: 30 ms.") + Block("12.345678"));
  EXPECT_EQ(dump.tool, "caffe time");
  ASSERT_EQ(dump.rows.size(), 3U);
  EXPECT_EQ(RowNamed(dump, "conv1").time.median, Nanos{12'345'678});
  EXPECT_TRUE(RowNamed(dump, "conv1").time.samples.empty());
  ASSERT_TRUE(dump.end_to_end.has_value());
  EXPECT_EQ(dump.end_to_end->median, Nanos{12'600'000});
}

TEST(CaffeTimeLog, ASplitServesTheLayerThatItIsNamedAfter) {
  const ProfileDump dump = DumpOf(Block("12"));
  EXPECT_EQ(RowNamed(dump, "conv1_conv1_0_split").serves_row, "conv1");
}

TEST(CaffeTimeLog, SeveralRunsInOneLogAreSamples) {
  const ProfileDump dump = DumpOf(Block("12") + Block("14") + Block("13"));
  EXPECT_EQ(RowNamed(dump, "conv1").time.samples.size(), 3U);
  EXPECT_EQ(RowNamed(dump, "conv1").time.median, Nanos{13'000'000});
}

TEST(CaffeTimeLog, LinesWithoutPrefixAndWithCarriageReturnsAreRead) {
  const ProfileDump dump = DumpOf("Average time per layer:\r\nconv1\tforward: 1.5e-05 ms.\r\n");
  EXPECT_EQ(dump.rows.at(0).time.median, Nanos{15});
}

TEST(CaffeTimeLog, MistakesAreNamed) {
  EXPECT_EQ(
      DumpError("conv1\tforward: 1 ms."),
      "dump: has no line \"Average time per layer:\"; run `caffe time` to its end and keep what it writes to "
      "standard error");
  const std::string heading = "Average time per layer:\n";
  EXPECT_EQ(DumpError(heading + "a\tforward: 1 ms.\na\tforward: 2 ms.\n"),
            "dump:3: layer \"a\" is timed twice");
  EXPECT_EQ(DumpError(heading + "a\tforward: x ms.\n"), "dump:2: expected milliseconds, found \"x\"");
  EXPECT_EQ(DumpError(heading + "a\tforward: nan ms.\n"), "dump:2: a time below zero, or none at all");
  EXPECT_EQ(DumpError(heading + "a\tforward: 1e300 ms.\n"), "dump:2: a time of more than 104 days");
  EXPECT_EQ(DumpError(heading + "a\tforward: 1 s\n"), "dump:2: expected \"<number> ms.\", found \"1 s\"");
  EXPECT_EQ(DumpError(heading + "a\tforward: 1 ms.\n" + heading + "b\tforward: 1 ms.\n"),
            "dump:4: layer \"b\" is in this run and not in the first one of the log");
  EXPECT_EQ(DumpError(Block("1") + heading),
            "dump:2: layer \"data\" is missing in run 2 of the log; it was cut off or holds several models");
}

TEST(CaffeTimeLog, NoDamageCrashes) { ExpectNoDamageCrashes(Block("12.5"), "caffe"); }

}  // namespace
}  // namespace tandem
