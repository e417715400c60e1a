// Do requests that wait go together: as many, as soon and for as long as their stream and the profile say?
#include <gtest/gtest.h>

#include <deque>

#include "policies/engine/batches.h"
#include "policies/kinds/make_plan.h"
#include "profiles/base/input_error.h"
#include "tests/support/batch_server.h"
#include "tests/support/error_of.h"
#include "tests/support/json_scenario.h"
#include "tests/support/judged_run.h"
#include "tests/support/run_policy.h"
#include "tests/support/span_lines.h"

namespace tandem {
namespace {

using Lines = std::vector<std::string>;

TEST(Batches, ThoseThatWaitGoTogether) {
  const BatchServer server;
  EXPECT_EQ(server.Spans(), (Lines{"u0 compute #0 0-16000"}));
  const Outcome outcome = server.Run();
  EXPECT_EQ(outcome.streams[0].latencies, (std::deque<Nanos>(4, Nanos{16000})));
  EXPECT_EQ(outcome.units[0].tasks, 1);
}

TEST(Batches, NoMoreThanTheStreamSays) {
  BatchServer server;
  server.batching = R"({"most": 2})";
  EXPECT_EQ(server.Spans(), (Lines{"u0 compute #0 0-12000", "u0 compute #2 12000-24000"}));
}

TEST(Batches, SizesBetweenAreOnTheStraightLine) {
  BatchServer server;
  server.count = 3;
  EXPECT_EQ(server.Spans(), (Lines{"u0 compute #0 0-14000"}));
}

TEST(Batches, NoMoreThanTheUnitHasTimesFor) {
  BatchServer server;
  server.batching = R"({"most": 8})";
  server.count = 6;
  EXPECT_EQ(server.Spans(), (Lines{"u0 compute #0 0-16000", "u0 compute #4 16000-28000"}));
}

// Of six, where eight take 24: half of the way from the 16 of four.
TEST(Batches, TheLineGoesOnToASizeBeyondTheMost) {
  BatchServer server;
  server.batching = R"({"most": 6})";
  server.count = 6;
  EXPECT_EQ(server.Spans(), (Lines{"u0 compute #0 0-16000", "u0 compute #4 16000-28000"}));
  server.sizes += kEightAtOnce;
  EXPECT_EQ(server.Spans(), (Lines{"u0 compute #0 0-20000"}));
  EXPECT_EQ(BatchesBetween(server.Read(), server.Run()),
            Lines{"stream \"s\" on unit \"u0\": no profile has model \"m0.json\" in batches of 3, taken is "
                  "the straight line from 2 to 4; of 5 to 6, from 4 to 8"});
  server.batching = R"({"most": 5})";
  server.count = 5;
  EXPECT_EQ(server.Spans(), (Lines{"u0 compute #0 0-18000"}));
  EXPECT_NE(BatchesBetween(server.Read(), server.Run())[0].find("from 2 to 4; of 5, from 4 to 8"),
            std::string::npos);
}

TEST(Batches, WithoutAWaitTheFirstGoesAloneAndThoseThatCameMeanwhileTogether) {
  BatchServer server;
  server.arrival = R"({"type": "periodic", "period_us": 3})";
  EXPECT_EQ(server.Spans(), (Lines{"u0 compute #0 0-10000", "u0 compute #1 10000-24000"}));
}

TEST(Batches, AWaitLetsOthersCome) {
  BatchServer server;
  server.arrival = R"({"type": "periodic", "period_us": 3})";
  server.batching = R"({"most": 4, "wait_us": 7})";
  EXPECT_EQ(server.Spans(), (Lines{"u0 compute #0 7000-21000", "u0 compute #3 21000-31000"}));
}

TEST(Batches, WhereThereAreEnoughNobodyWaits) {
  BatchServer server;
  server.arrival = R"({"type": "periodic", "period_us": 3})";
  server.batching = R"({"most": 4, "wait_us": 50})";
  EXPECT_EQ(server.Spans(), (Lines{"u0 compute #0 9000-25000"}));
}

TEST(Batches, ThePreferredSizeThatIsFullGoes) {
  BatchServer server;
  server.batching = R"({"most": 4, "preferred": [2]})";
  server.count = 3;
  EXPECT_EQ(server.Spans(), (Lines{"u0 compute #0 0-12000", "u0 compute #2 12000-22000"}));
}

// 1024 bytes each, which 1024 MB/s bring in 1000 ns.
TEST(Batches, TheirCopiesHaveAllTheirBytes) {
  BatchServer server;
  server.memories = R"({"name": "dram"}, {"name": "vram"})";
  server.links = R"([{"from": "dram", "to": "vram", "bandwidth_bytes_per_s": 1024000000}])";
  server.units = R"({"name": "u0", "kind": "gpu", "memory": "vram"})";
  EXPECT_EQ(server.Spans(),
            (Lines{"u0 transfer #0 0-4000", "u0 compute #0 4000-20000", "u0 transfer #0 20000-24000"}));
  server.links = R"([{"from": "dram", "to": "vram", "bandwidth_bytes_per_s": 1024000000, "engine": true}])";
  EXPECT_EQ(server.Run().streams[0].latencies, (std::deque<Nanos>(4, Nanos{24000})));
}

TEST(Batches, ClosedStreamsGoOnWhenTheirBatchEnds) {
  BatchServer server;
  server.arrival = R"({"type": "closed", "in_flight": 2})";
  EXPECT_EQ(server.Spans(), (Lines{"u0 compute #0 0-12000", "u0 compute #2 12000-24000"}));
}

TEST(Batches, EveryPolicyHandsThemOut) {
  for (const char* policy :
       {R"("fcfs")", R"("sjf")", R"("eft")", R"("round_robin")", R"("random")", R"("heft")", R"("best")"}) {
    BatchServer server;
    server.policy = policy;
    EXPECT_EQ(server.Run().streams[0].latencies.size(), 4U) << policy;
    EXPECT_EQ(server.Run().makespan(), Nanos{16000}) << policy;
  }
}

TEST(Batches, AreCountedBySize) {
  BatchServer server;
  server.arrival = R"({"type": "periodic", "period_us": 3})";
  const std::vector<BatchCount> batches = server.Run().streams[0].batches;
  ASSERT_EQ(batches.size(), 2U);
  EXPECT_EQ(batches[0].unit, UnitId(0));
  EXPECT_EQ(std::pair(batches[0].size, batches[0].count), std::pair(std::int64_t{1}, std::int64_t{1}));
  EXPECT_EQ(std::pair(batches[1].size, batches[1].count), std::pair(std::int64_t{3}, std::int64_t{1}));
}

TEST(Batches, OfSizesThatNoProfileHasAreSaidToLieBetweenOthers) {
  BatchServer server;
  EXPECT_EQ(BatchesBetween(server.Read(), server.Run()), Lines{}) << "four at once were measured";
  server.count = 3;
  EXPECT_EQ(BatchesBetween(server.Read(), server.Run()),
            Lines{"stream \"s\" on unit \"u0\": no profile has model \"m0.json\" in batches of 3, taken is "
                  "the straight line from 2 to 4"});
  server.batching = R"({"most": 8})";
  server.sizes += kEightAtOnce;
  EXPECT_EQ(BatchesBetween(server.Read(), server.Run()),
            Lines{"stream \"s\" on unit \"u0\": no profile has model \"m0.json\" in batches of 3, taken is "
                  "the straight line from 2 to 4; of 5 to 7, from 4 to 8"});
}

// Two streams of the model, of which only one has the rest of a batch that the other waits for.
struct TwoStreams {
  std::string a = R"("count": 2, "arrival": {"type": "offline"})", b = a;
  std::string batching = R"({"most": 4, "across": true})";
  std::string policy = R"("fcfs")";
  std::string unit;  // what else is said of it

