// Is a convolution's kernel chosen for what it does, whatever else the process has run?
#include "device/backends/cpu/onednn/conv_choice.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "profiles/model/model_builder.h"

namespace tandem {
namespace {

// A 3x3 convolution, of shapes for which Winograd's way is often the fastest, and what follows it.
ConvProblem With(const Layer& activation, std::int64_t channels, std::int64_t side) {
  ConvProblem problem;
  problem.src = problem.dst = {1, channels, side, side};
  problem.weights = {channels, channels, 3, 3};
  problem.strides = problem.pad_before = problem.pad_after = {1, 1};
  problem.dilates = {0, 0};
  problem.bias = true;
  problem.posts = PostOpsOf(activation);
  return problem;
}

bool IsPlainLoops(const ConvChoice& choice) { return choice.made.implementation.starts_with("ref"); }

// Two functions that are one to oneDNN, save for a slope that some of its kernels do not know.
TEST(ConvChoices, OfReluSayNothingOfLeakyRelus) {
  ModelBuilder net("net");
  net.Input("in", {1, 8, 8, 8});
  net.Relu("relu");
  net.Add("leaky", Op::kLeakyRelu);
  const Model model = net.Build();
  const Layer &relu = model.layer(model.Find("relu")), &leaky = model.layer(model.Find("leaky"));
  const DnnlContext dnnl;
  for (const auto& [channels, side] : {std::pair(64, 56), std::pair(128, 28), std::pair(256, 14)}) {
    const ConvChoice first = ChooseConv(dnnl, With(relu, channels, side), Layout::kPlain, 1);
    const ConvChoice second = ChooseConv(dnnl, With(leaky, channels, side), Layout::kPlain, 1);
    ASSERT_TRUE(first.made && second.made);
    EXPECT_EQ(IsPlainLoops(first), IsPlainLoops(second))
        << first.made.implementation << " and " << second.made.implementation;
  }
}

// oneDNN's second way to run a problem whose first one was made and is still there.
TEST(ConvChoices, AreOtherKernelsAtOtherPlacesWhateverWasMadeBefore) {
  const Layer relu = [] {
    ModelBuilder net("net");
    net.Input("in", {1, 8, 8, 8});
    net.Relu("relu");
    const Model model = net.Build();
    return model.layer(model.Find("relu"));
  }();
  const DnnlContext dnnl;
  ConvProblem problem = With(relu, 8, 20);
  problem.src_layout = problem.dst_layout = Layout::kPlain;
  int choices = 0;
  std::set<std::string> implementations;
  for (MadePrimitive made = dnnl.Conv(problem, 0); made && choices < 100;
       made = dnnl.Conv(problem, ++choices)) {
    implementations.insert(made.implementation);
  }
  EXPECT_EQ(static_cast<std::size_t>(choices), implementations.size());
}

}  // namespace
}  // namespace tandem
