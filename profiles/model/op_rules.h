// What the declarations of several operations share. Those that judge throw InputError with a plain sentence.
#pragma once

#include <initializer_list>
#include <string>

#include "profiles/model/op_declaration.h"

namespace tandem::ops {

inline constexpr std::int64_t kMostElements = std::int64_t{1} << 40;  // of a tensor, or of a layer's weights
inline constexpr std::int64_t kLargestExtent = std::int64_t{1} << 31;

[[noreturn]] void Fail(const std::string& what);
std::int64_t Product(std::initializer_list<std::int64_t> factors);  // that a file's numbers must not overflow
std::int64_t CountOfWeights(const Shape& shape);                    // that a memory may hold
std::int64_t Axis(std::int64_t axis, std::size_t rank);             // counted from the front
void ExpectImage(const Shape& shape);                               // batch, channels, height, width
void ExpectPositive(std::int64_t value, const char* what);
void ExpectPadding(std::int64_t before, std::int64_t after);

std::int64_t Channels(const Shape& shape);
Shape From(std::int64_t axis, const Shape& shape);  // the axes from that one on
Shape Broadcast(const Shape& a, const Shape& b);    // as NumPy does

// Random weights: of a product, so that its sums give about 1; of what multiplies; of what is added.
RandomSpread SpreadOfProduct(double moment, double fan_in);
RandomSpread SpreadOfFactor(double moment, double fan_in);
WeightRole Factor(const char* role, const Shape& shape);
WeightRole Offset(const char* role, const Shape& shape);
// "step": the weights of an output are whole multiples, -128 to 127, of its step; no parameter of its own.
WeightRole StepOfGrid(const Shape& shape);

// E[x^2] of the output: 1, whatever comes in.
double UnitMoment(const MomentsRead& read);
double MomentOfProduct(const MomentsRead& read);

}  // namespace tandem::ops
