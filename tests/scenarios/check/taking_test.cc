// Does the judge go by the moment when a task got its slot, and does it refuse loads of what is there?
#include <gtest/gtest.h>

#include "tests/support/json_scenario.h"
#include "tests/support/trace_maker.h"

namespace tandem {
namespace {

// One unit that holds one model at a time and can load both; 10 us a run, 100 us a load.
Scenario TwoModelsOneAtATime() {
  const std::string chain = R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]},
                                {"name": "a", "op": "relu", "inputs": ["in"]}])";
  const std::string on_npu = R"(", "unit": "npu", "median_us": )";
  return JsonScenario{
      R"("memories": [{"name": "dram"}],
         "units": [{"name": "npu", "kind": "npu", "memory": "dram", "resident_models": 1, "slots": 2}])",
      R"("entries": [{"layers": "*", "model": "m0.json)" + on_npu + R"(10},
                     {"layers": "*", "model": "m1.json)" +
          on_npu + R"(10}], "loads": [{"model": "m0.json)" + on_npu + R"(100}, {"model": "m1.json)" + on_npu +
          "100}]",
      {chain, chain},
      R"("resident": {"npu": ["m0.json"]}, "streams": [
         {"name": "x", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}},
         {"name": "y", "model": "m1.json", "count": 2, "arrival": {"type": "offline"}}])"}
      .Read();
}

// x runs; then the one slot loads y's model, and the other one runs y beside it.
TraceMaker LoadedOnce(const Scenario& scenario) {
  TraceMaker trace(scenario, "fcfs");
  trace.run.residents["npu"] = {scenario.models[0].name};
  trace.Task("npu", "x", 0, 0, 0, 10).taken = Nanos{0};
  TracedSpan& load = trace.Task("npu", "y", 0, 0, 10, 110);
  load.kind = SpanKind::kLoad;
  load.taken = Nanos{0};
  load.track = trace.Track("npu", 1);
  TracedSpan& first = trace.Task("npu", "y", 0, 0, 110, 120);
  first.taken = Nanos{0};
  first.track = trace.Track("npu", 1);
  trace.Task("npu", "y", 1, 0, 110, 120).taken = std::chrono::microseconds{10};
  return trace;
}

TEST(Loads, OfAModelThatIsThereAreRefused) {
  const Scenario scenario = TwoModelsOneAtATime();
  EXPECT_EQ(LoadedOnce(scenario).FirstViolation(), "");
  TraceMaker twice = LoadedOnce(scenario);
  TracedSpan& second = twice.run.spans.back();
  second.start = second.shown_start = std::chrono::microseconds{210};
  second.end = std::chrono::microseconds{220};
  TracedSpan& load = twice.Task("npu", "y", 1, 0, 110, 210);
  load.kind = SpanKind::kLoad;
  load.taken = std::chrono::microseconds{10};
  twice.run.end = std::chrono::microseconds{220};
  EXPECT_EQ(twice.FirstViolation("residents"),
            "residents y #1 @110: unit \"npu\" loads its model, which is there, or being loaded, already");
}

// When a slot was taken is told: idle before it is idle, and late is late, whatever it waits for then.
TEST(Taking, IsWhatIdlenessAndDropsAreJudgedBy) {
  const Scenario scenario = TwoModelsOneAtATime();
  TraceMaker late = LoadedOnce(scenario);
  for (TracedSpan& span : late.run.spans) {
    if (span.track == late.Track("npu", 1)) span.taken = std::chrono::microseconds{5};
  }
  EXPECT_EQ(late.FirstViolation(), "idle y #0 @0: it waits, and npu is idle until 5 us");
  late.run.spans[1].taken = Nanos{0};
  EXPECT_TRUE(late.BrokenRules().contains("dates"));  // the parts of a task disagree
  Scenario drops = TwoModelsOneAtATime();
  drops.streams[1].deadline = std::chrono::microseconds{8};
  drops.streams[1].drop_late = true;
  EXPECT_EQ(LoadedOnce(drops).FirstViolation(),
            "drops y #1 @10: it starts after its deadline, when it should have been dropped");
}

// Two slots of one order: y #1 may have to wait for x #1, which comes at 100 us, though a slot is idle.
TEST(Order, OfAUnitIsOfAllItsSlots) {
  const Scenario scenario =
      JsonScenario{
          R"("memories": [{"name": "dram"}], "units": [{"name": "npu", "kind": "npu", "memory": "dram", "slots": 2}])",
          R"("entries": [{"layers": "*", "model": "m0.json", "unit": "npu", "median_us": 10}])",
          {R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"},
          R"("streams": [
         {"name": "x", "model": "m0.json", "count": 2, "arrival": {"type": "periodic", "period_us": 100}},
         {"name": "y", "model": "m0.json", "count": 2, "arrival": {"type": "offline"}}])"}
          .Read();
  const auto trace_until = [&](const std::string& policy, double last) {
    TraceMaker trace(scenario, policy);
    trace.Task("npu", "x", 0, 0, 0, 10);
    trace.Task("npu", "y", 0, 0, 0, 10).track = trace.Track("npu", 1);
    trace.Task("npu", "x", 1, 100, 100, 110);
    trace.Task("npu", "y", 1, 0, last, last + 10).track = trace.Track("npu", 1);
    return trace;
  };
  EXPECT_EQ(trace_until("heft", 100).FirstViolation(), "");
  EXPECT_EQ(trace_until("heft", 105).FirstViolation(),
            "idle y #1 @100: it waits, and npu is idle until 105 us");
  EXPECT_TRUE(trace_until("fcfs", 100).BrokenRules().contains("idle"));
}

}  // namespace
}  // namespace tandem
