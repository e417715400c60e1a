// Is a policy that learns told how long work took against its profile, and of nothing else: exactly 1 where
// all is as profiled, with copies, loads, neighbours and all that a unit did before?
#include <gtest/gtest.h>

#include <algorithm>

#include "policies/engine/virtual_runner.h"
#include "profiles/base/input_error.h"
#include "tests/support/json_scenario.h"
#include "tests/support/random_scenario.h"

namespace tandem {
namespace {

// Writes down what it is told while another policy decides.
class Watcher final : public Policy {
 public:
  explicit Watcher(Policy& decides) : decides_(&decides) {}

  void Ready(const Task& task, const Board& board) override { decides_->Ready(task, board); }
  bool Take(UnitId unit, const Board& board, Task& task) override {
    return decides_->Take(unit, board, task);
  }
  bool Ended(const Task& task, UnitId unit, const Board& board) override {
    told.push_back(board.times);
    return decides_->Ended(task, unit, board);
  }
  bool Learns() const override { return true; }
  void Drop(const Task& task) override { decides_->Drop(task); }
  void SetAside(const Task& task) override { decides_->SetAside(task); }

  std::vector<std::optional<double>> told;

 private:
  Policy* decides_;
};

using Told = std::vector<std::optional<double>>;

Told ToldOf(const Scenario& scenario, const std::string& policy, const RunOptions& options = {}) {
  const JsonDocument document = JsonDocument::Parse(policy, "policy");
  const PolicySpec spec = ReadPolicy(document.root(), scenario);
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  Watcher watcher(*made.policy);
  RunVirtual(*made.problem, watcher, options);
  return watcher.told;
}

const std::string kOneLayer =
    R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";

// Two tasks of 10 us at once, on two units that slow each other down if `profile` says so.
Scenario Two(const std::string& profile, const std::string& scenario) {
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "gpu", "memory": "dram"},
                                                  {"name": "u1", "kind": "cpu", "memory": "dram"}])",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10},
                     {"model": "m0.json", "unit": "u1", "layers": "*", "median_us": 10}])" +
          profile,
      {kOneLayer},
      R"("streams": [{"name": "s", "model": "m0.json", "count": 2, "arrival": {"type": "offline"}}])" +
          scenario};
  return json.Read();
}

const std::string kHurts =
    R"(, "co_running": [{"unit": "u0", "beside": "u1", "slowdown": 2}, {"unit": "u1", "beside": "u0", "slowdown": 2}])";

TEST(WorkSeen, OfAUnitThatIsSlowTakesSoManyTimesAsLong) {
  EXPECT_EQ(ToldOf(Two("", R"(, "speeds": [{"unit": "u0", "speed": 0.5}])"), R"("fcfs")"), (Told{1, 2}));
  // Half of it at full speed.
  EXPECT_EQ(ToldOf(Two("", R"(, "speeds": [{"unit": "u0", "at_us": 5, "speed": 0.5}])"), R"("fcfs")"),
            (Told{1, 1.5}));
  EXPECT_EQ(ToldOf(Two("", R"(, "speeds": [{"unit": "u0", "speed": 1.25}])"), R"("fcfs")"), (Told{0.8, 1}));
}

TEST(WorkSeen, UnderALoadFromOutsideTakesLonger) {
  EXPECT_EQ(ToldOf(Two("", R"(, "background": [{"unit": "u1", "load_pct": 75}])"), R"("fcfs")"),
            (Told{1, 4}));
}

TEST(WorkSeen, IsWithoutCopiesAndLoads) {
  // 3 us each, and at half the speed as well.
  const JsonScenario json{
      R"("memories": [{"name": "dram"}, {"name": "vram"}],
         "links": [{"from": "dram", "to": "vram", "latency_us": 3, "bandwidth_bytes_per_s": 1e12}],
         "units": [{"name": "u0", "kind": "gpu", "memory": "vram", "resident_models": 1}])",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10},
                     {"model": "m1.json", "unit": "u0", "layers": "*", "median_us": 10}],
         "loads": [{"model": "m0.json", "unit": "u0", "median_us": 3}, {"model": "m1.json", "unit": "u0", "median_us": 3}])",
      {kOneLayer, kOneLayer},
      R"("streams": [{"name": "a", "model": "m0.json", "count": 2, "arrival": {"type": "offline"}},
                     {"name": "b", "model": "m1.json", "count": 2, "arrival": {"type": "offline"}}],
         "speeds": [{"unit": "u0", "speed": 0.5}])"};
  EXPECT_EQ(ToldOf(json.Read(), R"("fcfs")"), (Told{2, 2, 2, 2}));
}

