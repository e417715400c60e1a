// What do "order" and "price" of eft change?
#include <gtest/gtest.h>

#include "tests/support/error_of.h"
#include "tests/support/run_policy.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

std::int64_t Micros(Nanos time) { return time.count() / 1000; }

TEST(EftOrder, ChainRunsTheLongestChainFirst) {
  SmallScenario board({1, 1});
  const ModelId small = board.AddModel({{10, SmallScenario::kCannot}});
  const ModelId chain = board.AddModel({{10, SmallScenario::kCannot}, {SmallScenario::kCannot, 50}});
  board.AddStream(small, 3);
  board.AddStream(chain, 1);
  const Scenario scenario = board.Build();
  const auto makespan = [&](const std::string& order) {
    return Micros(RunPolicy(scenario, R"({"name": "eft", "granularity": "layer", "order": ")" + order + "\"}")
                      .makespan());
  };
  EXPECT_EQ(makespan("request"), 70);  // one of the small ones, then 10 + 50
  EXPECT_EQ(makespan("chain"), 60);    // the small ones meanwhile
}

TEST(EftPrice, KeepsAScarceUnitForThoseThatNeedIt) {
  // "a" would end on u0 after 10, on u1 after 11; "b", which comes behind it, needs u0 for 100.
  SmallScenario board({1, 1});
  const ModelId a = board.AddModel({{10, 11}}), b = board.AddModel({{100, SmallScenario::kCannot}});
  board.AddStream(a, 1);
  board.AddStream(b, 4);
  const Scenario scenario = board.Build();
  const auto makespan = [&](const std::string& keys) {
    return Micros(RunPolicy(scenario, R"({"name": "eft")" + keys + "}").makespan());
  };
  EXPECT_EQ(makespan(""), 410);
  EXPECT_EQ(makespan(R"(, "price": 20)"), 400);
}

TEST(EftOrder, MixedRunsShortTasksFirstWhereThereIsRoom) {
  // u0 is the scarce one; on u1 wait, after 1 us, a long and a short task, and behind the short one u0 goes
  // on.
  SmallScenario board({1, 1});
  const ModelId a = board.AddModel({{1, SmallScenario::kCannot}, {SmallScenario::kCannot, 50}});
  const ModelId b = board.AddModel(
      {{1, SmallScenario::kCannot}, {SmallScenario::kCannot, 10}, {100, SmallScenario::kCannot}});
  board.AddStream(a, 1);
  board.AddStream(b, 1);
  const Scenario scenario = board.Build();
  const auto makespan = [&](const std::string& order) {
    return Micros(RunPolicy(scenario, R"({"name": "eft", "granularity": "layer", "order": ")" + order + "\"}")
                      .makespan());
  };
  EXPECT_EQ(makespan("request"), 161);  // 1 + 50 + 10 + 100
  EXPECT_EQ(makespan("mixed"), 111);    // b first: 1 + 10 + 100, a's 50 meanwhile
}

TEST(EftWeights, MakeAStreamGoFirst) {
  SmallScenario board({1});
  board.AddStream(board.AddModel({{10}}), 1);
  board.AddStream(board.AddModel({{10}}), 1);
  const Scenario scenario = board.Build();
  const auto first = [&](const std::string& weight) {
    const Outcome outcome =
        RunPolicy(scenario, R"({"name": "eft", "order": "chain", "weights": {"s1": )" + weight + "}}");
    return Micros(outcome.streams[1].latencies[0]);
  };
  EXPECT_EQ(first("1"), 20);
  EXPECT_EQ(first("2"), 10);
}

TEST(EftOptions, AreJudged) {
  SmallScenario board({1});
  board.AddStream(board.AddModel({{10}}), 1);
  const Scenario scenario = board.Build();
  EXPECT_NE(ErrorOf([&] { RunPolicy(scenario, R"({"name": "eft", "order": "chains"})"); }).find("chain"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { RunPolicy(scenario, R"({"name": "eft", "price": -1})"); }).find("/price"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] {
              RunPolicy(scenario, R"({"name": "eft", "weights": {"s9": 1}})");
            }).find("no stream is called \"s9\""),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
