// Is a condition understood as people write it, and judged by the figures that it names?
#include "sim/questions/condition.h"

#include <gtest/gtest.h>

#include "profiles/base/input_error.h"
#include "sim/questions/what_if.h"
#include "tests/support/error_of.h"
#include "tests/support/one_unit.h"

namespace tandem {
namespace {

Scenario Overloaded() {  // 10 ms of work every 5 ms: the k-th takes 10 + 5 k
  OneUnit one;
  one.streams =
      R"({"name": "a", "model": "alexnet", "count": 10, "arrival": {"type": "periodic", "period_ms": 5},
                    "deadline_ms": 30})";
  one.of_unit = R"(, "idle_w": 1, "busy_w": 3)";
  return ScenarioFile(one.Text(), "s.json").With({}, "--what-if");
}

bool Kept(const std::string& text) {
  const Scenario scenario = Overloaded();
  const PreparedRun run = Prepare(scenario, scenario.policies[0]);
  const Report report = ReportOf(run, Engine::kVirtual, {}, RunOn(Engine::kVirtual, run));
  return Condition(text, scenario).Of({report}).holds;
}

std::string WrongCondition(const std::string& text) {
  return ErrorOf([&] { const Condition condition(text, Overloaded()); });
}

TEST(Condition, EachFigureIsJudgedAtItsBound) {
  // Latencies 10, 15, ..., 55 ms; those of 35 and more miss: 5 of 10.
  for (const char* kept :
       {"misses <= 50 %", "misses <= 5", "drops <= 0", "max <= 55 ms", "mean <= 32.5ms", "p50 <= 0.03 s",
        "p99 <= 55000 us", "streams.a.p90 <= 50 ms", "streams.*.p99 <= 55 ms", "makespan <= 100 ms",
        "throughput >= 100/s", "utilization >= 100 %", "units.cpu.utilization <= 1", "energy <= 0.3 J",
        "power <= 3 W", "max >= 55 ms", "max < 56 ms and misses < 6", "max \xe2\x89\xa4 55 ms"}) {
    EXPECT_TRUE(Kept(kept)) << kept;
  }
  for (const char* broken :
       {"misses <= 49 %", "misses < 5", "misses <= 4", "max < 55 ms", "mean <= 32.4 ms", "makespan < 100 ms",
        "throughput > 100/s", "utilization < 100 %", "energy <= 0.29 J", "max <= 55 ms and misses <= 4",
        "max <= 55 ms, misses <= 4"}) {
    EXPECT_FALSE(Kept(broken)) << broken;
  }
}

TEST(Condition, WhatIsWrongIsTold) {
  EXPECT_EQ(WrongCondition("p98 <= 1 ms"), "unknown figure \"p98\"; did you mean \"p90\"?");
  EXPECT_EQ(WrongCondition("p99 <= 50"), "\"p99\" is a time: say in what, as in 50 ms");
  EXPECT_EQ(WrongCondition("p99 <= 50 %"), "\"latency_us\" is in us, not in %");
  EXPECT_EQ(WrongCondition("p99"), "\"p99\" is no condition: as in \"misses <= 1 %\", \"p99 <= 50 ms\"");
  EXPECT_EQ(WrongCondition("p99 = 50 ms"), "\"=\" is no comparison; known: <=, <, >=, >");
  EXPECT_EQ(WrongCondition("streams.b.p99 <= 50 ms"), "no stream is called \"b\"; known: a");
  EXPECT_EQ(WrongCondition("a.p99 <= 50 ms"), "\"a.p99\": did you mean \"streams.NAME.p99\"?");
  EXPECT_EQ(WrongCondition("streams.a.makespan <= 1 s"),
            "\"makespan\" is of the whole run, not of streams.a");
  EXPECT_EQ(WrongCondition("misses <= -1 %"), "\"-1 %\" is no bound: a number, perhaps with its unit");
  EXPECT_EQ(WrongCondition("misses <= -1"), "\"-1\" is below 0, which no figure is");
  EXPECT_EQ(
      WrongCondition("misses streams.a <= 1"),
      "unknown figure \"a\"; known: misses, drops, mean, p50, p90, p95, p99, max, makespan, throughput, "
      "utilization, energy, power; of one stream or unit as in \"streams.NAME.p99\"");
  EXPECT_EQ(WrongCondition("misses <= many"), "\"many\" is no bound: a number, perhaps with its unit");
  EXPECT_EQ(WrongCondition(""), "a condition is missing, as in \"misses <= 1 %\"");
  OneUnit one;
  one.streams = R"({"name": "a", "model": "alexnet", "count": 1, "arrival": {"type": "offline"}})";
  const Scenario scenario = ScenarioFile(one.Text(), "s.json").With({}, "--what-if");
  EXPECT_EQ(ErrorOf([&] { const Condition condition("misses <= 0 %", scenario); }),
            "\"misses <= 0 %\": no stream has a deadline; \"deadline_ms\" of a stream says one");
}

}  // namespace
}  // namespace tandem
