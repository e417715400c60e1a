// Runs a convolution once on zeros: what a library lists is not always what it does.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "device/backends/cuda/card.h"

namespace tandem::gpu {

// The first `most` of `ways` that could be made and ran on the stream; others are not made. Throws
// std::bad_alloc where there is no room to try, EnvironmentError where the card itself failed.
using MakeWay = std::function<std::unique_ptr<Conv>(const ConvWay&)>;
std::vector<ConvWay> WaysThatRun(Card& card, CardStream& stream, const CardConv& problem,
                                 const std::vector<ConvWay>& ways, std::size_t most, const MakeWay& make);

}  // namespace tandem::gpu
