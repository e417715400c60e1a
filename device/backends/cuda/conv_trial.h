// Runs a convolution once on zeros: what a library lists is not always what it does.
#pragma once

#include <vector>

#include "device/backends/cuda/card.h"

namespace tandem::gpu {

// Those of `ways` that ran on the stream. Throws std::bad_alloc where there is no room to try,
// EnvironmentError where the card itself failed.
std::vector<ConvWay> WaysThatRun(Card& card, Stream& stream, const ConvProblem& problem,
                                 const std::vector<ConvWay>& ways);

}  // namespace tandem::gpu
