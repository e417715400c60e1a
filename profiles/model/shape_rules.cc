#include "profiles/model/shape_rules.h"

#include <algorithm>

#include "profiles/base/input_error.h"

namespace tandem::shapes {

[[noreturn]] void Fail(const std::string& what) { throw InputError(what); }

std::int64_t Product(std::initializer_list<std::int64_t> factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) Fail("its size is beyond 64 bits");
  }
  return product;
}

std::int64_t Weights(std::initializer_list<std::int64_t> factors) {
  const std::int64_t weights = Product(factors);
  if (weights > kMostElements) Fail("it has more than 2^40 weights");
  return weights;
}

std::int64_t Axis(std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) {
    Fail("axis " + std::to_string(axis) + " is outside its input of " + std::to_string(rank) + " axes");
  }
  return axis < 0 ? axis + signed_rank : axis;
}

void ExpectImage(const Shape& shape) {
  if (shape.size() != 4) {
    Fail("expects an input of 4 axes (batch, channels, height, width), has " + ShapeText(shape));
  }
}

void ExpectPositive(std::int64_t value, const char* what) {
  if (value < 1 || value > kLargestExtent)
    Fail(std::string(what) + " " + std::to_string(value) + " is out of range");
}

void ExpectPadding(std::int64_t before, std::int64_t after) {
  if (std::min(before, after) < 0 || std::max(before, after) > kLargestExtent)
    Fail("a padding is out of range");
}

}  // namespace tandem::shapes
