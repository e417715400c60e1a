// Is a quantised network measured in fp32 and in int8, simulated by that, and right in both when its plans
// run?
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "device/backends/cpu/xnnpack/conv.h"
#include "device/harness/harness.h"
#include "device/host/info.h"
#include "device/profiler/profiler.h"
#include "policies/engine/virtual_runner.h"
#include "policies/kinds/make_plan.h"
#include "profiles/base/files.h"
#include "profiles/model/model_builder.h"
#include "profiles/model/model_export.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

constexpr std::int64_t kRequests = 4;

QuantizeAttributes GridOfBytes(double scale, std::int64_t zero) { return {scale, zero, GridType::kInt8}; }

ModelBuilder QuantizedNet() {
  ConvAttributes window = SquareConv(8, 3, 1, 1);
  window.quantized = true;
  ModelBuilder net("net");
  net.Input("in", {1, 3, 9, 9});
  net.Add("in_q", Op::kQuantize, GridOfBytes(1.0 / 128, 0));
  net.Conv("first", window);
  net.Relu("relu");
  net.Add("first_q", Op::kQuantize, GridOfBytes(0.02, -128));
  net.Conv("second", window);
  net.Add("second_q", Op::kQuantize, GridOfBytes(0.02, 3));
  net.Sum("sum", "second_q", "first_q");
  net.Add("sum_q", Op::kQuantize, GridOfBytes(0.03, 5));
  net.AvgPool("mean", GlobalPool());
  net.Add("mean_q", Op::kQuantize, GridOfBytes(0.01, -4));
  net.Add("flat", Op::kFlatten);
  net.Add("fc", Op::kFc, FcAttributes{6, true, 1, true});
  net.Add("fc_q", Op::kQuantize, GridOfBytes(0.02, 0));
  return net;
}

// Whole numbers round its bias, so that some of its many outputs are the next number of their fine grid.
ModelBuilder RoundedOtherwise() {
  ConvAttributes window = SquareConv(8, 3, 1, 1);
  window.quantized = true;
  ModelBuilder net("net");
  net.Input("in", {1, 3, 32, 32});
  net.Add("in_q", Op::kQuantize, GridOfBytes(1.0 / 128, 0));
  net.Conv("conv", window);
  net.Add("conv_q", Op::kQuantize, GridOfBytes(0.004, 0));
  return net;
}

// Two units of the same core, one after the other: one of numbers, one that has bytes as a variant.
class Int8Plans : public ::testing::Test {
 protected:
  void SetUp() override {
    if (XnnVersion().empty()) GTEST_SKIP() << "built without XNNPACK";
    if (ModelExportFormats() != ".onnx") GTEST_SKIP() << "built without ONNX";
    Take(QuantizedNet());
  }

  void Take(const ModelBuilder& net) {
    const Model model = net.Build();
    ExportModel(folder_ / "net.onnx", model, RandomWeights(model, 7));
    profile_ = Measured();
    WriteFile(folder_ / "times.profile.json", ProfileJson(profile_));
  }

