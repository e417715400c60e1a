// How long work takes on a card, to choose between ways to do it.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "device/backends/cuda/gpu/context.h"

namespace tandem::gpu {

// Held by whoever measures: two that measure at once would measure each other.
std::mutex& MeasuringMutex();

struct Trial {
  std::function<void(CardStream&)> start;
  std::string trouble = {};           // why the card cannot
  std::vector<Nanos> times = {};      // of one run each, by the card's clock
  std::optional<Nanos> time() const;  // nothing where it cannot
};

// Each several times, in turn with the others, so that what changes meanwhile changes for all of them; on a
// card whose clocks have risen. What takes far longer than the best is not run often.
void TryInTurn(GpuContext& context, std::vector<Trial>& trials);

}  // namespace tandem::gpu
