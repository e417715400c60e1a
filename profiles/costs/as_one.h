// What groups of layers take that run as one segment, by what each takes inside the whole model.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "profiles/costs/cheapest_cover.h"
#include "profiles/costs/cost_index.h"

namespace tandem {

// Per group of `chosen`, numbers in `groups`. Alone, a group brings its tensors into its layout and back,
// which `inside` is without. Run as one, that is done before the first and after the last of those that have
// a layout of their own: half of what each has for it. Those in front of them are as alone. Empty: they add
// up as they are, for want of anything known or of such a layout.
std::vector<Nanos> TimesAsOne(const SegmentLayers& segment, const std::vector<CoverGroup>& groups,
                              const std::vector<std::optional<Nanos>>& inside,
                              const std::vector<std::size_t>& chosen);

}  // namespace tandem
