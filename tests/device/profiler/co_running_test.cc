// Is what units cost each other measured on both sides, stored as the simulator reads it, and checked?
#include <gtest/gtest.h>
#include <sched.h>
#include <cmath>
#include <limits>

#include "device/host/affinity.h"
#include "device/host/info.h"
#include "device/loads/cache_sweep.h"
#include "device/loads/stressor.h"
#include "device/loads/traffic_probe.h"
#include "device/profiler/profiler.h"
#include "profiles/base/files.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

int CoreCount() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 0;
}

TEST(Stressor, MovesNoMoreThanItIsAskedTo) {
  Stressor stressor({UsableCores().front()});
  constexpr double kPace = 50e6;
  const auto begin = std::chrono::steady_clock::now();
  stressor.Set(kPace);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  const double achieved = stressor.Achieved();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  // A step is 48 KiB; what is late by up to a millisecond is made up for.
  EXPECT_LE(achieved * seconds, kPace * (seconds + 0.001) + 4 * 48 * 1024);
}

TEST(Stressor, MovesSomethingAtFullPace) {
  Stressor stressor({UsableCores().front()});
  stressor.Set(std::numeric_limits<double>::infinity());
  while (stressor.Achieved() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GT(stressor.Achieved(), 0);
}

TEST(TrafficProbe, AndTheSweepLeaveTheThreadWhereItWas) {
  const int before = CoreCount();
  const std::vector<std::int64_t> core = {UsableCores().back()};
  EXPECT_GT(TrafficProbe(core).Run(), Nanos{0});
  CacheSweep(core).Run();
  EXPECT_EQ(CoreCount(), before);
}

class CoRunningTest : public ::testing::Test {
 protected:
  CoRunningTest() {
    WriteFile(folder_ / "tiny.json", R"({"tandem": "model/1", "name": "tiny", "layers": [
        {"name": "data", "op": "input", "shape": [1, 2, 6, 6]},
        {"name": "relu", "op": "relu", "inputs": ["data"]},
        {"name": "fc", "op": "fc", "inputs": ["relu"], "out_features": 3}]})");
  }

  ProfilerSamples Measure(const std::string& wish, const std::string& cores_of_b) {
    const std::string text = R"({"tandem": "profile-request/1", "platform": {"name": "board",
        "memories": [{"name": "dram"}], "units": [
        {"name": "a", "kind": "cpu", "memory": "dram", "backend": "reference", "cores": [)" +
                             std::to_string(UsableCores().front()) + R"(]},
        {"name": "b", "kind": "cpu", "memory": "dram", "backend": "reference", "cores": [)" +
                             cores_of_b + R"(]}]}, "models": ["./tiny.json"], "min_samples": 3, "noise": 0.5,
        "warm_up_ms": 0, "budget_s": 0.1, "co_running": ")" +
                             wish + R"("})";
    const JsonDocument document = JsonDocument::Parse(text, (folder_ / "request.json").string());
    return MeasureProfile(ReadProfileOrder(document.root()), {}).samples;
  }

  TempFolder folder_;
};

TEST_F(CoRunningTest, PairsComeWithTheCurvesThatTheyAreHeldAgainst) {
  if (UsableCores().size() < 2) GTEST_SKIP() << "one core alone";
  const ProfilerSamples samples = Measure("pairs", std::to_string(UsableCores().back()));
  std::size_t points = 0, of_groups = 0, pairs = 0;
  for (const CoRunningEntry& entry : samples.co_running) {
    EXPECT_NE(entry.unit, entry.beside);
    EXPECT_GE(entry.slowdown, 1);
    if (!entry.beside_model.empty()) {
      ++pairs;
    } else {
      EXPECT_GT(*entry.beside_traffic_bytes_per_s, 0);
      ++(entry.layers.empty() ? points : of_groups);
    }
  }
  // Four levels on two units; one at which the stressor never got its turn is left out.
  EXPECT_GE(points, 1U);
  EXPECT_LE(points, 8U);
  EXPECT_EQ(of_groups % 2, 0U) << "the same for each of two layers";
  EXPECT_LE(of_groups, 16U);
  EXPECT_EQ(pairs, 2U) << "a beside b, b beside a";
  ASSERT_EQ(samples.traffic.size(), 2U);
  EXPECT_EQ(samples.pairs.size(), 2U);
  EXPECT_GE(samples.traffic[0].bytes_per_s, 0);
}

TEST_F(CoRunningTest, UnitsThatShareACoreAreNotMeasuredBesideEachOther) {
  const ProfilerSamples samples = Measure("pairs", std::to_string(UsableCores().front()));
  EXPECT_TRUE(samples.co_running.empty());
  EXPECT_TRUE(samples.traffic.empty());
  EXPECT_FALSE(samples.sources.empty());
}

}  // namespace
}  // namespace tandem
