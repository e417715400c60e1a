// Does a critical path consist of what a run waited for, piece by piece, down to the first release?
#include "policies/explain/critical_path.h"

#include <gtest/gtest.h>

#include "policies/engine/virtual_runner.h"
#include "policies/kinds/scheduled_policy.h"
#include "profiles/base/input_error.h"
#include "tests/support/json_scenario.h"
#include "tests/support/random_scenario.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

using std::chrono::microseconds;

struct Traced {
  SpanLog log;
  Outcome outcome;
  std::vector<PathPiece> path;
};

Traced Trace(const Problem& problem, Policy& policy) {
  Traced traced;
  RunOptions options;
  options.spans = &traced.log;
  traced.outcome = RunVirtual(problem, policy, options);
  traced.path = CriticalPath(problem, traced.log, traced.outcome);
  return traced;
}

Traced Trace(const Scenario& scenario, const std::string& policy,
             Granularity granularity = Granularity::kModel) {
  PolicySpec spec = PolicyByName(policy, scenario, "test");
  spec.granularity = granularity;
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  return Trace(*made.problem, *made.policy);
}

// "compute 0..100; unit u0 100..200": microseconds.
std::string Text(const Traced& traced, const Scenario& scenario) {
  std::string text;
  for (const PathPiece& piece : traced.path) {
    text += (text.empty() ? "" : "; ") + std::string(kPathCauseNames[static_cast<std::size_t>(piece.cause)]);
    if (piece.unit.valid()) text += " " + UnitOrEngineName(*scenario.platform, piece.unit);
    text += " " + std::to_string(piece.from.count() / 1000) + ".." + std::to_string(piece.to.count() / 1000);
  }
  return text;
}

std::string PathOf(const Scenario& scenario, const std::string& policy,
                   Granularity granularity = Granularity::kModel) {
  return Text(Trace(scenario, policy, granularity), scenario);
}

TEST(CriticalPath, AddsUpWhereRequestsRunInBatches) {
  std::int64_t runs = 0, along = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Scenario scenario = RandomScenario(seed, Drawn::kBatching);
    try {
      PolicySpec spec = PolicyByName("fcfs", scenario, "test");
      spec.granularity = Granularity::kModel;
      const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
      const Traced traced = Trace(*made.problem, *made.policy);
      if (traced.log.completed() == 0) continue;
      ++runs;
      Nanos sum{0};
      for (const PathPiece& piece : traced.path) sum += piece.length();
      EXPECT_EQ(sum, traced.outcome.makespan()) << seed;
      for (const RequestEnd& end : traced.log.ends()) {
        if (end.dropped) continue;
        along += end.with >= 0 ? 1 : 0;
        Nanos at = end.release;
        for (const PathPiece& piece : PathOfRequest(*made.problem, traced.log, traced.outcome, end)) {
          EXPECT_EQ(piece.from, at) << seed << " #" << end.index;
          at = piece.to;
        }
        EXPECT_EQ(at, end.at) << seed << " #" << end.index;
      }
    } catch (const InputError&) {
      // The policy cannot run it.
    }
  }
  EXPECT_GT(runs, 20);
  EXPECT_GT(along, 20);
}

TEST(CriticalPath, ABatchOfFourIsWorkAndNoContention) {
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "gpu", "memory": "dram"}])",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10},
                     {"model": "m0.json", "unit": "u0", "layers": "*", "batch": 4, "median_us": 16}])",
      {R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"},
      R"("streams": [{"name": "s", "model": "m0.json", "count": 4, "batching": {"most": 4, "wait_us": 50},
                      "arrival": {"type": "periodic", "period_us": 5}}])"};
  const Scenario scenario = json.Read();
  // The fourth comes at 15 us and fills the batch.
  EXPECT_EQ(PathOf(scenario, "fcfs"), "held_back u0 0..15; compute u0 15..31");
}