TEST(WorkSeen, OnAUnitWhoseTimeIsSharedIsHeldAgainstItsShare) {
  const auto told = [](const std::string& scenario) {
    const JsonScenario json{
        R"("memories": [{"name": "dram"}],
           "units": [{"name": "u0", "kind": "gpu", "memory": "dram", "slots": 2, "time_shared": true}])",
        R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10}])",
        {kOneLayer},
        R"("streams": [{"name": "s", "model": "m0.json", "count": 2, "arrival": {"type": "offline"}}])" +
            scenario};
    return ToldOf(json.Read(), R"("fcfs")");
  };
  EXPECT_EQ(told(""), (Told{1, 1}));
  EXPECT_EQ(told(R"(, "speeds": [{"unit": "u0", "speed": 0.5}])"), (Told{2, 2}));
}

TEST(WorkSeen, BesideANeighbourThatTheProfileKnowsTakesWhatIsToBeExpected) {
  EXPECT_EQ(ToldOf(Two(kHurts, ""), R"("fcfs")"), (Told{1, 1}));
}

TEST(WorkSeen, BesideANeighbourIsStillSlowWhereItsUnitIs) {
  // The first is there alone from 20 us on: 5 us of its work at half speed are left.
  EXPECT_EQ(ToldOf(Two(kHurts, R"(, "speeds": [{"unit": "u0", "speed": 0.5}])"), R"("fcfs")"), (Told{1, 2}));
}

TEST(WorkSeen, BesideANeighbourWhomTheProfileDoesNotKnowTakesLonger) {
  const Scenario decided = Two("", ""), true_of_it = Two(kHurts, "");
  const Problem problem(true_of_it, Granularity::kModel);
  RunOptions options;
  options.slowdowns = &problem.slowdowns();
  EXPECT_EQ(ToldOf(decided, R"("fcfs")", options), (Told{2, 2}));
}

TEST(WorkSeen, ThatIsDrawnIsHeldAgainstTheProfile) {
  RunOptions options;
  options.work_time = [](const Task&, UnitId unit, bool, Nanos) {
    return Nanos{unit.index() == 0 ? 5'000 : 15'000};
  };
  EXPECT_EQ(ToldOf(Two("", ""), R"("fcfs")", options), (Told{0.5, 1.5}));
}

TEST(WorkSeen, WithAHandOverIsHeldAgainstThatOfTheProfile) {
  const auto with = [](const std::string& micros) {
    return JsonScenario{
        R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "gpu", "memory": "dram"},
                                                    {"name": "u1", "kind": "cpu", "memory": "dram"}])",
        R"("entries": [{"model": "m0.json", "unit": "u0", "layers": ["a"], "median_us": 10},
                       {"model": "m0.json", "unit": "u1", "layers": ["b"], "median_us": 10}],
           "hand_overs": [{"from": "u0", "to": "u1", "bytes": 64, "median_us": )" +
            micros + "}]",
        {R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]},
             {"name": "b", "op": "relu", "inputs": ["a"]}])"},
        R"("streams": [{"name": "s", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}}])"}
        .Read();
  };
  const std::string policy = R"({"name": "fcfs", "granularity": "layer"})";
  EXPECT_EQ(ToldOf(with("10"), policy), (Told{1, 1}));
  const HandOvers thrice(with("30"));
  RunOptions options;
  options.hand_overs = &thrice;
  EXPECT_EQ(ToldOf(with("10"), policy, options), (Told{1, 2}));
}

TEST(WorkSeen, OfAnotherUnitThanTheOneThatWasMeantTeachesNothing) {
  // Its task is lost after a microsecond and done by the other unit, which has idled.
  const Scenario scenario = Two("", R"(, "away": [{"unit": "u0", "from_us": 11, "until_us": 40}],
      "speeds": [{"unit": "u0", "speed": 0.5}])");
  EXPECT_EQ(ToldOf(scenario, R"("fcfs")"), (Told{1, std::nullopt}));
}

TEST(WorkSeen, TakesExactlyWhatIsToBeExpectedWhereNothingDisturbs) {
  std::size_t told = 0, longer = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Scenario scenario = RandomScenario(seed);
    scenario.speeds.clear();
    scenario.heat.clear();
    scenario.loads.clear();
    const std::string granularity = seed % 2 == 0 ? "model" : "layer";
    try {
      for (const auto& times :
           ToldOf(scenario, R"({"name": "fcfs", "granularity": ")" + granularity + "\"}")) {
        told += times ? 1 : 0;
        longer += times.value_or(1) == 1 ? 0 : 1;
      }
    } catch (const InputError&) {  // some scenarios cannot be cut, or have too little room
    }
  }
  EXPECT_GT(told, 3000U);
  EXPECT_EQ(longer, 0U);
}

}  // namespace
}  // namespace tandem
