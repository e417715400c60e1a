// Does each policy decide by its rule?
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/error_of.h"
#include "tests/support/read_scenario.h"
#include "tests/support/run_policy.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

struct Starts final : SpanSink {
  void Add(const Span& span) override {
    order.push_back("s" + std::to_string(span.stream.value) + "." + std::to_string(span.index) + "@u" +
                    std::to_string(span.unit.value));
  }
  void Ended(const RequestEnd&) override {}
  std::vector<std::string> order;  // of ends: stream, request and unit
};

std::vector<std::string> Order(const Scenario& scenario, const std::string& policy) {
  Starts starts;
  RunOptions options;
  options.spans = &starts;
  RunPolicy(scenario, policy, options);
  return starts.order;
}

using Words = std::vector<std::string>;

TEST(Edf, TakesTheEarliestDeadlineAndThoseWithoutLast) {
  SmallScenario board({1});
  const ModelId model = board.AddModel({{10}});
  board.AddStream(model, 1);
  board.AddStream(model, 1).deadline = std::chrono::microseconds{90};
  board.AddStream(model, 1).deadline = std::chrono::microseconds{50};
  board.AddStream(model, 1, ReleasedAt(5)).deadline = std::chrono::microseconds{50};
  EXPECT_EQ(Order(board.Build(), R"("edf")"), (Words{"s2.0@u0", "s3.0@u0", "s1.0@u0", "s0.0@u0"}));
}

TEST(LeastSlack, CountsWhatARequestStillNeeds) {
  SmallScenario board({1});
  const ModelId small = board.AddModel({{10}}), chain = board.AddModel({{10}, {40}});
  board.AddStream(small, 1).deadline = std::chrono::microseconds{60};
  board.AddStream(chain, 1).deadline = std::chrono::microseconds{95};
  const Scenario scenario = board.Build();
  EXPECT_EQ(Order(scenario, R"("edf")"), (Words{"s0.0@u0", "s1.0@u0"}));
  EXPECT_EQ(Order(scenario, R"("lst")"), (Words{"s1.0@u0", "s0.0@u0"}));
  // After its first layer the chain needs 40 by 95, the other 10 by 60.
  EXPECT_EQ(Order(scenario, R"({"name": "lst", "granularity": "layer"})"),
            (Words{"s1.0@u0", "s0.0@u0", "s1.0@u0"}));
}

TEST(PriorityAgeing, WaitingMakesUpForALowerPriority) {
  const auto order = [](const std::string& age) {
    SmallScenario board({1});
    const ModelId model = board.AddModel({{10}});
    board.AddStream(model, 1);                 // runs while the others come
    board.AddStream(model, 1, ReleasedAt(2));  // priority 0, waits 7 longer than the next
    board.AddStream(model, 1, ReleasedAt(9)).priority = 1;
    return Order(board.Build(), R"({"name": "priority_ageing", "age_us_per_level": )" + age + "}");
  };
  EXPECT_EQ(order("7.001"), (Words{"s0.0@u0", "s2.0@u0", "s1.0@u0"}));
  EXPECT_EQ(order("7"), (Words{"s0.0@u0", "s1.0@u0", "s2.0@u0"}));
}

TEST(FastestUnit, WaitsForTheFastestUnit) {
  SmallScenario board({1, 1, 1});
  board.AddStream(board.AddModel({{20, 10, 10}}), 3);
  EXPECT_EQ(Order(board.Build(), R"("fastest_unit")"), (Words{"s0.0@u1", "s0.1@u1", "s0.2@u1"}));
}

TEST(RoundRobin, KeepsARequestOnOneUnit) {
  SmallScenario board({1, 1});
  board.AddStream(board.AddModel({{10, 10}, {10, 10}}), 3);
  EXPECT_EQ(Order(board.Build(), R"({"name": "round_robin", "granularity": "layer"})"),
            (Words{"s0.0@u0", "s0.1@u1", "s0.0@u0", "s0.1@u1", "s0.2@u0", "s0.2@u0"}));
}

