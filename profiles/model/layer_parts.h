// One layer, or a few that follow each other, computed in parts: each part makes some channels or rows of the
// output by itself, on a unit of its own perhaps.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>

#include "profiles/model/model.h"

namespace tandem {

// Of what the layer makes: its axis 1 (channels; a fully connected layer's features) or its axis 2 (rows).
enum class SplitAxis : std::uint8_t { kChannels, kRows };
inline constexpr std::array<Named<SplitAxis>, 2> kSplitAxisNames = {
    {{"channels", SplitAxis::kChannels}, {"rows", SplitAxis::kRows}}};

// [first, end) of them.
struct LayerPart {
  SplitAxis axis = SplitAxis::kChannels;
  std::int64_t first = 0, end = 0;

  std::int64_t size() const { return end - first; }
  std::string Text() const;  // "channels 0-31"
  friend auto operator<=>(const LayerPart&, const LayerPart&) = default;
};

// How far a few layers can be split: `extent` channels or rows, in multiples of `granule`. 0: not at all.
struct SplitRange {
  std::int64_t extent = 0;
  std::int64_t granule = 1;
};

// `layers` in ascending order. The first may be a convolution, a fully connected layer, a pooling or anything
// that works value by value; the others work value by value (channel by channel: pooling too) on what those
// before them made, so that a part needs nothing of the other parts. Only the last one's output is read from
// outside. Along rows a convolution or a pooling stands first or not at all.
SplitRange SplitRangeOf(const Model& model, std::span<const LayerId> layers, SplitAxis axis);

}  // namespace tandem
