// Every operator that is understood, by name.
#include "profiles/importers/tflite/ops.h"

#include <map>

namespace tandem {
namespace {

using Operator = tfl::BuiltinOperator;

const std::map<Operator, TfliteTranslation>& TfliteTranslations() {
  using namespace tflite_ops;
  static const std::map<Operator, TfliteTranslation> translations = {
      {Operator::ABS, Unary},
      {Operator::ADD, Binary},
      {Operator::ADD_N, AddAll},
      {Operator::AVERAGE_POOL_2D, AveragePool},
      {Operator::BATCH_TO_SPACE_ND, BatchToSpace},
      {Operator::CAST, Cast},
      {Operator::CONCATENATION, Concatenation},
      {Operator::CONV_2D, Conv},
      {Operator::DEPTHWISE_CONV_2D, DepthwiseConv},
      {Operator::DEPTH_TO_SPACE, DepthToSpace},
      {Operator::DEQUANTIZE, Dequantize},
      {Operator::DIV, Binary},
      {Operator::ELU, Unary},
      {Operator::EXP, Unary},
      {Operator::EXPAND_DIMS, ExpandDims},
      {Operator::FULLY_CONNECTED, FullyConnected},
      {Operator::GATHER, Gather},
      {Operator::GELU, Gelu},
      {Operator::HARD_SWISH, Unary},
      {Operator::L2_NORMALIZATION, L2Normalization},
      {Operator::LEAKY_RELU, LeakyRelu},
      {Operator::LOCAL_RESPONSE_NORMALIZATION, LocalResponseNormalization},
      {Operator::LOG, Unary},
      {Operator::LOGISTIC, Unary},
      {Operator::LOG_SOFTMAX, LogSoftmax},
      {Operator::MAXIMUM, Binary},
      {Operator::MAX_POOL_2D, MaxPool},
      {Operator::MEAN, Mean},
      {Operator::MINIMUM, Binary},
      {Operator::MIRROR_PAD, MirrorPad},
      {Operator::MUL, Binary},
      {Operator::NEG, Unary},
      {Operator::PACK, Pack},
      {Operator::PAD, Pad},
      {Operator::PADV2, Pad},
      {Operator::POW, Binary},
      {Operator::PRELU, Prelu},
      {Operator::QUANTIZE, Quantize},
      {Operator::REDUCE_MAX, ReduceMax},
      {Operator::RELU, Unary},
      {Operator::RELU6, Unary},
      {Operator::RELU_0_TO_1, Relu1},
      {Operator::RELU_N1_TO_1, Relu1},
      {Operator::RESHAPE, Reshape},
      {Operator::RESIZE_BILINEAR, ResizeBilinear},
      {Operator::RESIZE_NEAREST_NEIGHBOR, ResizeNearest},
      {Operator::RSQRT, Rsqrt},
      {Operator::SLICE, Slice},
      {Operator::SOFTMAX, Softmax},
      {Operator::SPACE_TO_BATCH_ND, SpaceToBatch},
      {Operator::SPACE_TO_DEPTH, SpaceToDepth},
      {Operator::SPLIT, Split},
      {Operator::SPLIT_V, Split},
      {Operator::SQRT, Unary},
      {Operator::SQUARE, Square},
      {Operator::SQUARED_DIFFERENCE, SquaredDifference},
      {Operator::SQUEEZE, Squeeze},
      {Operator::STRIDED_SLICE, StridedSlice},
      {Operator::SUB, Binary},
      {Operator::SUM, Sum},
      {Operator::TANH, Unary},
      {Operator::TRANSPOSE, Transpose},
      {Operator::TRANSPOSE_CONV, TransposeConv},
      {Operator::UNPACK, Unpack},
  };
  return translations;
}

// What exporters leave of shapes that they reckon with, and of weights that they have packed.
const std::map<Operator, TfliteFolding>& TfliteFoldings() {
  using namespace tflite_ops;
  static const std::map<Operator, TfliteFolding> foldings = {
      {Operator::ADD, FoldBinary},
      {Operator::CAST, FoldSame},
      {Operator::CONCATENATION, FoldConcatenation},
      {Operator::DEQUANTIZE, FoldSame},
      {Operator::EXPAND_DIMS, FoldSame},
      {Operator::FLOOR_DIV, FoldBinary},
      {Operator::GATHER, FoldGather},
      {Operator::MUL, FoldBinary},
      {Operator::PACK, FoldPack},
      {Operator::REDUCE_PROD, FoldProduct},
      {Operator::RESHAPE, FoldSame},
      {Operator::SHAPE, FoldShape},
      {Operator::SQUEEZE, FoldSame},
      {Operator::STRIDED_SLICE, FoldStridedSlice},
      {Operator::SUB, FoldBinary},
      {Operator::TRANSPOSE, FoldTranspose},
  };
  return foldings;
}

template <class Table>
auto LookAt(const Table& table, Operator type) {
  const auto found = table.find(type);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace

TfliteTranslation FindTfliteTranslation(Operator type) { return LookAt(TfliteTranslations(), type); }
TfliteFolding FindTfliteFolding(Operator type) { return LookAt(TfliteFoldings(), type); }

}  // namespace tandem
