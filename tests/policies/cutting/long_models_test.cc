// Do policies that cut models take time by the length of a model, and not by its square? Nothing is measured:
// what grew by the square would not end here within any limit.
#include <gtest/gtest.h>

#include "policies/bounds/cover_kinds.h"
#include "policies/engine/virtual_runner.h"
#include "profiles/base/files.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

constexpr int kLayers = 12'000;

std::string Name(int layer) { return "l" + std::to_string(layer); }

std::string ChainJson() {
  std::string text = R"({"tandem": "model/1", "name": "chain", "layers": [)"
                     R"({"name": "l0", "op": "input", "shape": [1, 4]})";
  for (int l = 1; l <= kLayers; ++l) {
    text += R"(, {"name": ")" + Name(l) + R"(", "op": "relu", "inputs": [")" + Name(l - 1) + "\"]}";
  }
  return text + "]}";
}

std::string ScenarioJson() {
  std::string entries;
  for (const char* unit : {"u0", "u1"}) {
    for (int l = 1; l <= kLayers; ++l) {
      entries += std::string(entries.empty() ? "" : ", ") + R"({"model": "./chain.model.json", "unit": ")" +
                 unit + R"(", "layers": [")" + Name(l) + R"("], "median_us": )" + std::to_string(1 + l % 7) +
                 "}";
    }
  }
  return R"({"tandem": "scenario/1", "name": "long", "transfer": "copy", "platform": {"name": "b",
      "memories": [{"name": "m"}, {"name": "n"}],
      "links": [{"from": "m", "to": "n", "latency_us": 1, "bandwidth_bytes_per_s": 1000000000}],
      "units": [{"name": "u0", "kind": "cpu", "memory": "m"}, {"name": "u1", "kind": "gpu", "memory": "n"}]},
      "profiles": [{"platform": "b", "origin": {"kind": "estimated", "method": "t"}, "entries": [)" +
         entries + R"(]}], "streams": [{"name": "a", "model": "./chain.model.json", "count": 1,
      "arrival": {"type": "offline"}}]})";
}

TEST(LongModels, AreCutAndBoundedInTimeByTheirLength) {
  const TempFolder folder;
  WriteFile(folder / "chain.model.json", ChainJson());
  WriteFile(folder / "s.scenario.json", ScenarioJson());
  const Scenario scenario = ReadScenarioFile(folder / "s.scenario.json");
  EXPECT_EQ(FindCoverKinds(scenario, true).kinds.at(0).entries.size(), 2U * kLayers);
  for (const char* name : {"split", "pipeline"}) {
    const PolicySpec spec = PolicyByName(name, scenario, "test");
    const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
    EXPECT_GT(RunVirtual(*made.problem, *made.policy).makespan(), Nanos{0}) << name;
  }
}

}  // namespace
}  // namespace tandem
