// Does the harness run what was planned: every policy, every way to cut, with outputs that are those of one
// unit alone, and a trace that obeys the rules of every schedule?
#include "device/harness/harness.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fstream>

#include "device/harness/output_check.h"
#include "device/host/info.h"
#include "tests/support/device/fake_sensor.h"
#include "tests/support/device/harness_files.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

constexpr const char* kSixOfX =
    R"([{"name": "x", "model": "./m0.json", "count": 6, "arrival": {"type": "offline"}}])";

void ExpectRight(const RunAnswer& result, std::int64_t requests) {
  for (const DeviceRun& run : result.runs) {
    EXPECT_TRUE(run.complete) << run.label << ": " << run.failure;
    EXPECT_EQ(run.outputs.checked, requests) << run.label;
    EXPECT_EQ(run.outputs.wrong, 0) << run.label << ", worst " << run.outputs.worst;
    EXPECT_EQ(run.outputs.unchecked, 0) << run.label;
    EXPECT_GT(run.makespan, Nanos{0});
  }
}

using Harness = HarnessFiles;

TEST_F(Harness, EveryPolicyRunsAndItsOutputsAreRight) {
  std::vector<std::string> policies;
  for (const PolicyDeclaration& policy : Policies()) {
    const std::string name(policy.name);
    if (name == "given") continue;  // follows what another one decided
    if (name == "layer_type") {     // there is no unit of kind gpu
      policies.push_back(R"({"name": "layer_type", "map": {"conv": ["two"], "*": ["one", "two"]}})");
    } else {
      policies.push_back('"' + name + (name == "single" ? ":two" : "") + '"');
    }
  }
  RunOrder request = Request(policies);
  request.trace = true;
  const RunAnswer result = RunPlans(request, Place());
  ASSERT_EQ(result.runs.size(), policies.size());
  ExpectRight(result, 10);
  ExpectLawful(request, result);
}

TEST_F(Harness, GroupsAndLayersGiveTheSameOutputs) {
  RunOrder request = Request({R"({"name": "fcfs", "label": "layers", "granularity": "layer"})",
                              R"({"name": "sjf", "label": "small first", "granularity": "layer"})",
                              R"({"name": "eft", "label": "groups", "granularity": "group"})"});
  request.trace = true;
  request.repeats = 2;
  const RunAnswer result = RunPlans(request, Place());
  ASSERT_EQ(result.runs.size(), 6u);
  ExpectRight(result, 10);
  ExpectLawful(request, result);
  for (std::size_t plan = 0; plan < 3; ++plan) {
    EXPECT_EQ(std::count_if(result.runs.begin(), result.runs.end(),
                            [&](const DeviceRun& run) { return run.plan == plan; }),
              2);
  }
}

TEST_F(Harness, AllArrivalsAndDropsAreTheDispatchers) {
  streams = R"([{"name": "x", "model": "./m0.json", "count": 5, "arrival": {"type": "periodic", "fps": 500}},
                {"name": "y", "model": "./m1.json", "depends_on": {"stream": "x", "probability": 1}},
                {"name": "z", "model": "./m0.json", "count": 3, "arrival": {"type": "offline"},
                 "deadline_us": 0.001, "drop_late": true}])";
  units = kOneFake;
  RunOrder request = Request({R"("fcfs")"});
  request.trace = true;
  FakeKernels fake;
  const RunAnswer result = RunPlans(request, Place(&fake));
  ASSERT_EQ(result.runs.size(), 1u);
  ExpectLawful(request, result);
  // The first of x is taken at once; by its end all of z are dropped.
  EXPECT_EQ(result.runs[0].outputs.checked, 5 + 5);
  EXPECT_EQ(result.runs[0].outputs.wrong, 0);
}

