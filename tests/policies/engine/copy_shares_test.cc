// Do copies that are under way at once share what they go over, and does each have its due?
#include <gtest/gtest.h>

#include "policies/kinds/make_plan.h"
#include "tests/support/json_scenario.h"
#include "tests/support/judged_run.h"
#include "tests/support/run_policy.h"
#include "tests/support/span_lines.h"
#include "tests/support/trace_maker.h"

namespace tandem {
namespace {

using Lines = std::vector<std::string>;

// Inputs and outputs of 1024 bytes, which 1024 MB/s bring in 1000 ns.
struct SharingBoard {
  std::string memories = R"({"name": "dram"}, {"name": "stick"}, {"name": "other"})";
  std::string links = R"({"from": "dram", "to": "stick", "bandwidth_bytes_per_s": 1024000000})";
  std::string more;  // lists of the platform
  std::string units = R"({"name": "u0", "kind": "vpu", "memory": "stick", "slots": 2})";
  std::string entries = R"({"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10})";
  std::string of_profile;
  std::string streams = {};  // beside the first
  std::string of_scenario = {};
  int count = 2;

  Scenario Read() const {
    const JsonScenario json{
        R"("memories": [)" + memories + R"(], "links": [)" + links + "]" + more + R"(, "units": [)" + units +
            "]",
        R"("entries": [)" + entries + "]" + of_profile,
        {R"([{"name": "in", "op": "input", "shape": [1, 1, 16, 16]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"},
        R"("streams": [{"name": "s", "model": "m0.json", "count": )" + std::to_string(count) +
            R"(, "arrival": {"type": "offline"}})" + streams + "]" + of_scenario};
    return json.Read();
  }
  Lines Spans() const {
    SpanLines seen;
    RunOptions options;
    options.spans = &seen;
    RunPolicy(Read(), R"("fcfs")", options);
    return seen.lines();
  }
};

std::string Link(const std::string& to, int mega, const std::string& more = "") {
  return R"({"from": "dram", "to": ")" + to + R"(", "bandwidth_bytes_per_s": )" + std::to_string(mega) +
         "000000" + more + "}";
}
// One of each stick.
SharingBoard TwoSticks(int first, int second, const std::string& more_of_links) {
  SharingBoard board;
  board.links = Link("stick", first, more_of_links) + ", " + Link("other", second, more_of_links);
  board.units =
      R"({"name": "u0", "kind": "vpu", "memory": "stick"}, {"name": "u1", "kind": "vpu", "memory": "other"})";
  board.entries += R"(, {"model": "m0.json", "unit": "u1", "layers": "*", "median_us": 10})";
  return board;
}

TEST(CopyShares, TwoOverOneLinkHaveHalfOfItEach) {
  EXPECT_EQ(SharingBoard().Spans(),
            (Lines{"u0 transfer #0 0-2000", "u0 transfer #1 0-2000", "u0 compute #0 2000-12000",
                   "u0 compute #1 2000-12000", "u0 transfer #0 12000-14000", "u0 transfer #1 12000-14000"}));
}

TEST(CopyShares, ThreeHaveAThirdInThousandths) {
  SharingBoard board;
  board.units = R"({"name": "u0", "kind": "vpu", "memory": "stick", "slots": 3})";
  board.count = 3;
  const Lines spans = board.Spans();
  ASSERT_EQ(spans.size(), 9U);
  EXPECT_EQ(spans[2], "u0 transfer #2 0-3004");  // 1000 ns at 333 thousandths
}

