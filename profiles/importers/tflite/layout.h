// The order of axes. The file has images as batch, height, width, channels; layers have them as batch,
// channels, height, width. Every tensor of four axes is taken for an image, all others are as the file has
// them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "profiles/model/shape.h"

namespace tandem {

// Axis i of the result is axis order[i] of what is moved.
inline constexpr std::array<std::size_t, 4> kTfliteToLayer = {0, 3, 1, 2};
inline constexpr std::array<std::size_t, 4> kTfliteToFile = {0, 2, 3, 1};

Shape LayerShape(const Shape& of_file);
Shape FileShape(const Shape& of_layer);
// The layer's axis of an axis of the file, which is one of `rank`.
std::size_t LayerAxis(std::size_t of_file, std::size_t rank);

// Would moving the axes of that shape change the order of its numbers?
bool MovesNumbers(const Shape& shape, const std::vector<std::size_t>& order);
std::vector<std::size_t> OrderOf(const std::array<std::size_t, 4>& order);

// `values` of `shape`, with axes in another order.
std::vector<float> WithAxesMoved(const std::vector<float>& values, const Shape& shape,
                                 const std::vector<std::size_t>& order);

}  // namespace tandem
