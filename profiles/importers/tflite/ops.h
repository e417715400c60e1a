// The translations of TensorFlow Lite operators into layers, by family; ops.cc lists them by name.
#pragma once

#include "profiles/importers/tflite/node.h"

namespace tandem::tflite_ops {

// ops_window.cc
void Conv(TfliteNode& node);
void DepthwiseConv(TfliteNode& node);
void TransposeConv(TfliteNode& node);
void AveragePool(TfliteNode& node);
void MaxPool(TfliteNode& node);
void LocalResponseNormalization(TfliteNode& node);

// ops_dense.cc
void FullyConnected(TfliteNode& node);
void Softmax(TfliteNode& node);
void LogSoftmax(TfliteNode& node);
void Mean(TfliteNode& node);
void Sum(TfliteNode& node);
void ReduceMax(TfliteNode& node);
void L2Normalization(TfliteNode& node);

// ops_elementwise.cc
void Binary(TfliteNode& node);  // ADD, SUB, MUL, DIV, POW, MAXIMUM, MINIMUM
void SquaredDifference(TfliteNode& node);
void AddAll(TfliteNode& node);  // ADD_N
void Unary(TfliteNode& node);   // one input, no options
void Square(TfliteNode& node);
void Rsqrt(TfliteNode& node);
void Relu1(TfliteNode& node);  // RELU_N1_TO_1, RELU_0_TO_1
void LeakyRelu(TfliteNode& node);
void Prelu(TfliteNode& node);
void Gelu(TfliteNode& node);

// ops_quantize.cc
void Quantize(TfliteNode& node);
void Dequantize(TfliteNode& node);
void Cast(TfliteNode& node);

// ops_shape.cc
void Concatenation(TfliteNode& node);
void Pack(TfliteNode& node);
void Unpack(TfliteNode& node);
void Reshape(TfliteNode& node);
void Squeeze(TfliteNode& node);
void ExpandDims(TfliteNode& node);
void Transpose(TfliteNode& node);

// ops_move.cc
void Pad(TfliteNode& node);  // PAD, PADV2
void MirrorPad(TfliteNode& node);
void Slice(TfliteNode& node);
void StridedSlice(TfliteNode& node);
void Split(TfliteNode& node);  // SPLIT, SPLIT_V
void Gather(TfliteNode& node);

// ops_resize.cc
void ResizeBilinear(TfliteNode& node);
void ResizeNearest(TfliteNode& node);

// ops_blocks.cc
void SpaceToDepth(TfliteNode& node);
void DepthToSpace(TfliteNode& node);
void SpaceToBatch(TfliteNode& node);
void BatchToSpace(TfliteNode& node);

// fold.cc: of constants.
TfliteConstant FoldShape(TfliteNode& node);
TfliteConstant FoldSame(TfliteNode& node);  // under the shape of the output
TfliteConstant FoldPack(TfliteNode& node);
TfliteConstant FoldConcatenation(TfliteNode& node);
TfliteConstant FoldStridedSlice(TfliteNode& node);
TfliteConstant FoldGather(TfliteNode& node);
TfliteConstant FoldBinary(TfliteNode& node);
TfliteConstant FoldProduct(TfliteNode& node);
TfliteConstant FoldTranspose(TfliteNode& node);

// What translating and folding share.
struct Range {
  std::int64_t axis, start, end, step;
  bool taken_away = false;  // its axis, of which one place is left
};
std::vector<Range> ReadStrides(const TfliteNode& node, const Shape& in);
Shape ReshapeTarget(const TfliteNode& node, const Shape& in, Shape& asked);
Shape SqueezedShape(const TfliteNode& node, const Shape& in);
Shape ExpandedShape(const TfliteNode& node, const Shape& in);

// The window of one axis: the input's extent and what stands around it.
void ExpectImage(const TfliteNode& node, const Shape& of_layer);
// Over height and width: a pooling by another name.
TfliteActivation PooledGlobally(TfliteNode& node, Op op);

}  // namespace tandem::tflite_ops