TEST(CriticalPath, AddsUpToTheMakespanOfAnyRun) {
  std::int64_t runs = 0;
  std::array<Nanos, kPathCauses> all{};
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Scenario scenario = RandomScenario(seed);
    for (const Granularity granularity : {Granularity::kModel, Granularity::kLayer}) {
      for (const char* policy : {"fcfs", "eft", "fastest_unit"}) {
        try {
          const Traced traced = Trace(scenario, policy, granularity);
          if (traced.log.completed() == 0) {
            EXPECT_TRUE(traced.path.empty());
            continue;
          }
          ++runs;
          Nanos at = traced.outcome.first_release, sum{0};
          for (const PathPiece& piece : traced.path) {
            EXPECT_EQ(piece.from, at) << seed << policy;
            EXPECT_LT(piece.from, piece.to) << seed << policy;
            at = piece.to;
          }
          EXPECT_EQ(at, traced.outcome.last_completion) << seed << policy;
          const auto causes = TimePerCause(traced.path);
          for (std::size_t c = 0; c < kPathCauses; ++c) {
            sum += causes[c];
            all[c] += causes[c];
          }
          EXPECT_EQ(sum, traced.outcome.makespan()) << seed << policy;
        } catch (const InputError&) {
          // The policy cannot run it.
        }
      }
    }
  }
  EXPECT_GT(runs, 1000);
  // Memory is never short in these, and online rules of this kind hold little back.
  for (const PathCause cause :
       {PathCause::kCompute, PathCause::kDispatch, PathCause::kTransfer, PathCause::kLoad,
        PathCause::kContention, PathCause::kUnit, PathCause::kArrival}) {
    EXPECT_GT(all[static_cast<std::size_t>(cause)], Nanos{0})
        << kPathCauseNames[static_cast<std::size_t>(cause)];
  }
}

TEST(CriticalPath, ARequestWaitsForTheUnitAndSaysBehindWhat) {
  SmallScenario board({1});
  const ModelId first = board.AddModel({{100}}), second = board.AddModel({{30}});
  board.AddStream(first, 2);
  board.AddStream(second, 1, PeriodicArrival{1000, 1, microseconds(50), Nanos{0}});
  const Scenario scenario = board.Build();
  const Traced traced = Trace(scenario, "fcfs");
  EXPECT_EQ(Text(traced, scenario), "arrival 0..50; unit u0 50..200; compute u0 200..230");
  ASSERT_EQ(traced.path[1].behind.size(), 1U);
  EXPECT_EQ(traced.path[1].behind[0].second, microseconds(150));
}

TEST(PathOfRequest, IsOfTheOneFurthestPastItsDeadlineFromItsOwnRelease) {
  SmallScenario board({1});
  const ModelId long_one = board.AddModel({{100}}), short_one = board.AddModel({{30}});
  board.AddStream(long_one, 1, PeriodicArrival{1000, 1, microseconds(500), Nanos{0}}).deadline =
      microseconds(200);
  board.AddStream(short_one, 1, PeriodicArrival{1000, 1, microseconds(550), Nanos{0}}).deadline =
      microseconds(60);
  board.AddStream(short_one, 1, PeriodicArrival{1000, 1, microseconds(5000), Nanos{0}});
  const Scenario scenario = board.Build();
  Traced traced = Trace(scenario, "fcfs");
  PolicySpec spec = PolicyByName("fcfs", scenario, "test");
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  const auto worst = WorstRequest(scenario, traced.log);
  ASSERT_TRUE(worst);
  EXPECT_EQ(worst->stream, StreamId(std::size_t{1})) << "80 us of 60, though the other takes 100 us";
  traced.path = PathOfRequest(*made.problem, traced.log, traced.outcome, *worst);
  EXPECT_EQ(Text(traced, scenario), "unit u0 550..600; compute u0 600..630");
}

TEST(PathOfRequest, WithoutAMissedDeadlineIsOfTheLargestLatency) {
  SmallScenario board({1});
  board.AddStream(board.AddModel({{30}}), 1, PeriodicArrival{1000, 1, microseconds(10), Nanos{0}});
  board.AddStream(board.AddModel({{100}}), 1, PeriodicArrival{1000, 1, microseconds(500), Nanos{0}});
  const Scenario scenario = board.Build();
  const Traced traced = Trace(scenario, "fcfs");
  EXPECT_EQ(WorstRequest(scenario, traced.log)->stream, StreamId(std::size_t{1}));
  EXPECT_FALSE(WorstRequest(scenario, SpanLog()).has_value());
}

// "s0 compute u0 0..100": microseconds.
std::string NamedText(const Traced& traced, const Scenario& scenario) {
  std::string text;
  for (const PathPiece& piece : traced.path) {
    Traced alone;
    alone.path = {piece};
    text += (text.empty() ? "" : "; ") + scenario.streams[piece.stream.index()].name + " " +
            Text(alone, scenario);
  }
  return text;
}

