#include "profiles/importers/tflite/layout.h"

#include <algorithm>

namespace tandem {
namespace {

constexpr std::size_t kAxesOfImage = 4;

Shape InOrder(const Shape& shape, const std::vector<std::size_t>& order) {
  Shape moved;
  for (const std::size_t axis : order) moved.push_back(shape[axis]);
  return moved;
}

}  // namespace

std::vector<std::size_t> OrderOf(const std::array<std::size_t, 4>& order) {
  return {order.begin(), order.end()};
}

Shape LayerShape(const Shape& of_file) {
  return of_file.size() == kAxesOfImage ? InOrder(of_file, OrderOf(kTfliteToLayer)) : of_file;
}

Shape FileShape(const Shape& of_layer) {
  return of_layer.size() == kAxesOfImage ? InOrder(of_layer, OrderOf(kTfliteToFile)) : of_layer;
}

std::size_t LayerAxis(std::size_t of_file, std::size_t rank) {
  if (rank != kAxesOfImage) return of_file;
  const auto at = std::find(kTfliteToLayer.begin(), kTfliteToLayer.end(), of_file);
  return static_cast<std::size_t>(at - kTfliteToLayer.begin());
}

bool MovesNumbers(const Shape& shape, const std::vector<std::size_t>& order) {
  std::vector<std::size_t> left;  // axes that have more than one place, as they come
  for (const std::size_t axis : order) {
    if (shape[axis] != 1) left.push_back(axis);
  }
  return !std::is_sorted(left.begin(), left.end());
}

std::vector<float> WithAxesMoved(const std::vector<float>& values, const Shape& shape,
                                 const std::vector<std::size_t>& order) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  const Shape out = InOrder(shape, order);
  std::vector<std::int64_t> at(out.size(), 0);
  std::vector<float> moved(values.size());
  std::int64_t from = 0;
  for (float& value : moved) {
    value = values[static_cast<std::size_t>(from)];
    for (std::size_t axis = out.size(); axis-- > 0;) {
      from += strides[order[axis]];
      if (++at[axis] < out[axis]) break;
      from -= strides[order[axis]] * out[axis];
      at[axis] = 0;
    }
  }
  return moved;
}

}  // namespace tandem
