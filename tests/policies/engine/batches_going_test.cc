// When do batches go: full ones at once, what is left over after its own wait, and without who was dropped?
#include <gtest/gtest.h>

#include "tests/support/batch_server.h"
#include "tests/support/trace_maker.h"

namespace tandem {
namespace {

using Lines = std::vector<std::string>;

// They come at 0, 3, 6, ... us; one takes 10, two 12, three 14, four 16.
BatchServer EveryThreeMicros(int count, const std::string& batching, const std::string& more = "") {
  BatchServer server;
  server.arrival = R"({"type": "periodic", "period_us": 3})";
  server.batching = batching;
  server.count = count;
  server.more_of_stream = more;
  return server;
}

TEST(BatchesGo, WhatIsLeftOverWaitsByItself) {
  BatchServer server;
  server.batching = R"({"most": 4, "wait_us": 50})";
  server.count = 5;
  EXPECT_EQ(server.Spans(), (Lines{"u0 compute #0 0-16000", "u0 compute #4 50000-60000"}));
  EXPECT_EQ(server.JudgedBy(server), "");
}

// The second comes at 3: two is a size that is preferred. The third waits from 6 on.
TEST(BatchesGo, AsSoonAsAPreferredSizeIsFull) {
  const BatchServer server = EveryThreeMicros(3, R"({"most": 4, "wait_us": 50, "preferred": [2]})");
  EXPECT_EQ(server.Spans(), (Lines{"u0 compute #0 3000-15000", "u0 compute #2 56000-66000"}));
  EXPECT_EQ(server.JudgedBy(server), "");
}

// Two go at 3, until 15; those of 6 and 9 may from 9 on. That of 12 may be left over, and waits until 62.
TEST(BatchesGo, WhoIsLeftOverByAUnitThatWasBusyWaitsOn) {
  const BatchServer server = EveryThreeMicros(5, R"({"most": 4, "wait_us": 50, "preferred": [2, 4]})");
  EXPECT_EQ(server.Spans(),
            (Lines{"u0 compute #0 3000-15000", "u0 compute #2 15000-27000", "u0 compute #4 62000-72000"}));
  EXPECT_EQ(server.JudgedBy(server), "");
}

// Of seven four fill the largest size, two of the other three the next, and one waits.
TEST(BatchesGo, TheLargestSizesThatAreFullFirst) {
  BatchServer server;
  server.batching = R"({"most": 4, "wait_us": 50, "preferred": [2, 4]})";
  server.count = 7;
  EXPECT_EQ(server.Spans(),
            (Lines{"u0 compute #0 0-16000", "u0 compute #4 16000-28000", "u0 compute #6 50000-60000"}));
  EXPECT_EQ(server.JudgedBy(server), "");
}

// At 4 two go, until 16. Those of 6 and 9 may go at 10, that of 12 at once, being the third; that of 15
// at 19.
TEST(BatchesGo, WhileTheUnitIsBusyOthersFillThem) {
  const BatchServer server = EveryThreeMicros(6, R"({"most": 3, "wait_us": 4})");
  EXPECT_EQ(server.Spans(),
            (Lines{"u0 compute #0 4000-16000", "u0 compute #2 16000-30000", "u0 compute #5 30000-40000"}));
  EXPECT_EQ(server.JudgedBy(server), "");
}

// Two are kept: at 6 the first is dropped, at 9 the second. The third and fourth go at 10, as the first would
// have; the last waits from 12 on, until 22.
TEST(BatchesGo, WithoutThoseThatNewerOnesHaveTakenThePlaceOf) {
  const BatchServer server = EveryThreeMicros(5, R"({"most": 4, "wait_us": 10})", R"(, "keep_latest": 2)");
  EXPECT_EQ(server.Drops(), (Lines{"#0 at 6000", "#1 at 9000"}));
  EXPECT_EQ(server.Spans(), (Lines{"u0 compute #2 10000-22000", "u0 compute #4 22000-32000"}));
  EXPECT_EQ(server.Run().streams[0].dropped, 2);
  EXPECT_EQ(server.JudgedBy(server), "");
}

// Three are kept, so that no four ever wait, though a fourth comes at 9.
TEST(BatchesGo, WhoIsDroppedFillsNoSize) {
  const BatchServer server = EveryThreeMicros(6, R"({"most": 4, "wait_us": 20})", R"(, "keep_latest": 3)");
  EXPECT_EQ(server.Drops(), (Lines{"#0 at 9000", "#1 at 12000", "#2 at 15000"}));
  EXPECT_EQ(server.Spans(), (Lines{"u0 compute #3 20000-34000"}));
  EXPECT_EQ(server.JudgedBy(server), "");
}

// The first is late at 8, while it waits; those that came by 10 go then, as with it.
TEST(BatchesGo, WithoutThoseThatAreLate) {
  const BatchServer server =
      EveryThreeMicros(4, R"({"most": 4, "wait_us": 10})", R"(, "deadline_us": 8, "drop_late": true)");
  EXPECT_EQ(server.Drops(), Lines{"#0 at 8000"});
  EXPECT_EQ(server.Spans(), Lines{"u0 compute #1 10000-24000"});
  EXPECT_EQ(server.Run().streams[0].missed, 4) << "the others end at 24, after 11, 14 and 17";
  EXPECT_EQ(server.JudgedBy(server), "");
}

// They come at 0, 7, 14 and 21. The second may go at 12, when the unit is busy until 15; the third drops it
// at 14 and may go instead, not only at 19.
TEST(BatchesGo, WhoTakesThePlaceOfOneThatMayGoMayGo) {
  BatchServer server;
  server.arrival = R"({"type": "periodic", "period_us": 7})";
  server.batching = R"({"most": 2, "wait_us": 5})";
  server.more_of_stream = R"(, "keep_latest": 1)";
  EXPECT_EQ(server.Drops(), Lines{"#1 at 14000"});
  EXPECT_EQ(server.Spans(),
            (Lines{"u0 compute #0 5000-15000", "u0 compute #2 15000-25000", "u0 compute #3 26000-36000"}));
  EXPECT_EQ(server.JudgedBy(server), "");
}

// Two go at 3. Of these the second would be late at 9, and neither is dropped for the third, which waits.
TEST(BatchesGo, WhoWentAlongIsNotDroppedAnyMore) {
  const BatchServer server = EveryThreeMicros(3, R"({"most": 2, "wait_us": 50})",
                                              R"(, "keep_latest": 2, "deadline_us": 6, "drop_late": true)");
  EXPECT_EQ(server.Drops(), Lines{"#2 at 12000"});
  EXPECT_EQ(server.Spans(), Lines{"u0 compute #0 3000-15000"});
  EXPECT_EQ(server.JudgedBy(server), "");
}

TEST(BatchesGo, TheJudgeKnowsWhen) {
  BatchServer server, other;
  server.count = other.count = 5;
  other.batching = R"({"most": 4, "wait_us": 50})";
  EXPECT_EQ(server.JudgedBy(other),
            "s #4: it was begun before it had waited for others as long as its stream says");
  other.batching = R"({"most": 4, "preferred": [2]})";
  EXPECT_EQ(server.JudgedBy(other), "s #0: 4 went together, it should be 2");
  const BatchServer drops = EveryThreeMicros(5, R"({"most": 4, "wait_us": 10})", R"(, "keep_latest": 2)"),
                    keeps = EveryThreeMicros(5, R"({"most": 4, "wait_us": 10})");
  EXPECT_EQ(drops.JudgedBy(keeps), "s #0: its stream drops nothing");
  EXPECT_EQ(keeps.JudgedBy(drops), "s #0: it should have been dropped then, unbegun as it was");
}

// Six wait at 0; one unit has times for four at once, the other for two.
class OneInstant : public testing::Test {
 protected:
  OneInstant() {
    server.units = R"({"name": "u0", "kind": "gpu", "memory": "dram"},
                      {"name": "u1", "kind": "gpu", "memory": "dram"})";
    server.sizes += R"(, {"model": "m0.json", "unit": "u1", "layers": "*", "median_us": 10},
                         {"model": "m0.json", "unit": "u1", "layers": "*", "batch": 2, "median_us": 12})";
    server.batching = R"({"most": 4, "preferred": [2, 4]})";
    server.count = 6;
  }
  std::string Violation(const std::vector<int>& on_u0, const std::vector<int>& on_u1) const {
    const Scenario scenario = server.Read();
    TraceMaker trace(scenario, "fcfs");
    const auto batch = [&](const std::string& unit, const std::vector<int>& requests, double end) {
      trace.Task(unit, "s", requests[0], 0, 0, end);
      for (std::size_t r = 1; r < requests.size(); ++r) trace.Join("s", requests[r], requests[0], 0, end);
    };
    batch("u0", on_u0, 16);
    batch("u1", on_u1, 12);
    return trace.FirstViolation("batches");
  }
  BatchServer server;
};

TEST_F(OneInstant, UnitsMayHaveTakenTheirsInAnyOrder) {
  EXPECT_EQ(Violation({0, 1, 2, 3}, {4, 5}), "");
  EXPECT_EQ(Violation({2, 3, 4, 5}, {0, 1}), "") << "u1 took the two oldest before u0 took any";
}

// Whoever was first has left the oldest, or the oldest but one, behind.
TEST_F(OneInstant, ButInSomeOrder) {
  EXPECT_EQ(Violation({1, 2, 3, 4}, {0, 5}),
            "batches s #1 @0: an older one, or a more urgent one, was left behind: s #0");
}

}  // namespace
}  // namespace tandem
