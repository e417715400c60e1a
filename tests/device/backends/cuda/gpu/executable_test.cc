// Does a segment on a GPU read and write tensors wherever they lie, allocate nothing while it runs, and say
// which layer failed? On a card that computes on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "tests/support/device/executable_run.h"
#include "tests/support/device/gpu_fixture.h"
#include "tests/support/error_of.h"

namespace tandem::gpu {
namespace {

constexpr double kTolerance = 1e-4;

GpuOptions Fixed(bool graph, Format format = Format::kNchw) { return {format, graph, 1, 1}; }

class GpuSegment : public testing::TestWithParam<bool> {
 protected:
  HostCard card_{"gpu segment"};
  std::unique_ptr<Processor> processor_ = OpenGpu(card_, "unit", {}, Fixed(GetParam()));
  GpuRun run_{SmallGpuModel()};
};
INSTANTIATE_TEST_SUITE_P(, GpuSegment, testing::Bool(),
                         [](const auto& graph) { return graph.param ? "AsAGraph" : "OneByOne"; });

TEST_P(GpuSegment, RunsBetweenAnyTwoMemories) {
  const auto executable = processor_->Compile(run_.spec);
  TensorMemory* const memories[] = {&processor_->memory(), &processor_->host_memory(),
                                    processor_->managed_memory(), &HostMemory()};
  std::uint32_t seed = 1;
  for (TensorMemory* const in : memories) {
    for (TensorMemory* const out : memories) {
      GpuTensors tensors(run_, *processor_, *in, *out);
      tensors.Set(++seed);
      executable->Run(tensors.from, tensors.to);
      EXPECT_LT(RelativeError(tensors.Result(), run_.Expected(seed)), kTolerance) << "run " << seed;
    }
  }
}

TEST_P(GpuSegment, AllocatesNothingWhileItRuns) {
  const auto executable = processor_->Compile(run_.spec);
  GpuTensors host(run_, *processor_, HostMemory(), HostMemory());
  GpuTensors here(run_, *processor_, processor_->memory(), processor_->memory());
  const int before = card_.Count(CardCall::kAllocate);
  for (const std::uint32_t seed : {1u, 2u}) {
    host.Set(seed);
    here.Set(seed);
    executable->Run(host.from, host.to);
    executable->Run(here.from, here.to);
  }
  EXPECT_EQ(card_.Count(CardCall::kAllocate), before);
}

TEST_P(GpuSegment, TensorsThatTheCardReachesAreNeverCopied) {
  const auto executable = processor_->Compile(run_.spec);
  for (TensorMemory* const memory : {&processor_->host_memory(), processor_->managed_memory()}) {
    GpuTensors tensors(run_, *processor_, *memory, *memory);
    tensors.Set(7);
    const int before = card_.Count(CardCall::kCopy);
    executable->Run(tensors.from, tensors.to);
    EXPECT_EQ(card_.Count(CardCall::kCopy), before);
    EXPECT_LT(RelativeError(tensors.Result(), run_.Expected(7)), kTolerance);
  }
}

TEST_P(GpuSegment, StartsOnceWhereItIsAGraph) {
  const auto executable = processor_->Compile(run_.spec);
  GpuTensors tensors(run_, *processor_, processor_->memory(), processor_->memory());
  tensors.Set(5);
  const int kernels = card_.Count(CardCall::kKernel) + card_.Count(CardCall::kConv);
  const int graphs = card_.Count(CardCall::kGraph);
  executable->Run(tensors.from, tensors.to);
  EXPECT_EQ(card_.Count(CardCall::kKernel) + card_.Count(CardCall::kConv) == kernels, GetParam());
  EXPECT_EQ(card_.Count(CardCall::kGraph) - graphs, GetParam() ? 1 : 0);
}

TEST_P(GpuSegment, TensorsOfTheCardThatComeAgainAreNotCopied) {
  const auto executable = processor_->Compile(run_.spec);
  GpuTensors ours(run_, *processor_, processor_->memory(), processor_->memory());
  GpuTensors others(run_, *processor_, processor_->memory(), processor_->memory());
  const auto run = [&](GpuTensors& tensors, std::uint32_t seed) {
    tensors.Set(seed);
    const int before = card_.Count(CardCall::kCopy);
    executable->Run(tensors.from, tensors.to);
    const int copies = card_.Count(CardCall::kCopy) - before;
    EXPECT_LT(RelativeError(tensors.Result(), run_.Expected(seed)), kTolerance) << seed;
    return copies;
  };
  run(ours, 1);
  run(ours, 2);
  EXPECT_EQ(run(ours, 3), 0);
  EXPECT_EQ(run(others, 4), GetParam() ? 2 : 0) << "the graph is for the first ones";
  EXPECT_EQ(run(ours, 5), 0);
  run(others, 6);
  run(others, 7);
  EXPECT_EQ(run(others, 8), 0);
}

class TurnsOfTensors : public GpuSegment {
 protected:
  GpuTensors& Add() {
    return *sets_.emplace_back(
        std::make_unique<GpuTensors>(run_, *processor_, processor_->memory(), processor_->memory()));
  }
  // How often a run with them copies.
  int Copies(GpuTensors& tensors) {
    tensors.Set(++seed_);
    const int before = card_.Count(CardCall::kCopy);
    executable_->Run(tensors.from, tensors.to);
    const int copies = card_.Count(CardCall::kCopy) - before;
    EXPECT_LT(RelativeError(tensors.Result(), run_.Expected(seed_)), kTolerance) << seed_;
    return copies;
  }