  Scenario Read() const {
    const std::string stream = R"(, "model": "m0.json", "batching": )" + batching + ", ";
    const JsonScenario json{
        R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "gpu", "memory": "dram")" + unit +
            "}]",
        R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10},
                       {"model": "m0.json", "unit": "u0", "layers": "*", "batch": 2, "median_us": 12},
                       {"model": "m0.json", "unit": "u0", "layers": "*", "batch": 4, "median_us": 16}])",
        {R"([{"name": "in", "op": "input", "shape": [1, 1, 16, 16]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"},
        R"("streams": [{"name": "a")" + stream + a + R"(}, {"name": "b")" + stream + b + "}]"};
    return json.Read();
  }
  Outcome Run() const { return RunPolicy(Read(), policy); }
  // Of stream s, in order of completion.
  std::deque<Nanos> Latencies(std::size_t s) const { return Run().streams[s].latencies; }
};

using LatencyList = std::deque<Nanos>;

TEST(BatchesAcross, RequestsOfSeveralStreamsGoTogetherWhereTheseSaySo) {
  TwoStreams server;
  EXPECT_EQ(server.Latencies(0), LatencyList(2, Nanos{16000}));
  EXPECT_EQ(server.Latencies(1), LatencyList(2, Nanos{16000}));
  EXPECT_EQ(server.Run().units[0].tasks, 1);
  server.batching = R"({"most": 4})";
  EXPECT_EQ(server.Latencies(0), LatencyList(2, Nanos{12000}));
  EXPECT_EQ(server.Latencies(1), LatencyList(2, Nanos{24000}));
}

TEST(BatchesAcross, CompanyFromAnotherStreamEndsTheWait) {
  TwoStreams server;
  server.batching = R"({"most": 2, "wait_us": 50, "across": true})";
  server.a = R"("count": 1, "arrival": {"type": "offline"})";
  server.b = R"("count": 1, "arrival": {"type": "periodic", "period_us": 100, "phase_us": 3})";
  EXPECT_EQ(server.Latencies(0), LatencyList{Nanos{15000}});
  EXPECT_EQ(server.Latencies(1), LatencyList{Nanos{12000}});
}

