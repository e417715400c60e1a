// Is it said why no unit holds a model that some could run?
#include <gtest/gtest.h>

#include "tests/support/error_of.h"
#include "tests/support/json_scenario.h"
#include "tests/support/run_policy.h"

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

}  // namespace
}  // namespace tandem