// In thousandths of a byte: a half of 1 B/s and of 3 is none of whole ones. And the greatest do not overflow.
TEST(CopyShares, TheNarrowestAndTheWidestLinksAreDividedEvenly) {
  const auto two_over = [](const std::string& bandwidth) {
    SharingBoard board;
    board.links =
        R"({"from": "dram", "to": "stick", "latency_us": 1, "bandwidth_bytes_per_s": )" + bandwidth + "}";
    return board;
  };
  EXPECT_EQ(two_over("1").Spans()[0], "u0 transfer #0 0-2048000002000");
  EXPECT_EQ(two_over("3").Spans()[0], "u0 transfer #0 0-682666668668");
  EXPECT_EQ(two_over("1000000000000000").Spans()[0], "u0 transfer #0 0-2002");
  for (const char* bandwidth : {"1", "3", "1.5", "1000000000000000"}) {
    const Scenario scenario = two_over(bandwidth).Read();
    const PolicySpec spec = PolicyByName("fcfs", scenario, "test");
    const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
    EXPECT_TRUE(JudgeRun(made, spec, scenario, scenario).violations.empty()) << bandwidth;
  }
}

TEST(CopyShares, WhoGoesOnAloneHasAllOfIt) {
  SharingBoard board;
  board.links = R"({"from": "dram", "to": "stick", "bandwidth_bytes_per_s": 1024000000})";
  board.units =
      R"({"name": "u0", "kind": "vpu", "memory": "stick"}, {"name": "u1", "kind": "vpu", "memory": "stick"})";
  board.entries = R"({"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 1},
                     {"model": "m0.json", "unit": "u1", "layers": "*", "median_us": 1.5})";
  // Both in together. The first one's output has the link for 500 ns, and half of it from then on.
  EXPECT_EQ(board.Spans(),
            (Lines{"u0 transfer #0 0-2000", "u1 transfer #1 0-2000", "u0 compute #0 2000-3000",
                   "u1 compute #1 2000-3500", "u0 transfer #0 3000-4500", "u1 transfer #1 3500-5000"}));
}

TEST(CopyShares, ThoseOfTwoLinksDoNotMeetWithoutAHub) {
  const Lines spans = TwoSticks(1024, 1024, "").Spans();
  EXPECT_EQ(spans[0], "u0 transfer #0 0-1000");
  EXPECT_EQ(spans[1], "u1 transfer #1 0-1000");
}

TEST(CopyShares, AHubIsSharedByItsLinks) {
  SharingBoard board = TwoSticks(1024, 1024, R"(, "hub": "usb")");
  board.more = R"(, "hubs": [{"name": "usb", "bandwidth_bytes_per_s": 1024000000}])";
  EXPECT_EQ(board.Spans()[1], "u1 transfer #1 0-2000");
}

// 1536 MB/s for one that asks for 1024 and one that asks for 256: both have what they ask for.
TEST(CopyShares, NobodyHasLessThanItAsksForWhereThereIsEnough) {
  SharingBoard board = TwoSticks(1024, 256, R"(, "hub": "usb")");
  board.more = R"(, "hubs": [{"name": "usb", "bandwidth_bytes_per_s": 1536000000}])";
  const Lines spans = board.Spans();
  EXPECT_EQ(spans[0], "u0 transfer #0 0-1000");
}

// 1024 MB/s: the slow one has its 256, what it leaves is 768, three quarters of what the other asks for.
TEST(CopyShares, WhatAModestOneLeavesIsTheOthers) {
  SharingBoard board = TwoSticks(1024, 256, R"(, "hub": "usb")");
  board.more = R"(, "hubs": [{"name": "usb", "bandwidth_bytes_per_s": 1024000000}])";
  const Lines spans = board.Spans();
  EXPECT_EQ(spans[0], "u0 transfer #0 0-1334");
}

TEST(CopyShares, TheMemoryThatTheyLeaveIsShared) {
  SharingBoard board = TwoSticks(1024, 1024, "");
  board.memories =
      R"({"name": "dram", "bandwidth_bytes_per_s": 1024000000}, {"name": "stick"}, {"name": "other"})";
  EXPECT_EQ(board.Spans()[1], "u1 transfer #1 0-2000");
}

