// Does the checker of traces pass what obeys the rules, and catch each rule's breach by name, time and
// request?
#include "scenarios/check/trace_check.h"

#include <gtest/gtest.h>

#include "tests/support/read_scenario.h"
#include "tests/support/trace_maker.h"

namespace tandem {
namespace {

using Rules = std::set<std::string>;

std::string Offline(int count, const std::string& more = "") {
  return R"("streams": [{"name": "a", "model": "mobilenet_v2", "count": )" + std::to_string(count) +
         R"(, "arrival": {"type": "offline"})" + more + "}]";
}

// Five requests at 0; the cpu needs 400 us for one, the gpu 200, the npu 100.
TraceMaker FiveInOrder(const Scenario& scenario, const std::string& policy = "fcfs") {
  TraceMaker trace(scenario, policy);
  trace.run.residents["npu"] = {"mobilenet_v2"};
  trace.Task("cpu", "a", 0, 0, 0, 400);
  trace.Task("gpu", "a", 1, 0, 0, 200);
  trace.Task("npu", "a", 2, 0, 0, 100);
  trace.Task("npu", "a", 3, 0, 100, 200);
  trace.Task("gpu", "a", 4, 0, 200, 400);
  return trace;
}

class FiveRequests : public testing::Test {
 protected:
  Scenario scenario_ = ReadMini(Offline(5));
  TraceMaker trace_ = FiveInOrder(scenario_);
};

TEST_F(FiveRequests, AScheduleThatObeysEveryRulePasses) {
  const TraceJudgement judgement = trace_.Judge();
  EXPECT_EQ(trace_.FirstViolation(), "");
  EXPECT_EQ(judgement.violations_total, 0);
  EXPECT_EQ(judgement.gaps_total, 0);
  EXPECT_EQ(judgement.requests, 5);
  EXPECT_EQ(judgement.spans, 5);
}

TEST_F(FiveRequests, WhatViewersShowMustBeWhatHappened) {
  trace_.run.spans[4].shown_duration += Nanos{1};
  EXPECT_EQ(trace_.FirstViolation(), "dates a #4 @200: ts and dur are not start_ns and end_ns");
}

TEST_F(FiveRequests, ReleaseReadyStartAndEndFollowEachOther) {
  trace_.run.spans[4].release = Nanos{5};
  EXPECT_TRUE(trace_.BrokenRules().contains("dates"));
  trace_.run.spans[4].release = Nanos{0};
  trace_.run.spans[4].ready = Nanos{200001};
  EXPECT_EQ(trace_.FirstViolation(), "dates a #4 @200: it starts before it is ready at 200.001 us");
  trace_.run.spans[4].ready = Nanos{0};
  trace_.run.end = Nanos{399999};
  EXPECT_TRUE(trace_.BrokenRules().contains("dates"));
}

TEST_F(FiveRequests, NothingOverlapsOnASlot) {
  trace_.run.spans[3].start = trace_.run.spans[3].shown_start = Nanos{99999};
  trace_.run.spans[3].end = Nanos{199999};
  EXPECT_EQ(trace_.FirstViolation(), "overlap a #3 @99.999: on npu it overlaps a #2");
}

TEST_F(FiveRequests, UnitsThatShareCoresAreNeverAtWorkTogether) {
  scenario_.platform->units[0].cores = {0, 1};
  scenario_.platform->units[2].cores = {1};
  EXPECT_EQ(trace_.FirstViolation(),
            "exclusion a #0 @0: on cpu it overlaps a #2 on npu, which shares cores or a device with it");
  EXPECT_EQ(trace_.BrokenRules(), Rules{"exclusion"});
  // Where the npu's tasks come when the cpu is done, the npu was not idle but kept off.
  TraceMaker in_turn = FiveInOrder(scenario_, "eft");
  for (const std::size_t late : {2U, 3U}) {
    TracedSpan& span = in_turn.run.spans[late];
    span.start += Nanos{400000};
    span.shown_start = span.start;
    span.end += Nanos{400000};
  }
  in_turn.run.end = Nanos{600000};
  EXPECT_EQ(in_turn.FirstViolation(), "");
  scenario_.platform->units[2].cores = {2};
  EXPECT_EQ(in_turn.BrokenRules(), Rules{"idle"});
}

// Of what a policy's rule keeps back only so much is asked as the rule leaves.
TEST_F(FiveRequests, ARuleThatKeepsBackIsHeldToWhatItLeaves) {
  const auto later = [&](const std::string& policy, std::initializer_list<std::size_t> spans) {
    TraceMaker trace = FiveInOrder(scenario_, policy);
    for (const std::size_t s : spans) {
      TracedSpan& span = trace.run.spans[s];
      span.start += Nanos{2};
      span.shown_start = span.start;
      span.end += Nanos{2};
      trace.run.end = std::max(trace.run.end, span.end);
    }
    return trace.BrokenRules();
  };
  EXPECT_EQ(later("hailo", {4}), Rules{"idle"}) << "one slot: the gpu has nothing, and could have it";
  EXPECT_EQ(later("triton", {4}), Rules{}) << "the cpu works meanwhile";
  EXPECT_EQ(later("triton", {0, 1, 2, 3, 4}), Rules{"idle"}) << "nobody does";
}

TEST_F(FiveRequests, NamesAreTheScenarios) {
  trace_.run.tracks[0].unit = "dsp";
  EXPECT_EQ(trace_.FirstViolation(), "names cpu @0: the platform has no such unit");
  trace_.run.tracks[0].unit = "gpu";
  EXPECT_EQ(trace_.FirstViolation(), "names gpu @0: the slot has two tracks");
  trace_.run.tracks[0].unit = "cpu";
  trace_.run.streams[0] = "b";
  EXPECT_EQ(trace_.BrokenRules(), Rules{"names"});
}

TEST_F(FiveRequests, EveryRequestIsThereOnce) {
  trace_.run.spans.pop_back();
  EXPECT_EQ(trace_.FirstViolation(), "requests a #4 @0: the request is neither completed nor dropped");
  trace_.run.complete = false;
  EXPECT_EQ(trace_.BrokenRules(), Rules{});
  trace_.run.complete = true;
  trace_.Task("gpu", "a", 4, 0, 200, 400);
  trace_.Task("gpu", "a", 5, 0, 400, 600);
  EXPECT_EQ(trace_.FirstViolation(), "requests a #5 @0: the scenario asks for no such request");
}

TEST_F(FiveRequests, AModelRunsOnce) {
  trace_.Task("npu", "a", 4, 0, 200, 300);
  EXPECT_TRUE(trace_.BrokenRules().contains("layers")) << trace_.FirstViolation();
}

TEST_F(FiveRequests, WorkLastsAsLongAsTheProfileSays) {
  trace_.run.spans[4].end += Nanos{1};
  trace_.run.spans[4].shown_duration += Nanos{1};
  trace_.run.end += Nanos{1};
  EXPECT_EQ(trace_.FirstViolation(),
            "occupation a #4 @200: its compute takes 200.001 us, it should take 200 us");
  // Under a load from outside it gets as far as the load leaves room for.
  const Scenario loaded = ReadMini(Offline(5) + R"(, "background": [{"unit": "gpu", "load_pct": 40}])");
  EXPECT_EQ(FiveInOrder(loaded).FirstViolation(),
            "occupation a #1 @0: its compute does 120 us of work in 200 us, it should do 200 us");
}

TEST_F(FiveRequests, NoSlotIsIdleWhileATaskWaits) {
  TracedSpan& late = trace_.run.spans[4];
  late.start = late.shown_start = Nanos{200002};
  late.end = trace_.run.end = Nanos{400002};
  EXPECT_EQ(trace_.FirstViolation(), "idle a #4 @200: it waits, and gpu is idle until 200.002 us");
  EXPECT_EQ(trace_.BrokenRules(), Rules{"idle"});
  trace_.run.measured = true;
  EXPECT_EQ(trace_.Judge().violations_total, 0);
  EXPECT_EQ(trace_.Judge().gaps_total, 2);  // the gpu and the npu might each have taken it
}

TEST_F(FiveRequests, ADeviceMayTakeItsTimeToWakeUp) {
  constexpr Nanos kWakeUp{40000};
  TracedSpan& late = trace_.run.spans[4];
  late.start = late.shown_start = Nanos{240000};
  late.end = trace_.run.end = Nanos{440000};
  const auto judge = [&](Nanos wake_up) {
    return CheckTrace(scenario_, {scenario_.name, scenario_.platform->name, {trace_.run}}, wake_up);
  };
  EXPECT_GT(judge(kWakeUp).violations_total, 0) << "what is simulated takes none";
  trace_.run.measured = true;
  EXPECT_EQ(judge(kWakeUp).gaps_total, 0);
  EXPECT_EQ(judge(kWakeUp).wake_ups_total, 2);
  EXPECT_EQ(judge(kWakeUp - Nanos{1}).gaps_total, 2);
  EXPECT_EQ(judge(kWakeUp - Nanos{1}).wake_ups_total, 0);
}

TEST_F(FiveRequests, APolicyThatAssignsUnitsLeavesOthersIdle) {
  // All on the cpu: round_robin might, fcfs would not.
  const Scenario scenario =
      ReadMini(Offline(2) + R"(, "policies": [{"name": "round_robin", "label": "mine"}])");
  TraceMaker trace(scenario, "mine");
  trace.run.residents["npu"] = {"mobilenet_v2"};
  trace.Task("cpu", "a", 0, 0, 0, 400);
  trace.Task("cpu", "a", 1, 0, 400, 800);
  EXPECT_EQ(trace.FirstViolation(), "");
  trace.run.policy = "fcfs";
  EXPECT_EQ(trace.BrokenRules(), Rules{"idle"});
}

TEST_F(FiveRequests, FcfsTakesTheEarliestFirst) {
  std::swap(trace_.run.spans[3].index, trace_.run.spans[4].index);
  EXPECT_EQ(trace_.FirstViolation(), "order a #4 @100: unit \"npu\" takes it before a #3, which comes first");
  EXPECT_EQ(trace_.BrokenRules(), Rules{"order"});
}

TEST_F(FiveRequests, AUnitHoldsTheModelsThatItRuns) {
  trace_.run.residents["npu"] = {};
  EXPECT_EQ(trace_.FirstViolation(),
            "residents a #2 @0: unit \"npu\" does not hold its model, and nothing has loaded it");
  trace_.run.residents["npu"] = {"mobilenet_v2", "resnet18"};
  const Scenario two = ReadMini(
      R"("streams": [{"name": "a", "model": "mobilenet_v2", "count": 5, "arrival": {"type": "offline"}},
                     {"name": "b", "model": "resnet18", "count": 1, "arrival": {"type": "offline"}}])");
  TraceMaker both = FiveInOrder(two);
  both.run.residents["npu"] = {"mobilenet_v2", "resnet18"};
  EXPECT_EQ(both.FirstViolation(), "residents npu @0: it holds 2 models, its limit is 1");
}

TEST_F(FiveRequests, ATaskRunsWhereItHasATime) {
  const Scenario two = ReadMini(
      R"("streams": [{"name": "a", "model": "mobilenet_v2", "count": 5, "arrival": {"type": "offline"}},
                     {"name": "b", "model": "resnet18", "count": 1, "arrival": {"type": "offline"}}])");
  TraceMaker both = FiveInOrder(two);
  both.Task("cpu", "b", 0, 0, 400, 700);
  EXPECT_TRUE(both.BrokenRules().contains("units"));
}