TEST_F(Harness, WrongOutputsAreFound) {
  units = kOneFake;
  streams = kSixOfX;
  RunOrder request = Request({R"("fcfs")"});
  FakeKernels fake;
  // After three runs of warming up: the first and the third request.
  fake.after = [](int run, std::span<float* const> outputs) {
    if (run == 4) outputs[0][3] *= 1.01f;
    if (run == 6) outputs[0][0] = std::numeric_limits<float>::quiet_NaN();
  };
  const RunAnswer result = RunPlans(request, Place(&fake));
  ASSERT_EQ(result.runs.size(), 1u);
  EXPECT_EQ(result.runs[0].outputs.checked, 6);
  EXPECT_EQ(result.runs[0].outputs.wrong, 2);
  EXPECT_GT(result.runs[0].outputs.worst, kMostOutputError);
  const std::string text = RunAnswerText(request, result, 100);
  EXPECT_NE(text.find("2 wrong"), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '%'), 1) << "an error, and of one run no spread: " << text;
}

// What a unit of less precision ran may be off by more, and the result says by how much.
TEST_F(Harness, LessPreciseUnitsMayBeFurtherOff) {
  units = R"([{"name": "fake", "kind": "gpu", "memory": "dram", "backend": "reference"},
              {"name": "one", "kind": "cpu", "memory": "dram", "backend": "reference"}])";
  streams = kSixOfX;
  precisions["fake"] = "fp16";
  FakeKernels fake;
  fake.after = [](int run, std::span<float* const> outputs) {
    if (run > 3) outputs[0][0] *= 1.005f;
    if (run == 6) outputs[0][0] *= 1.5f;
  };
  const RunAnswer result = RunPlans(Request({R"("single:fake")", R"("single:one")"}), Place(&fake));
  for (const DeviceRun& run : result.runs) {
    const bool rough = run.label == "single:fake";
    EXPECT_EQ(run.outputs.checked, 6) << run.label;
    EXPECT_EQ(run.outputs.tolerance, rough ? 2e-2 : 1e-4) << run.label;
    EXPECT_EQ(run.outputs.wrong, rough ? 1 : 0) << run.label;
    EXPECT_EQ(run.outputs.worst > 1e-4, rough) << run.label;
  }
  EXPECT_TRUE(result.warnings.empty()) << "each plan keeps to one precision";
  fake.after = nullptr;
  const RunAnswer mixed = RunPlans(Request({R"("round_robin")"}), Place(&fake));
  ASSERT_EQ(mixed.warnings.size(), 1u);
  EXPECT_EQ(mixed.warnings[0],
            "round_robin: units of several precisions ran it (fp16, fp32): which of them runs what changes "
            "its outputs");
}

TEST_F(Harness, WhatComputesNothingIsNotChecked) {
  units = kOneFake;
  streams = kSixOfX;
  FakeKernels fake;
  fake.computes = false;
  const RunAnswer result = RunPlans(Request({R"("fcfs")"}), Place(&fake));
  EXPECT_EQ(result.runs.at(0).outputs.checked, 0);
  EXPECT_EQ(result.runs.at(0).outputs.unchecked, 6);
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_EQ(result.warnings[0],
            "fcfs: the outputs of 6 requests were not compared: units that compute nothing, or keep the "
            "outputs of parts to themselves");
}

TEST_F(Harness, HashesOfAProgramStayTheSame) {
  units = kOneFake;
  streams = kSixOfX;
  FakeKernels fake;
  fake.hash = [](int) { return "cafe"; };
  EXPECT_EQ(RunPlans(Request({R"("fcfs")"}), Place(&fake)).runs.at(0).outputs.checked, 6);
  fake.runs = 0;
  fake.hash = [](int run) { return run == 8 ? "beef" : "cafe"; };
  const RunAnswer result = RunPlans(Request({R"("fcfs")"}), Place(&fake));
  EXPECT_EQ(result.runs.at(0).outputs.checked, 6);
  EXPECT_EQ(result.runs.at(0).outputs.wrong, 1);
}

