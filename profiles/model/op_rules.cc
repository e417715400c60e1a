#include "profiles/model/op_rules.h"

#include <algorithm>
#include <cmath>

#include "profiles/base/input_error.h"

namespace tandem::ops {

[[noreturn]] void Fail(const std::string& what) { throw InputError(what); }

std::int64_t Product(std::initializer_list<std::int64_t> factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) Fail("its size is beyond 64 bits");
  }
  return product;
}

std::int64_t CountOfWeights(const Shape& shape) {
  std::int64_t weights = 1;
  for (const std::int64_t extent : shape) weights = Product({weights, extent});
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

std::int64_t Channels(const Shape& shape) {
  if (shape.size() < 2) Fail("expects an input with channels, has " + ShapeText(shape));
  return shape[1];
}

Shape From(std::int64_t axis, const Shape& shape) {
  return {shape.begin() + static_cast<std::ptrdiff_t>(Axis(axis, shape.size())), shape.end()};
}

Shape Broadcast(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      Fail("its inputs do not fit together: " + ShapeText(a) + " and " + ShapeText(b));
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

RandomSpread SpreadOfProduct(double moment, double fan_in) { return {0, 1 / std::sqrt(fan_in * moment)}; }
RandomSpread SpreadOfFactor(double, double) { return {1, 0.1}; }

WeightRole Factor(const char* role, const Shape& shape) { return {role, shape, SpreadOfFactor}; }
WeightRole Offset(const char* role, const Shape& shape) { return {role, shape}; }
WeightRole StepOfGrid(const Shape& shape) { return {.name = "step", .shape = shape, .state = true}; }

double UnitMoment(const MomentsRead&) { return 1; }

double MomentOfProduct(const MomentsRead& read) {
  double product = 1;
  for (const double moment : read.in) product *= moment;
  return product;
}

}  // namespace tandem::ops