  std::unique_ptr<Executable> executable_ = processor_->Compile(run_.spec);
  std::vector<std::unique_ptr<GpuTensors>> sets_;
  std::uint32_t seed_ = 0;
};
INSTANTIATE_TEST_SUITE_P(, TurnsOfTensors, testing::Bool(),
                         [](const auto& graph) { return graph.param ? "AsAGraph" : "OneByOne"; });

TEST_P(TurnsOfTensors, HaveEachTheirGraph) {
  for (int set = 0; set < 4; ++set) Add();
  for (const auto& set : sets_)
    EXPECT_EQ(Copies(*set), GetParam() ? 2 : 0) << "nobody knows whether it comes again";
  for (int turn = 0; turn < 3; ++turn) {
    for (const auto& set : sets_) EXPECT_EQ(Copies(*set), 0) << "turn " << turn;
  }
}

TEST_P(TurnsOfTensors, OfWhichThereAreTooManyAreCopiedAndRight) {
  for (int set = 0; set < 12; ++set) Add();
  for (int turn = 0; turn < 3; ++turn) {
    for (const auto& set : sets_) EXPECT_EQ(Copies(*set), GetParam() ? 2 : 0) << "turn " << turn;
  }
  // Those that stay take over the graphs of those that went.
  for (int turn = 0; turn < 3; ++turn) Copies(*sets_[0]);
  EXPECT_EQ(Copies(*sets_[0]), 0);
  Copies(*sets_[1]);
  Copies(*sets_[1]);
  EXPECT_EQ(Copies(*sets_[1]), 0);
  EXPECT_EQ(Copies(*sets_[0]), 0);
}

TEST_P(GpuSegment, SaysWhichLayerFailedAndRunsAgain) {
  const auto executable = processor_->Compile(run_.spec);
  GpuTensors tensors(run_, *processor_, HostMemory(), HostMemory());
  tensors.Set(1);
  card_.FailAt(GetParam() ? CardCall::kGraph : CardCall::kConv, GetParam() ? 1 : 3);
  const std::string message = FailureOf([&] { executable->Run(tensors.from, tensors.to); });
  EXPECT_EQ(message.find("small gpu: " + std::string(GetParam() ? "its graph: " : "c (conv ")), 0u)
      << message;
  EXPECT_NE(message.find("the test wants this call to fail"), std::string::npos);
  executable->Run(tensors.from, tensors.to);
  EXPECT_LT(RelativeError(tensors.Result(), run_.Expected(1)), kTolerance);
}

TEST_P(GpuSegment, ATimedRunHasAnEndForEveryStepByTheCardsClock) {
  const auto executable = processor_->Compile(run_.spec);
  GpuTensors tensors(run_, *processor_, processor_->memory(), HostMemory());
  tensors.Set(9);
  std::vector<Nanos> ends(executable->Steps().size());
  executable->RunTimed(tensors.from, tensors.to, ends);
  EXPECT_TRUE(std::is_sorted(ends.begin(), ends.end()));
  EXPECT_GE((ends.back() - ends.front()).count(), 2000 * (static_cast<int>(ends.size()) - 4));
  EXPECT_LT(RelativeError(tensors.Result(), run_.Expected(9)), kTolerance);
  const std::optional<Nanos> whole = executable->RunOnDeviceClock(tensors.from, tensors.to);
  EXPECT_GE(whole.value().count(), (ends.back() - ends.front()).count());
}

TEST(GpuExecutable, TheHostNeverTouchesTheCardsMemory) {
  HostCard card("guarded", {.guard = true});
  const GpuRun run(SmallGpuModel());
  for (const bool graph : {false, true}) {
    for (const char* precision : {"fp32", "fp16"}) {
      const auto processor = OpenGpu(card, "unit", {"", precision}, Fixed(graph, Format::kNhwc));
      const auto executable = processor->Compile(run.spec);
      GpuTensors tensors(run, *processor, processor->memory(), processor->memory());
      tensors.Set(4);
      executable->Run(tensors.from, tensors.to);
      EXPECT_LT(RelativeError(tensors.Result(), run.Expected(4)), 5e-3);
    }
  }
}

TEST(GpuExecutable, MemoryThatRunsOutIsABadAllocWhereverItHappens) {
  HostCard card("small memory");
  const GpuRun run(SmallGpuModel());
  const auto processor = OpenGpu(card, "unit", {}, Fixed(true));
  processor->Compile(run.spec);
  const int before = card.Count(CardCall::kAllocate);
  processor->Compile(run.spec);  // what is there once would not be taken again
  const int needed = card.Count(CardCall::kAllocate) - before;
  ASSERT_GT(needed, 5);
  for (int n = 1; n <= needed; ++n) {
    card.FailAt(CardCall::kAllocate, n);
    EXPECT_THROW(processor->Compile(run.spec), std::bad_alloc) << n;
  }
  EXPECT_NO_THROW(processor->Compile(run.spec));
}

TEST(GpuExecutable, WeightsAreOnTheCardOnceAndSegmentsOfASlotWorkInTheSameMemory) {
  HostCard card("shared");
  const GpuRun run(SmallGpuModel());
  const auto processor = OpenGpu(card, "unit", {}, Fixed(true));
  const auto first = processor->Compile(run.spec);
  const std::int64_t free = card.FreeBytes();
  const auto second = processor->Compile(run.spec);
  EXPECT_EQ(card.FreeBytes(), free);
  const auto other_slot = OpenGpu(card, "unit", {}, Fixed(false));
  const auto third = other_slot->Compile(run.spec);
  EXPECT_GT(card.FreeBytes(), free - first->Bytes()) << "its scratch alone";
  GpuTensors tensors(run, *processor, HostMemory(), HostMemory());
  for (const std::uint32_t seed : {1u, 2u}) {
    tensors.Set(seed);
    for (Executable* const one : {first.get(), second.get(), third.get(), first.get()}) {
      one->Run(tensors.from, tensors.to);
      EXPECT_LT(RelativeError(tensors.Result(), run.Expected(seed)), kTolerance);
    }
  }
}

TEST(GpuExecutable, WeightsOfAnotherModelAreNotTakenForTheSame) {
  HostCard card("not shared");
  const GpuRun one(SmallGpuModel(), 3), other(SmallGpuModel(), 4);
  const auto processor = OpenGpu(card, "unit", {}, Fixed(false));
  const auto first = processor->Compile(one.spec), second = processor->Compile(other.spec);
  for (const GpuRun* const run : {&one, &other, &one}) {
    GpuTensors tensors(*run, *processor, HostMemory(), HostMemory());
    tensors.Set(5);
    (run == &one ? first : second)->Run(tensors.from, tensors.to);
    EXPECT_LT(RelativeError(tensors.Result(), run->Expected(5)), kTolerance);
  }
}

TEST(GpuExecutable, ALargerSegmentLeavesASmallerOneWhereItWas) {
  HostCard card("growing");
  const GpuRun small(SmallGpuModel());
  ModelBuilder net("large");
  net.Input("in", {1, 8, 64, 64});
  net.Conv("a", SquareConv(16, 3, 1, 1));
  net.Relu("relu");
  net.Conv("b", SquareConv(8, 1));
  const GpuRun large(net.Build());
  const auto processor = OpenGpu(card, "unit", {}, Fixed(true));
  const auto first = processor->Compile(small.spec), second = processor->Compile(large.spec);
  for (const GpuRun* const run : {&small, &large, &small}) {
    GpuTensors tensors(*run, *processor, processor->memory(), HostMemory());
    tensors.Set(6);
    (run == &small ? first : second)->Run(tensors.from, tensors.to);
    EXPECT_LT(RelativeError(tensors.Result(), run->Expected(6)), kTolerance);
  }
}

TEST(GpuExecutable, NothingIsLeftOfOneThatIsGone) {
  HostCard card("tidy");
  const std::int64_t free = card.FreeBytes();
  {
    const auto processor = OpenGpu(card, "unit", {}, {{}, {}, 1, 1});
    const GpuRun run(SmallGpuModel());
    const auto executable = processor->Compile(run.spec);
    EXPECT_LT(card.FreeBytes(), free - executable->Bytes() / 2);
  }
  EXPECT_EQ(card.FreeBytes(), free);
}

// The second slot takes the weights that are there; what was taken while ways were tried is given back.
TEST(GpuExecutable, TheCardsOwnWordOfItsMemoryStandsBesideWhatIsCounted) {
  HostCard card("room", {.memory_bytes = std::int64_t{64} << 20});
  const auto processor = OpenGpu(card, "unit", {}, {{}, {}, 1, 1});
  const GpuRun run(SmallGpuModel());
  const std::optional<MemoryRoom> before = processor->Room();
  ASSERT_TRUE(before);
  EXPECT_EQ(before->free_bytes, card.FreeBytes());
  const auto executable = processor->Compile(run.spec);
  const std::optional<MemoryRoom> after = processor->Room();
  EXPECT_EQ(after->free_bytes, card.FreeBytes());
  EXPECT_GE(before->free_bytes - after->free_bytes, executable->Bytes() / 2);
  EXPECT_LT(after->least_bytes, after->free_bytes) << "both formats were there while one was chosen";
  EXPECT_EQ(processor->Room()->least_bytes, after->free_bytes) << "since then nothing was taken";
}

TEST(GpuExecutable, SlotsRunSideBySide) {
  HostCard card("two slots");
  const GpuRun run(SmallGpuModel());
  const auto work = [&](std::int64_t slot) {
    const auto processor = OpenGpu(card, "unit", {}, Fixed(slot == 0));
    const auto executable = processor->Compile(run.spec);
    GpuTensors tensors(run, *processor, HostMemory(), processor->memory());
    for (std::uint32_t seed = 1; seed < 4; ++seed) {
      tensors.Set(seed + static_cast<std::uint32_t>(slot));
      executable->Run(tensors.from, tensors.to);
      EXPECT_LT(RelativeError(tensors.Result(), run.Expected(seed + static_cast<std::uint32_t>(slot))),
                kTolerance);
    }
  };
  std::thread first(work, 0), second(work, 1);
  first.join();
  second.join();
}

// Also where it starts a graph that was made while it was another.
TEST_P(GpuSegment, IsAsUrgentAsItsProcessorIsTold) {
  const auto executable = processor_->Compile(run_.spec);
  GpuTensors tensors(run_, *processor_, processor_->memory(), processor_->memory());
  std::uint32_t seed = 1;
  for (const int urgency : {-1, 3, 1, 1, 0}) {
    if (urgency >= 0) processor_->SetUrgency(urgency);
    tensors.Set(++seed);
    executable->Run(tensors.from, tensors.to);
    EXPECT_EQ(card_.last_urgency(), std::max(urgency, 0)) << "the most urgent where nothing is said";
    EXPECT_LT(RelativeError(tensors.Result(), run_.Expected(seed)), kTolerance);
  }
}

TEST(GpuExecutable, BlocksOfTensorsAreCopiedRowByRow) {
  HostCard card("blocks");
  const auto processor = OpenGpu(card, "unit", {});
  const auto copier = OpenGpuCopier(card);
  Buffer there(24, processor->memory());
  std::vector<float> from(24), back(24, -1);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i);
  const TensorBlock block{3, 4, 8, 2};
  processor->Copy(there.data(), from.data(), block);
  copier->Copy(back.data(), there.data(), block);
  for (std::size_t i = 0; i < back.size(); ++i) {
    const bool inside = i >= 2 && (i - 2) % 8 < 4;
    EXPECT_EQ(back[i], inside ? from[i] : -1.0f) << i;
  }
  processor->Spread(there.data(), from.data(), block);
  copier->Copy(back.data(), there.data(), block);
  EXPECT_EQ(back[2], from[0]);
  EXPECT_EQ(back[10], from[4]);
  EXPECT_EQ(back[21], from[11]);
}

TEST(GpuExecutable, OtherPrecisionsAreTheUsersMistake) {
  HostCard card("precisions");
  EXPECT_EQ(ErrorOf([&] {
              OpenGpu(card, "unit \"gpu0\"", {"", "int8"});
            }),
            "unit \"gpu0\": the backend cuda does not compute in int8; take fp32, tf32 or fp16");
}

}  // namespace
}  // namespace tandem::gpu
