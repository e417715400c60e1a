// Does SimGrid give what virtual time gives, and does a run in a child process come back as if it had been
// here?
#include <gtest/gtest.h>
#include <signal.h>

#include <deque>
#include <new>
#include <thread>

#include "policies/engine/virtual_runner.h"
#include "profiles/base/input_error.h"
#include "profiles/program/shipped.h"
#include "sim/engine/in_child.h"
#include "sim/engine/simgrid_library.h"
#include "sim/engine/simgrid_runner.h"
#include "tests/support/json_scenario.h"
#include "tests/support/read_scenario.h"

namespace tandem {
namespace {

Outcome OnSimGrid(const Scenario& scenario, std::string_view name, const RunOptions& options = {}) {
  const PolicySpec spec = PolicyByName(name, scenario, "test");
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  return RunOnSimGrid(*made.problem, *made.policy, options);
}

Scenario Study003() { return ReadScenarioFile(FindFile("study-003", "", "scenarios", ".scenario.json")); }

TEST(SimGrid, GivesTheWorkedExampleToTheNanosecond) {
  const Scenario scenario = Study003();
  EXPECT_EQ(OnSimGrid(scenario, "fcfs").makespan(), Nanos{4048341000});
  EXPECT_EQ(OnSimGrid(scenario, "sjf").makespan(), Nanos{3827055000});
  EXPECT_EQ(OnSimGrid(scenario, "eft").makespan(), Nanos{3083670000});
}

// Inputs and outputs of 1024 bytes over a hub of 256 MB/s: 4 us each way alone, 8 us where two share it.
TEST(SimGrid, CopiesAreNoFasterThanTheirHub) {
  const auto makespan = [](int count) {
    const Scenario scenario =
        JsonScenario{
            R"("memories": [{"name": "dram"}, {"name": "stick"}],
               "hubs": [{"name": "usb", "bandwidth_bytes_per_s": 256000000}],
               "links": [{"from": "dram", "to": "stick", "bandwidth_bytes_per_s": 1024000000, "hub": "usb"}],
               "units": [{"name": "u0", "kind": "vpu", "memory": "stick", "slots": 2}])",
            R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10}])",
            {R"([{"name": "in", "op": "input", "shape": [1, 1, 16, 16]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"},
            R"("streams": [{"name": "s", "model": "m0.json", "count": )" + std::to_string(count) +
                R"(, "arrival": {"type": "offline"}}])"}
            .Read();
    return OnSimGrid(scenario, "fcfs").makespan();
  };
  EXPECT_EQ(makespan(1), Nanos{18'000});
  EXPECT_EQ(makespan(2), Nanos{26'000});
}

// Streams of one unit whose time its slots share; a task of m0 is 500 us, one of m1 10 us.
Outcome OnSharedUnit(const std::string& unit, const std::string& streams) {
  const std::string relu =
      R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "gpu", "memory": "dram", "time_shared": true, )" +
          unit + "}]",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 500},
                     {"model": "m1.json", "unit": "u0", "layers": "*", "median_us": 10}])",
      {relu, relu},
      R"("streams": [)" + streams + "]"};
  return OnSimGrid(json.Read(), "fcfs");
}

TEST(SimGrid, WhatRestsUntilItIsItsTurnGoesOnWhereItWas) {
  const auto latencies = [](const std::string& unit) {
    return OnSharedUnit(R"("slots": 3, "slice_us": 100)" + unit,
                        R"({"name": "s", "model": "m0.json", "count": 3, "arrival": {"type": "offline"}})")
        .streams[0]
        .latencies;
  };
  EXPECT_EQ(latencies(""), (std::deque<Nanos>{Nanos{1'300'000}, Nanos{1'400'000}, Nanos{1'500'000}}));
  // Before every turn but the first one the unit is switched: 12 times before the last turn of #0.
  EXPECT_EQ(latencies(R"(, "switch_us": 1)"),
            (std::deque<Nanos>{Nanos{1'312'000}, Nanos{1'413'000}, Nanos{1'514'000}}));
}

