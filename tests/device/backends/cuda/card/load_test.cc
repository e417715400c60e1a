// Does the load of a card keep giving it bursts until it goes, and say when it cannot?
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "device/backends/cuda/card/load.h"
#include "profiles/base/input_error.h"

namespace tandem::gpu {
namespace {

// What others see of it.
struct Seen {
  std::atomic<int> bursts{0}, fails_after{1'000'000}, blocks{0}, urgency{0}, allocated{0};
  std::atomic<std::int64_t> rounds{0}, percent_longer{0};
};

struct FakeEvent final : Event {
  Nanos at{0};
  bool Passed() override { return true; }
  Nanos Since(const Event& earlier) override { return at - static_cast<const FakeEvent&>(earlier).at; }
};

// Ten nanoseconds a round on a clock of its own: it needs no time to burn.
class FakeStream final : public CardStream {
 public:
  explicit FakeStream(Seen& seen) : seen_(seen) {}
  void Copy(void*, const void*, std::size_t) override {}
  void CopyRows(void*, const void*, std::size_t, std::size_t, std::size_t) override {}
  void Fill(void*, std::size_t) override {}
  void Run(const Conv&, const ConvArguments&) override {}
  void Run(const GemmCall&) override {}
  void Run(const ChannelCall&) override {}
  void Run(const BinaryCall&) override {}
  void Run(const GatherCall&) override {}
  void Run(const ResizeCall&) override {}
  void Run(const PoolCall&) override {}
  void Run(const LrnCall&) override {}
  void Run(const RowsCall&) override {}
  void Run(const MeanCall&) override {}
  void Run(const DepthwiseCall&) override {}
  void Run(const MatvecCall&) override {}
  void Run(const BurnCall& call) override {
    if (seen_.bursts >= seen_.fails_after) throw EnvironmentError("kernel burn: it burnt");
    now_ += call.rounds * Nanos{10} * (100 + seen_.percent_longer) / 100;
    seen_.blocks = call.blocks;
    seen_.rounds = call.rounds;
    ++seen_.bursts;
  }
  void Record(Event& event) override { static_cast<FakeEvent&>(event).at = now_; }
  void BeginCapture() override {}
  std::unique_ptr<Graph> EndCapture(std::unique_ptr<Graph>) override { return nullptr; }
  void Run(const Graph&) override {}
  void Wait() override {}
  void SetUrgency(int urgency) override { seen_.urgency = urgency; }

 private:
  Seen& seen_;
  Nanos now_{0};
};

class FakeCard final : public Card {
 public:
  explicit FakeCard(Seen& seen) : seen_(seen) { info_.multiprocessors = 7; }
  const CardInfo& info() const override { return info_; }
  std::int64_t FreeBytes() override { return 0; }
  void* Allocate(Space, std::size_t bytes) override {
    ++seen_.allocated;
    return ::operator new(bytes);
  }
  void Free(Space, void* at) noexcept override {
    --seen_.allocated;
    ::operator delete(at);
  }
  std::unique_ptr<CardStream> MakeStream(int urgency) override {
    seen_.urgency = urgency;
    return std::make_unique<FakeStream>(seen_);
  }
  std::unique_ptr<CardStream> MakePartStream(int, int, int urgency) override { return MakeStream(urgency); }
  std::unique_ptr<Event> MakeEvent() override { return std::make_unique<FakeEvent>(); }
  std::vector<ConvWay> ConvWays(const CardConv&, std::size_t, std::size_t) override { return {}; }
  std::unique_ptr<Conv> MakeConv(const CardConv&, const ConvWay&) override { return nullptr; }

 private:
  Seen& seen_;
  CardInfo info_;
};

BurstRate RateOfCard(FakeCard& card) {
  Burner burner(card);
  return RateOf(burner);
}

TEST(LoadOfACard, KeepsItsMultiprocessorsBusyForItsPart) {
  Seen seen;
  FakeCard card(seen);
  const BurstRate rate = RateOfCard(card);
  {
    const CardLoad load(card, 40, rate);
    const int before = seen.bursts;
    while (seen.bursts < before + 3) std::this_thread::yield();
    EXPECT_GT(load.Share(), 0);
    EXPECT_EQ(load.Trouble(), "");
  }
  EXPECT_EQ(seen.blocks, 7);
  EXPECT_NEAR(static_cast<double>(seen.rounds), 400'000, 1) << "4 ms of 10";
  EXPECT_GT(seen.urgency, 1000) << "less urgent than all others";
  EXPECT_EQ(seen.allocated, 0);
  const int after = seen.bursts;
  std::this_thread::sleep_for(std::chrono::milliseconds{1});
  EXPECT_EQ(seen.bursts, after);
}

TEST(LoadOfACard, SaysWhatNvmlTellsOfTheCard) {
  Seen seen;
  FakeCard card(seen);
  const BurstRate rate = RateOfCard(card);
  EXPECT_EQ(CardLoad(card, 40, rate).BusyAsTold(), std::nullopt);
  EXPECT_EQ(BusyByNvml(nullptr, "0000:3b:00.0"), nullptr);
  ::setenv("FAKE_NVML_GPUS", "1", 1);
  const BusyShare told = BusyByNvml(std::make_shared<const NvmlLibrary>(TANDEM_FAKE_NVML), "0000:3b:00.0");
  const CardLoad load(card, 40, rate, told);
  EXPECT_EQ(load.BusyAsTold(), std::nullopt) << "this one does not know";
  ::setenv("FAKE_NVML_BUSY", "43", 1);
  EXPECT_EQ(load.BusyAsTold(), 0.43);
  ::unsetenv("FAKE_NVML_BUSY");
  ::unsetenv("FAKE_NVML_GPUS");
}

// Here everything takes a quarter longer from then on: 1.25 times.
TEST(LoadOfACard, IsHeldAgainstAKnownKernelThatFillsTheCard) {
  Seen seen;
  FakeCard card(seen);
  const BurstRate rate = RateOfCard(card);
  EXPECT_EQ(CardLoad(card, 40, rate).SlowdownOfKnown(), std::nullopt) << "nobody has measured it alone";
  CardLoad load(card, 40, rate, nullptr, rate);
  seen.percent_longer = 25;
  EXPECT_NEAR(load.SlowdownOfKnown().value_or(0), 1.25, 1e-6);
  EXPECT_EQ(load.Trouble(), "");
}

TEST(LoadOfACard, ThatFailsSaysSo) {
  Seen seen;
  FakeCard card(seen);
  const BurstRate rate = RateOfCard(card);
  seen.fails_after = seen.bursts + 2;
  const CardLoad load(card, 40, rate);
  while (load.Trouble().empty()) std::this_thread::yield();
  EXPECT_EQ(load.Trouble(), "kernel burn: it burnt");
  seen.fails_after = 0;
  EXPECT_THROW(RateOfCard(card), EnvironmentError);
}

}  // namespace
}  // namespace tandem::gpu