  std::string PlatformText() const {
    const std::string core = std::to_string(UsableCores().front());
    const auto unit = [&](const char* name) {
      return std::string(R"({"name": ")") + name +
             R"(", "kind": "cpu", "memory": "dram", "backend": "cpu", "cores": [)" + core + "]}";
    };
    return R"({"name": "board", "memories": [{"name": "dram"}], "units": [)" +
           (only_bytes_ ? "" : unit("numbers") + ", ") + unit("bytes") + "]}";
  }

  Profile Measured() const {
    const std::string text = R"({"tandem": "profile-request/1", "platform": )" + PlatformText() +
                             R"(, "models": ["./net.onnx"], "min_samples": 3, "noise": 0.5, "warm_up_ms": 0,
        "co_running": "none", "budget_s": 0.2, "variants": {)" +
                             (only_bytes_ ? "" : R"("numbers": ["fp32"], )") +
                             R"("bytes": ["fp32", "int8"]}})";
    const ProfileOrder order =
        ReadProfileOrder(JsonDocument::Parse(text, (folder_ / "request.json").string()).root());
    return MeasureProfile(order, {}).profile;
  }

  Nanos WholeModel(const std::string& unit, const std::string& precision) const {
    for (const CostEntry& entry : profile_.entries) {
      if (entry.unit == unit && entry.variant.precision == precision && entry.layers.empty()) {
        return entry.time.median;
      }
    }
    ADD_FAILURE() << unit << " was not measured in " << precision;
    return Nanos{0};
  }

  struct Planned {
    Nanos makespan{0};
    std::int64_t element_bytes = 0;  // of what "bytes" makes
    DeviceRun run;
  };
  // Simulated and run: the policy of that scenario, where "bytes" has that precision.
  Planned Plan(const std::string& policy, const std::string& precision) const {
    const std::string text =
        R"({"tandem": "scenario/1", "name": "run", "platform": )" + PlatformText() +
        R"(, "profiles": ["times.profile.json"], "policies": [], "variants": {"bytes": ")" + precision +
        R"("}, "streams": [{"name": "x", "model": "./net.onnx", "count": )" + std::to_string(kRequests) +
        R"(, "arrival": {"type": "offline"}}]})";
    const std::filesystem::path file = folder_ / "run.scenario.json", path = folder_ / "plan.json";
    WriteFile(file, text);
    const Scenario scenario = ReadScenarioFile(file);
    const JsonDocument document = JsonDocument::Parse(policy, "policy");
    const PolicySpec spec = ReadPolicy(document.root(), scenario);
    const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
    Planned planned;
    planned.makespan = RunVirtual(*made.problem, *made.policy).makespan();
    planned.element_bytes = made.problem->ElementBytes(scenario.platform->FindUnit("bytes"));
    const PlanPrediction predicted{"virtual", std::nullopt, planned.makespan, std::nullopt};
    WriteFile(path, PlanJson(MakePlan(*made.problem, spec, *made.policy, predicted), scenario, file, path));
    RunOrder order;
    order.plans.push_back(ReadPlan(JsonDocument::ReadFile(path).root()));
    HarnessHost host;
    host.host = profile_.origin.host;
    host.libraries = profile_.origin.libraries;
    host.pause = Nanos{0};
    planned.run = RunPlans(order, host).runs.at(0);
    return planned;
  }

  TempFolder folder_;
  bool only_bytes_ = false;  // has the board no unit of numbers?
  Profile profile_;
};

TEST_F(Int8Plans, BothVariantsAreMeasuredSimulatedByTheirTimesAndRight) {
  Nanos dispatch{0};
  for (const DispatchEntry& entry : profile_.dispatch) {
    if (entry.unit == "bytes") dispatch = entry.time.median;
  }
  for (const std::string precision : {"fp32", "int8"}) {
    const Nanos whole = WholeModel("bytes", precision);
    const Planned planned = Plan(R"("single:bytes")", precision);
    EXPECT_GE(planned.makespan, kRequests * whole) << precision;
    EXPECT_LE(planned.makespan, kRequests * (whole + dispatch)) << precision;
    EXPECT_TRUE(planned.run.complete) << planned.run.failure;
    EXPECT_EQ(planned.run.outputs.checked, kRequests) << "against those of \"numbers\"";
    EXPECT_EQ(planned.run.outputs.wrong, 0) << precision << ", worst " << planned.run.outputs.worst;
    EXPECT_DOUBLE_EQ(planned.run.outputs.tolerance, precision == "int8" ? 0.25 : 1e-4);
  }
}

TEST_F(Int8Plans, BytesAloneAreHeldAgainstNumbersAndNotAgainstThemselves) {
  only_bytes_ = true;
  Take(RoundedOtherwise());
  const Planned planned = Plan(R"("single:bytes")", "int8");
  EXPECT_TRUE(planned.run.complete) << planned.run.failure;
  EXPECT_EQ(planned.run.outputs.checked, kRequests);
  EXPECT_EQ(planned.run.outputs.wrong, 0);
  EXPECT_GT(planned.run.outputs.worst, 0) << "no rounding is seen where bytes are held against bytes";
}

TEST_F(Int8Plans, PartsOfANetworkHandOnFloatsBetweenBytesAndNumbers) {
  const Planned planned = Plan(R"({"name": "fcfs", "granularity": "group"})", "int8");
  EXPECT_EQ(planned.element_bytes, 4) << "at the edge of a segment";
  EXPECT_TRUE(planned.run.complete) << planned.run.failure;
  EXPECT_EQ(planned.run.outputs.checked, kRequests);
  EXPECT_EQ(planned.run.outputs.wrong, 0) << planned.run.outputs.worst;
}

}  // namespace
}  // namespace tandem
