// Does the backend cpu fuse what people fuse, copy nothing that it need not, and refuse cores that are not
// there?
#include <gtest/gtest.h>

#include <algorithm>

#include "device/lowering/fusion.h"
#include "profiles/model/model_builder.h"
#include "tests/support/device/executable_run.h"
#include "tests/support/device/operation_cases.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

std::vector<std::string> GroupNames(const Model& model) {
  std::vector<LayerId> layers;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (model.layer(LayerId(i)).op != Op::kInput) layers.push_back(LayerId(i));
  }
  std::vector<std::string> names;
  for (const FusedGroup& group : FuseLayers(model, layers)) {
    std::string text;
    for (const LayerId id : group) text += (text.empty() ? "" : " ") + model.layer(id).name;
    names.push_back(text);
  }
  return names;
}

Platform PlatformOn(std::vector<std::int64_t> cores) {
  Platform platform;
  Unit unit;
  unit.name = "big";
  unit.backend = &DeclaredBackend("cpu");
  unit.cores = std::move(cores);
  platform.units = {unit};
  return platform;
}
std::unique_ptr<Processor> OpenOn(std::vector<std::int64_t> cores) {
  const Platform platform = PlatformOn(std::move(cores));
  OpenRequest request;
  request.platform = &platform;
  request.unit = UnitId(0);
  return BackendNamed("cpu").Open(request);
}

TEST(CpuFusion, TakesNormsActivationsAndTheSumIntoTheLastConv) {
  ModelBuilder net("block");
  net.Input("in", {1, 8, 4, 4});
  net.Conv("conv1", SquareConv(8, 1));
  net.Add("norm1", Op::kBatchNorm);
  net.Add("scale1", Op::kScale);
  const std::string a = net.Relu("relu1");
  const std::string b = net.Conv("conv2", SquareConv(8, 3, 1, 1));
  net.Sum("sum", b, a);
  net.Relu("relu2");
  net.MaxPool("pool", SquarePool(2, 2));
  net.Fc("fc", 4);
  net.Relu("relu3");
  net.Add("drop", Op::kDropout);
  EXPECT_EQ(GroupNames(net.Build()), (std::vector<std::string>{"conv1 norm1 scale1 relu1", "conv2 sum relu2",
                                                               "pool", "fc relu3 drop"}));
}

TEST(CpuFusion, LeavesWhatOthersReadAlone) {
  ModelBuilder net("read twice");
  net.Input("in", {1, 8, 4, 4});
  const std::string conv = net.Conv("conv", SquareConv(8, 1));
  net.Relu("relu");
  net.Sum("sum", conv, "relu");
  EXPECT_EQ(GroupNames(net.Build()), (std::vector<std::string>{"conv", "relu", "sum"}));
}

TEST(CpuFusion, ConstantsPerChannelAreScales) {
  ModelBuilder net("exported");
  net.Input("in", {1, 8, 4, 4});
  net.Conv("conv", SquareConv(8, 1));
  net.Add("mul", Op::kMul, ElementwiseAttributes{{}, true, {1, 8, 1, 1}, false});
  net.Add("add", Op::kAdd, ElementwiseAttributes{{}, true, {8, 1, 1}, false});
  net.Relu("relu");
  net.Add("row", Op::kMul, ElementwiseAttributes{{}, true, {4}, false});
  EXPECT_EQ(GroupNames(net.Build()), (std::vector<std::string>{"conv mul add relu", "row"}));
}

// A model's steps that copy, by their description; nothing where convolutions are XNNPACK's here, whose
// tensors have their channels side by side.
std::optional<std::vector<std::string>> Copies(const Model& source) {
  const auto model = std::make_shared<const Model>(source);
  const auto weights = std::make_shared<const Weights>(RandomWeights(*model, 1));
  const OpenUnit unit(BackendNamed("cpu"));
  std::vector<std::string> copies;
  for (const ExecutionStep& step : unit->Compile(WholeSegment(model, weights, "model"))->Steps()) {
    if (step.how.find("xnnpack") != std::string::npos) return std::nullopt;
    if (step.how.find("copy") != std::string::npos) copies.push_back(step.how);
  }
  return copies;
}

TEST(CpuExecutable, ConcatsOfWholeBlocksAndShortcutsCopyNothing) {
  for (const Model& model : SmallNetworks()) {
    const auto copies = Copies(model);
    if (model.name() == "dense16" && copies) {
      EXPECT_EQ(*copies, std::vector<std::string>{});
    }
    // Its last sum alone adds what the conv itself reads.
    if (model.name() == "residuals16" && copies) {
      EXPECT_EQ(copies->size(), 1u);
    }
  }
}

TEST(CpuExecutable, AShortcutThatIsReadLaterIsCopied) {
  for (const Model& model : SmallNetworks()) {
    if (model.name() == "stubborn sums") {
      EXPECT_FALSE(Copies(model).value_or(std::vector<std::string>{"by XNNPACK"}).empty());
    }
  }
}

TEST(CpuUnit, RefusesCoresThatAreNotThere) {
  EXPECT_EQ(ErrorOf([] { OpenOn({}); }),
            "unit \"big\": backend cpu needs \"cores\", one thread runs on each");
  const std::string error = ErrorOf([] { OpenOn({100000}); });
  EXPECT_NE(error.find("core 100000 is not among those that this process may use: "), std::string::npos)
      << error;
  const std::int64_t core = UsableCores()[0];
  EXPECT_NE(ErrorOf([&] { OpenOn({core, core}); }).find("named twice"), std::string::npos);
}

TEST(CpuUnit, GivesTheSameWithEveryCore) {
  const Model source = SmallNetworks()[0];
  const auto model = std::make_shared<const Model>(source);
  const auto weights = std::make_shared<const Weights>(RandomWeights(*model, 1));
  const SegmentSpec spec = WholeSegment(model, weights, "model");
  TensorsByLayer one, all;
  one[model->Inputs()[0]] = all[model->Inputs()[0]] =
      Scattered(model->layer(model->Inputs()[0]).output).values;
  const std::vector<std::int64_t> cores = UsableCores();
  RunExecutable(*OpenOn({cores[0]})->Compile(spec), spec, one);
  RunExecutable(*OpenOn(cores)->Compile(spec), spec, all);
  EXPECT_LT(RelativeError(all.at(spec.outputs[0]), one.at(spec.outputs[0])), 1e-5);
  EXPECT_EQ(UsableCores(), cores) << "a closed unit leaves its thread pinned";
}

}  // namespace
}  // namespace tandem
