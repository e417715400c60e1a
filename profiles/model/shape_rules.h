// The rules of shape inference, one per kind of layer: shared by the files that make up shape_inference.cc.
// All throw InputError with a plain sentence.
#pragma once

#include <initializer_list>
#include <string>

#include "profiles/model/layer.h"
#include "profiles/model/shape_inference.h"

namespace tandem::shapes {

inline constexpr std::int64_t kMostElements = std::int64_t{1} << 40;  // of a tensor, or of a layer's weights
inline constexpr std::int64_t kLargestExtent = std::int64_t{1} << 31;

[[noreturn]] void Fail(const std::string& what);
std::int64_t Product(std::initializer_list<std::int64_t> factors);  // that a file's numbers must not overflow
std::int64_t Weights(std::initializer_list<std::int64_t> factors);  // a product that a memory may hold
std::int64_t Axis(std::int64_t axis, std::size_t rank);             // counted from the front
void ExpectImage(const Shape& shape);                               // batch, channels, height, width
void ExpectPositive(std::int64_t value, const char* what);
void ExpectPadding(std::int64_t before, std::int64_t after);

Inferred Conv(const ConvAttributes& a, const Shape& in);
Inferred Deconv(const ConvAttributes& a, const Shape& in);
Shape Pool(const PoolAttributes& a, const Shape& in);

Shape Concat(const AxisAttributes& a, const std::vector<Shape>& inputs);
Shape Flatten(const AxisAttributes& a, const Shape& in);
Shape Reshape(const ReshapeAttributes& a, const Shape& in);
Shape Transpose(const TransposeAttributes& a, const Shape& in);
Shape Pad(const PadAttributes& a, const Shape& in);
Shape Slice(const SliceAttributes& a, const Shape& in);
Shape Upsample(const UpsampleAttributes& a, const Shape& in);
Shape ReduceMean(const ReduceAttributes& a, const Shape& in);

}  // namespace tandem::shapes
