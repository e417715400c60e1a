// Does a scenario mean what its file says, and are defaults those that are documented?
#include "scenarios/scenario/scenario.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/model/model_source.h"
#include "scenarios/arrivals/arrivals.h"
#include "tests/support/read_scenario.h"
#include "tests/support/variable.h"

namespace tandem {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

const std::string kOneStream =
    R"("streams": [{"name": "a", "model": "mobilenet_v2", "count": 3, "arrival": {"type": "offline"}}])";

Stream ReadOne(const std::string& stream_members, const std::string& scenario_members = "") {
  return ReadMini(R"("streams": [{"name": "a", "model": "mobilenet_v2", )" + stream_members + "}]" +
                  scenario_members)
      .streams.at(0);
}

TEST(Scenario, WhatIsLeftOutHasItsDocumentedDefault) {
  const JsonDocument document = JsonDocument::Parse(
      R"({"tandem": "scenario/1", "name": "n", "platform": "device", )" + kOneStream + "}", "s.json");
  const Scenario scenario = ReadScenario(document.root());
  EXPECT_EQ(scenario.seed, 1U);
  EXPECT_EQ(scenario.transfer, TransferMode::kCopy);
  EXPECT_EQ(scenario.objective, Objective::kMakespan);
  EXPECT_FALSE(scenario.platform);
  EXPECT_FALSE(scenario.costs);
  EXPECT_TRUE(scenario.policies.empty());
  const Stream& stream = scenario.streams.at(0);
  EXPECT_EQ(stream.batch, 1);
  EXPECT_EQ(stream.priority, 0);
  EXPECT_FALSE(stream.deadline);
  EXPECT_FALSE(stream.drop_late);
}

TEST(Scenario, WithoutAnObjectiveItFollowsFromDeadlinesAndArrivals) {
  const auto read = [](const std::string& stream, const std::string& more = "") {
    return ReadMini(R"("streams": [{"name": "a", "model": "mobilenet_v2", "count": 3, )" + stream + "}]" +
                    more);
  };
  const std::string offline = R"("arrival": {"type": "offline"})",
                    periodic = R"("arrival": {"type": "periodic", "fps": 30})";
  EXPECT_EQ(read(offline).objective, Objective::kMakespan);
  EXPECT_EQ(read(R"("arrival": {"type": "closed"})").objective, Objective::kMakespan);
  EXPECT_EQ(read(periodic).objective, Objective::kP99Latency);
  EXPECT_EQ(read(periodic).objective_why, "requests come by the clock");
  EXPECT_EQ(read(periodic + R"(, "deadline_us": 9)").objective, Objective::kMisses);
  EXPECT_EQ(read(offline + R"(, "deadline_us": 9)").objective_why, "streams have deadlines");
  const Scenario said = read(periodic + R"(, "deadline_us": 9)", R"(, "objective": "makespan")");
  EXPECT_EQ(said.objective, Objective::kMakespan);
  EXPECT_EQ(said.objective_why, "") << "the file says it";
}

TEST(Scenario, XrbenchsRulesGiveDeadlinesAndSoTheObjective) {
  EXPECT_EQ(ReadMini(R"("rules": "xrbench", "streams": [{"name": "a", "model": "mobilenet_v2", "count": 3,
                         "arrival": {"type": "periodic", "fps": 30}}])")
                .objective,
            Objective::kMisses);
}

TEST(Scenario, ADevicesPlatformStandsInOnceItIsKnown) {
  const std::string text = R"({"tandem": "scenario/1", "name": "n", "platform": "device", )" + kOneStream +
                           R"(, "background": [{"unit": "gpu", "load_pct": 40}]})";
  const JsonDocument document = JsonDocument::Parse(text, "s.json");
  EXPECT_TRUE(ReadScenario(document.root()).loads.empty());
  Platform platform;
  platform.name = "here";
  platform.memories = {{"dram", {}, {}}};
  platform.units.resize(1);
  platform.units[0].name = "gpu";
  platform.units[0].memory = MemoryId(0);
  EXPECT_EQ(ReadScenario(document.root(), {platform}).loads.at(0).load_pct, 40);
  platform.units[0].name = "npu";
  EXPECT_THROW(ReadScenario(document.root(), {platform}), InputError);
}

