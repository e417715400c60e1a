// Does the estimator find efficiencies again that it was not told, and does it refuse what it cannot know?
#include "profiles/estimate/estimator.h"

#include <gtest/gtest.h>

#include <string>

#include "profiles/base/files.h"
#include "profiles/base/json_write.h"
#include "profiles/estimate/evaluation.h"
#include "profiles/model/model_builder.h"
#include "tests/support/error_of.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

constexpr Rates kPeak{1e11, 1e10, 1};

// Layers of one class, small to large, some short of operations and some of bytes.
std::vector<KnownTime> LayersOf(const ClassCost& truth, RooflineForm form, CostClass cost_class) {
  EfficiencyModel model{form, {}};
  model.classes[static_cast<std::size_t>(cost_class)] = truth;
  std::vector<KnownTime> known;
  for (int i = 1; i <= 40; ++i) {
    const LayerWork work{cost_class, 1e6 * i * i, 1e5 * i * i * (1 + i % 5)};
    known.push_back({work, kPeak, model.Seconds(work, kPeak)});
  }
  return known;
}

const ClassCost& CostOf(const EfficiencyModel& model, CostClass cost_class) {
  return model.classes[static_cast<std::size_t>(cost_class)];
}

TEST(EfficiencyFit, FindsOverheadAndEfficienciesAgain) {
  const auto known = LayersOf({5e-5, 4, 2, 0}, RooflineForm::kSum, CostClass::kConv3x3);
  const ClassCost cost = CostOf(FitEfficiency(known, RooflineForm::kSum), CostClass::kConv3x3);
  EXPECT_NEAR(cost.overhead_s, 5e-5, 1e-8);
  EXPECT_NEAR(cost.operation_cost, 4, 1e-3);
  EXPECT_NEAR(cost.byte_cost, 2, 1e-3);
  EXPECT_EQ(cost.fitted_to, 40U);
}

TEST(EfficiencyFit, AFewWildTimesDoNotPull) {
  auto known = LayersOf({5e-5, 4, 2, 0}, RooflineForm::kSum, CostClass::kConv1x1);
  for (std::size_t i = 0; i < known.size(); i += 8) known[i].seconds *= 30;
  const ClassCost cost = CostOf(FitEfficiency(known, RooflineForm::kSum), CostClass::kConv1x1);
  EXPECT_NEAR(cost.operation_cost, 4, 0.2);
}

TEST(EfficiencyFit, TheFormThatTheTimesHaveIsChosen) {
  const ClassCost truth{1e-5, 6, 3, 0};
  EXPECT_EQ(FitBestForm(LayersOf(truth, RooflineForm::kSum, CostClass::kFc)).form, RooflineForm::kSum);
  EXPECT_EQ(FitBestForm(LayersOf(truth, RooflineForm::kLarger, CostClass::kFc)).form, RooflineForm::kLarger);
}

TEST(EfficiencyFit, AClassWithoutLayersTakesARelatedOne) {
  const auto known = LayersOf({5e-5, 4, 2, 0}, RooflineForm::kSum, CostClass::kConv3x3);
  const EfficiencyModel model = FitEfficiency(known, RooflineForm::kSum);
  EXPECT_NEAR(CostOf(model, CostClass::kConvDepthwise).operation_cost, 4, 1e-3);
  EXPECT_EQ(CostOf(model, CostClass::kConvDepthwise).fitted_to, 0U);
  EXPECT_EQ(CostOf(model, CostClass::kSoftmax).operation_cost, 0);
}

TEST(EfficiencyFit, CoresThatMatrixProductsAloneUseDoNotSpeedUpTheRest) {
  EfficiencyModel model;
  model.classes.fill({0, 1, 0, 1});
  const Rates four_cores{4e9, 1e10, 4};
  EXPECT_DOUBLE_EQ(model.Seconds({CostClass::kConv1x1, 4e9, 0}, four_cores), 1);
  EXPECT_DOUBLE_EQ(model.Seconds({CostClass::kPool, 4e9, 0}, four_cores), 4);
}

TEST(Estimator, ThePeakRateIsFoundFromTheWholeModelsTime) {
  EfficiencyModel model;
  model.classes.fill({1e-3, 2, 1, 1});
  const std::vector<LayerWork> layers(10, LayerWork{CostClass::kConv3x3, 1e9, 1e6});
  const double peak = PeakFor(model, layers, {0, 1e9, 1}, 0.22);
  // 10 * (1 ms + 2 * 1e9 / peak + 1 ms) = 220 ms
  EXPECT_NEAR(peak, 1e11, 1e3);
}