TEST(RoundRobin, SpreadsWhatNoUnitRunsAlone) {
  SmallScenario board({1, 1, 1});
  board.AddStream(board.AddModel({{10, SmallScenario::kCannot, 10},
                                  {SmallScenario::kCannot, 10, 10},
                                  {10, 10, SmallScenario::kCannot}}),
                  2);
  EXPECT_EQ(Order(board.Build(), R"({"name": "round_robin", "granularity": "layer"})"),
            (Words{"s0.0@u0", "s0.1@u2", "s0.1@u1", "s0.0@u2", "s0.0@u0", "s0.1@u1"}));
}

TEST(Random, DrawsBySeedFromTheUnitsThatCan) {
  const auto order = [](std::uint64_t seed) {
    SmallScenario board({1, 1, 1});
    board.AddStream(board.AddModel({{10, SmallScenario::kCannot, 10}}), 60);
    Scenario scenario = board.Build();
    scenario.seed = seed;
    return Order(scenario, R"("random")");
  };
  const Words drawn = order(1);
  const auto on_u0 =
      std::count_if(drawn.begin(), drawn.end(), [](const auto& w) { return w.ends_with("@u0"); });
  EXPECT_GT(on_u0, 15);
  EXPECT_LT(on_u0, 45);
  EXPECT_NE(order(2), drawn);
  EXPECT_EQ(order(1), drawn);
}

// u0 ranks by 10/20 and 30/10, u1 by 20/10 and 10/30, u2 runs nothing.
TEST(Priority, RanksByHowMuchBetterAUnitIs) {
  SmallScenario board({1, 1});
  board.AddStream(board.AddModel({{10, 20}}), 2);
  board.AddStream(board.AddModel({{30, 10}}), 2);
  EXPECT_EQ(Order(board.Build(), R"("priority")"), (Words{"s0.0@u0", "s1.0@u1", "s0.1@u0", "s1.1@u1"}));
}

TEST(Priority, AModelOfOneUnitComesFirstThere) {
  SmallScenario board({1, 1});
  board.AddStream(board.AddModel({{10, 1000}}), 2);
  board.AddStream(board.AddModel({{500, SmallScenario::kCannot}}), 1);
  EXPECT_EQ(Order(board.Build(), R"("priority")").front(), "s1.0@u0");
}

TEST(Affinity, CountsWhatClosedAndDependentStreamsHaveAtOnce) {
  // With 100 requests counted the closed stream's model would get the fast unit.
  SmallScenario board({1, 1});
  const ModelId closed = board.AddModel({{10, 40}}), open = board.AddModel({{10, 30}});
  board.AddStream(closed, 100, ClosedArrival{2, 1});
  board.AddStream(open, 10);
  EXPECT_EQ(Order(board.Build(), R"("affinity")").front(), "s1.0@u0");
}

TEST(Affinity, CompletesTheMapAroundWhatIsGiven) {
  SmallScenario board({1, 1, 1});
  for (int i = 0; i < 3; ++i) board.AddStream(board.AddModel({{10, 20, 30}}), 1);
  EXPECT_EQ(Order(board.Build(), R"({"name": "affinity", "map": {"m2": "u0"}})"),
            (Words{"s2.0@u0", "s0.0@u1", "s1.0@u2"}));
}

TEST(Affinity, ResidentsFollowTheMap) {
  // The npu holds one model; left to itself it would hold resnet18, which nothing else runs.
  const Scenario scenario = ReadMini(R"("streams": [
      {"name": "a", "model": "mobilenet_v2", "count": 3, "arrival": {"type": "offline"}},
      {"name": "b", "model": "resnet50", "count": 3, "arrival": {"type": "offline"}}])");
  EXPECT_EQ(Order(scenario, R"({"name": "affinity", "map": {"mobilenet_v2": "npu"}})"),
            (Words{"s0.0@u2", "s0.1@u2", "s0.2@u2", "s1.0@u1", "s1.1@u1", "s1.2@u1"}));
  EXPECT_EQ(Order(scenario, R"({"name": "given", "map": {"mobilenet_v2": "npu", "*": "gpu"}})"),
            (Words{"s0.0@u2", "s0.1@u2", "s0.2@u2", "s1.0@u1", "s1.1@u1", "s1.2@u1"}));
}

