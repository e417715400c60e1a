// Does the device give what one unit alone gives, whatever a plan cuts: any groups of layers, layers split by
// channels and rows with their parts at once, on any units, with several requests under way?
#include <gtest/gtest.h>
#include "device/harness/harness.h"
#include "device/harness/output_check.h"
#include "device/service/tandem_device.h"
#include "policies/kinds/make_plan.h"
#include "policies/kinds/prepared_run.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/model/model_json.h"
#include "scenarios/check/trace_check.h"
#include "tests/support/device/cut_plans.h"
#include "tests/support/device/reference_run.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

constexpr const char* kReferences =
    R"([{"name": "one", "kind": "cpu", "memory": "dram", "backend": "reference"},
   {"name": "two", "kind": "cpu", "memory": "dram", "backend": "reference", "slots": 2}])";

// Where the backend cpu was built, one unit is of that kind.
std::string MixedUnits() {
  for (const DeviceBackend* backend : Backends()) {
    if (backend->name() != "cpu") continue;
    return R"([{"name": "one", "kind": "cpu", "memory": "dram", "backend": "cpu", "cores": [)" +
           std::to_string(UsableCores().front()) +
           R"(]}, {"name": "two", "kind": "cpu", "memory": "dram", "backend": "reference"}])";
  }
  return kReferences;
}

class SplitPlans : public testing::Test {
 protected:
  std::string Written(const Model& model) const {
    const std::filesystem::path file = folder_ / "model.json";
    WriteFile(file, ModelJson(model, ""));
    return file.string();
  }

  void ExpectAsOneUnit(PlanToCut cut, const Model& model, Chance& chance, const std::string& what) const {
    cut.model = Written(model);
    RunOrder request;
    request.plans.push_back(PlanOf(cut, chance));
    request.force = request.trace = true;
    HarnessHost place;
    place.pause = Nanos{0};
    const RunAnswer result = RunPlans(request, place);
    ASSERT_EQ(result.runs.size(), 1u) << what;
    const DeviceRun& run = result.runs[0];
    EXPECT_TRUE(run.complete) << what << ": " << run.failure;
    EXPECT_EQ(run.outputs.checked, cut.requests) << what;
    EXPECT_EQ(run.outputs.wrong, 0) << what << ", worst " << run.outputs.worst;
    const JsonDocument trace = JsonDocument::Parse(result.trace, "trace");
    const TraceJudgement judged = CheckTrace(request.plans[0].scenario, ReadTrace(trace.root()));
    for (const TraceFinding& finding : judged.violations) {
      ADD_FAILURE() << what << ", " << finding.rule << ", " << finding.request << ": " << finding.what;
    }
  }

  void ExpectAllAsOneUnit(const std::string& units, std::uint64_t seeds) const {
    std::size_t parts = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      Chance chance(seed);
      const Model model = RandomNetwork(chance, 8);
      PlanToCut cut;
      cut.units = units;
      cut.batch = 1 + chance.Below(2);
      cut.pieces = RandomPieces(model, chance);
      for (const CutPiece& piece : cut.pieces) parts += piece.part ? 1 : 0;
      ASSERT_NO_FATAL_FAILURE(ExpectAsOneUnit(cut, model, chance, "seed " + std::to_string(seed)));
      if (testing::Test::HasFailure()) break;
    }
    EXPECT_GT(parts, 4 * seeds) << "hardly anything was split";
  }

  const std::filesystem::path& folder() const { return folder_; }

 private:
  TempFolder folder_;
};

TEST_F(SplitPlans, RandomCutsOnReferenceUnitsGiveWhatOneUnitGives) { ExpectAllAsOneUnit(kReferences, 15); }

TEST_F(SplitPlans, RandomCutsOnMixedUnitsGiveWhatOneUnitGives) { ExpectAllAsOneUnit(MixedUnits(), 12); }

// Emulated units wait for parts as the profile says, and compute nothing.
TEST_F(SplitPlans, EmulatedUnitsTakeParts) {
  Chance chance(5);
  const Model model = RandomNetwork(chance, 6);
  PlanToCut cut;
  cut.model = Written(model);
  cut.units = R"([{"name": "one", "kind": "cpu", "memory": "dram", "backend": "reference"},
                  {"name": "two", "kind": "npu", "memory": "dram", "backend": "emulated"}])";
  cut.pieces = RandomPieces(model, chance);
  RunOrder request;
  request.plans.push_back(PlanOf(cut, chance));
  request.force = true;
  HarnessHost place;
  place.pause = Nanos{0};
  const DeviceRun run = RunPlans(request, place).runs.at(0);
  EXPECT_TRUE(run.complete) << run.failure;
  EXPECT_EQ(run.outputs.unchecked, cut.requests);
}

// A program runs whole models alone: the plan is refused before anything runs.
TEST_F(SplitPlans, AProgramTakesNoParts) {
  Chance chance(5);
  const Model model = RandomNetwork(chance, 6);
  PlanToCut cut;
  cut.model = Written(model);
  cut.units =
      R"([{"name": "tpu", "kind": "tpu", "memory": "dram", "backend": "command", "command": ["sh", "-c",
                   "echo tandem-unit/1 echo 1; while read line; do echo ok 1 0; done"]}])";
  cut.pieces = RandomPieces(model, chance);
  RunOrder request;
  request.plans.push_back(PlanOf(cut, chance));
  request.force = true;
  HarnessHost place;
  place.pause = Nanos{0};
  try {
    RunPlans(request, place);
    ADD_FAILURE() << "it ran";
  } catch (const EnvironmentError& error) {
    EXPECT_NE(std::string(error.what()).find("a program runs whole models alone, so not"), std::string::npos)
        << error.what();
  }
}

// A plan file keeps cuts and parts; the library answers from them.
TEST_F(SplitPlans, AServiceAnswersFromASplitPlan) {
  Chance chance(11);
  const Model model = RandomNetwork(chance, 8);
  PlanToCut cut;
  cut.model = Written(model);
  cut.units = kReferences;
  cut.pieces = RandomPieces(model, chance);
  cut.file = folder() / "cut.scenario.json";
  const PlanFile made = PlanOf(cut, chance);
  const PreparedRun prepared = Prepare(made.scenario, made.plan.policy);
  const Plan plan =
      MakePlan(*prepared.problem, made.plan.policy, *prepared.policy, {"virtual", {}, Nanos{1}, {}});
  WriteFile(folder() / "cut.plan.json", WholePlanJson(plan, made.scenario));
  device::ServiceOptions options;
  options.force = true;
  options.seed = 3;
  options.drift = 1e9;
  device::PlanService service((folder() / "cut.plan.json").string(), options);
  const Weights weights = RandomWeights(model, options.seed);
  for (const std::uint32_t seed : {1u, 2u}) {
    const Tensor input = Scattered(model.layers()[0].output, seed);
    std::vector<std::vector<float>> expected;
    VisitReference(model, weights, {input}, [&](LayerId id, const Tensor& tensor) {
      if (model.users(id).empty()) expected.push_back(tensor.values);
    });
    device::RequestResult answered;
    service.Submit("x", {input.values}, [&](const device::RequestResult& result) { answered = result; });
    service.Drain();
    EXPECT_EQ(answered.status, device::RequestStatus::kDone) << answered.why;
    ASSERT_EQ(answered.outputs.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_LT(RelativeError(answered.outputs[i], expected[i]), 1e-5);
    }
  }
}

}  // namespace
}  // namespace tandem
