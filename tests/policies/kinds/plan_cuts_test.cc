// Does a plan that cuts models itself read back as it was written, and run again to the same?
#include <gtest/gtest.h>
#include "policies/engine/virtual_runner.h"
#include "policies/kinds/make_plan.h"
#include "profiles/base/files.h"
#include "tests/support/error_of.h"
#include "tests/support/random_cuts.h"
#include "tests/support/random_scenario.h"
#include "tests/support/recorded_run.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

struct Written {
  std::string plan, run;
  std::size_t parts = 0;
};

Written WriteAndRun(const PolicySpec& spec, const Scenario& scenario, const fs::path& file) {
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  const Problem& problem = *made.problem;
  RecordedRun run;
  RunOptions options;
  options.spans = &run;
  const Outcome outcome = RunVirtual(problem, *made.policy, options);
  run.Add(outcome);
  const PlanPrediction predicted{"virtual", {}, outcome.makespan(), {}};
  return {PlanJson(MakePlan(problem, spec, *made.policy, predicted), scenario, scenario.file, file),
          run.text(), CountParts(problem)};
}

class CutPlans : public testing::Test {
 protected:
  Scenario Random(std::uint64_t seed) const {
    return ReadScenarioFile(WriteRandomScenario(seed, folder_.string()));
  }
  TempFolder folder_;
};

TEST_F(CutPlans, ReadBackToTheSameBytesAndTheSameRun) {
  std::size_t plans = 0, parts = 0;
  const fs::path file = folder_ / "x.plan.json";
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Scenario scenario = Random(seed);
    Written written;
    try {
      PolicySpec spec = PolicyByName("best", scenario, "test");
      spec.decided = std::make_shared<Decisions>(RandomPlan(scenario, seed, "eft", seed % 2 == 0));
      written = WriteAndRun(spec, scenario, file);
    } catch (const InputError&) {
      continue;  // nowhere to run, as things are cut
    }
    WriteFile(file, written.plan);
    const JsonDocument document = JsonDocument::ReadFile(file);
    const PlanFile read = ReadPlan(document.root());
    const Written again = WriteAndRun(read.plan.policy, read.scenario, file);
    ASSERT_EQ(written.plan, again.plan) << "seed " << seed;
    ASSERT_EQ(written.run, again.run) << "seed " << seed;
    ++plans;
    parts += written.parts;
  }
  EXPECT_GT(plans, 30U);
  EXPECT_GT(parts, 40U);
}

TEST_F(CutPlans, AreReadStrictly) {
  const Scenario scenario = Random(1);
  PolicySpec spec = PolicyByName("fcfs", scenario, "test");
  const std::string own = WriteAndRun(spec, scenario, folder_ / "own.plan.json").plan;
  spec.decided = std::make_shared<Decisions>(
      Decisions{Granularity::kModel,
                nullptr,
                {},
                std::make_shared<PolicySpec>(PolicyByName("fcfs", scenario, "test")),
                {}});
  const fs::path file = folder_ / "x.plan.json";
  std::string plan = WriteAndRun(spec, scenario, file).plan;
  const std::string model = JsonString(scenario.models[0].name);
  const auto error = [&](const std::string& key, const std::string& value) {
    std::string text = plan;
    text.insert(1, "\"" + key + "\": [" + value + "],");
    WriteFile(file, text);
    const JsonDocument document = JsonDocument::ReadFile(file);
    const std::string said = ErrorOf([&] { ReadPlan(document.root()); });
    return said.starts_with(file.string()) ? said.substr(file.string().size()) : said;
  };
  const std::string cut = R"({"model": )" + model + R"(, "batch": 1, "layers": )";
  EXPECT_EQ(
      error("cuts", cut + R"([{"layers": ["l0"], "part": {"axis": "columns", "first": 0, "end": 1}}]})"),
      R"(:/cuts/0/layers/0/part/axis: unknown axis "columns"; known: channels, rows)");
  EXPECT_EQ(error("cuts", cut + R"([{"layers": ["l0"], "part": {"axis": "rows", "first": 2, "end": 2}}]})")
                .substr(0, 29),
            ":/cuts/0/layers/0/part/end: 2");
  EXPECT_EQ(error("cuts", cut + R"([{"layers": ["l0"]}]})"),
            R"(:/cuts/0/layers/0: the key "part" is missing)");
  EXPECT_EQ(error("cuts", cut + "[[]]}"), ":/cuts/0/layers/0: a segment needs at least one layer");
  EXPECT_EQ(error("edges",
                  R"({"model": )" + model + R"(, "batch": 1, "from": "in", "to": "l0", "transfer": "cpoy"})"),
            R"(:/edges/0/transfer: unknown transfer mode "cpoy"; did you mean "copy"?)");
  EXPECT_EQ(error("splits", "").substr(0, 22), R"(: unknown key "splits")");
  plan = own;
  EXPECT_EQ(error("cuts", cut + R"([["l0"]]})"), R"(:/cuts: it needs a "schedule" or a "rule" beside it)");
}

}  // namespace
}  // namespace tandem
