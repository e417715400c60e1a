// Does the profiler keep to the memory that it says, and measure the same in it?
#include <gtest/gtest.h>

#include "device/host/own_memory.h"
#include "device/profiler/bench/bench.h"
#include "device/profiler/profiler.h"
#include "profiles/base/files.h"
#include "tests/support/sanitized.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

class ProfilerMemoryTest : public ::testing::Test {
 protected:
  // Two models of 72 MB of weights each on two units: not all find room at once.
  ProfilerMemoryTest() {
    for (const char* name : {"one", "other"}) {
      WriteFile(folder_ / (std::string(name) + ".json"),
                R"({"tandem": "model/1", "name": ")" + std::string(name) + R"(", "layers": [
          {"name": "data", "op": "input", "shape": [1, 3000]},
          {"name": "fc", "op": "fc", "inputs": ["data"], "out_features": 3000},
          {"name": "relu", "op": "relu", "inputs": ["fc"]},
          {"name": "last", "op": "fc", "inputs": ["relu"], "out_features": 3000}]})");
    }
  }

  ProfileOrder Request() {
    const JsonDocument document = JsonDocument::Parse(R"({"tandem": "profile-request/1",
        "platform": {"name": "board", "memories": [{"name": "dram"}], "units": [
        {"name": "a", "kind": "cpu", "memory": "dram", "backend": "reference"},
        {"name": "b", "kind": "cpu", "memory": "dram", "backend": "reference"}]},
        "models": ["./one.json", "./other.json"], "co_running": "none", "groups": false,
        "min_samples": 3, "noise": 0.5, "warm_up_ms": 0, "budget_s": 0.01})",
                                                      (folder_ / "request.json").string());
    return ReadProfileOrder(document.root());
  }

  TempFolder folder_;
};

TEST_F(ProfilerMemoryTest, ItIsTwiceTheLargestModelAndALittle) {
  const ProfileOrder request = Request();
  ProfilerSamples samples;
  ProfilerBench bench(request, BackendOf, samples);
  EXPECT_GE(bench.MostBytes(), 344'000'000);
  EXPECT_LE(bench.MostBytes(), 345'000'000 + ResidentBytes());
  EXPECT_TRUE(bench.HasRoom({{0, 0}}));
  EXPECT_FALSE(bench.HasRoom({{0, 0}, {1, 1}}, bench.MostBytes()));
}

TEST_F(ProfilerMemoryTest, EverythingIsMeasuredInIt) {
  std::int64_t expected = 0;
  ProfilerOptions options;
  options.expects = [&](std::int64_t bytes) { expected = bytes; };
  const ProfilerOutcome outcome = MeasureProfile(Request(), options);
  EXPECT_EQ(outcome.samples.expected_bytes, expected);
  EXPECT_GT(outcome.samples.peak_bytes, 0);
  EXPECT_EQ(outcome.profile.entries.size(), 4U);
  for (const auto& [source, samples] : outcome.samples.sources) EXPECT_TRUE(samples.done);
}

// 72 MB of weights each, and next to nothing beside.
TEST_F(ProfilerMemoryTest, OfEachModelOnEachUnitIsMeasured) {
  ProfileOrder request = Request();
  EXPECT_TRUE(MeasureProfile(request, {}).profile.memory.empty()) << "nobody asked";
  request.memory = true;
  const std::vector<MemoryEntry> memory = MeasureProfile(request, {}).profile.memory;
  if (memory.empty()) GTEST_SKIP() << "the system does not tell";
  ASSERT_EQ(memory.size(), 4U);
  for (const MemoryEntry& entry : memory) {
    EXPECT_GE(entry.held_bytes, 70'000'000) << entry.model << " on " << entry.unit;
    EXPECT_GE(entry.peak_bytes, entry.held_bytes);
    if (!kSanitized) {
      EXPECT_LE(entry.peak_bytes, 344'000'000) << entry.model << " on " << entry.unit;
    }
  }
}

}  // namespace
}  // namespace tandem