TEST(Scenario, ReadsTheExampleOfTheFormatDescription) {
  const std::string text = R"({"tandem": "scenario/1", "name": "three models on the Tinker board", "seed": 1,
     "platform": "tinker-edge-r", "profiles": ["tinker-edge-r"], "transfer": "none", "resident": {"ncs2": ["resnet50"]},
     "streams": [{"name": "a", "model": "mobilenet_v2", "count": 100, "arrival": {"type": "offline"}},
                 {"name": "b", "model": "resnet50", "count": 100, "arrival": {"type": "periodic", "fps": 30, "jitter_us": 500},
                  "deadline_us": 33333.333, "priority": 2, "drop_late": true},
                 {"name": "c", "model": "resnet101", "depends_on": {"stream": "b", "probability": 0.5}}],
     "background": [{"unit": "cpu", "load_pct": 40}],
     "policies": ["fcfs", "sjf", {"name": "affinity", "map": {"mobilenet_v2": "coral"}},
                  {"name": "priority", "rank": {"cpu": ["mobilenet_v2", "resnet101", "resnet50"], "coral": ["mobilenet_v2"]}},
                  {"name": "fcfs", "label": "fcfs by layer", "granularity": "layer"}],
     "objective": "makespan"})";
  const JsonDocument document = JsonDocument::Parse(text, "s.json");
  const Scenario scenario = ReadScenario(document.root());
  EXPECT_EQ(scenario.streams.at(1).deadline, Nanos{33333333});
  EXPECT_EQ(std::get<PeriodicArrival>(scenario.streams[1].arrival).jitter, microseconds{500});
  EXPECT_EQ(std::get<DependentArrival>(scenario.streams.at(2).arrival).parent, StreamId(1));
  EXPECT_EQ(scenario.policies.at(4).label, "fcfs by layer");
  EXPECT_EQ(scenario.policies[4].granularity, Granularity::kLayer);
  EXPECT_EQ(scenario.units.at(1).resident, std::vector<ModelId>{ModelId(1)});
  EXPECT_EQ(PolicyJson(scenario.policies[2], scenario),
            R"({"name": "affinity", "granularity": "model", "map": {"mobilenet_v2": "coral"}})");
  EXPECT_EQ(PolicyJson(scenario.policies[3], scenario),
            R"({"name": "priority", "granularity": "model", )"
            R"("rank": {"cpu": ["mobilenet_v2", "resnet101", "resnet50"], "coral": ["mobilenet_v2"]}})");
  EXPECT_EQ(PolicyJson(scenario.policies[4], scenario),
            R"({"name": "fcfs", "label": "fcfs by layer", "granularity": "layer"})");
}

TEST(Scenario, AUnitRunsWhatItHasTimesForAndMayHold) {
  const Scenario scenario = ReadMini(R"("resident": {"npu": ["resnet50"]},
      "streams": [{"name": "a", "model": "mobilenet_v2", "count": 3, "arrival": {"type": "offline"}},
                  {"name": "b", "model": "resnet50", "count": 3, "arrival": {"type": "offline"}}])");
  const UnitId cpu(0), gpu(1), npu(2);
  const ModelId mobilenet(0), resnet(1);
  EXPECT_TRUE(scenario.CanRun(mobilenet, cpu, 1));
  EXPECT_TRUE(scenario.CanRun(mobilenet, gpu, 1));
  EXPECT_FALSE(scenario.CanRun(mobilenet, gpu, 2)) << "nothing is extrapolated to another batch";
  EXPECT_FALSE(scenario.CanRun(mobilenet, npu, 1)) << "the unit holds resnet50";
  EXPECT_FALSE(scenario.CanRun(resnet, npu, 1)) << "there is no time";
  EXPECT_EQ(scenario.units[1].variant->Text(), "cuda/fp32");
}

TEST(Scenario, IndependentMistakesAreToldTogetherAndNoneTwice) {
  const std::string told =
      MiniProblem(R"("objective": "makespn", "policies": ["fcsf", {"name": "sjf", "lable": "x"}],
      "streams": [{"name": "a", "model": "mobilenet_v2", "count": 0, "arrival": {"type": "offlien"}},
                  {"name": "b", "model": "mobilnet_v2", "count": 1, "deadline": 1, "arrival": {"type": "offline"}}])");
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 6) << told;
  for (const char* line :
       {R"(:/streams/1/model: unknown model "mobilnet_v2"; did you mean "mobilenet_v2"?)",
        ":/streams/0/count: 0 is out of range: from 1 to 2147483648",
        R"(:/streams/0/arrival/type: unknown arrival type "offlien"; did you mean "offline"?)",
        R"(:/streams/1: unknown key "deadline"; did you mean "deadline_us", "deadline_ms" or "deadline_s"?)",
        R"(:/objective: unknown objective "makespn"; did you mean "makespan"?)",
        R"(:/policies/0: unknown policy "fcsf"; did you mean "fcfs"?)",
        R"(:/policies/1: unknown key "lable"; did you mean "label"?)"}) {
    EXPECT_NE((told + "\n").find(std::string(line) + "\n"), std::string::npos) << line << "\nin\n" << told;
  }
}

