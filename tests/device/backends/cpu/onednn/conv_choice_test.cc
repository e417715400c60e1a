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

std::vector<std::string> TextsOf(const DnnlContext& dnnl, const ConvProblem& problem) {
  std::vector<std::string> texts;
  for (const Layout layout : {Layout::kPlain, Layout::kBlocked}) {
    ConvProblem with = problem;
    with.src_layout = with.dst_layout = layout;
    if (layout == Layout::kBlocked && dnnl.block() == 1) continue;
    const std::string form = layout == Layout::kBlocked ? "blocked to blocked, " : "plain to plain, ";
    for (int place = 0; place < 2; ++place) {
      if (const MadePrimitive made = dnnl.Conv(with, place)) texts.push_back(form + made.implementation);
    }
  }
  return texts;
}

ConvProblem ProblemOfRelu(std::int64_t channels, std::int64_t side) {
  ModelBuilder net("net");
  net.Input("in", {1, 8, 8, 8});
  net.Relu("relu");
  const Model model = net.Build();
  return With(model.layer(model.Find("relu")), channels, side);
}

// Whatever is the fastest: the ones that were not are taken, too.
TEST(ConvChoices, AreTakenAsTheyAreToldAndNothingIsMeasured) {
  const DnnlContext dnnl;
  const ConvProblem problem = ProblemOfRelu(16, 12);
  const std::vector<std::string> texts = TextsOf(dnnl, problem);
  ASSERT_GE(texts.size(), 2u);
  const std::int64_t measured = ConvsMeasured();
  for (const std::string& text : texts) {
    const ConvChoice taken = ChooseConv(dnnl, problem, Layout::kPlain, 1, text);
    ASSERT_TRUE(taken.made) << text;
    EXPECT_EQ(taken.text, text);
    EXPECT_FALSE(taken.anew);
    EXPECT_TRUE(text.ends_with(taken.made.implementation)) << text;
  }
  EXPECT_EQ(ConvsMeasured(), measured);
}

TEST(ConvChoices, ThatThisProblemHasNotAreMadeAnew) {
  const DnnlContext dnnl;
  const ConvProblem problem = ProblemOfRelu(24, 13);
  for (const char* foreign : {"blocked to blocked, jit:of another processor", "fast", ", ",
                              "plain to blocked, ", "plain to plain, winograd, jit_wino"}) {
    const ConvChoice choice = ChooseConv(dnnl, problem, Layout::kPlain, 1, foreign);
    EXPECT_TRUE(choice.made) << foreign;
    EXPECT_TRUE(choice.anew) << foreign;
    EXPECT_NE(choice.text, foreign);
  }
  const std::int64_t measured = ConvsMeasured();
  const ConvChoice known = ChooseConv(dnnl, problem, Layout::kPlain, 1);
  const ConvChoice again = ChooseConv(dnnl, problem, Layout::kPlain, 1, known.text);
  EXPECT_EQ(again.made.implementation, known.made.implementation);
  EXPECT_EQ(ConvsMeasured(), measured);
}

}  // namespace
}  // namespace tandem
