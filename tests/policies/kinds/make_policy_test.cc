// Is it said why no unit holds a model that some could run?
#include <gtest/gtest.h>
#include <malloc.h>

#include "policies/kinds/make_plan.h"
#include "tests/support/error_of.h"
#include "tests/support/json_scenario.h"
#include "tests/support/run_policy.h"
#include "tests/support/sanitized.h"

namespace tandem {
namespace {

// Two models of 25,700 parameters, of which a task takes 400 bytes for what it makes, on one unit: 103,200
// bytes for one, 206,000 for both.
Scenario TwoOnOneUnit(const std::string& of_memory, const std::string& of_unit) {
  const std::string dense =
      R"([{"name": "in", "op": "input", "shape": [1, 1, 16, 16]}, {"name": "a", "op": "fc", "inputs": ["in"],
           "out_features": 100}])";
  const auto stream = [](const std::string& model) {
    return R"({"name": ")" + model + R"(", "model": ")" + model +
           R"(.json", "count": 2, "arrival": {"type": "offline"}})";
  };
  return JsonScenario{R"("memories": [{"name": "dram")" + of_memory +
                          R"(}], "units": [{"name": "npu", "kind": "npu", "memory": "dram")" + of_unit + "}]",
                      R"("entries": [{"model": "m0.json", "unit": "npu", "layers": "*", "median_us": 10},
                                     {"model": "m1.json", "unit": "npu", "layers": "*", "median_us": 10}])",
                      {dense, dense},
                      R"("transfer": "none", "streams": [)" + stream("m0") + ", " + stream("m1") + "]"}
      .Read();
}

std::string Refused(const Scenario& scenario) {
  return ErrorOf([&] { RunPolicy(scenario, R"("fcfs")"); });
}

TEST(MakePolicy, SaysHowManyBytesAreMissingForModelsThatFitOneByOne) {
  EXPECT_EQ(RunPolicy(TwoOnOneUnit(R"(, "capacity_bytes": 206000)", ""), R"("fcfs")").complete, true);
  const std::string what = Refused(TwoOnOneUnit(R"(, "capacity_bytes": 150000)", ""));
  EXPECT_NE(
      what.find(R"(of the units that could run model "m1.json" none holds the model: memory "dram" of unit )"
                R"("npu" is 56000 bytes too small for it beside "m0.json"; "resident" says which units hold )"
                "which models"),
      std::string::npos)
      << what;
}

TEST(MakePolicy, SaysWhereAUnitMayHoldNoMore) {
  const std::string what = Refused(TwoOnOneUnit("", R"(, "resident_models": 1)"));
  EXPECT_NE(
      what.find(R"(none holds the model: unit "npu" holds "m0.json", as many models as it may; "resident")"),
      std::string::npos)
      << what;
}

// Bytes that the policy takes on so many units that are alike.
std::size_t RoomOf(std::string_view policy, int units) {
  std::string all, entries;
  for (int u = 0; u < units; ++u) {
    const std::string name = "\"u" + std::to_string(u) + "\"", more = u > 0 ? ", " : "";
    all += more + R"({"name": )" + name + R"(, "kind": "npu", "memory": "dram"})";
    entries += more + R"({"model": "m0.json", "unit": )" + name + R"(, "layers": "*", "median_us": 10})";
  }
  const Scenario scenario =
      JsonScenario{
          R"("memories": [{"name": "dram"}], "units": [)" + all + "]",
          R"("entries": [)" + entries + "]",
          {R"([{"name": "in", "op": "input", "shape": [1, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"},
          R"("streams": [{"name": "s", "model": "m0.json", "count": 2, "arrival": {"type": "offline"}}])"}
          .Read();
  const PolicySpec spec = PolicyByName(policy, scenario, "test");
  const auto problem = ProblemFor(spec, scenario);
  const auto taken = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
  const std::size_t before = taken();
  const Prepared made = MakePolicy(spec, problem);
  return taken() - before;
}

// Nothing has a row for every two units: four times as many take four times as much, not sixteen times.
TEST(MakePolicy, TakesRoomByTheNumberOfUnits) {
  if (kSanitized) return;  // its malloc does not count
  for (const char* policy : {"eft", "fastest_unit", "fcfs"}) {
    EXPECT_LT(RoomOf(policy, 4000), 6 * RoomOf(policy, 1000)) << policy;
  }
}

}  // namespace
}  // namespace tandem