// The path of its worst request, which `worst` then is.
Traced TraceWorst(const Scenario& scenario, const std::string& policy, std::optional<RequestEnd>& worst) {
  PolicySpec spec = PolicyByName(policy, scenario, "test");
  spec.granularity = Granularity::kModel;
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  Traced traced = Trace(*made.problem, *made.policy);
  worst = WorstRequest(scenario, traced.log);
  if (worst) traced.path = PathOfRequest(*made.problem, traced.log, traced.outcome, *worst);
  return traced;
}

// A frame of 100 us, of which every face waits for the unit; what tracks waits for the slower one.
TEST(PathOfRequest, WithADeadlineFromEndToEndBeginsAtTheReleaseOfWhomItHangsOn) {
  SmallScenario board({1, 1, 1});
  const auto on = [&](std::size_t unit, std::int64_t micros) {
    std::vector<std::int64_t> times(3, SmallScenario::kCannot);
    times[unit] = micros;
    return board.AddModel({times});
  };
  const StreamId frame(std::size_t{0}), quick(std::size_t{1}), slow(std::size_t{2});
  board.AddStream(on(0, 100), 1, PeriodicArrival{1000, 1, microseconds(50), Nanos{0}});
  board.AddStream(on(1, 30), 1, DependentArrival{frame, 1});
  board.AddStream(on(2, 70), 1, DependentArrival{frame, 1});
  DependentArrival both{frame, 1};
  both.joins = {quick, slow};
  board.AddStream(on(1, 20), 1, both).end_to_end_deadline = microseconds(160);
  const Scenario scenario = board.Build();
  std::optional<RequestEnd> worst;
  const Traced traced = TraceWorst(scenario, "fcfs", worst);
  ASSERT_TRUE(worst);
  EXPECT_EQ(worst->stream, StreamId(std::size_t{3}));
  EXPECT_EQ(worst->release, microseconds(50)) << "the frame's";
  EXPECT_EQ(worst->at, microseconds(50 + 190));
  EXPECT_EQ(worst->due, microseconds(50 + 160));
  EXPECT_EQ(NamedText(traced, scenario),
            "s0 compute u0 50..150; s2 compute u2 150..220; s3 compute u1 220..240");
}

TEST(PathOfRequest, WithoutOneItBeginsAtItsOwnRelease) {
  SmallScenario board({1});
  board.AddStream(board.AddModel({{100}}), 1).deadline = microseconds(200);
  board.AddStream(board.AddModel({{30}}), 1, DependentArrival{StreamId(std::size_t{0}), 1}).deadline =
      microseconds(10);
  const Scenario scenario = board.Build();
  std::optional<RequestEnd> worst;
  EXPECT_EQ(NamedText(TraceWorst(scenario, "fcfs", worst), scenario), "s1 compute u0 100..130");
  EXPECT_EQ(worst->release, microseconds(100));
}

// What hangs on a frame is dropped at 30 us; what joins it comes then.
TEST(PathOfRequest, GoesOnWhereWhatItWaitedForWasDropped) {
  SmallScenario board({1, 1});
  constexpr auto kCannot = SmallScenario::kCannot;
  const StreamId frame(std::size_t{0}), dropped(std::size_t{1});
  board.AddStream(board.AddModel({{10, kCannot}}), 1);
  const ModelId face = board.AddModel({{kCannot, 50}});
  Stream& late = board.AddStream(face, 1, DependentArrival{frame, 1});
  late.deadline = microseconds(20);
  late.drop_late = true;
  DependentArrival both{frame, 1};
  both.joins = {dropped};
  board.AddStream(board.AddModel({{5, kCannot}}), 1, both).end_to_end_deadline = microseconds(1);
  board.AddStream(board.AddModel({{kCannot, 90}}), 1);
  const Scenario scenario = board.Build();
  std::optional<RequestEnd> worst;
  EXPECT_EQ(NamedText(TraceWorst(scenario, "fcfs", worst), scenario),
            "s2 arrival 0..30; s2 compute u0 30..35");
}

TEST(PathOfRequest, AddsUpFromEndToEndInAnyRun) {
  std::int64_t whole = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    for (const Drawn drawn : {Drawn::kAnything, Drawn::kBatching}) {
      const Scenario scenario = RandomScenario(seed, drawn);
      try {
        std::optional<RequestEnd> worst;
        const Traced traced = TraceWorst(scenario, "fcfs", worst);
        if (!worst) continue;
        Nanos at = worst->release;
        for (const PathPiece& piece : traced.path) {
          EXPECT_EQ(piece.from, at) << seed;
          at = piece.to;
        }
        EXPECT_EQ(at, worst->at) << seed;
        whole += scenario.streams[worst->stream.index()].end_to_end_deadline ? 1 : 0;
      } catch (const InputError&) {
        // The policy cannot run it.
      }
    }
  }
  EXPECT_GT(whole, 10);
}

