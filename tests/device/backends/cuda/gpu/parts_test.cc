// Has each slot of a unit that does not share its time an equal part of the card, and is it said where there
// are none? On a card that computes on the host, a part of which takes as many times as long as there are.
#include <gtest/gtest.h>

#include "tests/support/device/executable_run.h"
#include "tests/support/device/gpu_fixture.h"

namespace tandem::gpu {
namespace {

constexpr GpuOptions kOnePlainWay{Format::kNchw, false, 1, 1};

Platform BoardOfSlots(std::int64_t slots, bool time_shared) {
  Platform board;
  for (const char* name : {"dram", "vram"}) board.memories.push_back({name, std::nullopt, std::nullopt});
  Unit unit;
  unit.name = "gpu0";
  unit.memory = MemoryId(1);
  unit.slots = slots;
  unit.time_shared = time_shared;
  board.units.push_back(std::move(unit));
  return board;
}

std::unique_ptr<Processor> OpenSlot(HostCard& card, const Platform& board, std::int64_t slot = 0) {
  OpenRequest request;
  request.platform = &board;
  request.unit = UnitId(0);
  request.slot = slot;
  return OpenGpuUnit(card, request, kOnePlainWay);
}

GpuRun OneConvolution() {
  ModelBuilder net("one");
  net.Input("in", {1, 8, 12, 12});
  net.Conv("conv", SquareConv(16, 3, 1, 1));
  net.Relu("relu");
  return GpuRun(net.Build());
}

using Streams = std::vector<int>;

TEST(GpuParts, EachSlotHasOneOfItsOwnAndGivesItBack) {
  HostCard card("parts");
  const Platform board = BoardOfSlots(3, false);
  {
    const auto first = OpenSlot(card, board, 0), last = OpenSlot(card, board, 2);
    EXPECT_EQ(card.StreamsOnParts(3), (Streams{1, 0, 1}));
    const auto second = OpenSlot(card, board, 1);
    EXPECT_EQ(card.StreamsOnParts(3), (Streams{1, 1, 1}));
    // A slot that is opened once more, for another precision, is the same part.
    const auto again = OpenSlot(card, board, 1);
    EXPECT_EQ(card.StreamsOnParts(3), (Streams{1, 2, 1}));
  }
  EXPECT_EQ(card.StreamsOnParts(3), (Streams{0, 0, 0}));
}

TEST(GpuParts, AUnitOfOneSlotAndSlotsThatShareItsTimeHaveAllOfIt) {
  HostCard card("whole", {.most_parts = 1});
  EXPECT_NO_THROW(OpenSlot(card, BoardOfSlots(1, false)));
  EXPECT_NO_THROW(OpenSlot(card, BoardOfSlots(2, true)));
  EXPECT_EQ(card.StreamsOnParts(2), Streams{});
}

TEST(GpuParts, WhereThereAreNoneItIsRefusedAndSaidWhatWouldDo) {
  HostCard card("undivided", {.most_parts = 1});
  EXPECT_EQ(FailureOf([&] { OpenSlot(card, BoardOfSlots(2, false)); }),
            "unit \"gpu0\": its 2 slots are a part of the card each, which is not to be had: the host is not "
            "divided like that; with \"time_shared\": true they share the whole of it");
}

// What is measured of such a unit is of a part: two of them take twice as long as the whole, and as right.
TEST(GpuParts, ASegmentIsRightThereAndTakesWhatAPartTakes) {
  HostCard card("twice");
  const GpuRun run = OneConvolution();
  std::vector<Nanos> times;
  for (const std::int64_t slots : {1, 2}) {
    const auto slot = OpenSlot(card, BoardOfSlots(slots, false));
    const auto executable = slot->Compile(run.spec);
    GpuTensors tensors(run, *slot, slot->memory(), slot->memory());
    tensors.Set(7);
    times.push_back(executable->RunOnDeviceClock(tensors.from, tensors.to).value());
    EXPECT_LT(RelativeError(tensors.Result(), run.Expected(7)), 1e-4) << slots;
  }
  EXPECT_GT(times[0], Nanos{0});
  EXPECT_EQ(times[1], 2 * times[0]);
}

// What is fastest on a part need not be on the whole card.
TEST(GpuParts, ChoicesOfKernelsAreThoseOfAPart) {
  HostCard card("choices of parts");
  const auto whole = OpenSlot(card, BoardOfSlots(1, false)), part = OpenSlot(card, BoardOfSlots(2, false));
  EXPECT_EQ(whole->KernelLibrary(), "host 1.0 on choices of parts, driver 1.2");
  EXPECT_EQ(part->KernelLibrary(), "host 1.0 on choices of parts, one of 2 parts, driver 1.2");
  const GpuRun run = OneConvolution();
  whole->Compile(run.spec);
  const int before = card.Count(CardCall::kConv);
  part->Compile(run.spec);
  EXPECT_GT(card.Count(CardCall::kConv), before) << "they were tried there";
}

}  // namespace
}  // namespace tandem::gpu