TEST(Affinity, NeedsAUnitForTheWholeModel) {
  SmallScenario board({1, 1});
  board.AddStream(board.AddModel({{10, SmallScenario::kCannot}, {SmallScenario::kCannot, 10}}), 1);
  const Scenario scenario = board.Build();
  EXPECT_EQ(ErrorOf([&] { RunPolicy(scenario, R"({"name": "affinity", "granularity": "layer"})"); }),
            "small: policy \"affinity\": a model is bound to one unit, and none can run all of model \"m0\"");
  EXPECT_EQ(
      ErrorOf([&] {
        RunPolicy(scenario, R"({"name": "affinity", "granularity": "layer", "map": {"m0": "u1"}})");
      }),
      "small: policy \"affinity\": unit \"u1\" cannot run all of model \"m0\", which \"map\" binds to it");
}

TEST(Priority, EveryTaskNeedsAUnitThatRanksItsModel) {
  SmallScenario board({1, 1});
  board.AddStream(board.AddModel({{10, SmallScenario::kCannot}, {SmallScenario::kCannot, 10}}), 1);
  const Scenario scenario = board.Build();
  EXPECT_EQ(Order(scenario, R"({"name": "priority", "granularity": "layer"})"),
            (Words{"s0.0@u0", "s0.0@u1"}));
  EXPECT_EQ(ErrorOf([&] {
              RunPolicy(scenario, R"({"name": "priority", "granularity": "layer", "rank": {"u0": ["m0"]}})");
            }),
            "small: policy \"priority\": no unit that ranks model \"m0\" can run layer \"l1\" of model "
            "\"m0\", so it would never run");
}

TEST(Given, TheFirstPatternThatMatchesCounts) {
  SmallScenario board({1, 1, 1});
  board.AddStream(board.AddModel({{10, 10, 10}, {10, 10, 10}, {10, 10, 10}}), 1);
  board.AddStream(board.AddModel({{20, 20, 20}}), 1);
  const Scenario scenario = board.Build();
  EXPECT_EQ(Order(scenario, R"({"name": "given", "granularity": "layer",
                                "map": {"m1": {"*": "u2"}, "?1": "u1", "*": "u0"}})"),
            (Words{"s0.0@u0", "s0.0@u1", "s1.0@u2", "s0.0@u0"}));
  EXPECT_EQ(Order(scenario, R"({"name": "given", "map": {"*1": "u1", "*": "u0"}})"),
            (Words{"s1.0@u1", "s0.0@u0"}));
}

TEST(Given, EveryTaskNeedsAPatternAndAUnitThatRunsIt) {
  SmallScenario board({1, 1});
  board.AddStream(board.AddModel({{10, 10}, {10, SmallScenario::kCannot}}), 1);
  const Scenario scenario = board.Build();
  const auto error = [&](const std::string& map) {
    return ErrorOf(
        [&] { RunPolicy(scenario, R"({"name": "given", "granularity": "layer", "map": )" + map + "}"); });
  };
  EXPECT_EQ(
      error(R"({"l0": "u0"})"),
      "small: policy \"given\": no pattern of \"map\" matches layer \"l1\" of model \"m0\"; \"*\" matches "
      "everything");
  EXPECT_EQ(
      error(R"({"l*": "u1"})"),
      "small: policy \"given\": \"map\" sends layer \"l1\" of model \"m0\" by \"l*\" to unit \"u1\", which "
      "cannot run it");
}

}  // namespace
}  // namespace tandem
