// Do the policies that plan ahead run as they planned, keep their order online, and cope with drops and
// delay?
#include "policies/placing/plan_ahead_policy.h"

#include <gtest/gtest.h>

#include "policies/engine/copy_shares.h"
#include "policies/engine/exclusion.h"
#include "policies/engine/virtual_runner.h"
#include "tests/support/error_of.h"
#include "tests/support/json_scenario.h"
#include "tests/support/random_scenario.h"
#include "tests/support/run_policy.h"
#include "tests/support/small_scenario.h"
#include "tests/support/span_lines.h"

namespace tandem {
namespace {

using std::chrono::microseconds;
using Lines = std::vector<std::string>;

Arrival At(std::int64_t us) { return PeriodicArrival{1000000, 1, microseconds{us}, Nanos{0}}; }

Lines SpansByLayer(const Scenario& scenario, const std::string& policy) {
  return SpansOf(scenario, R"({"name": ")" + policy + R"(", "granularity": "layer"})");
}

// Compares what is handed out with what was planned.
class Punctual final : public Policy {
 public:
  explicit Punctual(Policy& decides) : decides_(&dynamic_cast<PlanAheadPolicy&>(decides)) {}

  void Ready(const Task& task, const Board& board) override { decides_->Ready(task, board); }
  bool Take(UnitId unit, const Board& board, Task& task) override {
    if (!decides_->Take(unit, board, task)) return false;
    ++taken;
    EXPECT_EQ(decides_->taken().unit, unit);
    if (decides_->taken().start != board.now) ++unpunctual;
    last_end = std::max(last_end, decides_->taken().end);
    return true;
  }
  bool Ended(const Task& task, UnitId unit, const Board& board) override {
    return decides_->Ended(task, unit, board);
  }
  void Drop(const Task& task) override { decides_->Drop(task); }

  int taken = 0, unpunctual = 0;
  Nanos last_end{0};