TEST(TraceOfSjf, TakesTheShortestFirst) {
  const Scenario scenario = ReadMini(
      R"("streams": [{"name": "slow", "model": "resnet50", "count": 1, "arrival": {"type": "offline"}},
                     {"name": "a", "model": "mobilenet_v2", "count": 3, "arrival": {"type": "offline"}}],
         "resident": {"cpu": [], "npu": []})");
  TraceMaker trace(scenario, "sjf");
  trace.run.residents = {{"cpu", {}}, {"gpu", {"resnet50", "mobilenet_v2"}}, {"npu", {}}};
  for (int k = 0; k < 3; ++k) trace.Task("gpu", "a", k, 0, 200 * k, 200 * (k + 1));
  trace.Task("gpu", "slow", 0, 0, 600, 1600);
  EXPECT_EQ(trace.FirstViolation(), "");
  trace.run.policy = "fcfs";
  EXPECT_EQ(trace.FirstViolation(), "order a #0 @0: unit \"gpu\" takes it before slow #0, which comes first");
}

// The first request, from 0 to 200 us; the gpu alone holds the model.
TraceMaker FirstOnTheGpu(const Scenario& scenario) {
  TraceMaker trace(scenario, "fcfs");
  trace.run.residents = {{"cpu", {}}, {"gpu", {"mobilenet_v2"}}, {"npu", {}}};
  trace.Task("gpu", "a", 0, 0, 0, 200);
  return trace;
}

