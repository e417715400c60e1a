// Does a unit whose time its slots share draw its power for as long as any of them works, and has each task
// its part of that?
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "policies/bounds/bound.h"
#include "policies/kinds/make_plan.h"
#include "profiles/base/input_error.h"
#include "scenarios/report/report.h"
#include "tests/support/json_scenario.h"
#include "tests/support/random_scenario.h"
#include "tests/support/run_policy.h"

namespace tandem {
namespace {

// A request each of streams a, b, ... at once, on slots of one unit that draws 1 W idle and 10 W busy.
struct PoweredBoard {
  std::vector<double> takes_us;
  std::string of_unit = R"("slots": 2, "time_shared": true)";
  std::string of_scenario = R"(, "transfer": "none")";
  std::string of_entry = {};  // of the first
  std::string last_comes = R"("arrival": {"type": "offline"})";
  std::string memories = R"({"name": "dram"})", memory = "dram", of_platform = {};

  Scenario Read() const {
    const std::string relu =
        R"([{"name": "in", "op": "input", "shape": [1, 1, 16, 16]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";
    std::string entries, streams;
    for (std::size_t m = 0; m < takes_us.size(); ++m) {
      const std::string model = "m" + std::to_string(m) + ".json", more = m > 0 ? ", " : "";
      entries += more + R"({"model": ")" + model + R"(", "unit": "u0", "layers": "*", "median_us": )" +
                 std::to_string(takes_us[m]) + (m == 0 ? of_entry : "") + "}";
      streams += more + R"({"name": ")" + std::string(1, static_cast<char>('a' + m)) + R"(", "model": ")" +
                 model + R"(", "count": 1, )" +
                 (m + 1 == takes_us.size() ? last_comes : PoweredBoard{}.last_comes) + "}";
    }
    return JsonScenario{
        R"("memories": [)" + memories +
            R"(], "units": [{"name": "u0", "kind": "gpu", "idle_w": 1, "busy_w": 10, "memory": ")" + memory +
            "\", " + of_unit + "}]" + of_platform,
        R"("entries": [)" + entries + "]", std::vector<std::string>(takes_us.size(), relu),
        R"("streams": [)" + streams + "]" + of_scenario}
        .Read();
  }
};

// What the unit worked, then each stream's part.
std::vector<std::int64_t> PartsIn(const PoweredBoard& board) {
  const Outcome outcome = RunPolicy(board.Read(), R"("fcfs")");
  std::vector<std::int64_t> parts = {outcome.units[0].unprofiled_busy.count()};
  for (const StreamOutcome& stream : outcome.streams)
    parts.push_back(stream.work.empty() ? 0 : stream.work[0].unprofiled_busy.count());
  return parts;
}

using Parts = std::vector<std::int64_t>;

// 2 ms at half speed are 4 ms at 10 W, shared with nobody, as on a unit that shares nothing.
TEST(SharedTime, LastsAsLongAsTheWorkWhateverSlowsIt) {
  PoweredBoard board{{2000}};
  board.of_scenario += R"(, "speeds": [{"unit": "u0", "at_us": 0, "speed": 0.5}])";
  EXPECT_EQ(PartsIn(board), (Parts{4'000'000, 4'000'000}));
  const Scenario scenario = board.Read();
  EXPECT_DOUBLE_EQ(FiguresOf(scenario, RunPolicy(scenario, R"("fcfs")")).energy_j.value(), 0.040);
  PoweredBoard loaded{{2000}};
  loaded.of_scenario += R"(, "background": [{"unit": "u0", "load_pct": 50}])";
  EXPECT_EQ(PartsIn(loaded), (Parts{4'000'000, 4'000'000}));
}

// Both until 2 us, half of it each; then the longer one alone, for 2 us.
TEST(SharedTime, IsHalvedBetweenTwoAtWork) { EXPECT_EQ(PartsIn({{3, 1}}), (Parts{4000, 3000, 1000})); }

// 1 us at 333 thousandths are 3004 ns: 1001 each, and one over.
TEST(SharedTime, HasNothingLeftOver) {
  EXPECT_EQ(PartsIn({{1, 1, 1}, R"("slots": 3, "time_shared": true)"}), (Parts{3004, 1002, 1001, 1001}));
}

TEST(SharedTime, OfATaskWithJoulesOfItsOwnDoesNotCount) {
  PoweredBoard board{{1, 1}};
  board.of_entry = R"(, "energy_j": 0.5)";
  EXPECT_EQ(PartsIn(board), (Parts{1000, 0, 1000}));
  EXPECT_DOUBLE_EQ(RunPolicy(board.Read(), R"("fcfs")").units[0].task_joules, 0.5);
}

// Held up from 20 to 30 us the patient one has its part of that, too: half.
TEST(SharedTime, IsAlsoOfWhoIsHeldUp) {
  PoweredBoard board{{100, 10}, R"("slots": 2, "time_shared": true, "preempts": true)"};
  board.last_comes = R"("priority": 1, "arrival": {"type": "periodic", "period_us": 1000, "phase_us": 20})";
  EXPECT_EQ(PartsIn(board), (Parts{110'000, 105'000, 5000}));
}

