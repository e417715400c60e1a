// Do networks come out as from the reference where every convolution is XNNPACK's, with what is fused into it
// and the layouts that it brings?
#include "device/backends/cpu/onednn/xnn_conv.h"

#include <gtest/gtest.h>

#include "device/processor/backend.h"
#include "profiles/model/model_builder.h"
#include "tests/support/device/executable_run.h"
#include "tests/support/device/operation_cases.h"

namespace tandem {
namespace {

SegmentSpec AllByXnn(std::shared_ptr<const Model> model, std::span<const LayerId> layers) {
  auto weights = std::make_shared<const Weights>(RandomWeights(*model, 3));
  SegmentSpec spec = SegmentOf(model, std::move(weights), model->name(), layers);
  for (const LayerId id : layers) {
    const Layer& layer = model->layer(id);
    spec.kernels[layer.name] = layer.op == Op::kFc ? "fc, xnnpack" : "channels last, xnnpack";
  }
  return spec;
}

std::size_t StepsOfXnn(const Executable& executable, const std::string& kind = "conv") {
  std::size_t count = 0;
  for (const ExecutionStep& step : executable.Steps()) {
    if (step.how.find(kind + " xnnpack") != std::string::npos) ++count;
  }
  return count;
}

std::size_t ConvsOf(const Model& model) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < model.size(); ++i) {
    const Op op = model.layer(LayerId(i)).op;
    if (op == Op::kConv || op == Op::kDeconv) ++count;
  }
  return count;
}

TEST(XnnConvs, MakeSmallNetworksComeOutAsFromTheReference) {
  if (XnnVersion().empty()) GTEST_SKIP() << "built without XNNPACK";
  const OpenUnit unit(BackendNamed("cpu"));
  std::size_t by_xnn = 0, all = 0, pools = 0;
  for (Model& network : SmallNetworks()) {
    const auto model = std::make_shared<const Model>(std::move(network));
    std::vector<LayerId> layers;
    for (std::size_t i = 0; i < model->size(); ++i) layers.emplace_back(i);
    const SegmentSpec spec = AllByXnn(model, layers);
    const auto executable = unit->Compile(spec);
    by_xnn += StepsOfXnn(*executable);
    pools += StepsOfXnn(*executable, "pool");
    all += ConvsOf(*model);
    TensorsByLayer tensors;
    std::vector<Tensor> inputs;
    for (const LayerId id : model->Inputs()) {
      inputs.push_back(Scattered(model->layer(id).output, 11));
      tensors[id] = inputs.back().values;
    }
    for (int run = 0; run < 2; ++run) RunExecutable(*executable, spec, tensors);
    VisitReference(*model, *spec.weights, inputs, [&](LayerId id, const Tensor& expected) {
      if (std::find(spec.outputs.begin(), spec.outputs.end(), id) == spec.outputs.end()) return;
      EXPECT_LT(RelativeError(tensors.at(id), expected.values), 1e-4) << model->name();
    });
    EXPECT_FALSE(executable->Kernels().anew) << model->name() << ": what was asked for is taken";
  }
  EXPECT_GT(all, 20U);
  EXPECT_EQ(by_xnn, all) << "of the convolutions";
  EXPECT_GT(pools, 0U);
}

TEST(XnnFc, OfManyRowsIsTheReferences) {
  if (XnnVersion().empty()) GTEST_SKIP() << "built without XNNPACK";
  ModelBuilder net("net");
  net.Input("in", {70, 37});
  net.Fc("fc", 50);
  net.Relu("relu");
  const auto model = std::make_shared<const Model>(net.Build());
  const OpenUnit unit(BackendNamed("cpu"));
  const SegmentSpec spec = AllByXnn(model, std::vector{LayerId(0), LayerId(1), LayerId(2)});
  const auto executable = unit->Compile(spec);
  EXPECT_EQ(StepsOfXnn(*executable, "fc"), 1U);
  const Tensor in = Scattered({70, 37}, 5);
  TensorsByLayer tensors;
  tensors[LayerId(0)] = in.values;
  RunExecutable(*executable, spec, tensors);
  VisitReference(*model, *spec.weights, {in}, [&](LayerId id, const Tensor& expected) {
    if (id != LayerId(2)) return;
    EXPECT_LT(RelativeError(tensors.at(id), expected.values), 1e-5);
  });
}

TEST(XnnConvs, TakeAnActivationThatCutsOffAndLeaveTheRest) {
  ModelBuilder net("net");
  net.Input("in", {1, 8, 8, 8});
  net.Relu("relu");
  net.Add("leaky", Op::kLeakyRelu);
  net.Add("six", Op::kRelu6);
  const Model model = net.Build();
  const auto fit_with = [&](std::vector<const char*> posts) {
    ConvProblem problem;
    problem.src = problem.dst = {1, 8, 8, 8};
    problem.weights = {8, 8, 1, 1};
    problem.strides = {1, 1};
    problem.dilates = problem.pad_before = problem.pad_after = {0, 0};
    for (const std::string name : posts) {
      const std::vector<PostOp> more =
          name == "sum" ? std::vector<PostOp>{{true}} : PostOpsOf(model.layer(model.Find(name)));
      problem.posts.insert(problem.posts.end(), more.begin(), more.end());
    }
    return FitOf(problem).value();
  };
  EXPECT_TRUE(fit_with({"relu"}).after.empty());
  EXPECT_EQ(fit_with({"relu"}).problem.low, 0);
  EXPECT_EQ(fit_with({"six"}).problem.high, 6);
  EXPECT_EQ(fit_with({"leaky"}).after.size(), 1U);
  EXPECT_EQ(fit_with({"sum", "relu"}).after.size(), 2U);
  EXPECT_LT(fit_with({"sum", "relu"}).problem.low, -1e30F) << "what is added comes before";
  EXPECT_EQ(fit_with({"relu", "sum"}).after.size(), 1U);
}

}  // namespace
}  // namespace tandem