// The urgent one comes at 20 us. Before that each has a part in so many thousandths, rounded down.
TEST(SimGrid, WhatIsHeldUpGoesOnWhereItWas) {
  for (const int patient : {1, 10, 900}) {
    const Outcome outcome =
        OnSharedUnit(R"("slots": 1024, "preempts": true)",
                     R"({"name": "patient", "model": "m0.json", "arrival": {"type": "offline"}, "count": )" +
                         std::to_string(patient) + R"(}, {"name": "urgent", "model": "m1.json", "priority": 1,
                         "count": 2, "arrival": {"type": "periodic", "period_us": 30, "phase_us": 20}})");
    EXPECT_EQ(outcome.streams[1].latencies, (std::deque<Nanos>{Nanos{10'000}, Nanos{10'000}})) << patient;
    EXPECT_EQ(outcome.streams[0].latencies.back(), Nanos{20'000 + 500'000'000 / (1000 / patient)}) << patient;
  }
}

// Of seven requests 1, 2, 4 and 5 are not followed. One comes every 10 us and takes as long: its result is 10
// us old when it is there and 20 when the next one is.
TEST(SimGrid, CountsWhatIsSkippedAndTellsAgesThatAreAskedFor) {
  const Scenario scenario =
      JsonScenario{
          R"("memories": [{"name": "dram"}],
             "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}, {"name": "u1", "kind": "npu", "memory": "dram"}])",
          R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10},
                         {"model": "m1.json", "unit": "u1", "layers": "*", "median_us": 5}])",
          {R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])",
           R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"},
          R"("streams": [{"name": "a", "model": "m0.json", "count": 7, "age": true, "arrival": {"type": "periodic", "period_us": 10}},
                         {"name": "b", "model": "m1.json", "depends_on": {"stream": "a", "every": 3}}])"}
          .Read();
  const Outcome outcome = OnSimGrid(scenario, "fcfs");
  EXPECT_EQ(outcome.streams[1].skipped, 4);
  std::vector<Nanos> ages(7, Nanos{20'000});
  ages[0] = Nanos{10'000};
  EXPECT_EQ(outcome.streams[0].ages, ages);
}

TEST(SimGrid, IsOfTheVersionThatIsToldWithoutLoadingIt) {
  EXPECT_EQ(SimGridVersion(), LoadSimGrid().version());
}

TEST(SimGrid, LeavesThisProcessAsItWas) {
  const Scenario scenario = Study003();
  const Outcome first = OnSimGrid(scenario, "fcfs"), second = OnSimGrid(scenario, "fcfs");
  EXPECT_EQ(first.makespan(), second.makespan());
}

TEST(SimGrid, RunsWhileOtherThreadsLive) {
#ifdef TANDEM_SANITIZED
  GTEST_SKIP() << "a child forked while a thread allocates waits for the sanitizer's own locks for ever";
#endif
  std::atomic<bool> stop = false;
  std::thread busy([&] {
    while (!stop) std::vector<int>(1000).swap(*std::make_unique<std::vector<int>>());
  });
  const Outcome outcome = OnSimGrid(Study003(), "fcfs");
  stop = true;
  busy.join();
  EXPECT_EQ(outcome.makespan(), Nanos{4048341000});
}

Outcome InChild(const std::function<void()>& act) {
  return RunInChild({}, [&](const RunOptions&) {
    act();
    return Outcome();
  });
}

TEST(RunInChild, BringsErrorsBackAsTheyWere) {
  EXPECT_THROW(InChild([] { throw InputError("file: wrong"); }), InputError);
  EXPECT_THROW(InChild([] { throw EnvironmentError("disk full"); }), EnvironmentError);
  EXPECT_THROW(InChild([] { throw std::bad_alloc(); }), std::bad_alloc);
  try {
    InChild([] { throw InputError("file: wrong"); });
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "file: wrong");
  }
}

TEST(RunInChild, NamesTheSignalThatKilledTheChild) {
  try {
    InChild([] { ::raise(SIGKILL); });
    FAIL() << "nothing was thrown";
  } catch (const EnvironmentError& error) {
    EXPECT_STREQ(error.what(), "the process of the simulation was killed by signal 9 (Killed)");
  }
  EXPECT_THROW(InChild([] { ::_exit(0); }), EnvironmentError);
}

TEST(RunInChild, BringsAWholeOutcomeBack) {
  const auto make = [] {
    Outcome made;
    made.streams.resize(2);
    for (int i = 0; i < 100000; ++i) made.streams[1].latencies.push_back(Nanos{i * 7});
    made.streams[1].released = 100002;
    made.streams[1].dropped = 2;
    made.streams[1].missed = 3;
    made.streams[1].first_release = Nanos{5};
    made.streams[1].last_completion = Nanos{6};
    made.streams[1].WorkOn(UnitId(3)).task_joules = 0.75;
    made.streams[1].WorkOn(UnitId(2)).unprofiled_busy = Nanos{15};
    made.units.resize(1);
    made.units[0] = {Nanos{8}, 9, 1.5, Nanos{10}};
    made.first_release = Nanos{11};
    made.last_completion = Nanos{12};
    made.end = Nanos{13};
    made.complete = false;
    return made;
  };
  const Outcome sent = make(), got = RunInChild({}, [&](const RunOptions&) { return make(); });
  ASSERT_EQ(got.streams.size(), 2U);
  EXPECT_TRUE(got.streams[0].latencies.empty());
  EXPECT_EQ(got.streams[1].latencies, sent.streams[1].latencies);
  EXPECT_EQ(got.streams[1].released, 100002);
  EXPECT_EQ(got.streams[1].dropped, 2);
  EXPECT_EQ(got.streams[1].missed, 3);
  EXPECT_EQ(got.streams[1].first_release, Nanos{5});
  EXPECT_EQ(got.streams[1].last_completion, Nanos{6});
  ASSERT_EQ(got.streams[1].work.size(), 2U);
  EXPECT_EQ(got.streams[1].work[0].unit, UnitId(2));
  EXPECT_EQ(got.streams[1].work[0].unprofiled_busy, Nanos{15});
  EXPECT_EQ(got.streams[1].work[1].task_joules, 0.75);
  ASSERT_EQ(got.units.size(), 1U);
  EXPECT_EQ(got.units[0].busy, Nanos{8});
  EXPECT_EQ(got.units[0].tasks, 9);
  EXPECT_EQ(got.units[0].task_joules, 1.5);
  EXPECT_EQ(got.units[0].unprofiled_busy, Nanos{10});
  EXPECT_EQ(got.first_release, Nanos{11});
  EXPECT_EQ(got.last_completion, Nanos{12});
  EXPECT_EQ(got.end, Nanos{13});
  EXPECT_FALSE(got.complete);
}

TEST(RunInChild, AsksHereWhetherToGoOn) {
  RunOptions options;
  std::vector<std::int64_t> asked;
  options.progress = [&](std::int64_t ended) {
    asked.push_back(ended);
    return ended < 3;
  };
  const Outcome outcome = RunInChild(options, [](const RunOptions& within) {
    Outcome made;
    std::int64_t ended = 0;
    while (within.progress(++ended)) {
    }
    made.end = Nanos{ended};
    return made;
  });
  EXPECT_EQ(asked, (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(outcome.end, Nanos{3});
}

struct Failing final : SpanSink {
  void Add(const Span&) override { throw EnvironmentError("disk full"); }
  void Ended(const RequestEnd&) override {}
};

TEST(RunInChild, EndsTheChildWhereItsSpansCannotBeKept) {
  Failing sink;
  RunOptions options;
  options.spans = &sink;
  EXPECT_THROW(OnSimGrid(Study003(), "fcfs", options), EnvironmentError);
}

}  // namespace
}  // namespace tandem