TEST_F(Harness, AFailureIsTheLastThingThatRuns) {
  units = kOneFake;
  streams = kSixOfX;
  RunOrder request = Request({R"("fcfs")"});
  request.repeats = 5;
  request.trace = true;
  FakeKernels fake;
  // Three of warming up, six of the first run, three of comparing, one of warming up: the third of the
  // second.
  fake.after = [](int run, std::span<float* const>) {
    if (run == 16) throw EnvironmentError("layer \"b\": out of luck");
  };
  const RunAnswer result = RunPlans(request, Place(&fake));
  ASSERT_EQ(result.runs.size(), 2u);
  EXPECT_TRUE(result.runs[0].complete);
  EXPECT_FALSE(result.runs[1].complete);
  EXPECT_EQ(result.runs[1].failure, "unit \"fake\", request \"x #2\": layer \"b\": out of luck");
  EXPECT_EQ(result.runs[1].outputs.unchecked, 2);
  ExpectLawful(request, result);
  fake.runs = 0;
  fake.after = [](int run, std::span<float* const>) {
    if (run == 6) throw std::bad_alloc();
  };
  const RunAnswer full = RunPlans(request, Place(&fake));
  ASSERT_EQ(full.runs.size(), 1u);
  EXPECT_EQ(full.runs[0].failure, "unit \"fake\", request \"x #2\": memory ran out");
}

TEST_F(Harness, WhatCannotBeMadeReadyIsSaidBeforeAnythingRuns) {
  units = kOneFake;
  streams = kSixOfX;
  FakeKernels fake;
  fake.after = [](int, std::span<float* const>) { throw EnvironmentError("layer \"a\": no kernel"); };
  try {
    RunPlans(Request({R"("fcfs")"}), Place(&fake));
    ADD_FAILURE() << "it ran";
  } catch (const EnvironmentError& error) {
    const std::string_view what = error.what();
    EXPECT_TRUE(what.starts_with("unit \"fake\", model \"/")) << what;
    EXPECT_TRUE(what.ends_with("/m0.json\": layer \"a\": no kernel")) << what;
  }
}

TEST_F(Harness, LoadingMakesTheModelReadyAnew) {
  units =
      R"([{"name": "fake", "kind": "cpu", "memory": "dram", "backend": "reference", "resident_models": 1}])";
  loads = R"(, "loads": [{"model": "./m0.json", "unit": "fake", "median_us": 10},
                         {"model": "./m1.json", "unit": "fake", "median_us": 10}])";
  streams = R"([{"name": "x", "model": "./m0.json", "count": 3, "arrival": {"type": "closed"}},
                {"name": "y", "model": "./m1.json", "count": 3, "arrival": {"type": "closed"}}])";
  RunOrder request = Request({R"("fcfs")"});
  request.trace = true;
  FakeKernels fake;
  const RunAnswer result = RunPlans(request, Place(&fake));
  ExpectRight(result, 6);
  ExpectLawful(request, result);
  // One model is there at the start, and then they take turns: five loads. One of the two comparisons finds
  // its model loaded.
  EXPECT_EQ(fake.compiles, 1 + 5 + 1);
}

TEST_F(Harness, PlansOfOtherMachinesAndVersionsAreRefused) {
  RunOrder request = Request({R"("fcfs")"});
  HarnessHost place = Place();
  place.host = "another host";
  const std::string other = ErrorOf([&] { RunPlans(request, place); });
  EXPECT_NE(other.find("was measured on \"a test's host\", this is \"another host\"; profile it anew, or "
                       "--force runs the plan all the same"),
            std::string::npos)
      << other;
  request.force = true;
  const RunAnswer forced = RunPlans(request, place);
  EXPECT_TRUE(forced.forced);
  ASSERT_EQ(forced.warnings.size(), 1u);
  ExpectRight(forced, 10);
  place = Place();
  place.libraries["numbers"] = "2.0";
  request.force = false;
  const std::string version = ErrorOf([&] { RunPlans(request, place); });
  EXPECT_NE(version.find("was measured with numbers 1.0, here is 2.0"), std::string::npos) << version;
  place.libraries.clear();
  const std::string missing = ErrorOf([&] { RunPlans(request, place); });
  EXPECT_NE(missing.find("was measured with numbers 1.0, which is not here"), std::string::npos) << missing;
  place.libraries["numbers"] = "1.0";
  EXPECT_FALSE(RunPlans(request, place).forced);
}