// A frame every 80 us, of which the newest is kept.
Scenario NewestOf(int frames) {
  return ReadMini(R"("streams": [{"name": "a", "model": "mobilenet_v2", "count": )" + std::to_string(frames) +
                  R"(, "keep_latest": 1, "arrival": {"type": "periodic", "period_us": 80}}],
                     "resident": {"cpu": [], "npu": []}, "policies": [])");
}

TEST(TraceOfDrops, WhatIsLateIsDroppedAtItsDeadlineAndNothingElse) {
  const Scenario scenario = ReadMini(Offline(2, R"(, "deadline_us": 150, "drop_late": true)") +
                                     R"(, "resident": {"cpu": [], "npu": []})");
  TraceMaker trace = FirstOnTheGpu(scenario);
  TraceMaker late = trace;
  trace.Drop("a", 1, 0, 150);
  EXPECT_EQ(trace.FirstViolation(), "");
  trace.run.drops[0].at = Nanos{150001};
  EXPECT_EQ(trace.FirstViolation(), "drops a #1 @150.001: its deadline passes at 150 us");
  late.Task("gpu", "a", 1, 0, 200, 400);
  EXPECT_EQ(late.FirstViolation(),
            "drops a #1 @200: it starts after its deadline, when it should have been dropped");
}

