// Where the elements of layers that only move data come from, axis by axis.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "profiles/model/layer.h"

namespace tandem {

// By axis and output position: the input position that is shown there, -1 where a pad's value is.
using AxisPositions = std::vector<std::vector<std::int64_t>>;

// Of a pad, a slice or an upsampling to the nearest. `in` is the shape of what the layer reads.
AxisPositions PositionsOf(const Layer& layer, const Shape& in);

// The axis that an attribute names from the front or, below 0, from behind.
std::size_t AxisFromFront(std::int64_t axis, const Shape& shape);

struct AxisRange {
  std::size_t axis = 0;
  std::int64_t start = 0, end = 0;
};
// The only axis that a slice shortens; nothing where it shortens several or leaves elements out.
std::optional<AxisRange> OnlyRange(const SliceAttributes& a, const Shape& in, const Shape& result);

}  // namespace tandem