TEST(CopyShares, EnginesOfSeveralLinksShareToo) {
  SharingBoard board = TwoSticks(1024, 1024, R"(, "engine": true, "hub": "usb")");
  board.more = R"(, "hubs": [{"name": "usb", "bandwidth_bytes_per_s": 1024000000}])";
  const Lines spans = board.Spans();
  EXPECT_EQ(std::count(spans.begin(), spans.end(), "u0 compute #0 2000-12000"), 1);
  EXPECT_EQ(std::count(spans.begin(), spans.end(), "u1 compute #1 2000-12000"), 1);
}

// Links of 1024 MB/s, a hub of 256.
SharingBoard NarrowHub(int count) {
  SharingBoard board = TwoSticks(1024, 1024, R"(, "hub": "usb")");
  board.more = R"(, "hubs": [{"name": "usb", "bandwidth_bytes_per_s": 256000000}])";
  board.count = count;
  return board;
}

TEST(CopyShares, AloneACopyIsNoFasterThanItsHub) {
  EXPECT_EQ(NarrowHub(1).Spans(),
            (Lines{"u0 transfer #0 0-4000", "u0 compute #0 4000-14000", "u0 transfer #0 14000-18000"}));
}

TEST(CopyShares, TwoOnANarrowHubTakeTwiceAsLongAsOne) {
  const Lines spans = NarrowHub(2).Spans();
  EXPECT_EQ(spans[0], "u0 transfer #0 0-8000");
  EXPECT_EQ(spans[1], "u1 transfer #1 0-8000");
}

TEST(CopyShares, AloneACopyIsNoFasterThanAMemoryAtEitherEnd) {
  for (const char* memories :
       {R"({"name": "dram", "bandwidth_bytes_per_s": 512000000}, {"name": "stick"}, {"name": "other"})",
        R"({"name": "dram"}, {"name": "stick", "bandwidth_bytes_per_s": 512000000}, {"name": "other"})",
        R"({"name": "dram", "bandwidth_bytes_per_s": 512000000},
           {"name": "stick", "bandwidth_bytes_per_s": 768000000}, {"name": "other"})"}) {
    SharingBoard board;
    board.memories = memories;
    board.count = 1;
    EXPECT_EQ(board.Spans()[0], "u0 transfer #0 0-2000") << memories;
    board.count = 2;
    EXPECT_EQ(board.Spans()[0], "u0 transfer #0 0-4000") << memories;
  }
}

TEST(CopyShares, ItsLatencyComesBeside) {
  SharingBoard board = NarrowHub(1);
  board.links = Link("stick", 1024, R"(, "hub": "usb", "latency_us": 3)") + ", " + Link("other", 1024);
  EXPECT_EQ(board.Spans()[0], "u0 transfer #0 0-7000");
}

TEST(CopyShares, WhatIsMeasuredOfACopyIsTakenAsItIs) {
  SharingBoard board = NarrowHub(1);
  board.of_profile =
      R"(, "transfers": [{"from": "dram", "to": "stick", "bytes": 1024, "median_us": 1.5},
                         {"from": "dram", "to": "other", "bytes": 1024, "median_us": 1.5}])";
  EXPECT_EQ(board.Spans()[0], "u0 transfer #0 0-1500");
  board.count = 2;
  EXPECT_EQ(board.Spans()[0], "u0 transfer #0 0-3000");
}

TEST(CopyShares, OfTwoWaysTheOneWithoutANarrowHubIsTaken) {
  SharingBoard board;
  board.more = NarrowHub(1).more;
  board.count = 1;
  board.links = Link("stick", 1024, R"(, "hub": "usb")") + ", " + Link("other", 1024) +
                R"(, {"from": "other", "to": "stick", "bandwidth_bytes_per_s": 1024000000})";
  const Lines spans = board.Spans();
  EXPECT_EQ(spans[0], "u0 transfer #0 0-1000");
  EXPECT_EQ(spans[1], "u0 transfer #0 1000-2000");
}

