// Does the GPU backend keep the way that was the fastest by the card's clock, and pass over those that do not
// work? On a card that computes on the host, whose clock knows what each way costs.
#include <gtest/gtest.h>

#include "tests/support/device/executable_run.h"
#include "tests/support/device/gpu_fixture.h"

namespace tandem::gpu {
namespace {

std::vector<std::string> HowOf(HostCard& card, const Model& model, const GpuOptions& options,
                               const std::string& precision = "fp32") {
  const GpuRun run(model);
  const auto processor = OpenGpu(card, "unit", {"", precision}, options);
  std::vector<std::string> how;
  for (const ExecutionStep& step : processor->Compile(run.spec)->Steps()) how.push_back(step.how);
  how.back().resize(how.back().find(" [segment: "));
  return how;
}

Model OneConv(const ConvAttributes& a, Shape shape, bool relu = true) {
  ModelBuilder net("one conv");
  net.Input("in", std::move(shape));
  net.Conv("conv", a);
  if (relu) net.Relu("relu");
  return net.Build();
}

using Texts = std::vector<std::string>;
constexpr GpuOptions kPlain{Format::kNchw, false, 1, 1};

TEST(GpuChoice, TakesTheFastestWayThatFitsAndWorksWithWhatItCanFuse) {
  HostCard card("choice of convs");
  EXPECT_EQ(HowOf(card, OneConv(SquareConv(16, 3, 1, 1), {1, 8, 12, 12}), kPlain),
            Texts{"conv winograd, nchw, bias, relu"});
  EXPECT_EQ(HowOf(card, OneConv(SquareConv(16, 5, 2, 2), {1, 8, 12, 12}), kPlain),
            Texts{"conv implicit_precomp_gemm, nchw, bias, relu"});
}

TEST(GpuChoice, KernelsOfOurOwnTakePart) {
  HostCard card("choice of kernels");
  EXPECT_EQ(HowOf(card, OneConv(Grouped(32, SquareConv(32, 3, 1, 1)), {1, 32, 9, 9}), kPlain),
            Texts{"conv by channel, nchw, bias, relu"});
  ModelBuilder net("fc");
  net.Input("in", {2, 60});
  net.Fc("fc", 40);
  net.Add("tanh", Op::kTanh);
  EXPECT_EQ(HowOf(card, net.Build(), kPlain), Texts{"fc by rows, bias, tanh"});
  EXPECT_EQ(HowOf(card, net.Build().WithBatch(32), kPlain), Texts{"fc gemm, then bias, tanh"});
}

TEST(GpuChoice, PaddingOfOneSideIsAStepOfItsOwn) {
  HostCard card("choice of padding");
  ConvAttributes a = SquareConv(8, 3, 2);
  a.pad = {0, 0, 1, 1};
  EXPECT_EQ(HowOf(card, OneConv(a, {1, 4, 8, 8}), kPlain),
            (Texts{"padding", "conv implicit_precomp_gemm, nchw, bias, relu"}));
  a.pad = {1, 1, 0, 0};  // what lies behind is not read
  EXPECT_EQ(HowOf(card, OneConv(a, {1, 4, 8, 8}), kPlain),
            Texts{"conv implicit_precomp_gemm, nchw, bias, relu"});
}

TEST(GpuChoice, WhatWasChosenOnceIsNotMeasuredAgain) {
  HostCard card("choice known");
  const Model model = OneConv(SquareConv(8, 3, 1, 1), {1, 8, 9, 9});
  HowOf(card, model, kPlain);
  const int runs = card.Count(CardCall::kConv);
  EXPECT_GT(runs, 3);
  HowOf(card, model, kPlain);
  EXPECT_EQ(card.Count(CardCall::kConv), runs);
}

// Compiled on a card that knows nothing yet.
std::unique_ptr<Executable> CompiledWith(HostCard& card, const GpuRun& run, const KernelChoices& kernels) {
  SegmentSpec spec = run.spec;
  spec.kernels = kernels;
  return OpenGpu(card, "unit", {}, {{}, {}, 2, 2})->Compile(spec);
}

TEST(GpuChoice, WhatIsToldOfAnotherRunIsTakenAndTriedOnce) {
  const GpuRun run(SmallGpuModel());
  HostCard first("choice told"), second("choice taken");
  const KernelChoices told = CompiledWith(first, run, {})->Kernels().choices;
  EXPECT_TRUE(told.contains(kWholeSegment));
  for (const char* layer : {"a", "b", "c", "fc"}) EXPECT_TRUE(told.contains(layer)) << layer;
  const auto taken = CompiledWith(second, run, told);
  EXPECT_EQ(taken->Kernels().choices, told);
  EXPECT_FALSE(taken->Kernels().anew);
  EXPECT_LE(second.Count(CardCall::kConv), 3 * 3)
      << "each once, all of them once, and once more into a graph";
  EXPECT_LT(second.Count(CardCall::kKernel) * 4, first.Count(CardCall::kKernel));
}

TEST(GpuChoice, ACardThatBecomesSlowerMeanwhileIsSoForEveryWay) {
  HostCard card("slowing", {.slowing = 0.04});
  const Model model = OneConv(SquareConv(16, 5, 2, 2), {1, 8, 12, 12});
  EXPECT_EQ(HowOf(card, model, {Format::kNchw, false, 3, 4}),
            Texts{"conv implicit_precomp_gemm, nchw, bias, relu"});
}

TEST(GpuChoice, WithoutTimeForTrialsTheFirstWayThatWorksIsTakenAndNotKept) {
  HostCard card("no time");
  const Model model = OneConv(SquareConv(16, 3, 1, 1), {1, 8, 12, 12});
  GpuOptions hurried = kPlain;
  hurried.trials = Nanos(0);
  EXPECT_EQ(HowOf(card, model, hurried), Texts{"conv implicit_gemm, untried, nchw, bias, relu"});
  EXPECT_LE(card.Count(CardCall::kConv), 1);
  EXPECT_EQ(HowOf(card, model, kPlain), Texts{"conv winograd, nchw, bias, relu"});
}

// What is to be kept of the model's only product, compiled with what was kept of others.
KernelChoices ProblemsOf(HostCard& card, const Model& model, const KernelChoices& known,
                         const GpuOptions& options) {
  const GpuRun run(model);
  SegmentSpec spec = run.spec;
  spec.problems = known;
  return OpenGpu(card, "unit", {}, options)->Compile(spec)->Kernels().problems;
}

TEST(GpuChoice, WhatIsKnownOfAProblemIsTakenByAnotherModelThatHasIt) {
  HostCard first("problem told"), second("problem taken");
  const ConvAttributes conv = SquareConv(16, 3, 1, 1);
  const KernelChoices told = ProblemsOf(first, OneConv(conv, {1, 8, 12, 12}), {}, kPlain);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(told.begin()->first.starts_with("conv 1x8x12x12 to 16x12x12, kernel 3x3, stride 1x1"))
      << told.begin()->first;
  EXPECT_TRUE(told.begin()->second.ends_with(" winograd")) << told.begin()->second;
  ModelBuilder net("another");
  net.Input("in", {1, 8, 12, 12});
  net.Conv("called otherwise", conv);
  net.Relu("relu");
  EXPECT_EQ(ProblemsOf(second, net.Build(), told, kPlain), told);
  EXPECT_EQ(second.Count(CardCall::kConv), 1) << "to see that it works";
  ProblemsOf(second, OneConv(conv, {1, 8, 13, 13}), told, kPlain);
  EXPECT_GT(second.Count(CardCall::kConv), 3) << "of another size it is another problem";
}

TEST(GpuChoice, OfBothFormatsWhatWasFoundOutIsKept) {
  HostCard card("both problems");
  const KernelChoices told =
      ProblemsOf(card, OneConv(SquareConv(16, 3, 1, 1), {1, 8, 12, 12}), {}, {{}, {}, 1, 1});
  EXPECT_EQ(told.size(), 2u);
}

TEST(GpuChoice, GoesOnWithWhatWasLeftUntriedWhereItIsGivenTime) {
  HostCard hurried_card("untried told"), patient_card("untried taken"), going_on("untried tried");
  const Model model = OneConv(SquareConv(16, 3, 1, 1), {1, 8, 12, 12});
  GpuOptions hurried = kPlain, patient = kPlain;
  hurried.trials = Nanos(0);
  patient.go_on = true;
  const KernelChoices told = ProblemsOf(hurried_card, model, {}, hurried);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(IsUnfinished(told.begin()->second)) << told.begin()->second;
  EXPECT_EQ(ProblemsOf(patient_card, model, told, kPlain), told) << "a run takes what was measured";
  const KernelChoices tried = ProblemsOf(going_on, model, told, patient);
  EXPECT_FALSE(IsUnfinished(tried.begin()->second)) << tried.begin()->second;
  EXPECT_TRUE(tried.begin()->second.ends_with(" winograd")) << tried.begin()->second;
}

TEST(GpuChoice, ASegmentWithStepsThatWereLeftUntriedIsChosenAnewWhereItIsGivenTime) {
  const GpuRun run(OneConv(SquareConv(16, 3, 1, 1), {1, 8, 12, 12}));
  HostCard card("segment untried");
  SegmentSpec spec = run.spec;
  spec.kernels = {{kWholeSegment, "nhwc, starts one by one"},
                  {"conv", "nhwc fp32, split 0 0 implicit_gemm, untried"}};
  const auto taken = OpenGpu(card, "unit", {}, {{}, {}, 2, 2})->Compile(spec);
  EXPECT_FALSE(taken->Kernels().anew);
  EXPECT_EQ(taken->Kernels().choices, spec.kernels);
  GpuOptions patient{{}, {}, 2, 2};
  patient.go_on = true;
  const auto tried = OpenGpu(card, "unit", {}, patient)->Compile(spec);
  EXPECT_TRUE(tried->Kernels().anew);
  EXPECT_FALSE(IsUnfinished(tried->Kernels().choices.at("conv")));
}

TEST(GpuChoice, IsOfALibraryACardAndADriver) {
  HostCard card("whose");
  EXPECT_EQ(OpenGpu(card, "unit", {})->KernelLibrary(), "host 1.0 on whose, driver 1.2");
}

TEST(GpuChoice, ASlowerWayIsTakenWhereItIsTold) {
  const GpuRun run(OneConv(SquareConv(16, 3, 1, 1), {1, 8, 12, 12}));
  HostCard card("slow taken");
  const auto taken = CompiledWith(
      card, run,
      {{kWholeSegment, "nhwc, starts one by one"}, {"conv", "nhwc fp32, split 0 0 implicit_gemm"}});
  EXPECT_FALSE(taken->Kernels().anew);
  const std::string how = taken->Steps()[1].how;
  EXPECT_TRUE(how.starts_with("conv implicit_gemm, nhwc, then bias, relu")) << how;
}

TEST(GpuChoice, WaysThatDoNotWorkHereAreChosenAnew) {
  const GpuRun run(OneConv(SquareConv(16, 3, 1, 1), {1, 8, 12, 12}));
  HostCard card("broken told");
  for (const char* broken : {"nchw fp32, split 4 0 broken", "nchw fp32, fused 2 1099511627776 winograd",
                             "nchw fp32, gemm", "nchw fp32, fused", "nchw fp32, split x y", "nchw, split"}) {
    const auto made = CompiledWith(card, run, {{kWholeSegment, "nchw, starts one by one"}, {"conv", broken}});
    EXPECT_TRUE(made->Kernels().anew) << broken;
    EXPECT_NE(made->Kernels().choices.at("conv"), broken);
  }
  EXPECT_TRUE(CompiledWith(card, run, {{kWholeSegment, "chwn"}})->Kernels().anew);
  EXPECT_TRUE(CompiledWith(card, run, {{"conv", "nchw fp32, split 0 0 implicit_gemm"}})->Kernels().anew)
      << "a step's way says nothing without the format";
}

TEST(GpuChoice, AFormatThatTheCardHasNoWayForIsLeftToOthers) {
  HostCard card("first alone", {.conv_formats = {Format::kNchw}});
  const Texts how = HowOf(card, OneConv(SquareConv(8, 3, 1, 1), {1, 4, 8, 8}), {Format::kNhwc, false, 1, 1});
  EXPECT_EQ(how, Texts{"conv winograd, nchw, bias, relu"});
}

TEST(GpuChoice, WhereNoWayWorksTheLayerIsNamed) {
  HostCard card("no ways", {.conv_formats = {}});
  const Model model = OneConv(SquareConv(8, 3, 1, 1), {1, 4, 8, 8});
  EXPECT_EQ(FailureOf([&] { HowOf(card, model, kPlain); }),
            "one conv: conv: the card's libraries have no way to compute it");
}

TEST(GpuChoice, BothFormatsAndBothStartsAreTriedAndTold) {
  HostCard card("auto");
  const GpuRun run(SmallGpuModel());
  const auto processor = OpenGpu(card, "unit", {}, {{}, {}, 1, 1});
  const auto executable = processor->Compile(run.spec);
  const std::string note = executable->Steps().back().how;
  for (const char* part : {"[segment: n", "rejected: n", "graph ", "one by one ", " of them to start"}) {
    EXPECT_NE(note.find(part), std::string::npos) << part << " in " << note;
  }
  GpuTensors tensors(run, *processor, HostMemory(), HostMemory());
  tensors.Set(2);
  executable->Run(tensors.from, tensors.to);
  EXPECT_LT(RelativeError(tensors.Result(), run.Expected(2)), 1e-4);
}

TEST(GpuChoice, ConcatsAndSlicesOfWholeTensorsCopyNothing) {
  HostCard card("in place");
  ModelBuilder net("in place");
  net.Input("in", {1, 8, 4, 4});
  const std::string a = net.Conv("a", SquareConv(8, 1));
  const std::string b = net.Conv("b", SquareConv(8, 1), a);
  const std::string inner = net.Concat("inner", {a, b});
  net.Concat("outer", {a, b, net.Conv("c", SquareConv(8, 1), inner)});
  net.Add("part", Op::kSlice, SliceAttributes{{1}, {8}, {16}, {1}});
  net.Conv("d", SquareConv(4, 1));
  for (const std::string& how : HowOf(card, net.Build(), kPlain)) {
    EXPECT_EQ(how.find("copy"), std::string::npos) << how;
  }
}

TEST(GpuChoice, HalfInsideTheSegmentIsFloatAtItsEdges) {
  HostCard card("half");
  const Texts how = HowOf(card, OneConv(SquareConv(16, 5, 2, 2), {1, 8, 12, 12}), kPlain, "fp16");
  EXPECT_EQ(how, (Texts{"type", "conv implicit_precomp_gemm, nchw, bias, relu", "as the caller wants it"}));
}

}  // namespace
}  // namespace tandem::gpu