// Until 12 us two of a run; then the third one takes along who is more urgent, or else the fourth one.
TEST(BatchesAcross, TheMoreUrgentGoAlongFirst) {
  TwoStreams server;
  server.batching = R"({"most": 2, "across": true})";
  server.a = R"("count": 4, "arrival": {"type": "offline"})";
  server.b = R"("count": 1, "arrival": {"type": "periodic", "period_us": 100, "phase_us": 5})";
  EXPECT_EQ(server.Latencies(1), LatencyList{Nanos{29000}});
  server.b += R"(, "priority": 5)";
  EXPECT_EQ(server.Latencies(1), LatencyList{Nanos{19000}});
  EXPECT_EQ(server.Latencies(0), (LatencyList{Nanos{12000}, Nanos{12000}, Nanos{24000}, Nanos{34000}}));
}

TEST(BatchesAcross, StreamsKeepTheirOwnDeadlinesAndCounts) {
  TwoStreams server;
  server.a += R"(, "deadline_us": 15)";
  server.b += R"(, "deadline_us": 17)";
  const Outcome outcome = server.Run();
  EXPECT_EQ(outcome.streams[0].missed, 2);
  EXPECT_EQ(outcome.streams[1].missed, 0);
  for (const StreamOutcome& stream : outcome.streams) {
    ASSERT_EQ(stream.batches.size(), 1U) << "a batch counts once in each stream that had a request in it";
    EXPECT_EQ(std::pair(stream.batches[0].size, stream.batches[0].count),
              std::pair(std::int64_t{4}, std::int64_t{1}));
  }
}

TEST(BatchesAcross, WhatTheyTookOfAUnitIsSharedAmongTheirStreams) {
  TwoStreams server;
  server.unit = R"(, "idle_w": 1, "busy_w": 5)";  // what nobody can tell an energy of needs no share
  server.b = R"("count": 1, "arrival": {"type": "offline"})";
  const Outcome outcome = server.Run();  // three in 14 us
  EXPECT_EQ(outcome.streams[0].work.at(0).unprofiled_busy, Nanos{14000 - 14000 / 3});
  EXPECT_EQ(outcome.streams[1].work.at(0).unprofiled_busy, Nanos{14000 / 3});
}

TEST(BatchesAcross, TheJudgeOfTracesKnowsThem) {
  TwoStreams server, apart;
  apart.batching = R"({"most": 4})";
  const Scenario across = server.Read(), each = apart.Read();
  const PolicySpec spec = PolicyByName("fcfs", across, "test");
  const Prepared made = MakePolicy(spec, ProblemFor(spec, across));
  const TraceJudgement lawful = JudgeRun(made, spec, across, across);
  EXPECT_TRUE(lawful.violations.empty()) << lawful.violations[0].what;
  const Prepared again = MakePolicy(spec, ProblemFor(spec, across));
  const TraceJudgement unlawful = JudgeRun(again, spec, across, each);
  ASSERT_FALSE(unlawful.violations.empty());
  EXPECT_EQ(unlawful.violations[0].what,
            "requests of its stream do not go together with those of stream \"a\"");
}

TEST(BatchesAcross, TheJudgeKnowsWhoIsMoreUrgent) {
  TwoStreams server, other;
  server.batching = other.batching = R"({"most": 2, "across": true})";
  server.a = other.a = R"("count": 4, "arrival": {"type": "offline"})";
  server.b = other.b = R"("count": 1, "arrival": {"type": "periodic", "period_us": 100, "phase_us": 5})";
  other.b += R"(, "priority": 5)";
  const Scenario alike = server.Read(), urgent = other.Read();
  const PolicySpec spec = PolicyByName("fcfs", alike, "test");
  const Prepared made = MakePolicy(spec, ProblemFor(spec, alike));
  const TraceJudgement judgement = JudgeRun(made, spec, alike, urgent);
  ASSERT_FALSE(judgement.violations.empty());
  EXPECT_EQ(judgement.violations[0].what, "an older one, or a more urgent one, was left behind: b #0");
}

TEST(Batches, WhatCannotGoTogetherIsRefusedWithTheReason) {
  BatchServer server;
  server.sizes = R"({"model": "m0.json", "unit": "u0", "layers": ["a"], "median_us": 12})";
  EXPECT_NE(ErrorOf([&] { server.Run(); }).find("for 2 to 4 inferences at once"), std::string::npos);
  server = {};
  server.more_of_stream = R"(, "batch": 2)";
  EXPECT_NE(ErrorOf([&] { server.Read(); }).find("one inference each"), std::string::npos);
  server.more_of_stream = "";
  server.batching = R"({"most": 4, "preferred": [8]})";
  EXPECT_NE(ErrorOf([&] { server.Read(); }).find("at most 4 go together"), std::string::npos);
}

}  // namespace
}  // namespace tandem
