// Is what units cost each other measured on both sides, stored as the simulator reads it, and checked?
#include <gtest/gtest.h>
#include <sched.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

#include "device/host/affinity.h"
#include "device/host/info.h"
#include "device/loads/cache_sweep.h"
#include "device/loads/stressor.h"
#include "device/loads/traffic_probe.h"
#include "device/profiler/after_other.h"
#include "device/profiler/bench/await_reference.h"
#include "device/profiler/beside/co_running.h"
#include "device/profiler/beside/jobs.h"
#include "device/profiler/beside/parts.h"
#include "device/profiler/profiler.h"
#include "device/profiler/repeats.h"
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
  TrafficProbe probe(core);
  EXPECT_GT(probe.Run(), Nanos{0});
  EXPECT_GT(probe.Step(), Nanos{0});
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

  // `cores` of a and b; empty: four units without any, on which nobody is in another's way and no stressor
  // runs.
  ProfileOrder Request(const std::string& wish, const std::vector<std::int64_t>& cores, double budget) {
    std::string units;
    for (std::size_t u = 0; u < (cores.empty() ? 4 : cores.size()); ++u) {
      units += std::string(u > 0 ? "," : "") + R"({"name": ")" + "abcd"[u] +
               R"(", "kind": "cpu", "memory": "dram", "backend": "reference")" +
               (cores.empty() ? "" : R"(, "cores": [)" + std::to_string(cores[u]) + "]") + "}";
    }
    const std::string text = R"({"tandem": "profile-request/1", "platform": {"name": "board",
        "memories": [{"name": "dram"}], "units": [)" +
                             units + R"(]}, "models": ["./tiny.json"], "min_samples": 3,
        "warm_up_ms": 0, )" + (budget > 0 ? R"("budget_s": )" + std::to_string(budget) + ", " : "") +
                             R"("co_running": ")" + wish + R"("})";
    ProfileOrder order =
        ReadProfileOrder(JsonDocument::Parse(text, (folder_ / "request.json").string()).root());
    order.noise = 100;  // a few rounds will do
    return order;
  }

  static std::vector<std::int64_t> TwoCores() { return {UsableCores().front(), UsableCores().back()}; }

  TempFolder folder_;
};

