// Do tables of perf_analyzer and Model Analyzer become times of whole models, and those alone that are a
// model's own?
#include <gtest/gtest.h>

#include "profiles/base/files.h"
#include "profiles/dumps/import.h"
#include "tests/support/dump_testing.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

constexpr const char* kPerf =
    "Concurrency,Inferences/Second,Client Send,Network+Server Send/Recv,Server Queue,Server Compute Input,"
    "Server Compute Infer,Server Compute Output,Client Recv,p50 latency,p90 latency,p95 latency,p99 latency\n"
    "1,69.2,225,2148,64,206,11781,19,0,13891,18795,19753,21018\n"
    "4,84.2,279,1604,33669,233,11731,18,1,47045,56545,59225,64886\n";
constexpr const char* kClient =
    "Concurrency,Inferences/Second,Client Send,Client Recv,p50 latency,p90 latency\n"
    "2,84.2,279,1,4000,5000\n1,69.2,225,0,2500,3000\n";
constexpr const char* kExport = R"({"experiments": [{"experiment": {"mode": "concurrency", "value": 1},
  "requests": [{"timestamp": 1000, "response_timestamps": [2000, 5000]},
               {"timestamp": 6000, "response_timestamps": [8500]}],
  "window_boundaries": []}], "version": "2.40.0"})";
constexpr const char* kAnalyzer =
    "Model,Batch,Concurrency,Model Config Path,Instance Group,Preferred Batch Sizes,Satisfies Constraints,"
    "Throughput (infer/sec),p99 Latency (ms),RAM Usage (MB)\n"
    "alexnet,1,2,alexnet_i0,1/GPU,\"[4, 8]\",Yes,195.0,11.0,2897.0\n"
    "alexnet,1,1,alexnet_i0,1/GPU,[32],Yes,164.0,8.1,2937.0\n"
    "resnet50,4,1,resnet50_i0,1/GPU,[32],Yes,164.0,9.25,2937.0\n\n"
    "Model,GPU ID,GPU Memory Usage (MB)\n";

TEST(PerfAnalyzer, TheServersOwnTimesAreTheModels) {
  const ProfileDump dump = DumpOf(kPerf);
  EXPECT_EQ(dump.tool, "perf_analyzer");
  ASSERT_EQ(dump.whole.size(), 2U);
  EXPECT_EQ(dump.whole[0].time.median, std::chrono::microseconds{206 + 11781 + 19});
  EXPECT_EQ(dump.whole[1].in_flight, 4);
  EXPECT_FALSE(dump.whole[0].with_waiting);
}

TEST(PerfAnalyzer, ElseWhatTheClientSaw) {
  const ProfileDump dump = DumpOf(kClient);
  EXPECT_EQ(dump.whole[1].time.median, std::chrono::microseconds{2500});
  EXPECT_TRUE(dump.whole[1].with_waiting);
  EXPECT_EQ(dump.whole[1].statistic, "p50 latency as the client saw it");
}

TEST(PerfAnalyzer, RequestsAreSamples) {
  const ProfileDump dump = DumpOf(kExport);
  ASSERT_EQ(dump.whole.size(), 1U);
  EXPECT_EQ(dump.whole[0].time.samples, (std::vector<Nanos>{Nanos{4000}, Nanos{2500}}));
  EXPECT_EQ(dump.whole[0].statistic, "2 latencies as the client saw them");
}

TEST(ModelAnalyzer, HasARowPerModelBatchAndLoad) {
  const ProfileDump dump = DumpOf(kAnalyzer);
  ASSERT_EQ(dump.whole.size(), 3U);
  EXPECT_EQ(dump.whole[2].model, "resnet50");
  EXPECT_EQ(dump.whole[2].batch, 4);
  EXPECT_EQ(dump.whole[2].time.median, Nanos{9'250'000});
}

TEST(PerfAnalyzer, MistakesAreNamed) {
  EXPECT_EQ(DumpError("Concurrency,Inferences/Second\n1,2,3\n"),
            "dump:2: has 3 cells under 2 headings; was the file cut off?");
  EXPECT_EQ(DumpError("Concurrency,Inferences/Second\n"), "dump: has headings and no row");
  EXPECT_NE(DumpError("Concurrency,Inferences/Second\n1,5\n").find("dump:2: has no time that is the model's"),
            std::string::npos);
  EXPECT_NE(
      DumpError(R"({"experiments": [{"experiment": {"mode": "request_rate", "value": 9}, "requests": []}]})")
          .find("/experiments/0/experiment/mode: requests may have waited"),
      std::string::npos);
  for (const char* const text : {kPerf, kClient}) ExpectNoDamageCrashes(text, "perf_analyzer");
  ExpectNoDamageCrashes(kExport, "perf_export");
  ExpectNoDamageCrashes(kAnalyzer, "model_analyzer");
}

class WholeModels : public testing::Test {
 protected:
  CostEntry EntryOf(const std::string& text, const std::string& model, std::int64_t batch = 1) {
    WriteFile(folder_ / "dump.csv", text);
    ProfileImport import;
    import.file = folder_ / "dump.csv";
    import.model = model;
    import.unit = "gpu";
    import.platform = "jetson-tx1";
    import.batch = batch;
    const ImportedProfile imported = ImportProfile(import);
    EXPECT_TRUE(imported.whole_model);
    EXPECT_EQ(imported.profile.entries.size(), 1U);
    return imported.profile.entries.at(0);
  }

  TempFolder folder_;
};

TEST_F(WholeModels, AreEntriesOfTheirOwn) {
  const CostEntry entry = EntryOf(kPerf, "alexnet");
  EXPECT_TRUE(entry.layers.empty());
  EXPECT_EQ(entry.time.median, std::chrono::microseconds{12006});
  EXPECT_EQ(EntryOf(kAnalyzer, "alexnet").time.median, Nanos{8'100'000}) << "one request in flight";
  EXPECT_EQ(EntryOf(kAnalyzer, "resnet50", 4).time.median, Nanos{9'250'000});
}

TEST_F(WholeModels, AreRefusedWhereTheyAreAnotherOnesOrHaveWaitingInThem) {
  EXPECT_NE(ErrorOf([&] {
              EntryOf(kAnalyzer, "vgg16");
            }).find("has no row of model \"vgg16\"; it has alexnet, resnet50"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { EntryOf(kAnalyzer, "resnet50"); }).find("has no row of batch 1"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] {
              EntryOf("Concurrency,Inferences/Second,p50 latency\n2,84.2,4000\n", "alexnet");
            }).find("dump.csv:2: a latency with 2 requests in flight has their waiting in it"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
