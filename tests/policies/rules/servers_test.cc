// Do `triton` and `hailo` decide as those schedulers do, and `unmanaged` as nobody does, worked out by hand?
#include <gtest/gtest.h>

#include <functional>

#include "policies/kinds/serving.h"
#include "policies/problem/left_alone.h"
#include "tests/support/error_of.h"
#include "tests/support/read_scenario.h"
#include "tests/support/run_policy.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

using std::chrono::microseconds;

// "s0.1@u0 10": the request, its unit and when it began, in microseconds.
struct Begins final : SpanSink {
  void Add(const Span& span) override {
    lines.emplace_back(span.start, "s" + std::to_string(span.stream.value) + "." +
                                       std::to_string(span.index) + "@u" + std::to_string(span.unit.value) +
                                       " " + std::to_string(span.start.count() / 1000));
  }
  void Ended(const RequestEnd&) override {}
  std::vector<std::pair<Nanos, std::string>> lines;
};

using Lines = std::vector<std::string>;

Lines Began(const Scenario& scenario, const std::string& policy) {
  Begins begins;
  RunOptions options;
  options.spans = &begins;
  RunPolicy(scenario, policy, options);
  std::stable_sort(begins.lines.begin(), begins.lines.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Lines lines;
  for (const auto& [start, line] : begins.lines) lines.push_back(line);
  return lines;
}

std::string Requests(const Scenario& scenario, const std::string& policy) {
  std::string all;
  for (const std::string& line : Began(scenario, policy)) all += line.substr(0, line.find('@')) + " ";
  return all.substr(0, all.size() - 1);
}

std::string With(const std::string& name, const std::string& keys) {
  return R"({"name": ")" + name + R"(", )" + keys + "}";
}

Scenario Two(std::int64_t first, std::int64_t second) {
  SmallScenario board({1});
  board.AddStream(board.AddModel({{10}}), first);
  board.AddStream(board.AddModel({{10}}), second);
  return board.Build();
}

TEST(Unmanaged, EveryStreamDoesOneRequestAtATimeWhereItIsFastest) {
  SmallScenario board({3, 1});
  board.AddStream(board.AddModel({{10, 20}}), 2);
  board.AddStream(board.AddModel({{20, 5}}), 2);
  EXPECT_EQ(Began(board.Build(), R"("unmanaged")"),
            (Lines{"s1.0@u1 0", "s0.0@u0 0", "s1.1@u1 5", "s0.1@u0 10"}));
}

TEST(Unmanaged, NobodyDividesCoresThatAUnitShares) {
  SmallScenario board({1, 1, 2});
  board.AddStream(board.AddModel({{10, 10, 12}}), 1);
  board.AddStream(board.AddModel({{10, 10, 12}}), 1);
  Scenario scenario = board.Build();
  std::vector<Unit>& units = scenario.platform->units;
  for (Unit& unit : units) unit.backend = &DeclaredBackend("cpu");
  units[0].cores = {0};
  units[1].cores = {1};
  units[2].cores = {0, 1};
  EXPECT_EQ(Began(scenario, R"("unmanaged")"), (Lines{"s0.0@u0 0", "s1.0@u0 10"}));
  units[2].time_shared = true;
  EXPECT_EQ(Began(scenario, R"("unmanaged")"), (Lines{"s0.0@u2 0", "s1.0@u2 0"}));
}

// Of two streams on a unit and one on another: the units of which it is said that tasks wait there.
std::string WaitingSaid(UnitKind kind, std::int64_t slots, bool time_shared) {
  SmallScenario board({slots, 1});
  for (int s = 0; s < 3; ++s) board.AddStream(board.AddModel({{s < 2 ? 10 : 30, 20}}), 1);
  Scenario scenario = board.Build();
  Unit& unit = scenario.platform->units[0];
  unit.kind = kind;
  unit.time_shared = time_shared;
  const std::vector<std::string> said = WaitsOfNobody(Problem(scenario, Granularity::kModel));
  if (said.empty()) return "";
  EXPECT_EQ(said.size(), 1u);
  return said[0].substr(0, said[0].find(':'));
}

TEST(Unmanaged, SaysWhereStreamsWaitThatAnOperatingSystemOrDriverWouldLetTakeTurns) {
  EXPECT_EQ(WaitingSaid(UnitKind::kCpu, 1, false), "unit \"u0\"");
  EXPECT_EQ(WaitingSaid(UnitKind::kGpu, 1, false), "unit \"u0\"");
  EXPECT_EQ(WaitingSaid(UnitKind::kCpu, 1, true), "unit \"u0\"") << "one slot has nobody to share with";
  EXPECT_EQ(WaitingSaid(UnitKind::kCpu, 2, true), "");
  EXPECT_EQ(WaitingSaid(UnitKind::kCpu, 2, false), "") << "each has a slot of its own";
  EXPECT_EQ(WaitingSaid(UnitKind::kNpu, 1, false), "") << "such units do one task after the other";
}

TEST(Unmanaged, SaysWhereAUnitThatSharesItsTimeHasASlotForSomeStreamsOnly) {
  const auto said = [](std::int64_t slots) {
    SmallScenario board({slots});
    for (int s = 0; s < 3; ++s) board.AddStream(board.AddModel({{10}}), 1);
    Scenario scenario = board.Build();
    scenario.platform->units[0].kind = UnitKind::kCpu;
    scenario.platform->units[0].time_shared = true;
    return WaitsOfNobody(Problem(scenario, Granularity::kModel));
  };
  EXPECT_EQ(said(2), (Lines{"unit \"u0\": 3 streams that nobody manages wait there for 2 slots, where an "
                            "operating system or driver would let all of them share its time; give it a slot "
                            "for each (\"slots\": 3)"}));
  EXPECT_EQ(said(3), Lines{});
}

TEST(TimeSharing, MakesKTasksTakeKTimesAsLong) {
  SmallScenario board({2});
  board.AddStream(board.AddModel({{10}}), 2);
  board.AddStream(board.AddModel({{30}}), 1);
  Scenario scenario = board.Build();
  Unit& unit = scenario.platform->units[0];
  unit.idle_w = 1;
  unit.busy_w = 3;
  const std::vector<Nanos> apart = {microseconds{10}, microseconds{20}, microseconds{30}};
  const auto latencies = [&] {
    const Outcome outcome = RunPolicy(scenario, R"("unmanaged")");
    std::vector<Nanos> all(outcome.streams[0].latencies.begin(), outcome.streams[0].latencies.end());
    all.insert(all.end(), outcome.streams[1].latencies.begin(), outcome.streams[1].latencies.end());
    return all;
  };
  EXPECT_EQ(latencies(), apart) << "slots work beside each other";
  unit.time_shared = true;
  // Two at a time until 40 us, each at half its rate; then the long one alone, which has 10 us to go.
  EXPECT_EQ(latencies(), (std::vector<Nanos>{microseconds{20}, microseconds{40}, microseconds{50}}));
  const Outcome outcome = RunPolicy(scenario, R"("unmanaged")");
  EXPECT_EQ(outcome.units[0].unprofiled_busy, microseconds{50}) << "the power of the unit, not of its slots";
}

TEST(Triton, InstancesOfEqualPriorityTakeTurns) {
  EXPECT_EQ(Requests(Two(3, 3), R"("triton")"), "s0.0 s1.0 s0.1 s1.1 s0.2 s1.2");
}

// executions x priority: 0 0, 1 0, 1 2, 2 2 (that of m1 waited first), 2 4, 3 4, 4 4 (the same), ...
TEST(Triton, OfTwiceThePriorityItHasHalfTheTurns) {
  EXPECT_EQ(Requests(Two(6, 3), With("triton", R"("priority": {"m1": 2})")),
            "s0.0 s1.0 s0.1 s1.1 s0.2 s0.3 s1.2 s0.4 s0.5");
}

Scenario Blocked() {
  SmallScenario board({1, 1});
  constexpr std::int64_t kCannot = SmallScenario::kCannot;
  board.AddStream(board.AddModel({{30, kCannot}}), 1);
  board.AddStream(board.AddModel({{10, kCannot}}), 1, ReleasedAt(1));
  board.AddStream(board.AddModel({{kCannot, 10}}), 1, ReleasedAt(2));
  return board.Build();
}

// The one that waits first is for the busy unit, and the end that lets it begin lets no other begin.
TEST(Triton, WhoeverIsFirstKeepsTheOthersBackOnIdleUnitsToo) {
  EXPECT_EQ(Began(Blocked(), R"("triton")"), (Lines{"s0.0@u0 0", "s1.0@u0 30", "s2.0@u1 40"}));
}

TEST(Triton, WithoutTheLimiterAFreeInstanceBeginsAtOnce) {
  EXPECT_EQ(Began(Blocked(), With("triton", R"("rate_limit": "off")")),
            (Lines{"s0.0@u0 0", "s2.0@u1 2", "s1.0@u0 30"}));
}

TEST(Triton, AsManyRequestsAtATimeAsInstances) {
  SmallScenario board({2});
  board.AddStream(board.AddModel({{10}}), 3);
  const Scenario scenario = board.Build();
  EXPECT_EQ(Began(scenario, R"("triton")"), (Lines{"s0.0@u0 0", "s0.1@u0 10", "s0.2@u0 20"}));
  EXPECT_EQ(Began(scenario, With("triton", R"("instances": {"m0": {"u0": 2}})")),
            (Lines{"s0.0@u0 0", "s0.1@u0 0", "s0.2@u0 10"}));
}

TEST(Triton, InstancesAreWhereTheyAreSaidToBe) {
  SmallScenario board({1, 1});
  board.AddStream(board.AddModel({{10, 10}}), 2);
  const Scenario scenario = board.Build();
  EXPECT_EQ(Began(scenario, R"("triton")"), (Lines{"s0.0@u0 0", "s0.1@u1 0"}));
  EXPECT_EQ(Began(scenario, With("triton", R"("instances": {"m0": {"u1": 1}})")),
            (Lines{"s0.0@u1 0", "s0.1@u1 10"}));
}

TEST(Triton, RequestsOfAMoreUrgentStreamComeFirstAmongThoseOfTheirModel) {
  SmallScenario board({1});
  const ModelId model = board.AddModel({{10}});
  board.AddStream(model, 2);
  board.AddStream(model, 2).priority = 3;
  EXPECT_EQ(Requests(board.Build(), R"("triton")"), "s0.0 s1.0 s1.1 s0.1")
      << "the first had the instance already";
}

TEST(Triton, WhatTwoUnitsNeedOneHas) {
  SmallScenario board({1, 1});
  constexpr std::int64_t kCannot = SmallScenario::kCannot;
  board.AddStream(board.AddModel({{10, kCannot}}), 2);
  board.AddStream(board.AddModel({{kCannot, 10}}), 2);
  const Scenario scenario = board.Build();
  EXPECT_EQ(Began(scenario, R"("triton")"), (Lines{"s0.0@u0 0", "s1.0@u1 0", "s0.1@u0 10", "s1.1@u1 10"}));
  EXPECT_EQ(Began(scenario, With("triton", R"("resources": {"bus": {"needs": {"m0": 2, "m1": 2}}})")),
            (Lines{"s0.0@u0 0", "s1.0@u1 10", "s0.1@u0 20", "s1.1@u1 30"}));
  EXPECT_EQ(
      Began(scenario, With("triton", R"("resources": {"bus": {"count": 4, "needs": {"m0": 2, "m1": 2}}})"))
          .size(),
      4U);
}

std::string Refused(const Scenario& scenario, const std::string& policy) {
  return ErrorOf([&] { Began(scenario, policy); });
}

TEST(Triton, SaysWhatIsWrong) {
  const Scenario scenario = Two(1, 1);
  EXPECT_NE(Refused(scenario, With("triton", R"("instances": {"m0": {}})"))
                .find("/instances/m0: it has an instance on one unit at least"),
            std::string::npos);
  EXPECT_NE(
      Refused(scenario, With("triton", R"("instances": {"m2": {"u0": 1}})")).find("no stream has a model"),
      std::string::npos);
  EXPECT_NE(
      Refused(scenario, With("triton", R"("instances": {"m0": {"u1": 1}})")).find("did you mean \"u0\"?"),
      std::string::npos);
  EXPECT_NE(Refused(scenario, With("triton", R"("resources": {"bus": {"count": 1, "needs": {"m0": 2}}})"))
                .find("/resources/bus/count: an instance that needs 2 would wait for ever"),
            std::string::npos);
  EXPECT_NE(Refused(scenario, With("triton", R"("resources": {"u0": {"needs": {"m0": 2}}})"))
                .find("/resources/u0: a unit is called so"),
            std::string::npos);
  EXPECT_NE(Refused(Blocked(), With("triton", R"("instances": {"m1": {"u1": 1}})"))
                .find("/instances/m1/u1: stream \"s1\" cannot run there"),
            std::string::npos);
}

TEST(Triton, ReadsWhatItWrites) {
  const Scenario scenario = Two(1, 1);
  const std::string text = R"({"name": "triton", "instances": {"m0": {"u0": 2}}, "priority": {"m1": 3}, )"
                           R"("resources": {"bus": {"needs": {"m0": 1}}}, "rate_limit": "off"})";
  const JsonDocument document = JsonDocument::Parse(text, "policy");
  const std::string written = PolicyJson(ReadPolicy(document.root(), scenario), scenario);
  EXPECT_NE(written.find(R"("instances": {"m0": {"u0": 2}}, "priority": {"m1": 3})"), std::string::npos)
      << written;
  const JsonDocument again = JsonDocument::Parse(written, "policy");
  EXPECT_EQ(PolicyJson(ReadPolicy(again.root(), scenario), scenario), written);
}

TEST(Triton, TellsAServerWhatItWasMadeFrom) {
  const Scenario scenario = Two(1, 1);
  const JsonDocument document = JsonDocument::Parse(
      With("triton", R"("instances": {"m0": {"u0": 2}}, "priority": {"m1": 3})"), "policy");
  const PolicySpec spec = ReadPolicy(document.root(), scenario);
  const Problem problem(scenario, Granularity::kModel);
  const Serving serving = spec.declaration->serving(spec, problem);
  ASSERT_EQ(serving.groups.size(), 2U);
  EXPECT_EQ(serving.groups[0].count, 2);
  EXPECT_EQ(serving.groups[1].count, 1);
  EXPECT_EQ(serving.weights, (std::vector<std::int64_t>{1, 3}));
  EXPECT_TRUE(serving.takes_turns);
}

TEST(Hailo, NetworksHaveTheirTurnsBatchByBatch) {
  EXPECT_EQ(Requests(Two(3, 3), R"("hailo")"), "s0.0 s1.0 s0.1 s1.1 s0.2 s1.2");
  EXPECT_EQ(Requests(Two(3, 3), With("hailo", R"("batch_size": {"m0": 2})")),
            "s0.0 s0.1 s1.0 s0.2 s1.1 s1.2");
}

TEST(Hailo, GoesOnWhileNoOtherIsDue) {
  EXPECT_EQ(Requests(Two(3, 2), With("hailo", R"("threshold": {"m1": 3}, "timeout_ms": {"m1": 1000})")),
            "s0.0 s0.1 s0.2 s1.0 s1.1");
  // At 20 it has waited for 15, and again at 40.
  EXPECT_EQ(Requests(Two(3, 2), With("hailo", R"("threshold": {"m1": 3}, "timeout_us": {"m1": 15})")),
            "s0.0 s0.1 s1.0 s0.2 s1.1");
  EXPECT_EQ(Requests(Two(3, 2), With("hailo", R"("threshold": {"m1": 3})")), "s0.0 s1.0 s0.1 s1.1 s0.2")
      << "without a timeout it is due at once, as HailoRT has it";
}

TEST(Hailo, AGreaterPriorityComesFirstAndMakesNoWay) {
  EXPECT_EQ(Requests(Two(3, 3), With("hailo", R"("priority": {"m1": 17})")), "s1.0 s1.1 s1.2 s0.0 s0.1 s0.2");
  SmallScenario board({1});
  board.AddStream(board.AddModel({{10}}), 2);
  board.AddStream(board.AddModel({{10}}), 2).priority = 1;
  EXPECT_EQ(Requests(board.Build(), R"("hailo")"), "s1.0 s1.1 s0.0 s0.1") << "of its stream";
}

TEST(Hailo, AUnitChangesNetworksWhenAllItsSlotsAreIdle) {
  SmallScenario board({2});
  board.AddStream(board.AddModel({{10}}), 1);
  board.AddStream(board.AddModel({{10}}), 2, ReleasedAt(1));
  EXPECT_EQ(Began(board.Build(), R"("hailo")"), (Lines{"s0.0@u0 0", "s1.0@u0 10", "s1.1@u0 10"}));
}

TEST(Hailo, SaysWhatIsWrong) {
  EXPECT_NE(
      Refused(Two(1, 1), With("hailo", R"("priority": {"m0": 32})")).find("/priority/m0: 32 is out of range"),
      std::string::npos);
  EXPECT_NE(
      Refused(Two(1, 1), With("hailo", R"("thresholds": {"m0": 3})")).find("did you mean \"threshold\"?"),
      std::string::npos);
}

}  // namespace
}  // namespace tandem