TEST(LayerWork, TellsClassesApartByKernelAndGroups) {
  ModelBuilder builder("small");
  builder.Input("data", {2, 8, 16, 16});
  ConvAttributes conv{8, {1, 1}, {}, {}, {}, 1, true, {0, 0}};
  builder.Conv("one", conv);
  conv.kernel = {3, 3};
  conv.pad = {1, 1, 1, 1};
  builder.Conv("three", conv);
  conv.groups = 8;
  builder.Conv("depthwise", conv);
  conv.groups = 1;
  conv.kernel = {5, 5};
  conv.pad = {2, 2, 2, 2};
  builder.Conv("five", conv);
  builder.Add("relu", Op::kRelu);
  builder.Fc("fc", 10);
  const Model model = builder.Build();
  const auto work = [&](const char* name) { return WorkOf(model, model.Find(name)); };
  EXPECT_EQ(work("one").cost_class, CostClass::kConv1x1);
  EXPECT_EQ(work("three").cost_class, CostClass::kConv3x3);
  EXPECT_EQ(work("depthwise").cost_class, CostClass::kConvDepthwise);
  EXPECT_EQ(work("five").cost_class, CostClass::kConvLarge);
  EXPECT_EQ(work("fc").cost_class, CostClass::kFc);
  EXPECT_EQ(work("one").operations, 2 * 8 * 8 * 16 * 16);
  EXPECT_EQ(work("relu").bytes, 2 * (2 * 8 * 16 * 16) * 4);
}

TEST(LayerWork, AGroupReadsAndWritesAtItsBorderAlone) {
  ModelBuilder builder("small");
  builder.Input("data", {1, 4, 8, 8});
  builder.Conv("conv", {4, {1, 1}, {}, {}, {}, 1, false, {0, 0}});
  builder.Add("relu", Op::kRelu);
  const Model model = builder.Build();
  const LayerWork work = WorkOfGroup(model, {model.Find("conv"), model.Find("relu")});
  EXPECT_EQ(work.cost_class, CostClass::kConv1x1);
  EXPECT_EQ(work.bytes, (4 * 64 + 4 * 64 + 16) * 4);
}

// A unit whose layers all run at the same efficiency.
KnownUnit UnitAt(const std::string& board, double peak, double cost) {
  KnownUnit unit{board, "cpu", {}, UnitKind::kCpu, {peak, 1e10, 1}, {}};
  for (int m = 1; m <= 3; ++m) {
    KnownModel model{"model" + std::to_string(m), 1, {}, 0};
    for (int i = 1; i <= 10; ++i) {
      const LayerWork work{CostClass::kConv3x3, 1e6 * i * m, 1e3};
      model.layers.push_back({work, unit.peak, cost * work.operations / peak});
      model.total_seconds += model.layers.back().seconds;
    }
    unit.models.push_back(std::move(model));
  }
  return unit;
}

TEST(Evaluation, ABoardHeldOutIsEstimatedFromTheOthersAlone) {
  const std::vector<KnownUnit> known = {UnitAt("a", 1e9, 2), UnitAt("b", 4e9, 4)};
  const auto errors = EvaluateEstimator(known, HeldOut::kBoard);
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_NEAR(errors[0].layer_median, 1.0, 1e-3);           // twice as long as it took
  EXPECT_NEAR(errors[1].models[0].error, -0.5, 1e-3);       // half as long
  EXPECT_NEAR(*errors[1].models[0].fitted_error, 0, 1e-3);  // the other models tell the factor
  EXPECT_NEAR(errors[0].layer_median_fitted, 0, 1e-3);
}

TEST(Evaluation, AModelHeldOutIsEstimatedFromItsUnitsOthers) {
  const auto errors = EvaluateEstimator({UnitAt("a", 1e9, 2)}, HeldOut::kModel);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_NEAR(errors[0].layer_median, 0, 1e-3);
}

TEST(Evaluation, WithoutAnotherBoardThereIsNothingToSay) {
  EXPECT_TRUE(EvaluateEstimator({UnitAt("a", 1e9, 2)}, HeldOut::kBoard).empty());
}

TEST(Evaluation, TheErrorOfEstimatesIsThatOfBoardsHeldOut) {
  const std::vector<KnownUnit> known = {UnitAt("a", 1e9, 2), UnitAt("b", 4e9, 4)};
  EXPECT_NEAR(*ErrorOfEstimates(known, {&known[0]}, false), 0.6931, 2e-3) << "twice or half as long: ln 2";
  EXPECT_NEAR(*ErrorOfEstimates(known, {&known[0]}, true), 0, 2e-3) << "other models tell the factor";
  EXPECT_FALSE(ErrorOfEstimates({known[0]}, {&known[0]}, false)) << "no board to hold out";
}

std::string SpecError(const std::string& text) {
  return ErrorOf([&] {
    const JsonDocument document = JsonDocument::Parse(text, "x.estimate.json");
    ReadEstimateSpec(document.root());
  });
}

std::string WithUnit(const std::string& unit) {
  return R"({"tandem": "estimate/1", "platform": "p", "units": [)" + unit + "]}";
}