TEST(Scenario, MoreRequestsThanMemoryIsMeantForAreRefusedUnlessTheyAreAllowed) {
  const std::string streams =
      R"("streams": [{"name": "a", "model": "mobilenet_v2", "count": 100000000, "arrival": {"type": "offline"}},
                     {"name": "b", "model": "mobilenet_v2", "count": 200000000, "arrival": {"type": "closed"}},
                     {"name": "c", "model": "mobilenet_v2", "depends_on": {"stream": "a"}}])";
  const std::string refused = MiniProblem(streams);
  EXPECT_NE(refused.find(":/streams/1/count: more than 268,435,456 requests in all, which take 4,096 MiB"),
            std::string::npos)
      << refused;
  const Variable most("TANDEM_MOST_REQUESTS", "400000000");
  EXPECT_EQ(ReadMini(streams).streams.size(), 3U);
}

TEST(Scenario, NamesOfStreamsThatAreWrongHideNothing) {
  const std::string told = MiniProblem(
      R"("sed": 1, "policies": [],
      "streams": [{"name": "a", "model": "mobilnet_v2", "count": 0, "arrival": {"type": "offline"}},
                  {"name": "a", "model": "mobilenet_v2", "count": 1, "arrival": {"type": "offlien"}},
                  {"model": "mobilenet_v2", "depends_on": {"stream": "b"}, "batch": 0}])");
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 6) << told;
  for (const char* line :
       {R"(: unknown key "sed"; did you mean "seed"?)",
        R"(:/streams/0/model: unknown model "mobilnet_v2"; did you mean "mobilenet_v2"?)",
        ":/streams/0/count: 0 is out of range: from 1 to 2147483648",
        R"(:/streams/1/name: a stream before it is called "a" too)",
        R"(:/streams/1/arrival/type: unknown arrival type "offlien"; did you mean "offline"?)",
        R"(:/streams/2: the key "name" is missing)",
        ":/streams/2/batch: 0 is out of range: from 1 to 1048576"}) {
    EXPECT_NE((told + "\n").find(std::string(line) + "\n"), std::string::npos) << line << "\nin\n" << told;
  }
}

TEST(Arrival, FrameRatesAreKeptAsExactFractions) {
  const auto periodic = [](const std::string& pace) {
    return std::get<PeriodicArrival>(
        ReadOne(R"("count": 3, "arrival": {"type": "periodic", )" + pace + "}").arrival);
  };
  const PeriodicArrival thirty = periodic(R"("fps": 30, "phase_ms": 1.5)");
  EXPECT_EQ(thirty.period_ns, 100000000);
  EXPECT_EQ(thirty.divisor, 3);
  EXPECT_EQ(thirty.phase, microseconds{1500});
  const PeriodicArrival film = periodic(R"("fps": 29.97)");
  EXPECT_EQ(film.period_ns * 2997, film.divisor * 100000000000);
  const PeriodicArrival clock = periodic(R"("period_us": 33333.333, "phase_us": 0.001)");
  EXPECT_EQ(clock.period_ns, 33333333);
  EXPECT_EQ(clock.divisor, 1);
  EXPECT_EQ(clock.phase, Nanos{1});
}