TEST(TraceOfDrops, ForNewerOnesTheOldestIsDroppedAndNothingElse) {
  const Scenario scenario = NewestOf(4);
  TraceMaker trace = FirstOnTheGpu(scenario);
  TraceMaker none = trace, wrong = trace;
  trace.Drop("a", 1, 80, 160);
  trace.Task("gpu", "a", 2, 160, 200, 400);
  trace.Task("gpu", "a", 3, 240, 400, 600);
  EXPECT_EQ(trace.FirstViolation(), "");
  trace.run.drops[0].at = Nanos{159999};
  EXPECT_EQ(trace.FirstViolation(),
            "drops a #1 @159.999: its stream keeps it: too few newer ones were waiting");

  none.Task("gpu", "a", 1, 80, 200, 400);
  none.Task("gpu", "a", 2, 160, 400, 600);
  none.Task("gpu", "a", 3, 240, 600, 800);
  EXPECT_EQ(none.FirstViolation(), "drops a #1 @160: it should have been dropped then, unbegun as it was");

  wrong.Drop("a", 1, 80, 160);
  wrong.Drop("a", 2, 160, 200);
  wrong.Task("gpu", "a", 3, 240, 240, 440);
  EXPECT_EQ(wrong.FirstViolation("drops"),
            "drops a #2 @200: its stream keeps it: too few newer ones were waiting");
}

TEST(TraceOfDrops, OnADeviceNewerOnesMustHaveComeBefore) {
  const Scenario scenario = NewestOf(3);
  TraceMaker trace = FirstOnTheGpu(scenario);
  trace.run.measured = true;
  trace.Drop("a", 1, 80, 163);  // noticed a little later
  trace.Task("gpu", "a", 2, 160, 200, 400);
  EXPECT_EQ(trace.FirstViolation("drops"), "");
  trace.run.drops[0].at = Nanos{159000};
  EXPECT_EQ(trace.FirstViolation("drops"), "drops a #1 @159: too few newer ones had come");
}