TEST(EstimateSpec, MistakesAreNamed) {
  EXPECT_EQ(SpecError(WithUnit(R"({"units": ["cpu"]})")),
            "x.estimate.json:/units/0: needs peak_macs_per_s, or whole_model_ms to find it from");
  EXPECT_EQ(SpecError(WithUnit(R"({"units": ["cpu", "cpu"], "peak_macs_per_s": 1})")),
            "x.estimate.json:/units/0/units/1: the unit \"cpu\" is given twice");
  EXPECT_EQ(SpecError(WithUnit(R"({"units": ["cpu"], "peak_mac_per_s": 1})")),
            "x.estimate.json:/units/0: unknown key \"peak_mac_per_s\"; did you mean \"peak_macs_per_s\"?");
  EXPECT_EQ(SpecError(WithUnit(R"({"units": ["cpu"], "peak_macs_per_s": 1e30})")),
            "x.estimate.json:/units/0/peak_macs_per_s: is beyond any processor: at most 1e18 a second");
  EXPECT_EQ(SpecError(WithUnit(
                R"({"units": ["a"], "peak_macs_per_s": 1}, {"units": ["a"], "peak_macs_per_s": 1})")),
            "x.estimate.json:/units/1: the unit \"a\" is described twice");
}

std::string EstimateError(const std::string& unit, const std::string& models = "\"alexnet\"") {
  return ErrorOf([&] {
    const JsonDocument document =
        JsonDocument::Parse(R"({"tandem": "estimate/1", "platform": "zcu102", "models": [)" + models +
                                R"(], "units": [)" + unit + "]}",
                            "x.estimate.json");
    EstimateProfile(ReadEstimateSpec(document.root()));
  });
}

TEST(EstimateSpec, WhatCannotBeEstimatedIsRefused) {
  EXPECT_EQ(EstimateError(R"({"units": ["gpu"], "peak_macs_per_s": 1})"),
            "x.estimate.json:/units/0/units: \"zcu102\" has no unit \"gpu\"; did you mean \"cpu\"?");
  EXPECT_EQ(
      EstimateError(R"({"units": ["cpu"], "whole_model_ms": {"vgg16": 1}})"),
      "x.estimate.json:/units/0/whole_model_ms: the model \"vgg16\" is not among \"models\"; known: alexnet");
  EXPECT_EQ(EstimateError(R"({"units": ["cpu"], "peak_macs_per_s": 1})", "\"alexnett\""),
            "x.estimate.json:/models/0: unknown model \"alexnett\"; did you mean \"alexnet\"?");
  EXPECT_EQ(EstimateError(R"({"units": ["npu"], "peak_macs_per_s": 1e9})"),
            "x.estimate.json:/units/0: no known layers for unit \"npu\"; \"like\" names units of boards that "
            "have them, "
            "such as {\"board\": \"jetson-tx1\", \"unit\": \"gpu\"}");
  EXPECT_EQ(
      EstimateError(R"({"units": ["cpu"], "layers_of": {"board": "jetson-tx1", "unit": "cpu"}})"),
      "x.estimate.json:/units/0: layers_of: jetson-tx1/cpu has no known times of these models at batch 1");
  EXPECT_EQ(
      EstimateError(
          R"({"units": ["cpu"], "layers_of": {"board": "exynos5-a15", "unit": "cpu", "variant": "threads1"}})",
          R"("alexnet_caffe", "alexnet")"),
      "x.estimate.json:/units/0: needs peak_macs_per_s, or whole_model_ms of a model that is to be "
      "estimated, "
      "for unit \"cpu\"");
}

TEST(EstimateSpec, WhatOnlyItsProgramKnowsIsNotEstimated) {
  const TempFolder folder;
  const std::string file = (folder / "closed.model.json").string();
  WriteFile(file, R"({"tandem": "model/1", "name": "closed", "layers": [
      {"name": "in", "op": "input", "shape": [1, 3]}, {"name": "engine", "op": "opaque", "inputs": ["in"], "shape": [1, 9]}]})");
  EXPECT_NE(
      EstimateError(
          R"({"units": ["cpu"], "peak_macs_per_s": 1e9, "like": [{"board": "jetson-tx1", "unit": "cpu"}]})",
          JsonString(file))
          .find("what layer \"engine\" does is its program's own: its times can be measured or given, not "
                "estimated"),
      std::string::npos);
}

TEST(EstimateSpec, AbsurdRatesAndTimesAreRefused) {
  EXPECT_NE(
      EstimateError(R"({"units": ["cpu"], "peak_macs_per_s": 1e-300})").find("would take more than 104 days"),
      std::string::npos);
  EXPECT_NE(
      EstimateError(R"({"units": ["cpu"], "peak_macs_per_s": 1e9, "whole_model_ms": {"alexnet": 0.000001}})")
          .find("is too short for its"),
      std::string::npos);
}

}  // namespace
}  // namespace tandem