// Each asks for 333 thousandths, and there is as much for each: as of slots that do not share.
TEST(CopyShares, ThoseOfSlotsThatShareTheirUnitAreSlowedDownOnce) {
  SharingBoard board;
  board.units = R"({"name": "u0", "kind": "vpu", "memory": "stick", "slots": 3, "time_shared": true})";
  board.count = 3;
  const Lines spans = board.Spans();
  ASSERT_EQ(spans.size(), 9U);
  EXPECT_EQ(spans[2], "u0 transfer #2 0-3004");
}

// A copy of 3004 ns at 333 thousandths does 332 thousandths of a nanosecond of the work that follows at once.
TEST(CopyShares, TheJudgeOfTracesReckonsWhatAStepDidOfTheNext) {
  SharingBoard board;
  board.units = R"({"name": "u0", "kind": "vpu", "memory": "stick", "slots": 3, "time_shared": true})";
  board.count = 3;
  const Lines spans = board.Spans();
  ASSERT_EQ(spans.size(), 9U);
  EXPECT_EQ(spans[3], "u0 compute #0 3004-33034") << "a nanosecond sooner than without";
  const Scenario scenario = board.Read();
  const PolicySpec spec = PolicyByName("fcfs", scenario, "test");
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  EXPECT_TRUE(JudgeRun(made, spec, scenario, scenario).violations.empty());
}

// Two slots of u0 ask for a half each, and u1 for all of the hub: a third of it is less than any asks for.
TEST(CopyShares, WhoIsSlowedDownGetsNoMoreForItWhereAllAskForMore) {
  SharingBoard board = TwoSticks(1024, 1024, R"(, "hub": "usb")");
  board.more = R"(, "hubs": [{"name": "usb", "bandwidth_bytes_per_s": 1024000000}])";
  board.units = R"({"name": "u0", "kind": "vpu", "memory": "stick", "slots": 2, "time_shared": true},
                   {"name": "u1", "kind": "vpu", "memory": "other"})";
  board.count = 3;
  const Lines spans = board.Spans();
  ASSERT_EQ(spans.size(), 9U);
  for (const std::size_t copy : {0U, 1U, 2U}) EXPECT_EQ(spans[copy].substr(15), "0-3004") << spans[copy];
}

// Held up, the first one asks for nothing of the link, and the urgent one for all. It had copied for 100 ns.
TEST(CopyShares, WhatIsHeldUpLeavesTheLinkToTheUrgent) {
  SharingBoard board;
  board.units =
      R"({"name": "u0", "kind": "vpu", "memory": "stick", "slots": 2, "time_shared": true, "preempts": true})";
  board.streams = R"(, {"name": "urgent", "model": "m0.json", "count": 1, "priority": 1,
                        "arrival": {"type": "periodic", "period_us": 100, "phase_us": 0.1}})";
  board.count = 1;
  const Lines spans = board.Spans();
  EXPECT_EQ(spans[0], "u0 transfer #0 100-1100");
  // The urgent one's work and its way back come first, too.
  EXPECT_EQ(spans[1], "u0 compute #0 1100-11100");
  EXPECT_EQ(spans[2], "u0 transfer #0 11100-12100");
  EXPECT_EQ(spans[3], "u0 transfer #0 0-13000");
  const Scenario scenario = board.Read();
  const PolicySpec spec = PolicyByName("fcfs", scenario, "test");
  EXPECT_TRUE(
      JudgeRun(MakePolicy(spec, ProblemFor(spec, scenario)), spec, scenario, scenario).violations.empty());
}

// As if the second slot of u0 were not there as long as it is not its turn.
TEST(CopyShares, WhatIsHeldUpLeavesTheHubToOtherUnits) {
  SharingBoard board = TwoSticks(1024, 1024, R"(, "hub": "usb")");
  board.more = R"(, "hubs": [{"name": "usb", "bandwidth_bytes_per_s": 1024000000}])";
  board.units = R"({"name": "u0", "kind": "vpu", "memory": "stick", "slots": 2, "time_shared": true,
                    "slice_us": 10},
                   {"name": "u1", "kind": "vpu", "memory": "other"})";
  board.count = 3;
  const Lines spans = board.Spans();
  // Slot 0 of u0 and u1 have half of the hub each; slot 1 of u0 rests until slot 0 has had its 10 us.
  EXPECT_EQ(spans[0], "u0 transfer #0 0-2000");
  EXPECT_EQ(spans[1], "u1 transfer #1 0-2000");
}