TEST(TraceOfArrivals, ReleasesAreDerivedAgain) {
  const Scenario scenario = ReadMini(
      R"("streams": [{"name": "p", "model": "mobilenet_v2", "count": 3, "arrival": {"type": "periodic", "fps": 3000}},
                     {"name": "d", "model": "mobilenet_v2", "depends_on": {"stream": "p"}},
                     {"name": "c", "model": "mobilenet_v2", "count": 2, "arrival": {"type": "closed"}}],
         "resident": {"cpu": [], "npu": []}, "policies": [])");
  TraceMaker trace(scenario, "round_robin");
  trace.run.residents = {{"cpu", {}}, {"gpu", {"mobilenet_v2"}}, {"npu", {}}};
  trace.Task("gpu", "p", 0, 0, 0, 200);
  trace.Task("gpu", "c", 0, 0, 200, 400);
  trace.Task("gpu", "d", 0, 200, 400, 600);
  trace.Task("gpu", "p", 1, 333.333, 600, 800);
  trace.Task("gpu", "c", 1, 400, 800, 1000);
  trace.Task("gpu", "p", 2, 666.667, 1000, 1200);
  trace.Task("gpu", "d", 1, 800, 1200, 1400);
  trace.Task("gpu", "d", 2, 1200, 1400, 1600);
  EXPECT_EQ(trace.FirstViolation(), "");
  const std::vector<std::pair<std::size_t, std::string>> moved = {
      {5, "releases p #2 @666.666: its release should be at 666.667 us"},
      {4, "releases c #1 @399.999: its release should be at 400 us"},
      {7, "releases d #2 @1199.999: its release should be at 1200 us"}};
  for (const auto& [span, message] : moved) {
    TraceMaker early = trace;
    early.run.spans[span].release -= Nanos{1};
    early.run.spans[span].ready -= Nanos{1};
    EXPECT_EQ(early.FirstViolation(), message);
  }
}

Scenario Diamond(const std::string& transfer) {
  const JsonDocument document = JsonDocument::Parse(
      R"({"tandem": "scenario/1", "name": "diamond", "platform": "./diamond.platform.json",
          "profiles": ["./diamond.profile.json"], "transfer": ")" +
          transfer + R"(", "streams": [{"name": "s", "model": "./diamond.model.json", "count": 1,
                                        "arrival": {"type": "offline"}}],
          "policies": [{"name": "round_robin", "label": "mine", "granularity": "layer"}]})",
      TANDEM_TEST_DIR "/data/diamond.scenario.json");
  return ReadScenario(document.root());
}

// b runs on the gpu, whose memory is another: a copy of 16 bytes there takes 1.016 us, and as much back.
TraceMaker DiamondTrace(const Scenario& scenario) {
  TraceMaker trace(scenario, "mine");
  trace.run.granularity = Granularity::kLayer;
  trace.Task("cpu", "s", 0, 0, 0, 10, {"a"});
  trace.Copy("gpu", "s", 0, "a", "dram", "vram", 10, 11.016, {"b"});
  trace.Task("gpu", "s", 0, 0, 11.016, 53.016, {"b"});
  trace.Task("cpu", "s", 0, 0, 10, 40, {"c"});
  trace.Copy("cpu", "s", 0, "b", "vram", "dram", 53.016, 54.032, {"d"});
  trace.Task("cpu", "s", 0, 0, 54.032, 59.032, {"d"});
  for (const std::size_t span : {1U, 2U, 3U}) trace.run.spans[span].ready = Nanos{10000};
  for (const std::size_t span : {4U, 5U}) trace.run.spans[span].ready = Nanos{53016};
  return trace;
}

class DiamondByLayer : public testing::Test {
 protected:
  Scenario scenario_ = Diamond("copy");
  TraceMaker trace_ = DiamondTrace(scenario_);

