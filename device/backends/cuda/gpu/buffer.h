// A piece of a card's memory.
#pragma once

#include <cstddef>
#include <memory>

#include "device/backends/cuda/card.h"

namespace tandem::gpu {

class GpuBuffer {
 public:
  GpuBuffer() = default;
  GpuBuffer(Card& card, Space space, std::size_t bytes)  // throws std::bad_alloc
      : at_(bytes == 0 ? nullptr : card.Allocate(space, bytes), Free{&card, space}), bytes_(bytes) {}

  std::byte* data() const { return static_cast<std::byte*>(at_.get()); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Free {
    Card* card;
    Space space;
    void operator()(void* at) const { card->Free(space, at); }
  };
  std::unique_ptr<void, Free> at_{nullptr, Free{nullptr, Space::kCard}};
  std::size_t bytes_ = 0;
};

}  // namespace tandem::gpu