TEST(CopyShares, ASlowUnitLeavesTheHubToOthers) {
  SharingBoard board = TwoSticks(1024, 1024, R"(, "hub": "usb")");
  board.more = R"(, "hubs": [{"name": "usb", "bandwidth_bytes_per_s": 1024000000}])";
  board.of_scenario = R"(, "speeds": [{"unit": "u0", "at_us": 0, "speed": 0.001}])";
  EXPECT_EQ(board.Spans()[0], "u1 transfer #1 0-1002");  // 1000 ns at 999 thousandths
  // At a fifth, four fifths are left.
  board.of_scenario = R"(, "speeds": [{"unit": "u0", "at_us": 0, "speed": 0.2}])";
  EXPECT_EQ(board.Spans()[0], "u1 transfer #1 0-1250");
}

TEST(CopyShares, ASlotThatIsFasterAsksForNoMoreThanThereIs) {
  SharingBoard board = TwoSticks(1024, 1024, R"(, "hub": "usb")");
  board.more = R"(, "hubs": [{"name": "usb", "bandwidth_bytes_per_s": 1024000000}])";
  board.of_scenario =
      R"(, "speeds": [{"unit": "u0", "at_us": 0, "speed": 2}, {"unit": "u1", "at_us": 0, "speed": 2}])";
  EXPECT_EQ(board.Spans()[0], "u0 transfer #0 0-2000");
  board.count = 1;
  EXPECT_EQ(board.Spans()[0], "u0 transfer #0 0-500") << "alone it goes by its unit's speed";
}

TEST(CopyShares, TheJudgeOfTracesKnowsWhatSlotsAskFor) {
  SharingBoard board;
  board.units = R"({"name": "u0", "kind": "vpu", "memory": "stick", "slots": 2, "time_shared": true})";
  const Scenario scenario = board.Read();
  // Both at a time, on a slot each.
  const auto occupation = [&](double copy) {
    TraceMaker made(scenario, "fcfs");
    for (const std::int32_t slot : {0, 1}) {
      const std::int32_t track = made.Track("u0", slot);
      made.Copy("u0", "s", slot, "in", "dram", "stick", 0, copy, {}).track = track;
      made.Task("u0", "s", slot, 0, copy, copy + 20).track = track;
      made.Copy("u0", "s", slot, "a", "stick", "dram", copy + 20, 2 * copy + 20, {}).track = track;
    }
    return made.FirstViolation("occupation");
  };
  EXPECT_EQ(occupation(2), "");
  EXPECT_EQ(occupation(4), "occupation s #0 @0: its transfer does 2 us of work in 4 us, it should do 1 us");
  const PolicySpec spec = PolicyByName("fcfs", scenario, "test");
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  EXPECT_TRUE(JudgeRun(made, spec, scenario, scenario).violations.empty());
}

TEST(CopyShares, TheJudgeOfTracesKnowsTheHub) {
  for (const int count : {1, 2}) {
    const Scenario narrow = NarrowHub(count).Read();
    const PolicySpec spec = PolicyByName("fcfs", narrow, "test");
    const auto judged = [&](const Scenario& by) {
      return JudgeRun(MakePolicy(spec, ProblemFor(spec, narrow)), spec, narrow, by).violations;
    };
    EXPECT_TRUE(judged(narrow).empty());
    EXPECT_FALSE(judged(TwoSticks(1024, 1024, "").Read()).empty());
  }
}

}  // namespace
}  // namespace tandem
