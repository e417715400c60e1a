#include "device/backends/cuda/gpu/memory.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>

namespace tandem::gpu {
namespace {

constexpr int kLeastUrgent = 255;

// All tensors that live, by their first byte.
struct Ranges {
  struct Range {
    std::size_t bytes;
    GpuPlace place;
  };
  std::shared_mutex mutex;
  std::map<const std::byte*, Range> by_begin;

  static Ranges& All() {
    static auto* const ranges = new Ranges;  // tensors may be freed while the program ends
    return *ranges;
  }
};

class SpaceMemory final : public TensorMemory {
 public:
  SpaceMemory(Card& card, Space space) : card_(card), space_(space) {}

  float* Allocate(std::size_t floats) override {
    const std::size_t bytes = std::max<std::size_t>(floats, 1) * sizeof(float);
    void* const at = card_.Allocate(space_, bytes);
    try {
      Clear(at, bytes);
      const std::lock_guard lock(Ranges::All().mutex);
      Ranges::All().by_begin[static_cast<const std::byte*>(at)] = {bytes, {&card_, space_}};
    } catch (...) {
      card_.Free(space_, at);
      throw;
    }
    return static_cast<float*>(at);
  }
  void Free(float* at) noexcept override {
    if (at == nullptr) return;
    {
      const std::lock_guard lock(Ranges::All().mutex);
      Ranges::All().by_begin.erase(reinterpret_cast<const std::byte*>(at));
    }
    card_.Free(space_, at);
  }
  bool HostReads() const override { return space_ != Space::kCard; }

 private:
  void Clear(void* at, std::size_t bytes) {
    if (HostReads()) {
      std::memset(at, 0, bytes);
      return;
    }
    const std::lock_guard lock(mutex_);
    if (!stream_) stream_ = card_.MakeStream(kLeastUrgent);
    stream_->Fill(at, bytes);
    stream_->Wait();
  }

  Card& card_;
  Space space_;
  std::mutex mutex_;
  std::unique_ptr<CardStream> stream_;  // one for whoever allocates
};

}  // namespace

TensorMemory& MemoryOf(Card& card, Space space) {
  static std::mutex mutex;
  static auto* const memories = new std::map<std::pair<Card*, Space>, SpaceMemory>;
  const std::lock_guard lock(mutex);
  return memories->try_emplace({&card, space}, card, space).first->second;
}

std::optional<GpuPlace> PlaceOf(const void* at) {
  Ranges& ranges = Ranges::All();
  const auto* const byte = static_cast<const std::byte*>(at);
  const std::shared_lock lock(ranges.mutex);
  auto found = ranges.by_begin.upper_bound(byte);
  if (found == ranges.by_begin.begin()) return std::nullopt;
  --found;
  if (byte >= found->first + found->second.bytes) return std::nullopt;
  return found->second.place;
}

}  // namespace tandem::gpu