// 600 and 500 kB are held, and 100 are wanted beside.
TEST_F(Harness, WhatDoesNotFitIsRefusedBeforeAnythingIsLoaded) {
  units = kOneFake;
  memories = R"([{"name": "dram", "capacity_bytes": 1000000}, {"name": "far"}])";
  loads = R"(, "memory": [{"model": "./m0.json", "unit": "fake", "peak_bytes": 700000, "held_bytes": 600000},
                          {"model": "./m1.json", "unit": "fake", "peak_bytes": 600000, "held_bytes": 500000}])";
  RunOrder request = Request({R"("fcfs")"});
  FakeKernels fake;
  const std::string refused = ErrorOf([&] { RunPlans(request, Place(&fake)); });
  EXPECT_NE(
      refused.find("memory \"dram\": what its units hold takes at most 1,200,000 of 1,000,000 bytes, as "
                   "measured: it does not fit"),
      std::string::npos)
      << refused;
  EXPECT_TRUE(refused.ends_with("--force runs the plan all the same")) << refused;
  EXPECT_EQ(fake.compiles, 0);
  request.force = true;
  const RunAnswer forced = RunPlans(request, Place(&fake));
  ExpectRight(forced, 10);
  ASSERT_EQ(forced.warnings.size(), 1u);
  EXPECT_NE(forced.warnings[0].find("it does not fit"), std::string::npos);
}

TEST_F(Harness, FiguresFromElsewhereAreForUnitsThatAreEmulated) {
  origin = R"({"kind": "published", "source": "a paper"})";
  const std::string real = ErrorOf([&] { RunPlans(Request({R"("fcfs")"}), Place()); });
  EXPECT_NE(real.find("is published, not measured here"), std::string::npos) << real;
  units = R"([{"name": "npu", "kind": "npu", "memory": "dram", "backend": "emulated"}])";
  EXPECT_TRUE(WhyNotHere(Plan(R"("fcfs")"), Place()).empty());
}

TEST_F(Harness, AUnitWithoutBackendCannotRun) {
  units = R"([{"name": "one", "kind": "cpu", "memory": "dram"}])";
  const std::string error = ErrorOf([&] { RunPlans(Request({R"("fcfs")"}), Place()); });
  EXPECT_NE(error.find("unit \"one\" names no backend"), std::string::npos) << error;
}

TEST_F(Harness, ALoadThatCannotBeMadeIsRefused) {
  more = R"(, "background": [{"unit": "one", "load_pct": 40}])";
  EXPECT_THROW(RunPlans(Request({R"("fcfs")"}), Place()), EnvironmentError);
}

std::ptrdiff_t ThreadsHere() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

