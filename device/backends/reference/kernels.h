// The operations of the reference backend. Each fills an output of the shape that shape inference gave its
// layer; the files in which they stand register them.
#pragma once

#include <string>
#include <vector>

#include "profiles/base/check.h"
#include "profiles/model/op_table.h"
#include "profiles/model/weights.h"

namespace tandem::reference {

// What one layer works with.
struct Call {
  const Layer& layer;
  const Weights& weights;
  const std::vector<const Tensor*>& inputs;
  Tensor& output;  // of the layer's shape, all zero

  template <class A>
  const A& As() const {
    return layer.As<A>();
  }
  const Shape& in_shape(std::size_t i = 0) const { return inputs[i]->shape; }
  const float* in(std::size_t i = 0) const { return inputs[i]->values.data(); }
  float* out() const { return output.values.data(); }
  std::size_t size() const { return output.values.size(); }
  // nullptr where the layer has none of that role.
  const float* Weight(const char* role) const { return FindWeight(weights, layer, role); }
};

using Kernels = OpTable<void (*)(const Call& call)>;

// How far apart neighbours along each axis are, in elements.
std::vector<std::int64_t> Strides(const Shape& shape);
// Steps to the next position, the last axis fastest; back to all zero after the last.
void Advance(std::vector<std::int64_t>& position, const Shape& shape);
// An axis counted from the end (negative) as one counted from the front.
std::size_t AxisOf(std::int64_t axis, const Shape& shape);

}  // namespace tandem::reference