  void Move(std::size_t span, std::int64_t nanos) {
    trace_.run.spans[span].start += Nanos{nanos};
    trace_.run.spans[span].shown_start += Nanos{nanos};
    trace_.run.spans[span].end += Nanos{nanos};
  }
};

TEST_F(DiamondByLayer, CopiesBringWhatOtherUnitsMade) { EXPECT_EQ(trace_.FirstViolation(), ""); }

TEST_F(DiamondByLayer, EveryLayerRunsOnce) {
  trace_.run.spans[3].segment = trace_.run.spans[0].segment;
  EXPECT_TRUE(trace_.BrokenRules().contains("layers"));
  TraceMaker without = DiamondTrace(scenario_);
  without.run.spans.erase(without.run.spans.begin() + 3);
  EXPECT_EQ(without.FirstViolation(), "layers s #0 @0: layer \"c\" never runs");
}

TEST_F(DiamondByLayer, ATaskStartsAfterThoseThatMakeItsInputs) {
  Move(3, -1);
  trace_.run.spans[3].ready -= Nanos{1};
  EXPECT_TRUE(trace_.BrokenRules().contains("inputs"));
}

TEST_F(DiamondByLayer, InputsAreInTheUnitsMemory) {
  trace_.run.spans.erase(trace_.run.spans.begin() + 1);
  EXPECT_EQ(trace_.FirstViolation("inputs"),
            "inputs s #0 @11.016: its input \"a\" is not in memory \"vram\" by then");
}

TEST_F(DiamondByLayer, ACopyTakesFromWhereItsTensorIs) {
  std::swap(trace_.run.spans[1].from, trace_.run.spans[1].to);
  EXPECT_TRUE(trace_.BrokenRules().contains("copies"));
  TraceMaker twice = DiamondTrace(scenario_);
  TracedSpan again = twice.run.spans[4];
  again.start = again.shown_start = Nanos{54032};
  again.end = Nanos{55048};
  for (Nanos* date : {&twice.run.spans[5].start, &twice.run.spans[5].shown_start, &twice.run.spans[5].end}) {
    *date += Nanos{1016};
  }
  twice.run.end += Nanos{1016};
  twice.run.spans.push_back(again);
  EXPECT_EQ(twice.FirstViolation(), "copies s #0 @54.032: it brings \"b\" where it is already");
}

TEST_F(DiamondByLayer, ACopyLastsAsLongAsItsLinkNeeds) {
  trace_.run.spans[1].start -= Nanos{1};
  trace_.run.spans[1].end = Nanos{11015};
  EXPECT_TRUE(trace_.BrokenRules().contains("dates"));
  trace_.run.spans[1].start = Nanos{10000};
  trace_.run.spans[1].shown_duration = Nanos{1015};
  EXPECT_EQ(trace_.FirstViolation(),
            "occupation s #0 @10: its transfer takes 1.015 us, it should take 1.016 us");
}

TEST_F(DiamondByLayer, WithoutTransfersThereAreNoCopies) {
  const Scenario none = Diamond("none");
  EXPECT_EQ(DiamondTrace(none).BrokenRules(), Rules({"copies"}));
}

TEST_F(DiamondByLayer, OutputsComeBackToTheFirstMemory) {
  Scenario elsewhere = Diamond("copy");
  elsewhere.platform->units[0].memory = MemoryId(1);
  EXPECT_TRUE(DiamondTrace(elsewhere).BrokenRules().contains("copies"));
}

TEST_F(DiamondByLayer, WeightsAndTensorsFitTheMemory) {
  // Three fully connected layers of 4 x 4 and their biases are 240 bytes; what a and b make 16 each.
  scenario_.platform->memories[1].capacity_bytes = 272;
  EXPECT_EQ(trace_.FirstViolation(), "");
  scenario_.platform->memories[1].capacity_bytes = 255;
  EXPECT_EQ(trace_.FirstViolation(),
            "memory s #0 @10: memory \"vram\" then holds 256 bytes, its capacity is 255");
}

}  // namespace
}  // namespace tandem