TEST_F(CoRunningTest, PairsComeWithTheCurvesThatTheyAreHeldAgainst) {
  if (UsableCores().size() < 2) GTEST_SKIP() << "one core alone";
  const ProfilerSamples samples = MeasureProfile(Request("pairs", TwoCores(), 0), {}).samples;
  std::size_t points = 0, of_groups = 0, pairs = 0, pairs_of_groups = 0;
  for (const CoRunningEntry& entry : samples.co_running) {
    EXPECT_NE(entry.unit, entry.beside);
    EXPECT_GT(entry.slowdown, 0);
    EXPECT_TRUE(entry.error);
    if (!entry.beside_model.empty()) {
      ++(entry.layers.empty() ? pairs : pairs_of_groups);
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
  EXPECT_EQ(pairs_of_groups, 4U) << "each of two layers beside the other's model";
  EXPECT_EQ(std::count_if(samples.traffic.begin(), samples.traffic.end(),
                          [](const TrafficEntry& entry) { return entry.layers.empty(); }),
            2);
  EXPECT_EQ(samples.pairs.size(), 2U);
  EXPECT_GE(samples.traffic[0].bytes_per_s, 0);
}

TEST(PairsKnown, SayHowManyThereAre) {
  EXPECT_EQ(PairsKnown{}.Text(), "");
  EXPECT_EQ((PairsKnown{4, 4}.Text()), "4 of 4 pairs of models were measured beside each other");
  EXPECT_EQ(
      (PairsKnown{4, 1}.Text()),
      "1 of 4 pairs of models were measured beside each other; what the others cost each other is read off "
      "curves");
}

TEST_F(CoRunningTest, AUnitIsMeasuredBesideWhoeverMayWorkAtOnceWhicheverStandsFirst) {
  if (UsableCores().size() < 2) GTEST_SKIP() << "one core alone";
  const std::string first = std::to_string(TwoCores()[0]), second = std::to_string(TwoCores()[1]);
  const auto unit = [](const std::string& name, const std::string& cores) {
    return R"({"name": ")" + name + R"(", "kind": "cpu", "memory": "dram", "backend": "reference")" +
           (cores.empty() ? "" : R"(, "cores": [)" + cores + "]") + "}";
  };
  const std::string text =
      R"({"tandem": "profile-request/1", "platform": {"name": "board", "memories": [{"name": "dram"}],
      "units": [)" +
      unit("both", first + ", " + second) + ", " + unit("one", first) + ", " + unit("other", second) + ", " +
      unit("card", "") + R"(]}, "models": ["./tiny.json"], "co_running": "curves"})";
  const ProfileOrder request =
      ReadProfileOrder(JsonDocument::Parse(text, (folder_ / "request.json").string()).root());
  ProfilerSamples samples;
  const ProfilerBench bench(request, BackendOf, samples);
  using Sets = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(SetsBeside(bench, 3), (Sets{{1, 2}}))
      << "the first unit, which none of them can work beside, is not in the way";
  EXPECT_EQ(SetsBeside(bench, 1), (Sets{{2, 3}}));
  EXPECT_EQ(SetsBeside(bench, 0), Sets{}) << "the card alone";
}

TEST_F(CoRunningTest, AUnitIsMeasuredBesideAllOthersAndEachTwoOfThem) {
  ProfileOrder request = Request("curves", {}, 0);
  ProfilerSamples samples;
  const std::vector<std::vector<std::size_t>> sets = {{0, 2, 3}, {0, 2}, {0, 3}, {2, 3}};
  EXPECT_EQ(SetsBeside(ProfilerBench(request, BackendOf, samples), 1), sets);

  request.units = {"a", "b", "d"};
  ProfilerBench bench(request, BackendOf, samples);
  ProfilerWatch watch({}, {});
  MeasureCoRunning(request, bench, Nanos{0}, watch, samples);
  EXPECT_TRUE(samples.co_running.empty())
      << "no pairs were asked for, and without cores there is no stressor";
  ASSERT_EQ(samples.together.size(), 3U);
  for (const TogetherEntry& entry : samples.together) {
    EXPECT_EQ(entry.beside.size(), 2U);
    EXPECT_EQ(std::count(entry.beside.begin(), entry.beside.end(), entry.unit), 0);
    EXPECT_EQ(entry.model, (folder_ / "tiny.json").string());
    EXPECT_GT(entry.slowdown, 0);
    EXPECT_TRUE(entry.error);
  }
  EXPECT_TRUE(PairsOf(request, bench, samples).Text().starts_with("0 of 3 pairs")) << "said all the same";

  // What is finished is not measured again.
  const auto before = samples.together;
  MeasureCoRunning(request, bench, Nanos{0}, watch, samples);
  EXPECT_EQ(samples.together, before);
}

TEST_F(CoRunningTest, TurnsWaitForTheMachineAndWhatThereIsNoTimeForIsSaid) {
  ProfileOrder request = Request("pairs", {}, 0);
  request.units = {"a", "b", "c"};
  ProfilerSamples samples;
  ProfilerBench bench(request, BackendOf, samples);
  ProfilerWatch watch({}, {});
  std::size_t turns = 0;
  const AwaitState await = [&](std::span<const std::size_t> units) {
    turns += units.size();
    return 0.0;
  };
  MeasureCoRunning(request, bench, Nanos{1}, watch, samples, await);
  EXPECT_EQ(turns % (4 * 2), 0U) << "two units before a round and after each of its three turns";
  EXPECT_GE(turns, 3U * 3 * 4 * 2) << "three rounds for each pair of three";
  EXPECT_EQ(PairsOf(request, bench, samples).Text(),
            "3 of 3 pairs of models were measured beside each other");
  ASSERT_EQ(samples.notes.size(), 2U);
  for (const char* unit : {"a", "b", "c"}) {  // in the order of what the pairs cost them
    EXPECT_NE(samples.notes[0].find(std::string("together ") + unit + " "), std::string::npos)
        << samples.notes[0];
  }
  EXPECT_TRUE(samples.notes[1].starts_with("there was no time left to measure pair ")) << samples.notes[1];
  EXPECT_TRUE(samples.notes[1].ends_with(" in groups: these groups count as their models"))
      << samples.notes[1];
}

TEST_F(CoRunningTest, ADisturbedRoundIsTakenAgainWhileThereAreRetakes) {
  ProfileOrder request = Request("pairs", {}, 0);
  request.units = {"a", "b"};
  request.groups = false;
  for (const bool calms_down : {true, false}) {
    ProfilerSamples samples;
    ProfilerBench bench(request, BackendOf, samples);
    ProfilerWatch watch({}, {});
    std::size_t asked = 0;
    const AwaitState await = [&](std::span<const std::size_t>) {
      return ++asked > 2 && calms_down ? 0 : 0.5;
    };
    // The time is more than ten rounds take by far.
    MeasureCoRunning(request, bench, std::chrono::seconds(20), watch, samples, await);
    const std::size_t rounds = asked / 4;
    EXPECT_GE(rounds, calms_down ? 3U + 1 : 3U + CoRunningContext::kMostRetakes);
    ASSERT_EQ(samples.co_running.size(), 2U) << "in the end it counts, whatever the machine does";
    for (const CoRunningEntry& entry : samples.co_running) {
      EXPECT_TRUE(calms_down || *entry.error >= 0.1) << "a fifth of what it was off by is part of the error";
    }
  }
}

TEST_F(CoRunningTest, WhatIsHardlyKnownInTheEndIsMeasuredAgainAndTheSurerOneKept) {
  ProfileOrder request = Request("pairs", {}, 0);
  request.units = {"a", "b"};
  request.groups = false;
  for (const bool calms_down : {true, false}) {
    ProfilerSamples samples;
    ProfilerBench bench(request, BackendOf, samples);
    ProfilerWatch watch({}, {});
    std::size_t asked_at_first = 0, asked = 0;
    const AwaitState await = [&](std::span<const std::size_t>) {
      ++(samples.finished.empty() ? asked_at_first : asked);
      return samples.finished.empty() ? 0.5 : calms_down ? 0 : 0.8;
    };
    MeasureCoRunning(request, bench, std::chrono::seconds(2), watch, samples, await);
    EXPECT_GT(asked_at_first, 0U);
    EXPECT_GT(asked, 0U);
    ASSERT_EQ(samples.co_running.size(), 2U) << "a beside b, b beside a";
    for (const CoRunningEntry& entry : samples.co_running) {
      EXPECT_TRUE(calms_down || *entry.error >= 0.1) << "a fifth of what the machine was off by";
    }
  }
}

TEST_F(CoRunningTest, UnitsWaitTogetherForTheirReferenceState) {
  ProfileOrder request = Request("pairs", {}, 0);
  request.units = {"a", "b"};
  ProfilerSamples samples;
  int disturbed = 0, readings = 0;
  const MakeYardstick yardstick_of = [&](const Unit& unit, Processor&, std::int64_t&) -> ReadYardstick {
    if (unit.name == "a") return [] { return Nanos{100'000}; };
    return [&] {
      ++readings;
      return Nanos{disturbed-- > 0 ? 160'000 : 100'000};
    };
  };
  ProfilerBench bench(request, BackendOf, samples, yardstick_of);
  AwaitReference await(bench, samples, std::chrono::hours(1));
  const std::array<std::size_t, 2> both = {0, 1};
  for (int i = 0; i < 20; ++i) await(both);
  EXPECT_EQ(readings, 20) << "both are undisturbed as far as anybody knows";
  disturbed = 3;
  await(both);
  EXPECT_EQ(readings, 24) << "three times too slow, then not";
  EXPECT_EQ(await(both), 0);
  disturbed = 1;
  EXPECT_EQ(await(both), 0) << "what caches do to one reading is no state";
  disturbed = 2;
  EXPECT_NEAR(await(both), 0.6, 1e-9);
  EXPECT_EQ(samples.yardsticks_at_once["a"].size(), 30U);
  EXPECT_TRUE(samples.yardsticks["a"].empty()) << "another thing than readings of one unit alone";
  disturbed = 1000;
  AwaitReference hasty(bench, samples);
  hasty(both);
  EXPECT_LT(readings, 1030) << "no more than half of the time is waited for";
}

TEST_F(CoRunningTest, BothPartsOfALayerAreMeasuredBesideEachOtherOnEachTwoUnits) {
  ProfileOrder request = Request("pairs", {}, 0);
  request.units = {"a", "b", "c"};
  request.parts = PartsWish{};
  request.parts->of = {{request.models[0].model, {"relu"}}, {request.models[0].model, {"fc"}}};
  ProfilerSamples samples;
  ProfilerBench bench(request, BackendOf, samples);
  ProfilerWatch watch({}, {});
  std::size_t asked = 0;
  const AwaitState await = [&](std::span<const std::size_t> units) {
    EXPECT_EQ(units.size(), 2U);
    ++asked;
    return 0.0;
  };
  MeasurePartsBeside(request, bench, Nanos{1}, watch, samples, await);
  EXPECT_EQ(asked % 4, 0U) << "before a round and after each of its three turns";
  ASSERT_EQ(samples.co_running.size(), 3U * 2 * 2) << "two layers, both ways of three pairs";
  for (const CoRunningEntry& entry : samples.co_running) {
    EXPECT_NE(entry.unit, entry.beside);
    EXPECT_EQ(entry.model, entry.beside_model);
    EXPECT_EQ(entry.layers, entry.beside_layers);
    EXPECT_EQ(entry.layers.size(), 1U);
    EXPECT_GT(entry.slowdown, 0);
    EXPECT_TRUE(entry.error);
  }
  EXPECT_TRUE(PairsOf(request, bench, samples).Text().starts_with("0 of 3 pairs")) << "of models";
  const auto before = samples.co_running;
  MeasurePartsBeside(request, bench, Nanos{1}, watch, samples, await);
  EXPECT_EQ(samples.co_running, before) << "what is finished is not measured again";
}

TEST_F(CoRunningTest, EachModelIsMeasuredAfterTheOthersOnEachUnit) {
  WriteFile(folder_ / "other.json", R"({"tandem": "model/1", "name": "other", "layers": [
      {"name": "data", "op": "input", "shape": [1, 2, 6, 6]}, {"name": "relu", "op": "relu", "inputs": ["data"]}]})");
  ProfileOrder request = Request("pairs", {}, 0);
  request.units = {"a", "b"};
  request.models.push_back({(folder_ / "other.json").string()});
  ProfilerSamples samples;
  ProfilerBench bench(request, BackendOf, samples);
  ProfilerWatch watch({}, {});
  MeasureAfterOther(request, bench, Nanos{1}, watch, samples);
  EXPECT_TRUE(samples.after_other.empty()) << "nobody asked for it";
  request.switches = true;
  MeasureAfterOther(request, bench, Nanos{1}, watch, samples);
  ASSERT_EQ(samples.after_other.size(), 2U * (1 + 3)) << "two models on two units, one in two groups too";
  for (const AfterOtherEntry& entry : samples.after_other) {
    EXPECT_GT(entry.slowdown, 0);
    EXPECT_TRUE(entry.error);
  }
  const auto before = samples.after_other;
  MeasureAfterOther(request, bench, Nanos{1}, watch, samples);
  EXPECT_EQ(samples.after_other, before) << "what is finished is not measured again";
}

TEST_F(CoRunningTest, PartsAreMeasuredForRequestAfterRequest) {
  WriteFile(folder_ / "six.json", R"({"tandem": "model/1", "name": "six", "layers": [
      {"name": "data", "op": "input", "shape": [1, 2, 60, 60]}, {"name": "a", "op": "relu", "inputs": ["data"]},
      {"name": "b", "op": "relu", "inputs": ["a"]}, {"name": "c", "op": "relu", "inputs": ["b"]},
      {"name": "d", "op": "relu", "inputs": ["c"]}, {"name": "e", "op": "relu", "inputs": ["d"]},
      {"name": "f", "op": "relu", "inputs": ["e"]}]})");
  ProfileOrder request = Request("pairs", {}, 0);
  request.units = {"a"};
  request.models = {{(folder_ / "six.json").string()}};
  request.layers = true;
  ProfilerSamples samples;
  ProfilerBench bench(request, BackendOf, samples);
  ProfilerWatch watch({}, {});
  MeasureRepeats(request, bench, Nanos{1}, watch, samples);
  EXPECT_TRUE(samples.repeated.empty()) << "nobody asked for it";
  request.repeats = true;
  MeasureRepeats(request, bench, Nanos{1}, watch, samples);
  std::map<std::vector<std::string>, std::vector<RepeatedEntry>> by_layers;
  for (const RepeatedEntry& entry : samples.repeated) by_layers[entry.layers].push_back(entry);
  const bool noise = std::any_of(samples.notes.begin(), samples.notes.end(), [](const std::string& note) {
    return note.find("known to no better than half of it, left out") != std::string::npos;
  });
  EXPECT_TRUE(by_layers.size() == 6 || (noise && by_layers.size() < 6))
      << "what is missing is said to be noise";
  for (const RepeatedEntry& entry : samples.repeated) EXPECT_LE(*entry.error, 0.5);
  for (const auto& [layers, points] : by_layers) {
    ASSERT_EQ(layers.size(), 1U);
    EXPECT_EQ(points.back().slowdown, 1) << "once a pass is what entries are";
    for (std::size_t i = 1; i < points.size(); ++i) EXPECT_GT(points[i].every, points[i - 1].every);
    for (const RepeatedEntry& point : points) EXPECT_GT(point.slowdown, 0);
  }
  const auto before = samples.repeated;
  MeasureRepeats(request, bench, Nanos{1}, watch, samples);
  EXPECT_EQ(samples.repeated, before) << "what is finished is not measured again";
}

TEST_F(CoRunningTest, UnitsThatShareACoreAreNotMeasuredBesideEachOther) {
  const std::int64_t core = UsableCores().front();
  const ProfilerSamples samples = MeasureProfile(Request("pairs", {core, core}, 0.1), {}).samples;
  EXPECT_TRUE(samples.co_running.empty());
  EXPECT_TRUE(samples.traffic.empty());
  EXPECT_FALSE(samples.sources.empty());
}

}  // namespace
}  // namespace tandem