// The patient one has joules of its own, and so the urgent one's half of its 10 us is all that counts.
TEST(SharedTime, IsCountedInTheBoundOfTheEnergy) {
  PoweredBoard board{{100, 10}, R"("slots": 2, "time_shared": true, "preempts": true)"};
  board.last_comes = R"("priority": 1, "arrival": {"type": "periodic", "period_us": 1000, "phase_us": 20})";
  board.of_entry = R"(, "energy_j": 1e-9)";
  EXPECT_EQ(PartsIn(board), (Parts{5000, 0, 5000}));
  const Scenario scenario = board.Read();
  const PolicySpec spec = PolicyByName("fcfs", scenario, "test");
  const double bound = LowerBound(*MakePolicy(spec, ProblemFor(spec, scenario)).problem).energy.value();
  // 110 us at 1 W, 5 us at 9 W more, and those joules.
  EXPECT_NEAR(bound, 110e-6 + 45e-6 + 1e-9, 1e-12);
  EXPECT_GE(FiguresOf(scenario, RunPolicy(scenario, R"("fcfs")")).energy_j.value(), bound);
}

// 1024 bytes at 1024 MB/s, in and out, beside 10 us of work; what an engine copies is none of the slot's
// work.
TEST(SharedTime, CountsCopiesOfTheSlotAndNotOfEngines) {
  PoweredBoard board{{10}};
  board.memories += R"(, {"name": "card"})";
  board.memory = "card";
  board.of_scenario.clear();
  const std::string link = R"({"from": "dram", "to": "card", "bandwidth_bytes_per_s": 1024000000)";
  board.of_platform = R"(, "links": [)" + link + "}]";
  EXPECT_EQ(PartsIn(board), (Parts{12'000, 12'000}));
  board.of_platform = R"(, "links": [)" + link + R"(, "engine": true}])";
  EXPECT_EQ(PartsIn(board), (Parts{10'000, 10'000}));
}

// The same of a unit that shares nothing: its slot waits 1 us for the engine and takes nothing of it
// meanwhile. What leaves while it waits loses nothing of it; 2 us after that has come, these.
TEST(SharedTime, OfOneSlotIsNotWhatItWaitsForEngines) {
  PoweredBoard board{{10}};
  board.of_unit = R"("slots": 1)";
  board.memories += R"(, {"name": "card"})";
  board.memory = "card";
  board.of_platform =
      R"(, "links": [{"from": "dram", "to": "card", "bandwidth_bytes_per_s": 1024000000, "engine": true}])";
  board.of_scenario.clear();
  EXPECT_EQ(PartsIn(board), (Parts{10'000, 10'000}));
  board.of_scenario = R"(, "away": [{"unit": "u0", "from_us": 0.5, "until_us": 0.75}])";
  EXPECT_EQ(PartsIn(board), (Parts{10'000, 10'000}));
  board.of_scenario = R"(, "away": [{"unit": "u0", "from_us": 3, "until_us": 4}])";
  EXPECT_EQ(PartsIn(board), (Parts{12'000, 12'000}));
}

// Until it leaves, a half each; then all again.
TEST(SharedTime, OfWhatIsLostCounts) {
  PoweredBoard board{{3, 3}};
  board.of_scenario += R"(, "away": [{"unit": "u0", "from_us": 1, "until_us": 5}])";
  EXPECT_EQ(PartsIn(board), (Parts{7000, 3500, 3500}));
}

// How long any slot of each unit works.
class AnyAtWork final : public SpanSink {
 public:
  void Add(const Span& span) override {
    if (span.start == span.end) return;
    ++begun_[span.unit.index()][span.start];
    --begun_[span.unit.index()][span.end];
  }
  void Ended(const RequestEnd&) override {}
  Nanos Of(std::size_t unit) {
    Nanos all{0}, since{0};
    int working = 0;
    for (const auto& [date, more] : begun_[unit]) {
      if (working > 0) all += date - since;
      working += more;
      since = date;
    }
    return all;
  }

 private:
  std::map<std::size_t, std::map<Nanos, int>> begun_;
};

// How many units there are for which that could be held together.
int HeldTogether(const Scenario& scenario) {
  const PolicySpec spec = PolicyByName("fcfs", scenario, "test");
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  AnyAtWork any;
  RunOptions options;
  options.spans = &any;
  const Outcome outcome = RunVirtual(*made.problem, *made.policy, options);
  const auto least = LowerBound(*made.problem).energy, took = FiguresOf(scenario, outcome).energy_j;
  if (least && took) {
    EXPECT_GE(*took, *least);
  }
  int held = 0;
  for (std::size_t u = 0; u < outcome.units.size(); ++u) {
    bool joules = false;
    for (std::size_t s = 0; s < made.problem->segments().size(); ++s)
      joules = joules || made.problem->Joules(SegmentId(s), UnitId(u));
    if (!scenario.platform->units[u].time_shared || joules) continue;
    EXPECT_EQ(outcome.units[u].unprofiled_busy, any.Of(u)) << "unit " << u;
    held += outcome.units[u].tasks > 1 ? 1 : 0;
  }
  return held;
}

TEST(SharedTime, AddsUpToTheTimeThatAnySlotWorksInRandomScenarios) {
  int held = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    try {
      held += HeldTogether(RandomScenario(seed, seed % 2 == 0 ? Drawn::kAnything : Drawn::kFurther));
    } catch (const InputError&) {  // there is no room for it, or nobody comes back
      continue;
    }
  }
  EXPECT_GT(held, 10);
}

}  // namespace
}  // namespace tandem
