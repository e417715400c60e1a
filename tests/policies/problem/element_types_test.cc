// Do copies, and room in memory, follow the types that programs' inputs and outputs are said to have?
#include <gtest/gtest.h>

#include "policies/bounds/bound.h"
#include "policies/kinds/make_plan.h"
#include "tests/support/json_scenario.h"
#include "tests/support/judged_run.h"
#include "tests/support/run_policy.h"
#include "tests/support/span_lines.h"

namespace tandem {
namespace {

std::string ProgramOf(const std::string& in, const std::string& out) {
  return R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4])" + in +
         R"(}, {"name": "a", "op": "opaque", "inputs": ["in"], "shape": [1, 16])" + out + "}]";
}

// 64 bytes take 1 us; the program 10, on a card that makes numbers of 16 bits.
Scenario OnACard(const std::string& in, const std::string& out) {
  const JsonScenario json{
      R"("memories": [{"name": "dram"}, {"name": "vram"}],
         "links": [{"from": "dram", "to": "vram", "latency_us": 0, "bandwidth_bytes_per_s": 64000000}],
         "units": [{"name": "gpu", "kind": "gpu", "memory": "vram"}])",
      R"("entries": [{"model": "m0.json", "unit": "gpu", "layers": "*", "median_us": 10, "variant": "x", "precision": "fp16"}])",
      {ProgramOf(in, out)},
      R"("transfer": "copy", "streams": [
         {"name": "s", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}}])"};
  return json.Read();
}

TEST(ElementTypes, WithoutThemInputsAreFloatsAndOutputsAsTheUnitMakesThem) {
  EXPECT_EQ(SpansOf(OnACard("", "")),
            (std::vector<std::string>{"u0 transfer #0 0-1000", "u0 compute #0 1000-11000",
                                      "u0 transfer #0 11000-11500"}));
}

TEST(ElementTypes, CopiesHaveTheirBytes) {
  const Scenario scenario = OnACard(R"(, "type": "uint8")", R"(, "type": "int64")");
  EXPECT_EQ(SpansOf(scenario), (std::vector<std::string>{"u0 transfer #0 0-250", "u0 compute #0 250-10250",
                                                         "u0 transfer #0 10250-12250"}));
  EXPECT_EQ(LowerBound(Problem(scenario, Granularity::kModel)).makespan, Nanos{12250});
  const PolicySpec spec = PolicyByName("fcfs", scenario, "test");
  EXPECT_TRUE(
      JudgeRun(MakePolicy(spec, ProblemFor(spec, scenario)), spec, scenario, scenario).violations.empty());
}

TEST(ElementTypes, RoomFollowsThem) {
  const Scenario plain = OnACard("", "");
  EXPECT_EQ(Problem(plain, Granularity::kModel).TaskBytes(SegmentId(0), UnitId(0)), 64 + 32);
  const Scenario typed = OnACard(R"(, "type": "uint8")", R"(, "type": "int64")");
  EXPECT_EQ(Problem(typed, Granularity::kModel).TaskBytes(SegmentId(0), UnitId(0)), 16 + 128);
}

}  // namespace
}  // namespace tandem