 private:
  PlanAheadPolicy* decides_;
};

// Does nothing happen there but what a plan can know?
bool IsCertain(const Scenario& scenario, const Problem& problem) {
  for (const Link& link : scenario.platform->links) {
    if (link.engine) return false;
  }
  for (const auto& others : ExcludedUnits(*scenario.platform)) {
    if (!others.empty()) return false;
  }
  if (problem.slowdowns().on() || problem.slowdowns().AtStart()) return false;
  if (!scenario.speeds.empty() || !scenario.heat.empty() || !scenario.away.empty() ||
      CopyShares(problem).on())
    return false;
  for (std::size_t u = 0; u < problem.units(); ++u) {
    if (problem.platform().units[u].slots > 1) return false;
  }
  for (const Stream& stream : scenario.streams) {
    if (stream.Drops()) return false;
  }
  return scenario.platform->memories.size() < 3;  // of several copies a nearer one may come up later
}

TEST(PlansAhead, ComeTrueToTheNanosecondWhereNothingElseHappens) {
  int runs = 0, tasks = 0;
  for (std::uint64_t seed = 0; seed < 1200; ++seed) {
    const Scenario scenario = RandomScenario(seed);
    for (const char* name : {"heft", "cpop", "peft"}) {
      PolicySpec spec = PolicyByName(name, scenario, "test");
      spec.granularity = kGranularityNames[seed % 3].value;
      Prepared made;
      try {
        const auto problem = ProblemFor(spec, scenario);
        if (!IsCertain(scenario, *problem)) continue;
        made = MakePolicy(spec, problem);
      } catch (const InputError&) {
        continue;  // nowhere to run at this granularity
      }
      Punctual punctual(*made.policy);
      const Outcome outcome = RunVirtual(*made.problem, punctual);
      EXPECT_EQ(punctual.unpunctual, 0) << "seed " << seed << " " << name;
      EXPECT_EQ(outcome.last_completion, punctual.last_end) << "seed " << seed << " " << name;
      ++runs;
      tasks += punctual.taken;
    }
  }
  EXPECT_GT(runs, 30);
  EXPECT_GT(tasks, 500);
}

// The chain comes first though it was named last; when less of it is left than of the other, that one.
TEST(PlansAhead, PutTheLongestWayFirst) {
  SmallScenario board({1});
  const ModelId small = board.AddModel({{15}}), chain = board.AddModel({{10}, {10}, {10}});
  board.AddStream(small, 1);
  board.AddStream(chain, 1);
  const Scenario scenario = board.Build();
  for (const char* policy : {"heft", "peft"}) {
    EXPECT_EQ(SpansByLayer(scenario, policy),
              (Lines{"u0 compute #0 0-10000", "u0 compute #0 10000-20000", "u0 compute #0 20000-35000",
                     "u0 compute #0 35000-45000"}));
  }
}

// u0 has l0 of the first request until 10, waits for its l2 at 40, and has room for the second one's in
// between.
TEST(PlansAhead, WhatIsReleasedLaterFillsGaps) {
  constexpr std::int64_t kCannot = SmallScenario::kCannot;
  const auto run = [&](std::int64_t length) {
    SmallScenario board({1, 1});
    board.AddStream(board.AddModel({{10, kCannot}, {kCannot, 30}, {10, kCannot}}), 1);
    board.AddStream(board.AddModel({{length, kCannot}}), 1, At(15));
    return SpansByLayer(board.Build(), "heft");
  };
  EXPECT_EQ(run(25), (Lines{"u0 compute #0 0-10000", "u0 compute #0 15000-40000", "u1 compute #0 10000-40000",
                            "u0 compute #0 40000-50000"}));
  // What does not fit waits for its turn, though the unit is idle and could run it.
  EXPECT_EQ(run(26), (Lines{"u0 compute #0 0-10000", "u1 compute #0 10000-40000", "u0 compute #0 40000-50000",
                            "u0 compute #0 50000-76000"}));
}

// A request that may still be dropped keeps nobody waiting, and leaves its place to others.
TEST(PlansAhead, NobodyWaitsForWhatMayBeDropped) {
  constexpr std::int64_t kCannot = SmallScenario::kCannot;
  SmallScenario board({1, 1});
  const ModelId first = board.AddModel({{100, kCannot}});
  const ModelId dropped = board.AddModel({{60, kCannot}, {kCannot, 60}});
  const ModelId other = board.AddModel({{kCannot, 200}});
  board.AddStream(first, 1);
  Stream& late = board.AddStream(dropped, 1, At(1));
  late.deadline = microseconds{20};
  late.drop_late = true;
  board.AddStream(other, 1, At(2));  // planned behind the dropped one's second task, at 220
  board.AddStream(first, 1, At(30));
  const Scenario scenario = board.Build();
  EXPECT_EQ(SpansByLayer(scenario, "heft"),
            (Lines{"u0 compute #0 0-100000", "u0 compute #0 100000-200000", "u1 compute #0 2000-202000"}));
}

// Once it has begun it is certain: then its other tasks are waited for.
TEST(PlansAhead, WhatHasBegunIsWaitedFor) {
  constexpr std::int64_t kCannot = SmallScenario::kCannot;
  SmallScenario board({1, 1});
  Stream& late = board.AddStream(board.AddModel({{20, kCannot}, {kCannot, 10}}), 1);
  late.deadline = microseconds{1000};
  late.drop_late = true;
  board.AddStream(board.AddModel({{kCannot, 25}}), 1, At(5));
  EXPECT_EQ(SpansByLayer(board.Build(), "heft"),
            (Lines{"u0 compute #0 0-20000", "u1 compute #0 20000-30000", "u1 compute #0 30000-55000"}));
}

// Without the load from outside u0 is free at 10; under it, at 20, which is seen from what it has left.
TEST(PlansAhead, SeeThatAUnitIsBehind) {
  SmallScenario board({1, 1});
  const ModelId slow = board.AddModel({{10, 100}}), either = board.AddModel({{10, 15}});
  board.AddStream(slow, 1);
  board.AddStream(slow, 1, At(1));
  board.AddStream(either, 1, At(12));
  Scenario scenario = board.Build();
  EXPECT_EQ(SpansByLayer(scenario, "heft").back(),
            "u1 compute #0 12000-27000");  // u0 would have ended it at 30
  SmallScenario quick({1, 1});
  const ModelId short_one = quick.AddModel({{10, 100}}), same = quick.AddModel({{10, 15}});
  quick.AddStream(short_one, 1);
  quick.AddStream(same, 1, At(9));
  scenario = quick.Build();
  EXPECT_EQ(SpansByLayer(scenario, "heft").back(), "u0 compute #0 10000-20000");
  scenario.loads.push_back({UnitId(0), 50});
  EXPECT_EQ(SpansByLayer(scenario, "heft").back(), "u1 compute #0 9000-24000");
}

// Two units that share a core: one after the other, so the second request goes to the third unit.
TEST(PlansAhead, CountUnitsThatShareCores) {
  SmallScenario board({1, 1, 1});
  board.AddStream(board.AddModel({{10, 10, 15}}), 2);
  Scenario scenario = board.Build();
  EXPECT_EQ(SpansByLayer(scenario, "heft"), (Lines{"u0 compute #0 0-10000", "u1 compute #1 0-10000"}));
  scenario.platform->units[0].cores = scenario.platform->units[1].cores = {0};
  EXPECT_EQ(SpansByLayer(scenario, "heft"), (Lines{"u0 compute #0 0-10000", "u2 compute #1 0-15000"}));
}

TEST(PlansAhead, UseEverySlot) {
  SmallScenario board({2, 1});
  board.AddStream(board.AddModel({{10, 25}}), 5);
  EXPECT_EQ(SpansByLayer(board.Build(), "heft"),
            (Lines{"u0 compute #0 0-10000", "u0 compute #1 0-10000", "u0 compute #2 10000-20000",
                   "u0 compute #3 10000-20000", "u1 compute #4 0-25000"}));
}

const std::string kModels = R"([{"name": "in", "op": "input", "shape": [1, 1, 16, 16]},
    {"name": "a", "op": "relu", "inputs": ["in"]}, {"name": "b", "op": "tanh", "inputs": ["a"]},
    {"name": "c", "op": "sigmoid", "inputs": ["a"]}])";