TEST(Arrival, NumbersFromScriptsAreRounded) {
  const auto rounded = std::get<PeriodicArrival>(
      ReadOne(R"("count": 1, "arrival": {"type": "periodic", "fps": 29.97002997002997})").arrival);
  const auto written = std::get<PeriodicArrival>(
      ReadOne(R"("count": 1, "arrival": {"type": "periodic", "fps": 29.97003})").arrival);
  EXPECT_EQ(rounded.period_ns, written.period_ns);
  EXPECT_EQ(rounded.divisor, written.divisor);
  const Stream stream = ReadOne(
      R"("duration_s": 0.10000000000000001, "deadline_us": 33333.333333333336,)"
      R"( "arrival": {"type": "periodic", "period_ms": 16.666666666666668, "jitter_ms": 0.1, "phase_s": 1e-3})");
  EXPECT_EQ(stream.deadline, Nanos{33333333});
  EXPECT_EQ(stream.until.duration, milliseconds{100});
  const auto& periodic = std::get<PeriodicArrival>(stream.arrival);
  EXPECT_EQ(Nanos{periodic.period_ns}, Nanos{16666667});
  EXPECT_EQ(periodic.phase, milliseconds{1});
  EXPECT_EQ(periodic.jitter, microseconds{100});
}

TEST(Arrival, OtherRulesMeanWhatTheySay) {
  const auto closed = std::get<ClosedArrival>(
      ReadOne(R"("duration_ms": 20, "arrival": {"type": "closed", "in_flight": 4})").arrival);
  EXPECT_EQ(closed.in_flight, 4);
  EXPECT_EQ(closed.per_query, 1);
  const Stream timed = ReadOne(R"("duration_ms": 20, "arrival": {"type": "poisson", "qps": 2.5})");
  EXPECT_EQ(std::get<PoissonArrival>(timed.arrival).rate_per_s, 2.5);
  EXPECT_EQ(timed.until.duration, milliseconds{20});
  EXPECT_EQ(timed.until.count, 0);
}

TEST(Arrival, TracesAreTimesOrGaps) {
  const Stream times = ReadOne(R"("arrival": {"type": "trace", "file": "parts/three.txt"})");
  EXPECT_EQ(*std::get<TraceArrival>(times.arrival).times,
            (std::vector<Nanos>{Nanos{0}, microseconds{100}, Nanos{250125}}));
  EXPECT_EQ(times.until.count, 3);
  const Stream gaps =
      ReadOne(R"("arrival": {"type": "trace", "file": "parts/three.txt", "intervals": true})");
  EXPECT_EQ(*std::get<TraceArrival>(gaps.arrival).times,
            (std::vector<Nanos>{Nanos{0}, microseconds{100}, Nanos{350125}}));
  const Stream rounded = ReadOne(R"("arrival": {"type": "trace", "file": "parts/rounded.txt"})");
  EXPECT_EQ(*std::get<TraceArrival>(rounded.arrival).times,
            (std::vector<Nanos>{Nanos{1235}, Nanos{33333333}}));
}

TEST(Streams, KeepTheNewestAndFollowEveryNth) {
  const Scenario scenario = ReadMini(R"("streams": [
      {"name": "eyes", "model": "mobilenet_v2", "count": 9, "keep_latest": 2, "arrival": {"type": "periodic", "fps": 60}},
      {"name": "gaze", "model": "resnet50", "keep_latest": 1, "depends_on": {"stream": "eyes", "every": 4}}])");
  EXPECT_EQ(scenario.streams[0].keep_latest, 2);
  EXPECT_EQ(std::get<DependentArrival>(scenario.streams[1].arrival).every, 4);
  EXPECT_EQ(CountRequests(scenario.streams, 1)[1].count, 3);
}

TEST(Streams, AreCriticalWhereTheySaySo) {
  const Scenario scenario = ReadMini(R"("streams": [
      {"name": "brake", "model": "mobilenet_v2", "count": 9, "critical": true, "deadline_ms": 30, "arrival": {"type": "offline"}},
      {"name": "log", "model": "resnet50", "count": 9, "arrival": {"type": "offline"}}])");
  EXPECT_TRUE(scenario.streams[0].critical);
  EXPECT_FALSE(scenario.streams[1].critical);
  EXPECT_TRUE(HasCritical(scenario));
}

TEST(Xrbench, DeadlinesAreTheNextFrameUnlessStated) {
  const Scenario scenario = ReadMini(R"("rules": "xrbench", "streams": [
      {"name": "gaze", "model": "resnet50", "depends_on": {"stream": "eyes"}, "drop_late": true},
      {"name": "eyes", "model": "mobilenet_v2", "count": 9, "arrival": {"type": "periodic", "fps": 60}},
      {"name": "hands", "model": "mobilenet_v2", "count": 9, "arrival": {"type": "periodic", "fps": 45},
       "deadline_us": 5}])");
  EXPECT_EQ(scenario.streams[0].deadline, Nanos{16666667});
  EXPECT_EQ(scenario.streams[1].deadline, Nanos{16666667});
  EXPECT_EQ(scenario.streams[2].deadline, microseconds{5});
}

