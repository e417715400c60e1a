// Until when what a layer makes is needed.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "device/lowering/fusion.h"
#include "device/processor/processor.h"

namespace tandem {

constexpr std::size_t kUsedAlways = std::numeric_limits<std::size_t>::max();

// By layer: the last of `groups` that reads it or what shares its memory; kUsedAlways for outputs of the
// segment.
std::vector<std::size_t> LastUses(const SegmentSpec& spec, const std::vector<FusedGroup>& groups);

}  // namespace tandem