std::string Entry(const std::string& unit, const std::string& layer, int us) {
  return R"({"model": "m0.json", "unit": ")" + unit + R"(", "layers": [")" + layer + R"("], "median_us": )" +
         std::to_string(us) + "}";
}

// A kibibyte a microsecond: every tensor takes 1 us over the link.
JsonScenario TwoMemories(const std::string& entries, const std::string& more = "") {
  return {R"("memories": [{"name": "dram"}, {"name": "vram"}],
             "links": [{"from": "dram", "to": "vram", "latency_us": 0, "bandwidth_bytes_per_s": 1024000000}],
             "units": [{"name": "u0", "kind": "cpu", "memory": "dram"},
                       {"name": "u1", "kind": "gpu", "memory": "vram"}])",
          R"("entries": [)" + entries + "]" + more,
          {kModels},
          R"("streams": [{"name": "s", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}}])"};
}

// On u1 a takes its input in, and b finds what a made; c is as quick on u0, its input copied back.
TEST(PlansAhead, CountEveryCopyOnce) {
  const Scenario scenario =
      TwoMemories(Entry("u0", "a", 9) + "," + Entry("u0", "b", 9) + "," + Entry("u0", "c", 4) + "," +
                  Entry("u1", "a", 3) + "," + Entry("u1", "b", 5) + "," + Entry("u1", "c", 5))
          .Read();
  EXPECT_EQ(SpansByLayer(scenario, "heft"),
            (Lines{"u1 transfer #0 0-1000", "u1 compute #0 1000-4000", "u0 transfer #0 4000-5000",
                   "u0 compute #0 5000-9000", "u1 compute #0 4000-9000", "u1 transfer #0 9000-10000"}));
}

// Loading takes 4 us once, which is less than the first layer gains.
TEST(PlansAhead, CountTheLoadOfAModel) {
  const std::string entries = Entry("u0", "a", 9) + "," + Entry("u0", "b", 9) + "," + Entry("u0", "c", 9) +
                              "," + Entry("u1", "a", 1) + "," + Entry("u1", "b", 1) + "," +
                              Entry("u1", "c", 1);
  const auto run = [&](int load) {
    JsonScenario json =
        TwoMemories(entries, R"(, "loads": [{"model": "m0.json", "unit": "u1", "median_us": )" +
                                 std::to_string(load) + "}]");
    json.scenario += R"(, "resident": {"u1": []}, "transfer": "none")";
    return SpansByLayer(json.Read(), "heft");
  };
  EXPECT_EQ(run(4), (Lines{"u1 load #0 0-4000", "u1 compute #0 4000-5000", "u1 compute #0 5000-6000",
                           "u1 compute #0 6000-7000"}));
  EXPECT_EQ(run(400).front(), "u0 compute #0 0-9000");
}

// Only the longest request's longest way is bound to the unit that runs it fastest in sum: u1, though u0
// would end its first task earlier.
TEST(Cpop, KeepsTheLongestWayOnOneUnit) {
  SmallScenario board({1, 1});
  board.AddStream(board.AddModel({{5, 6}, {20, 10}, {10, 5}}), 1);
  board.AddStream(board.AddModel({{5, 6}}), 1);
  EXPECT_EQ(SpansByLayer(board.Build(), "cpop"),
            (Lines{"u0 compute #0 0-5000", "u1 compute #0 0-6000", "u1 compute #0 6000-16000",
                   "u1 compute #0 16000-21000"}));
}

// Both end a at 4, but what follows is quick on u1 alone, where a copy would be needed after u0.
TEST(Peft, SeesWhatComesAfterATask) {
  const Scenario scenario =
      TwoMemories(Entry("u0", "a", 4) + "," + Entry("u0", "b", 50) + "," + Entry("u0", "c", 50) + "," +
                  Entry("u1", "a", 3) + "," + Entry("u1", "b", 2) + "," + Entry("u1", "c", 2))
          .Read();
  EXPECT_EQ(SpansByLayer(scenario, "heft").front(), "u0 compute #0 0-4000");
  EXPECT_EQ(SpansByLayer(scenario, "peft").front(), "u1 transfer #0 0-1000");
}

TEST(PlansAhead, SayWhenTheyCannotKeepEverythingInMind) {
  SmallScenario board({1});
  board.AddStream(board.AddModel({{1}, {1}, {1}}), 1'000'001);
  const Scenario scenario = board.Build();
  EXPECT_EQ(ErrorOf([&] { RunPolicy(scenario, R"({"name": "heft", "granularity": "layer"})"); }),
            "small: a policy that plans ahead would have to keep 3000003 tasks in mind at once, more than "
            "3000000; a coarser granularity has fewer");
}

}  // namespace
}  // namespace tandem
