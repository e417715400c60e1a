// Are OpenVINO's counters read as their writer means them?
#include <gtest/gtest.h>

#include "tests/support/dump_testing.h"

namespace tandem {
namespace {

using Names = std::vector<std::string>;

const std::string kColumns = "layerName;execStatus;layerType;execType;realTime (ms);cpuTime (ms);\n";

std::string Report(const std::string& conv, const std::string& total) {
  return kColumns + "data;NOT_RUN;Parameter;unknown_FP32;0.000;0.000;\n" +
         "conv1/WithoutBiases;EXECUTED;Convolution;jit_avx2_FP32;" + conv + ";" + conv + ";\n" +
         "conv1_nChw8c_nchw_pool1;EXECUTED;Reorder;reorder_FP32;0.020;0.020;\n" +
         "relu1;OPTIMIZED_OUT;ReLU;undef;0.000;0.000;\n" +
         "pool1;EXECUTED;Pooling;jit_avx2_FP32;0.100;0.100;\n" +
         "pool1/sink_port_0;NOT_RUN;Result;unknown_FP32;0.000;0.000;\n" + "Total;;;;" + total + ";" + total +
         ";\n";
}

TEST(OpenVinoCounters, RowsTellWhatRanAndWhatWasLeftOut) {
  const ProfileDump dump = DumpOf(Report("1.500", "1.620"));
  ASSERT_EQ(dump.rows.size(), 4U);  // the borders of the network are none
  EXPECT_EQ(RowNamed(dump, "conv1/WithoutBiases").parts, Names{"conv1"});
  EXPECT_EQ(RowNamed(dump, "conv1/WithoutBiases").time.median, Nanos{1'500'000});
  EXPECT_FALSE(RowNamed(dump, "relu1").executed);
  EXPECT_EQ(RowNamed(dump, "conv1_nChw8c_nchw_pool1").serves_row, "pool1");
}

TEST(OpenVinoCounters, SeveralReportsAreSamples) {
  const ProfileDump dump = DumpOf(Report("1.500", "1.620") + "\n" + Report("1.700", "1.820"));
  EXPECT_EQ(dump.statistic, "2 reports");
  EXPECT_EQ(RowNamed(dump, "conv1/WithoutBiases").time.samples,
            (std::vector<Nanos>{Nanos{1'500'000}, Nanos{1'700'000}}));
}

TEST(OpenVinoCounters, OtherHeadingsHaveTheSameColumnsElsewhere) {
  const ProfileDump dump = DumpOf(
      "layer_name;exec_status;layer_type;exec_type;numa;real_time (ms);cpu_time (ms)\n"
      "conv1;EXECUTED;Convolution;x;0;2.5;2.5\n");
  EXPECT_EQ(dump.rows.at(0).time.median, Nanos{2'500'000});
}

TEST(OpenVinoCounters, StatusesMayBeWrittenByPython) {
  const ProfileDump dump = DumpOf(
      "layerName;execStatus;layerType;execType;realTime (ms);cpuTime (ms)\n"
      "conv1;Status.EXECUTED;Convolution;x;2.500;2.500\nrelu1;Status.OPTIMIZED_OUT;ReLU;undef;0.000;0.000\n"
      "Total;;;;2.500;2.500\n\n");
  EXPECT_TRUE(RowNamed(dump, "conv1").executed);
  EXPECT_FALSE(RowNamed(dump, "relu1").executed);
}

TEST(OpenVinoCounters, ATotalThatTheRowsDoNotSumToIsAnError) {
  EXPECT_EQ(
      DumpError(Report("1.500", "1.920")),
      "dump:8: the total is 1920000 ns, the rows above sum to 1620000 ns; rows are missing or were edited");
}

TEST(OpenVinoCounters, MistakesAreNamed) {
  EXPECT_EQ(DumpError("a;b;c\n", "openvino"),
            "dump: has no heading \"layerName;execStatus;layerType;execType;realTime (ms);cpuTime (ms);\"");
  EXPECT_EQ(DumpError(kColumns + "a;EXECUTED;Convolution\n"),
            "dump:2: expected 7 fields as in the heading, found 3");
  EXPECT_EQ(DumpError("realTime;layerName;execStatus;layerType\n1;a\n"),
            "dump:2: expected 4 fields as in the heading, found 2");
  EXPECT_EQ(DumpError(kColumns + "a;EXECUTE;Convolution;x;1;1;\n"),
            "dump:2: unknown status \"EXECUTE\"; did you mean \"EXECUTED\"?");
  EXPECT_EQ(DumpError(kColumns + "a;EXECUTED;Convolution;x;1;1;\na;EXECUTED;Convolution;x;1;1;\n"),
            "dump:3: layer \"a\" is timed twice");
  EXPECT_EQ(DumpError(kColumns + "a;EXECUTED;Convolution;x;-1;1;\n"),
            "dump:2: a time below zero, or none at all");
}

TEST(OpenVinoCounters, NoDamageCrashes) { ExpectNoDamageCrashes(Report("1.500", "1.620"), "openvino"); }

}  // namespace
}  // namespace tandem
