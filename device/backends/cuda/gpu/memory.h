// Memories of a card as the rest of the device sees them, and who lies where.
#pragma once

#include <optional>

#include "device/backends/cuda/card.h"
#include "device/processor/tensor_memory.h"

namespace tandem::gpu {

// That of the card in that space; the same object for the life of the program.
TensorMemory& MemoryOf(Card& card, Space space);

struct GpuPlace {
  const Card* card = nullptr;
  Space space = Space::kCard;
};
// Where a pointer into a tensor of those memories lies; nothing where it is of none of them. From any thread,
// asks no driver, allocates nothing.
std::optional<GpuPlace> PlaceOf(const void* at);

}  // namespace tandem::gpu
