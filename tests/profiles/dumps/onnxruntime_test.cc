// Is a profile of ONNX Runtime read as its writer means it?
#include <gtest/gtest.h>

#include "tests/support/dump_testing.h"

namespace tandem {
namespace {

using Names = std::vector<std::string>;

std::string Event(const std::string& category, const std::string& name, int micros) {
  return R"({"cat" : ")" + category + R"(","pid" :7,"tid" :7,"dur" :)" + std::to_string(micros) +
         R"(,"ts" :1,"ph" : "X","name" :")" + name + R"(","args" : {"op_name" : "Conv"}})";
}

std::string TwoRuns() {
  std::string text = "[" + Event("Session", "model_loading_uri", 900);
  for (const int extra : {0, 10}) {
    text += ",\n" + Event("Node", "conv1_fence_before", 1) + "," +
            Event("Node", "conv1_kernel_time", 100 + extra);
    text += "," + Event("Node", "conv1_fence_after", 2) + "," + Event("Node", "relu1_kernel_time", 20);
    text += "," + Event("Session", "SequentialExecutor::Execute", 125 + extra);
    text += "," + Event("Session", "model_run", 130 + extra);
  }
  return text + "]";
}

TEST(OnnxRuntimeProfile, EveryRunIsASampleAndFencesCountWithTheirNode) {
  const ProfileDump dump = DumpOf(TwoRuns());
  EXPECT_EQ(dump.tool, "ONNX Runtime profile");
  EXPECT_EQ(dump.statistic, "2 samples per node");
  ASSERT_EQ(dump.rows.size(), 2U);
  EXPECT_EQ(dump.rows[0].time.samples, (std::vector<Nanos>{Nanos{103'000}, Nanos{113'000}}));
  EXPECT_EQ(dump.rows[1].time.samples, (std::vector<Nanos>{Nanos{20'000}, Nanos{20'000}}));
  ASSERT_TRUE(dump.end_to_end.has_value());
  EXPECT_EQ(dump.end_to_end->samples, (std::vector<Nanos>{Nanos{130'000}, Nanos{140'000}}));
}

TEST(OnnxRuntimeProfile, NamesThatTheRuntimeMadeLeadBackToTheirSource) {
  const auto source = [](const std::string& node) {
    return DumpOf("[" + Event("Node", node + "_kernel_time", 1) + "]").rows.at(0).parts;
  };
  EXPECT_EQ(source("fused Conv_0"), Names{"Conv_0"});
  EXPECT_EQ(source("/relu/Relu_output_0_nchwc"), Names{"/relu/Relu_output_0"});
  EXPECT_EQ(source("fused conv1_token_12"), Names{"conv1"});
  EXPECT_EQ(source("a_token_"), Names{"a_token_"});
}

TEST(OnnxRuntimeProfile, AFileThatWasCutOffIsRefused) {
  EXPECT_EQ(
      DumpError("[" + Event("Node", "a_kernel_time", 1) + "," + Event("Node", "b_kernel_time", 1) + "," +
                Event("Node", "a_kernel_time", 1) + "]"),
      "dump:/1: node \"b\" was timed 1 times, node \"a\" 2 times; the file was cut off (ONNX Runtime keeps a "
      "million events) or holds several models: profile fewer runs of one model");
}

TEST(OnnxRuntimeProfile, MistakesAreNamed) {
  EXPECT_EQ(DumpError("[" + Event("Session", "model_run", 1) + "]"),
            "dump: has no \"..._kernel_time\" event; was enable_profiling on and the session run?");
  EXPECT_EQ(DumpError("[" + Event("Node", "_kernel_time", 1) + "]"),
            "dump:/0/name: the node has no name; name the nodes of the ONNX file and profile again");
  EXPECT_EQ(
      DumpError("[" + Event("Node", "a_something", 1) + "]"),
      "dump:/0/name: unknown kind of node event \"a_something\"; known: ..._kernel_time, ..._fence_before, "
      "..._fence_after");
  EXPECT_EQ(DumpError("[" + Event("Node", "a_kernel_time", -3) + "]").substr(0, 12), "dump:/0/dur:");
}

TEST(OnnxRuntimeProfile, NoDamageCrashes) { ExpectNoDamageCrashes(TwoRuns().substr(0, 700), "onnxruntime"); }

}  // namespace
}  // namespace tandem