TEST(Policies, AModelThatNoUnitRunsWholeNeedsAFinerGranularity) {
  // Two units that have a part of mobilenet_v2 each.
  const Model model = LoadModel("mobilenet_v2", "").model;
  const std::string unit[] = {"cpu", "gpu"};
  std::string entries;
  for (std::size_t i = 0; i < model.size(); ++i) {
    entries += std::string(i == 0 ? "" : ", ") + R"({"model": "mobilenet_v2", "unit": ")" + unit[i % 2] +
               R"(", "layers": [")" + model.layer(LayerId(i)).name + R"("], "median_us": 1})";
  }
  const std::string folder = testing::TempDir();
  WriteFile(folder + "/halves.profile.json",
            R"({"tandem": "profile/1", "platform": "two", "origin": {"kind": "estimated", "method": "a test"},
                "entries": [)" +
                entries + "]}");
  const auto read = [&](const std::string& policies) {
    const JsonDocument document = JsonDocument::Parse(
        R"({"tandem": "scenario/1", "name": "n", "platform": {"tandem": "platform/1", "name": "two",
            "memories": [{"name": "dram"}], "units": [{"name": "cpu", "kind": "cpu", "memory": "dram"},
            {"name": "gpu", "kind": "gpu", "memory": "dram"}]}, "profiles": ["halves.profile.json"], )" +
            kOneStream + R"(, "policies": [)" + policies + "]}",
        folder + "/s.json");
    return ReadScenario(document.root());
  };
  EXPECT_EQ(read(R"({"name": "fcfs", "granularity": "layer"})").policies.size(), 1U);
  try {
    read(R"("fcfs")");
    FAIL() << "no unit can run all of it";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              folder +
                  "/s.json:/policies/0: policy \"fcfs\" hands out whole models, and no unit has times for "
                  "all of \"mobilenet_v2\"; \"granularity\" may be \"group\" or \"layer\"");
  }
}

TEST(Policies, AreListedByNameWithASummary) {
  std::string_view last;
  for (const PolicyDeclaration& policy : Policies()) {
    EXPECT_LT(last, policy.name);
    EXPECT_FALSE(policy.summary.empty());
    last = policy.name;
  }
  for (const char* name : {"affinity", "eft", "fcfs", "priority", "round_robin", "sjf"}) {
    EXPECT_NE(FindPolicy(name), nullptr) << name;
  }
}

TEST(Policies, ANameAloneMeansNoParameters) {
  const Scenario scenario = ReadMini(kOneStream);
  const PolicySpec policy = PolicyByName("priority", scenario, "--policy");
  EXPECT_EQ(policy.label, "priority");
  EXPECT_EQ(PolicyJson(policy, scenario), R"({"name": "priority", "granularity": "model"})");
  try {
    PolicyByName("prioriti", scenario, "--policy");
    FAIL() << "there is no such policy";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "--policy: unknown policy \"prioriti\"; did you mean \"priority\"?");
  }
}

TEST(Scenario, ALoadTimeLetsAUnitRunWhatItDoesNotHold) {
  const std::string folder = testing::TempDir();
  WriteFile(folder + "/loads.profile.json",
            R"({"tandem": "profile/1", "platform": "one", "origin": {"kind": "estimated", "method": "a test"},
                "entries": [{"model": "mobilenet_v2", "unit": "npu", "layers": "*", "median_us": 1}],
                "loads": [{"model": "mobilenet_v2", "unit": "npu", "median_us": 5}]})");
  const std::string text =
      R"({"tandem": "scenario/1", "name": "n", "platform": {"tandem": "platform/1", "name": "one",
          "memories": [{"name": "dram"}],
          "units": [{"name": "npu", "kind": "npu", "memory": "dram", "resident_models": 1}]},
          "profiles": ["loads.profile.json"], "resident": {"npu": []}, )" +
      kOneStream + "}";
  const JsonDocument document = JsonDocument::Parse(text, folder + "/s.json");
  EXPECT_TRUE(ReadScenario(document.root()).CanRun(ModelId(0), UnitId(0), 1));
}

}  // namespace
}  // namespace tandem