TEST_F(Harness, ALoadIsMadeBesideARunAndNoLonger) {
  units = R"([{"name": "fake", "kind": "cpu", "memory": "dram", "backend": "cpu", "cores": [)" +
          std::to_string(UsableCores().front()) + "]}]";
  streams = kSixOfX;
  FakeKernels fake;
  const std::ptrdiff_t before = ThreadsHere();
  std::vector<std::ptrdiff_t> seen;
  fake.after = [&](int, std::span<float* const>) { seen.push_back(ThreadsHere()); };
  // While its six requests ran, after those that warm up: a thread that was joined may be seen for a moment.
  const auto least = [&] { return *std::min_element(seen.end() - 6, seen.end()); };
  RunOrder request = Request({R"("fcfs")"});
  request.check = false;
  const HarnessHost place = Place(&fake);
  RunPlans(request, place);
  const std::ptrdiff_t alone = least();
  more = R"(, "background": [{"unit": "fake", "load_pct": 60}])";
  request.plans = Request({R"("fcfs")"}).plans;
  const RunAnswer result = RunPlans(request, place);
  EXPECT_TRUE(result.runs.at(0).complete) << result.runs[0].failure;
  EXPECT_EQ(least(), alone + 2) << "two threads share a load of 60 %";
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (ThreadsHere() > before && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  EXPECT_EQ(ThreadsHere(), before);
}

TEST_F(Harness, ARunsEnergyIsWhatItsSensorsTell) {
  units = kOneFake;
  streams = kSixOfX;
  FakeBoard board;
  board.covers = "reference";
  FakeKernels fake;
  // The first request, after three runs of warming up: from here on the board draws more.
  fake.after = [&](int run, std::span<float* const>) {
    if (run == 4) board.watts = 50;
  };
  HarnessHost place = Place(&fake);
  place.energy = FakeMeter(board, std::chrono::seconds{3});
  const RunAnswer result = RunPlans(Request({R"("fcfs")"}), place);
  const MeasuredEnergy& energy = result.runs.at(0).energy;
  EXPECT_DOUBLE_EQ(energy.joules.value_or(0), 90) << "3 s from 10 W to 50 W: " << energy.why;
  EXPECT_DOUBLE_EQ(energy.above_idle.value_or(0), 60);
  EXPECT_EQ(energy.by, "fake");
  const std::string text = RunAnswerText(Request({R"("fcfs")"}), result, 100);
  EXPECT_NE(text.find(" 90"), std::string::npos) << text;
  place.energy = nullptr;
  fake.runs = 100;
  EXPECT_EQ(RunPlans(Request({R"("fcfs")"}), place).runs.at(0).energy.why, "no sensor was looked for");
}

TEST_F(Harness, ProgramsRunBesideAndNoLonger) {
  const std::string noted = (folder / "id").string();
  more = R"(, "background": [{"command": ["sh", "-c", "echo $$ > )" + noted + R"(; exec sleep 1000"]},
                             {"command": ["sh", "-c", "exit 3"]}])";
  HarnessHost place = Place();
  place.pause = std::chrono::milliseconds{1};
  while (!std::filesystem::exists(noted)) {  // the first run may be over before the shell has begun
    const RunAnswer result = RunPlans(Request({R"("fcfs")"}), place);
    ASSERT_TRUE(result.runs.at(0).complete);
    place.pause *= 4;
  }
  int id = 0;
  std::ifstream(noted) >> id;
  ASSERT_GT(id, 0);
  EXPECT_NE(::kill(id, 0), 0) << "it is still there";
  more = R"(, "background": [{"command": ["./no_such_program"]}])";
  EXPECT_THROW(RunPlans(Request({R"("fcfs")"}), Place()), EnvironmentError);
}

TEST_F(Harness, AnInterruptedRunKeepsWhatIsThere) {
  streams =
      R"([{"name": "x", "model": "./m0.json", "count": 2, "arrival": {"type": "periodic", "period_ms": 3600000}}])";
  HarnessHost place = Place();
  place.progress = [](const std::string& what, std::int64_t done, std::int64_t) {
    return what == "getting ready" || done == 0;
  };
  RunOrder request = Request({R"("fcfs")"});
  request.repeats = 3;
  const RunAnswer result = RunPlans(request, place);
  ASSERT_EQ(result.runs.size(), 1u);
  EXPECT_EQ(result.runs[0].failure, "interrupted");
  EXPECT_EQ(result.runs[0].outputs.unchecked, 1);
}

TEST_F(Harness, ATraceIsOfOneScenario) {
  RunOrder request = Request({R"("fcfs")"});
  streams = kSixOfX;
  request.plans.push_back(Plan(R"("sjf")"));
  EXPECT_EQ(RunPlans(request, Place()).runs.size(), 2u);
  request.trace = true;
  const std::string error = ErrorOf([&] { RunPlans(request, Place()); });
  EXPECT_NE(error.find("a trace holds runs of one scenario"), std::string::npos) << error;
}

TEST(OutputErrors, AreRelativeInTheL2Norm) {
  const std::vector<float> three_four = {3, 4}, off = {3, 4.5F}, none = {0, 0};
  EXPECT_EQ(RelativeError(three_four, three_four), 0);
  EXPECT_DOUBLE_EQ(RelativeError(off, three_four), 0.1);
  EXPECT_EQ(RelativeError(none, none), 0);
  EXPECT_TRUE(std::isinf(RelativeError(three_four, none)));
  const std::vector<float> poisoned = {3, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_TRUE(std::isinf(RelativeError(poisoned, three_four)));
}

}  // namespace
}  // namespace tandem