TEST(PathOfRequest, AddsUpToItsLatencyInAnyRun) {
  std::int64_t requests = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Scenario scenario = RandomScenario(seed);
    for (const char* policy : {"fcfs", "eft"}) {
      try {
        PolicySpec spec = PolicyByName(policy, scenario, "test");
        spec.granularity = Granularity::kLayer;
        const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
        const Traced traced = Trace(*made.problem, *made.policy);
        for (const RequestEnd& end : traced.log.ends()) {
          if (end.dropped) continue;
          ++requests;
          Nanos at = end.release;
          for (const PathPiece& piece : PathOfRequest(*made.problem, traced.log, traced.outcome, end)) {
            EXPECT_EQ(piece.from, at) << seed << policy;
            at = piece.to;
          }
          EXPECT_EQ(at, end.at) << seed << policy;
        }
      } catch (const InputError&) {
        // The policy cannot run it.
      }
    }
  }
  EXPECT_GT(requests, 100);
}

TEST(CriticalPath, GoesThroughTheRequestsOfAClosedStream) {
  SmallScenario board({1, 1});
  board.AddStream(board.AddModel({{100, 100}}), 3, ClosedArrival{1, 1});
  EXPECT_EQ(PathOf(board.Build(), "fcfs"), "compute u0 0..100; compute u0 100..200; compute u0 200..300");
}

TEST(CriticalPath, GoesFromParentToChildAndFromLayerToLayer) {
  SmallScenario board({1, 1});
  const ModelId model = board.AddModel({{100, 300}, {300, 50}});
  board.AddStream(model, 1);
  board.AddStream(model, 1, DependentArrival{StreamId(std::size_t{0}), 1});
  EXPECT_EQ(PathOf(board.Build(), "fastest_unit", Granularity::kLayer),
            "compute u0 0..100; compute u1 100..150; compute u0 150..250; compute u1 250..300");
}

TEST(CriticalPath, AnIdleUnitThatTakesNothingHoldsBack) {
  SmallScenario board({1});
  const ModelId model = board.AddModel({{100}});
  board.AddStream(model, 1);
  board.AddStream(model, 1, PeriodicArrival{1000, 1, microseconds(70), Nanos{0}});
  const Scenario scenario = board.Build();
  const Problem problem(scenario, Granularity::kModel);
  Decisions decisions;
  decisions.residents.resize(1);
  auto schedule = std::make_shared<FixedSchedule>();
  const StreamId now(std::size_t{0}), later(std::size_t{1});
  schedule->units = {
      {{later, 0, ScheduledRun::kAllSegments, 0, 1}, {now, 0, ScheduledRun::kAllSegments, 0, 1}}};
  decisions.schedule = schedule;
  ScheduledPolicy policy(problem, decisions, CertainRequests(scenario));
  EXPECT_EQ(Text(Trace(problem, policy), scenario),
            "held_back u0 0..70; unit u0 70..170; compute u0 170..270");
}

// The brake comes while the first of two runs, and goes before the second, which has waited longer.
TEST(CriticalPath, WhatIsCriticalAndWentBeforeIsToldApart) {
  SmallScenario board({1});
  board.AddStream(board.AddModel({{100}}), 2);
  Stream& brake = board.AddStream(board.AddModel({{30}}), 1, ReleasedAt(50));
  brake.critical = true;
  brake.deadline = microseconds(200);
  EXPECT_EQ(PathOf(board.Build(), "fcfs"), "unit u0 0..100; critical u0 100..130; compute u0 130..230");
}

TEST(CriticalPath, WhatIsCriticalAndWasAtWorkBeforeIsNoMatterOfUrgency) {
  SmallScenario board({1});
  board.AddStream(board.AddModel({{100}}), 1, ReleasedAt(10));
  Stream& brake = board.AddStream(board.AddModel({{30}}), 1);
  brake.critical = true;
  brake.deadline = microseconds(200);
  EXPECT_EQ(PathOf(board.Build(), "fcfs"), "arrival 0..10; unit u0 10..30; compute u0 30..130");
}

// Three that are critical go to u0, where they are fastest; until the last has begun u1 is kept for it.
TEST(CriticalPath, AUnitThatIsKeptForWhatIsCriticalIsToldApart) {
  SmallScenario board({1, 1});
  Stream& brake = board.AddStream(board.AddModel({{10, 20}}), 3);
  brake.critical = true;
  brake.deadline = microseconds(200);
  board.AddStream(board.AddModel({{SmallScenario::kCannot, 100}}), 1);
  EXPECT_EQ(PathOf(board.Build(), "fastest_unit"), "critical u1 0..20; compute u1 20..120");
}

