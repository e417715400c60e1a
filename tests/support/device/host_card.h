// A card for tests whose memory is the host's and whose streams do their work at once, on the host: all that
// the backend decides above card.h can be tested where there is no card. It is stricter than a real one:
// kernels that are given an address outside of its memory fail, fresh memory is full of NaN, workspaces are
// overwritten by whoever borrows them, nothing is captured that was not started before, and on request the
// host's own code cannot touch the card's memory.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "device/backends/cuda/card.h"

namespace tandem::gpu {

enum class CardCall : std::uint8_t { kAllocate, kCopy, kConv, kKernel, kGraph };
inline constexpr std::size_t kCardCalls = 5;

class HostCard final : public Card {
 public:
  struct Options {
    bool integrated = false;  // works from the board's memory, it says
    bool guard = false;       // the host faults on the card's memory while no stream works
    std::int64_t memory_bytes = std::int64_t{2} << 30;
    std::set<Format> conv_formats = {Format::kNchw, Format::kNhwc};
    Format fast_format = Format::kNchw;  // the other takes twice as long by the card's clock
    double slowing = 0;                  // with each call all that follow take so much longer
    bool computes = true;                // else it copies and does nothing else
    int most_parts = 4;                  // that it can be divided into; 1: it cannot
  };
  // What is chosen for a problem is kept for all cards of a name.
  explicit HostCard(const std::string& name);
  HostCard(const std::string& name, Options options);
  ~HostCard() override;

  const CardInfo& info() const override { return info_; }
  std::int64_t FreeBytes() override;
  CardRoom Room() override;
  void* Allocate(Space space, std::size_t bytes) override;
  void Free(Space space, void* at) noexcept override;
  std::unique_ptr<CardStream> MakeStream(int urgency) override;
  std::unique_ptr<CardStream> MakePartStream(int parts, int part, int urgency) override;
  std::unique_ptr<Event> MakeEvent() override;
  std::vector<ConvWay> ConvWays(const CardConv& problem, std::size_t most_workspace,
                                std::size_t most) override;
  std::unique_ptr<Conv> MakeConv(const CardConv& problem, const ConvWay& way) override;

  // The `n`-th call of the kind from now on fails, 1 being the next; 0: none does.
  void FailAt(CardCall call, int n) { fail_at_[Index(call)] = n; }
  int Count(CardCall call) const { return counts_[Index(call)]; }
  std::int64_t MostUsed() const { return most_used_; }
  std::vector<int> StreamsOnParts(int parts) const;    // of each of so many
  int last_urgency() const { return last_urgency_; }   // as which a stream did something last
  std::optional<Space> SpaceOf(const void* at) const;  // nothing: memory that is not of this card

  // For its streams.
  void Note(CardCall call);  // counts, and throws where it is to fail
  void WorksFor(int urgency) { last_urgency_ = urgency; }
  // It is started: for the first time, which a capture may not do, it throws where that is under way.
  void Start(const void* what, bool capturing);
  void Pass(Nanos time);
  Nanos now() const { return Nanos(clock_); }
  const Options& options() const { return options_; }

  // While one lives, the host may touch the card's memory.
  class Touch {
   public:
    explicit Touch(HostCard& card);
    ~Touch();
    Touch(const Touch&) = delete;
    Touch& operator=(const Touch&) = delete;

   private:
    HostCard& card_;
  };

 private:
  static std::size_t Index(CardCall call) { return static_cast<std::size_t>(call); }
  void* Carve(std::size_t bytes);  // from the card's own memory

  struct Range {
    std::size_t bytes;
    Space space;
  };

  CardInfo info_;
  Options options_;
  std::byte* memory_ = nullptr;  // of kCard
  mutable std::mutex mutex_;
  std::map<const std::byte*, Range> ranges_;
  std::set<const void*> started_;
  std::map<int, std::vector<std::shared_ptr<const int>>> parts_;  // by how many; used by whoever has a copy
  std::int64_t used_ = 0, most_used_ = 0, most_since_room_ = 0;
  int touching_ = 0;
  std::array<std::atomic<int>, kCardCalls> counts_{}, fail_at_{};
  std::atomic<std::int64_t> clock_{0}, calls_{0};
  std::atomic<int> last_urgency_ = -1;
};

}  // namespace tandem::gpu
