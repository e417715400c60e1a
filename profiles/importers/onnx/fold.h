// Arithmetic on constants at import: the shapes that exporters compute node by node, and weights that pass
// through a few operators before a layer gets them.
#pragma once

#include <vector>

#include "profiles/importers/onnx/node.h"

namespace tandem {

// fold_move.cc: the same numbers in another place.
OnnxConstant FoldReshape(OnnxNode& node);
OnnxConstant FoldSqueeze(OnnxNode& node);
OnnxConstant FoldUnsqueeze(OnnxNode& node);
OnnxConstant FoldFlatten(OnnxNode& node);
OnnxConstant FoldIdentity(OnnxNode& node);
OnnxConstant FoldTranspose(OnnxNode& node);
OnnxConstant FoldSlice(OnnxNode& node);
OnnxConstant FoldGather(OnnxNode& node);
OnnxConstant FoldConcat(OnnxNode& node);
OnnxConstant FoldExpand(OnnxNode& node);
OnnxConstant FoldTile(OnnxNode& node);

// fold_math.cc: other numbers.
OnnxConstant FoldBinary(OnnxNode& node);
OnnxConstant FoldUnary(OnnxNode& node);
OnnxConstant FoldCast(OnnxNode& node);
OnnxConstant FoldWhere(OnnxNode& node);
OnnxConstant FoldReduce(OnnxNode& node);
OnnxConstant FoldRange(OnnxNode& node);

// ops_quantize.cc
OnnxConstant FoldQuantizeLinear(OnnxNode& node);
OnnxConstant FoldDequantizeLinear(OnnxNode& node);

// fold_source.cc: numbers from nothing but attributes and shapes.
OnnxConstant FoldConstant(OnnxNode& node);
OnnxConstant FoldConstantOfShape(OnnxNode& node);
OnnxConstant FoldShape(OnnxNode& node);  // also of what a layer computes
OnnxConstant FoldSize(OnnxNode& node);

// Where the elements of a tensor of shape `out` stand in another: steps per axis from an offset. The order is
// that of `out`, row by row.
struct OnnxStrides {
  Shape out;
  std::vector<std::int64_t> steps;
  std::int64_t offset = 0;
};
std::vector<std::int64_t> ContiguousSteps(const Shape& shape);
// Steps that repeat `shape` over `out`, as NumPy broadcasts.
OnnxStrides BroadcastStrides(const Shape& shape, const Shape& out);
template <class Visit>
void ForEachPlace(const OnnxStrides& strides, Visit visit) {
  if (CheckedElements(strides.out) == 0) return;
  const std::size_t rank = strides.out.size();
  const std::int64_t width = rank == 0 ? 1 : strides.out.back();
  const std::int64_t step = rank == 0 ? 0 : strides.steps.back();
  std::vector<std::int64_t> index(rank, 0);
  std::int64_t place = strides.offset;
  while (true) {
    for (std::int64_t i = 0; i < width; ++i) visit(static_cast<std::size_t>(place + i * step));
    // The next row, as an odometer counts; done when every wheel has turned over.
    std::size_t axis = rank < 2 ? 0 : rank - 1;
    while (axis-- > 0) {
      place += strides.steps[axis];
      if (++index[axis] < strides.out[axis]) break;
      place -= strides.steps[axis] * index[axis];
      index[axis] = 0;
    }
    if (axis >= rank) return;
  }
}

// Both shapes broadcast together; an error where they do not fit.
Shape BroadcastShapes(const OnnxNode& node, const Shape& a, const Shape& b);

// Input `i` seen through `strides`; shape-only where its values are not known or not worth the copy.
OnnxConstant Rearranged(OnnxNode& node, std::size_t i, const OnnxStrides& strides);

}  // namespace tandem
