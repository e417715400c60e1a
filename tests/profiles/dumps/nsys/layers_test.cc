// Does each kernel count for the layer in whose range it was launched, and is what is not certain refused?
#include <gtest/gtest.h>

#include "profiles/dumps/dump.h"
#include "tests/support/dump_testing.h"
#include "tests/support/nsys_test_export.h"

namespace tandem {
namespace {

using Samples = std::vector<Nanos>;

DumpQuestion Layers() { return {.model = "tiny", .names = {"conv", "relu", "fc"}}; }

DumpQuestion In(const std::string& range) {
  DumpQuestion asked = Layers();
  asked.range = range;
  return asked;
}

ProfileDump ReadNsys(const NsysTestExport& nsys, const DumpQuestion& asked = Layers()) {
  return ParseProfileDump(nsys.Bytes(), "report.sqlite", {}, asked);
}

std::string Refusal(const NsysTestExport& nsys, const DumpQuestion& asked = Layers()) {
  return ErrorOf([&] { ReadNsys(nsys, asked); });
}

Samples SamplesOf(std::initializer_list<int> nanos) {
  Samples samples;
  for (const int one : nanos) samples.emplace_back(one);
  return samples;
}

#define EXPECT_SAYS(text, words) EXPECT_NE((text).find(words), std::string::npos) << (text)

TEST(NsysLayers, TakeTheSumOfWhatWasLaunchedInTheirRanges) {
  const ProfileDump dump = ReadNsys(ThreeInferences());
  ASSERT_EQ(dump.rows.size(), 2U);
  EXPECT_EQ(dump.rows[0].name, "conv");
  EXPECT_EQ(dump.rows[0].time.samples, SamplesOf({100, 110, 120}))
      << "not 110, with the pause between kernels";
  EXPECT_EQ(dump.rows[0].time.median, Nanos{110});
  EXPECT_EQ(dump.rows[1].time.samples, SamplesOf({50, 50, 50}));
  EXPECT_EQ(dump.tool, "Nsight Systems' export (schema 3.15.1) of a NVIDIA H200");
  EXPECT_EQ(dump.statistic, "sums of what each NVTX range's kernels took, 3 inferences, on device 0");
}

TEST(NsysLayers, AnInferenceLastsFromItsFirstStartOnTheCardToItsLastEnd) {
  ASSERT_TRUE(ReadNsys(ThreeInferences()).end_to_end);
  EXPECT_EQ(ReadNsys(ThreeInferences()).end_to_end->samples, SamplesOf({170, 180, 190}));
}

TEST(NsysLayers, OfARangeAroundEachInferenceNothingOutsideCounts) {
  NsysTestExport nsys = ThreeInferences("forward");
  nsys.Range("conv", 3000, 3020).Kernel("gemm", 3005, 3500, 3900).Kernel("init", 4000, 4500, 4900);
  const ProfileDump dump = ReadNsys(nsys, In("forward"));
  EXPECT_EQ(RowNamed(dump, "conv").time.samples, SamplesOf({100, 110, 120}));
  EXPECT_EQ(
      dump.statistic,
      "sums of what each NVTX range's kernels took, 3 inferences, on device 0, without 2 kernels outside of "
      "range \"forward\"");
}

TEST(NsysLayers, ARangeThatIsCalledAsTheModelIsAroundAnInference) {
  NsysTestExport nsys = ThreeInferences("tiny");
  nsys.Kernel("init", 4000, 4500, 4900);
  EXPECT_EQ(RowNamed(ReadNsys(nsys), "fc").time.samples, SamplesOf({50, 50, 50}));
}

TEST(NsysLayers, TheInnermostRangeOfALayerCountsWhateverElseIsAroundOrInIt) {
  NsysTestExport nsys;
  nsys.Range("block", 0, 100).Range("conv", 10, 90).Range("aten::conv2d", 15, 85).Range("conv", 20, 80);
  nsys.Range("relu", 50, 60)
      .Kernel("gemm", 30, 1000, 1040)
      .Kernel("max", 55, 1050, 1060)
      .Kernel("cast", 85, 1070, 1077);
  const ProfileDump dump = ReadNsys(nsys);
  EXPECT_EQ(RowNamed(dump, "conv").time.samples, SamplesOf({47}))
      << "one in another of its name is part of it";
  EXPECT_EQ(RowNamed(dump, "relu").time.samples, SamplesOf({10}));
}

TEST(NsysLayers, ARangeInWhichNothingWasLaunchedDidNotRun) {
  NsysTestExport nsys = ThreeInferences();
  for (const int at : {0, 1000, 2000}) nsys.Range("relu", at + 42, at + 44);
  const ProfileDump dump = ReadNsys(nsys);
  EXPECT_FALSE(RowNamed(dump, "relu").executed) << "it is for the mapping to find out where it ran";
  EXPECT_TRUE(RowNamed(dump, "conv").executed);
}

TEST(NsysLayers, CopiesOnTheCardAndSetsAreALayersWorkAndTransfersAreNot) {
  NsysTestExport nsys;
  nsys.Range("conv", 0, 100)
      .Set(10, 500, 505)
      .Copy(20, 510, 520, {.copy_kind = 8})
      .Kernel("gemm", 30, 530, 600);
  nsys.Copy(200, 700, 900, {.copy_kind = 2});
  const ProfileDump dump = ReadNsys(nsys);
  EXPECT_EQ(RowNamed(dump, "conv").time.samples, SamplesOf({85}));
  EXPECT_SAYS(dump.statistic, ", without 1 transfer");
}

TEST(NsysLayers, ATransferInALayersRangeIsRefusedUnlessTheMapLeavesTheRangeOut) {
  NsysTestExport nsys;
  nsys.Range("conv", 0, 100).Kernel("gemm", 30, 530, 600).Copy(50, 700, 900, {.copy_kind = 1});
  EXPECT_SAYS(Refusal(nsys), "a copy to or from the card was launched in a layer's range, 1 time: \"conv\"");
  DumpQuestion asked = Layers();
  asked.left_out = {"conv"};
  EXPECT_EQ(RowNamed(ReadNsys(nsys, asked), "conv").time.samples, SamplesOf({70}));
}

TEST(NsysLayers, WorkInNoLayersRangeIsRefusedWithCountsAndExamples) {
  NsysTestExport nsys = ThreeInferences("forward");
  for (const int at : {0, 1000, 2000}) {
    nsys.Range("aten::relu", at + 81, at + 85).Kernel("max", at + 82, at + 700, at + 710);
  }
  nsys.Kernel("init", 4000, 4500, 4900);
  EXPECT_EQ(
      Refusal(nsys),
      "report.sqlite: it is not certain which layer took how long:\n"
      "  work was launched in no layer's range, 4 times: \"max\" in range \"aten::relu\" (3 times), \"init\" "
      "in "
      "no range\n"
      "    say in a file for --map which layers its range means (none leaves the range out), or with --range "
      "what is around one inference: what was launched outside of that is left out");
  EXPECT_SAYS(Refusal(nsys, In("forward")), "3 times: \"max\" in range \"aten::relu\" (3 times)\n");
}

TEST(NsysLayers, ThatRanMoreOftenThanOthersAreRefused) {
  NsysTestExport nsys = ThreeInferences();
  nsys.Range("conv", 3010, 3040).Kernel("gemm", 3020, 3500, 3600);
  EXPECT_SAYS(Refusal(nsys),
              "a layer did not run once in every inference, 1 time: \"fc\" (3 ranges in 4 inferences)");
  NsysTestExport twice = ThreeInferences("forward");
  twice.Range("fc", 1081, 1085);
  EXPECT_SAYS(Refusal(twice, In("forward")), "\"fc\" (4 ranges in 3 inferences)");
  EXPECT_SAYS(Refusal(ThreeInferences("forward").Range("forward", 5000, 5010), In("forward")),
              "2 times: \"conv\" (3 ranges in 4 inferences), \"fc\" (3 ranges in 4 inferences)");
}

TEST(NsysLayers, ThatLaunchMoreInOneInferenceAreRefused) {
  NsysTestExport nsys = ThreeInferences();
  nsys.Kernel("try", 22, 400, 410);
  EXPECT_SAYS(Refusal(nsys),
              "a layer did not launch as much in every inference, 1 time: \"conv\" (3 in the first "
              "inference, 2 in the "
              "2.)");
}

TEST(NsysLayers, KernelsOfAGraphThatIsLaunchedAsAWholeAreRefused) {
  NsysTestExport nsys = ThreeInferences("forward");
  nsys.Kernel("node", 85, 700, 710, {.graph_node = 5});
  EXPECT_SAYS(Refusal(nsys, In("forward")),
              "work ran in a CUDA graph, which is launched as a whole, 1 time: \"node\"");
  EXPECT_SAYS(Refusal(ThreeInferences().Graph(30, 700, 800)),
              "a CUDA graph, which is launched as a whole, 1 time");
  EXPECT_EQ(Refusal(ThreeInferences("forward").Graph(5000, 5700, 5800), In("forward")), "no error")
      << "of no inference";
}

TEST(NsysLayers, AGraphOfOneLayerIsThatLayers) {
  NsysTestExport nsys;
  nsys.Range("conv", 0, 100).Kernel("gemm", 30, 530, 600, {.graph_node = 5});
  EXPECT_EQ(RowNamed(ReadNsys(nsys), "conv").time.samples, SamplesOf({70}));
}

TEST(NsysLayers, InferencesThatOverlapAreRefused) {
  NsysTestExport on_card;  // the second one's convolution before the first one's last layer
  on_card.Range("conv", 0, 10).Range("fc", 20, 30).Range("conv", 100, 110).Range("fc", 120, 130);
  on_card.Kernel("gemm", 5, 500, 510).Kernel("gemm", 25, 600, 610).Kernel("gemm", 105, 520, 530);
  on_card.Kernel("gemm", 125, 700, 710);
  EXPECT_SAYS(Refusal(on_card), "an inference began before the one before it ended, 1 time: the card's 2.");
  NsysTestExport in_program;
  in_program.Range("conv", 0, 10).Range("conv", 12, 14).Range("fc", 20, 30).Range("fc", 120, 130);
  in_program.Kernel("gemm", 5, 500, 510);
  EXPECT_SAYS(Refusal(in_program),
              "an inference began before the one before it ended, 1 time: the program's 2.");
  NsysTestExport two_threads = ThreeInferences("forward");
  two_threads.Range("forward", 50, 100, {.thread = NsysTestExport::kThread + 1});
  EXPECT_SAYS(Refusal(two_threads, In("forward")), "the program's 2.");
}

TEST(NsysLayers, WorkBesideOtherWorkIsRefused) {
  EXPECT_SAYS(
      Refusal(ThreeInferences("forward").Kernel("load", 5000, 505, 515), In("forward")),
      "work ran while other work did, and took longer for it than alone, 1 time: \"load\" beside \"im2col\"");
}

TEST(NsysLayers, WorkThatAnotherThreadLaunchesDuringAnInferenceIsRefused) {
  NsysTestExport nsys = ThreeInferences("forward");
  nsys.Kernel("gemm", 30, 300, 310, {.thread = NsysTestExport::kThread + 1});
  EXPECT_SAYS(Refusal(nsys, In("forward")),
              "work was launched by another thread during an inference, 1 time: \"gemm\"");
}

TEST(NsysLayers, RangesThatCrossOrDoNotEndAreRefused) {
  EXPECT_SAYS(
      Refusal(ThreeInferences().Range("relu", 30, 60)),
      "two ranges overlap, and neither is in the other, 2 times: \"conv\" and \"relu\", \"relu\" and \"fc\"");
  EXPECT_SAYS(Refusal(ThreeInferences().Range("conv", 5000, std::nullopt, {})), "a range did not end");
  EXPECT_SAYS(Refusal(ThreeInferences().Sql("UPDATE NVTX_EVENTS SET endGlobalTid = 5 WHERE text = 'fc';")),
              "or not on the thread that began it, 3 times: \"fc\" (3 times)");
  EXPECT_EQ(Refusal(ThreeInferences().Range("other", 30, 60)), "no error") << "nobody asks for it";
}

TEST(NsysLayers, LaunchesThatAreMissingOrAmbiguousAreRefused) {
  EXPECT_SAYS(
      Refusal(ThreeInferences().Sql("DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId = 3;")),
      "work was launched by a call that the export does not have, or has twice, 1 time: \"gemm\"");
  EXPECT_SAYS(Refusal(ThreeInferences().Sql("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET correlationId = 1;")),
              "or has twice, 9 times: ");
}

TEST(NsysLayers, OfSeveralCardsOneIsSaid) {
  NsysTestExport nsys = ThreeInferences();
  nsys.Kernel("load", 5000, 505, 515, {.device = 1});
  EXPECT_EQ(Refusal(nsys),
            "report.sqlite: kernels ran on several devices: 0 (9 kernels), 1 (1 kernel); say which one with "
            "--device");
  DumpQuestion asked = Layers();
  asked.device = 0;
  EXPECT_EQ(RowNamed(ReadNsys(nsys, asked), "fc").time.samples, SamplesOf({50, 50, 50}));
  asked.device = 2;
  EXPECT_EQ(Refusal(nsys, asked),
            "report.sqlite: no kernel ran on device 2; they ran on 0 (9 kernels), 1 (1 kernel)");
}

TEST(NsysLayers, OfSeveralProcessesNoneIsTaken) {
  NsysTestExport nsys = ThreeInferences();
  nsys.Kernel("load", 5000, 5500, 5510, {.thread = NsysTestExport::kThread + (std::int64_t{5} << 24)});
  EXPECT_EQ(
      Refusal(nsys),
      "report.sqlite: several processes ran kernels on a device 0: process 77 (9 kernels), process 82 (1 "
      "kernel); profile one alone");
}

TEST(NsysLayers, NamesThatNobodyKnowsAreShown) {
  EXPECT_SAYS(Refusal(ThreeInferences("forward"), {.model = "tiny", .names = {"conv1"}}),
              "no range is called as a layer of model \"tiny\"; there are \"forward\", \"conv\", \"fc\". Say "
              "what they");
  EXPECT_EQ(Refusal(ThreeInferences("forward"), In("forwards")),
            "report.sqlite: has no range \"forwards\", as --range says; did you mean \"forward\"?");
  EXPECT_EQ(
      Refusal(ThreeInferences().Range("forward", 5000, 5010), In("forward")),
      "report.sqlite: no range \"forward\" has one of a layer of model \"tiny\" in it, on the same thread");
}

TEST(NsysLayers, RangesByIdAndOfTwoCallsCountAsThoseByText) {
  NsysTestExport nsys = ThreeInferences();
  nsys.Sql("INSERT INTO StringIds VALUES (900, 'fc');");
  nsys.Sql("UPDATE NVTX_EVENTS SET text = NULL, textId = 900, eventType = 60 WHERE text = 'fc';");
  EXPECT_EQ(RowNamed(ReadNsys(nsys), "fc").time.samples, SamplesOf({50, 50, 50}));
}

TEST(NsysLayers, OtherDumpsHaveNeitherRangesNorDevices) {
  EXPECT_EQ(ErrorOf([] { ParseProfileDump(R"([{"count": 1}])", "dump", "trtexec", In("forward")); }),
            "--range: a dump of format trtexec is of one model alone");
  DumpQuestion asked = Layers();
  asked.device = 0;
  EXPECT_EQ(ErrorOf([&] { ParseProfileDump(R"([{"count": 1}])", "dump", "trtexec", asked); }),
            "--device: a dump of format trtexec is of one model alone");
}

}  // namespace
}  // namespace tandem