Scenario GpuBoard(const std::string& units, const std::string& link, const std::string& more) {
  return JsonScenario{
      R"("memories": [{"name": "dram"}, {"name": "vram"}],
         "links": [{"from": "dram", "to": "vram", "bandwidth_bytes_per_s": 1000000000)" +
          link + R"(}], "units": [)" + units + "]",
      R"("entries": [{"model": "./m0.json", "unit": "gpu", "layers": ["a"], "median_us": 50}])",
      {R"([{"name": "in", "op": "input", "shape": [1, 1, 25, 100]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"},
      R"("streams": [{"name": "s", "model": "./m0.json", "count": 1, "arrival": {"type": "offline"}}])" +
          more}
      .Read();
}

constexpr const char* kGpu = R"({"name": "gpu", "kind": "gpu", "memory": "vram", "dispatch_us": 5})";

TEST(CriticalPath, TellsCopiesDispatchAndWorkApart) {
  EXPECT_EQ(PathOf(GpuBoard(kGpu, "", ""), "fcfs"),
            "transfer gpu 0..10; dispatch gpu 10..15; compute gpu 15..65; transfer gpu 65..75");
  EXPECT_EQ(PathOf(GpuBoard(kGpu, R"(, "engine": true)", ""), "fcfs"),
            "transfer dram-vram copy 0..10; dispatch gpu 10..15; compute gpu 15..65; transfer dram-vram copy "
            "65..75");
}

TEST(CriticalPath, WhatALoadCostsIsContention) {
  const Scenario scenario =
      GpuBoard(kGpu, "", R"(, "transfer": "none", "background": [{"unit": "gpu", "load_pct": 50}])");
  EXPECT_EQ(PathOf(scenario, "fcfs"), "dispatch gpu 0..5; compute gpu 5..55; contention gpu 55..110");
}

TEST(CriticalPath, AUnitThatSharesCoresIsWaitedFor) {
  Scenario scenario =
      JsonScenario{
          R"("memories": [{"name": "dram"}],
             "units": [{"name": "a", "kind": "cpu", "memory": "dram", "cores": [0]},
                       {"name": "b", "kind": "cpu", "memory": "dram", "cores": [0]}])",
          R"("entries": [{"model": "./m0.json", "unit": "a", "layers": "*", "median_us": 50},
                         {"model": "./m1.json", "unit": "b", "layers": "*", "median_us": 20}])",
          {R"([{"name": "in", "op": "input", "shape": [1, 1, 2, 2]}, {"name": "x", "op": "relu", "inputs": ["in"]}])",
           R"([{"name": "in", "op": "input", "shape": [1, 1, 2, 2]}, {"name": "x", "op": "relu", "inputs": ["in"]}])"},
          R"("streams": [{"name": "s", "model": "./m0.json", "count": 1, "arrival": {"type": "offline"}},
                         {"name": "t", "model": "./m1.json", "count": 1, "arrival": {"type": "offline"}}])"}
          .Read();
  EXPECT_EQ(PathOf(scenario, "fcfs"), "unit a 0..50; compute b 50..70");
}

// Two tensors of 1024 bytes are the most of one request; u0 is free from 10 on, and there is no room
// until 20.
TEST(CriticalPath, ARequestWaitsForRoomBeforeItHasASlot) {
  const JsonScenario json{
      R"("memories": [{"name": "dram", "capacity_bytes": 3100}], "units": [
         {"name": "u0", "kind": "cpu", "memory": "dram"}, {"name": "u1", "kind": "cpu", "memory": "dram"}])",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": ["a"], "median_us": 10},
                     {"model": "m0.json", "unit": "u1", "layers": ["b"], "median_us": 10}])",
      {R"([{"name": "in", "op": "input", "shape": [1, 1, 16, 16]}, {"name": "a", "op": "relu", "inputs": ["in"]},
           {"name": "b", "op": "relu", "inputs": ["a"]}])"},
      R"("streams": [{"name": "s", "model": "m0.json", "count": 2, "arrival": {"type": "offline"}}])"};
  EXPECT_EQ(PathOf(json.Read(), "fcfs", Granularity::kLayer),
            "unit u0 0..10; room u0 10..20; compute u0 20..30; compute u1 30..40");
}

}  // namespace
}  // namespace tandem
