// Every operator that is understood, by name.
#include "profiles/importers/onnx/ops.h"

#include <algorithm>
#include <array>
#include <map>

#include "profiles/importers/onnx/fold.h"

namespace tandem {
namespace {

const std::map<std::string_view, OnnxTranslation>& Translations() {
  static const std::map<std::string_view, OnnxTranslation> translations = {
      {"Abs", TranslateUnary},
      {"Add", TranslateBinary},
      {"AveragePool", TranslateAveragePool},
      {"BatchNormalization", TranslateBatchNormalization},
      {"Cast", TranslateCast},
      {"Clip", TranslateClip},
      {"Concat", TranslateConcat},
      {"Conv", TranslateConv},
      {"ConvTranspose", TranslateConvTranspose},
      {"DequantizeLinear", TranslateDequantizeLinear},
      {"Div", TranslateBinary},
      {"Dropout", TranslateDropout},
      {"Elu", TranslateElu},
      {"Erf", TranslateUnary},
      {"Exp", TranslateUnary},
      {"Expand", TranslateExpand},
      {"Flatten", TranslateFlatten},
      {"Gather", TranslateGather},
      {"Gelu", TranslateGelu},
      {"Gemm", TranslateGemm},
      {"GlobalAveragePool", TranslateGlobalAveragePool},
      {"GlobalMaxPool", TranslateGlobalMaxPool},
      {"HardSigmoid", TranslateHardSigmoid},
      {"HardSwish", TranslateHardSwish},
      {"Identity", TranslateUnary},
      {"LRN", TranslateLrn},
      {"LayerNormalization", TranslateLayerNormalization},
      {"LeakyRelu", TranslateLeakyRelu},
      {"Log", TranslateUnary},
      {"LogSoftmax", TranslateLogSoftmax},
      {"MatMul", TranslateMatMul},
      {"Max", TranslateVariadic},
      {"MaxPool", TranslateMaxPool},
      {"Mean", TranslateVariadic},
      {"Min", TranslateVariadic},
      {"Mish", TranslateMish},
      {"Mul", TranslateBinary},
      {"Neg", TranslateUnary},
      {"PRelu", TranslatePRelu},
      {"Pad", TranslatePad},
      {"Pow", TranslateBinary},
      {"Reciprocal", TranslateReciprocal},
      {"QuantizeLinear", TranslateQuantizeLinear},
      {"ReduceMax", TranslateReduceMax},
      {"ReduceMean", TranslateReduceMean},
      {"Relu", TranslateUnary},
      {"Reshape", TranslateReshape},
      {"Resize", TranslateResize},
      {"Sigmoid", TranslateUnary},
      {"Slice", TranslateSlice},
      {"Softmax", TranslateSoftmax},
      {"Softplus", TranslateUnary},
      {"Split", TranslateSplit},
      {"Sqrt", TranslateUnary},
      {"Squeeze", TranslateSqueeze},
      {"Sub", TranslateBinary},
      {"Sum", TranslateVariadic},
      {"Tanh", TranslateUnary},
      {"Transpose", TranslateTranspose},
      {"Unsqueeze", TranslateUnsqueeze},
      {"Upsample", TranslateResize},
  };
  return translations;
}

const std::map<std::string_view, OnnxFolding>& Foldings() {
  static const std::map<std::string_view, OnnxFolding> foldings = {
      {"Abs", FoldUnary},
      {"Add", FoldBinary},
      {"And", FoldBinary},
      {"Cast", FoldCast},
      {"Ceil", FoldUnary},
      {"Concat", FoldConcat},
      {"Constant", FoldConstant},
      {"ConstantOfShape", FoldConstantOfShape},
      {"DequantizeLinear", FoldDequantizeLinear},
      {"Div", FoldBinary},
      {"Equal", FoldBinary},
      {"Exp", FoldUnary},
      {"Expand", FoldExpand},
      {"Flatten", FoldFlatten},
      {"Floor", FoldUnary},
      {"Gather", FoldGather},
      {"Greater", FoldBinary},
      {"GreaterOrEqual", FoldBinary},
      {"Identity", FoldIdentity},
      {"Less", FoldBinary},
      {"LessOrEqual", FoldBinary},
      {"Log", FoldUnary},
      {"Max", FoldBinary},
      {"Min", FoldBinary},
      {"Mod", FoldBinary},
      {"Mul", FoldBinary},
      {"Neg", FoldUnary},
      {"Not", FoldUnary},
      {"Or", FoldBinary},
      {"Pow", FoldBinary},
      {"QuantizeLinear", FoldQuantizeLinear},
      {"Range", FoldRange},
      {"Reciprocal", FoldUnary},
      {"ReduceMax", FoldReduce},
      {"ReduceMean", FoldReduce},
      {"ReduceMin", FoldReduce},
      {"ReduceProd", FoldReduce},
      {"ReduceSum", FoldReduce},
      {"Reshape", FoldReshape},
      {"Round", FoldUnary},
      {"Shape", FoldShape},
      {"Size", FoldSize},
      {"Slice", FoldSlice},
      {"Sqrt", FoldUnary},
      {"Squeeze", FoldSqueeze},
      {"Sub", FoldBinary},
      {"Tile", FoldTile},
      {"Transpose", FoldTranspose},
      {"Unsqueeze", FoldUnsqueeze},
      {"Where", FoldWhere},
  };
  return foldings;
}

constexpr std::array<std::string_view, 13> kCarryIntegers = {
    "Concat",  "Expand", "Flatten", "Gather",  "GlobalMaxPool", "Identity", "MaxPool",
    "Reshape", "Slice",  "Split",   "Squeeze", "Transpose",     "Unsqueeze"};

template <class Table>
auto Look(const Table& table, std::string_view type) {
  const auto found = table.find(type);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace

OnnxTranslation FindOnnxTranslation(std::string_view type) { return Look(Translations(), type); }
OnnxFolding FindOnnxFolding(std::string_view type) { return Look(Foldings(), type); }

bool CarriesIntegers(std::string_view type) {
  return std::find(kCarryIntegers.begin(), kCarryIntegers.end(), type) != kCarryIntegers.end();
}

}  // namespace tandem
