// The translations of ONNX operators into layers, by family; ops.cc lists them by name.
#pragma once

#include <optional>

#include "profiles/importers/onnx/node.h"

namespace tandem {

// ops_window.cc
void TranslateConv(OnnxNode& node);
void TranslateConvTranspose(OnnxNode& node);
void TranslateMaxPool(OnnxNode& node);
void TranslateAveragePool(OnnxNode& node);
void TranslateGlobalAveragePool(OnnxNode& node);
void TranslateGlobalMaxPool(OnnxNode& node);
void TranslateLrn(OnnxNode& node);

// ops_dense.cc
void TranslateGemm(OnnxNode& node);
void TranslateMatMul(OnnxNode& node);
void TranslateBatchNormalization(OnnxNode& node);
void TranslateLayerNormalization(OnnxNode& node);
void TranslateSoftmax(OnnxNode& node);
void TranslateLogSoftmax(OnnxNode& node);
void TranslateReduceMean(OnnxNode& node);
void TranslateReduceMax(OnnxNode& node);
// Makes the constant that an Add adds to a product of quantised weights the product's bias, which kernels on
// whole numbers have; false where it is no row, or the product is read elsewhere, too.
bool AddAsBias(OnnxNode& node, std::size_t product, std::size_t constant);

// ops_elementwise.cc
void TranslateBinary(OnnxNode& node);    // Add, Sub, Mul, Div, Pow
void TranslateVariadic(OnnxNode& node);  // Sum, Mean, Max, Min
void TranslateUnary(OnnxNode& node);     // one input, no attributes
void TranslateLeakyRelu(OnnxNode& node);
void TranslatePRelu(OnnxNode& node);
void TranslateElu(OnnxNode& node);
void TranslateHardSigmoid(OnnxNode& node);
void TranslateHardSwish(OnnxNode& node);
void TranslateMish(OnnxNode& node);
void TranslateReciprocal(OnnxNode& node);
void TranslateClip(OnnxNode& node);
void TranslateDropout(OnnxNode& node);
void TranslateCast(OnnxNode& node);
void TranslateGelu(OnnxNode& node);

// ops_quantize.cc
void TranslateQuantizeLinear(OnnxNode& node);
void TranslateDequantizeLinear(OnnxNode& node);
// The steps of the constant's grid, one for each of `outputs` along the axis; nothing: it has none.
std::optional<OnnxConstant> StepsOf(const OnnxConstant& constant, std::size_t axis, std::int64_t outputs);

// ops_shape.cc
void TranslateConcat(OnnxNode& node);
void TranslateFlatten(OnnxNode& node);
void TranslateReshape(OnnxNode& node);
void TranslateSqueeze(OnnxNode& node);
void TranslateUnsqueeze(OnnxNode& node);
void TranslateTranspose(OnnxNode& node);
void TranslateExpand(OnnxNode& node);

// ops_move.cc
void TranslatePad(OnnxNode& node);
void TranslateSlice(OnnxNode& node);
void TranslateSplit(OnnxNode& node);
void TranslateGather(OnnxNode& node);

// ops_resize.cc
void TranslateResize(OnnxNode& node);  // and Upsample

// What translating and folding share.
Shape ReshapeTarget(const OnnxNode& node, const Shape& in);  // zeros and -1 resolved
Shape SqueezedShape(const OnnxNode& node, const Shape& in);
Shape UnsqueezedShape(const OnnxNode& node, const Shape& in);
Shape FlattenedShape(const OnnxNode& node, const Shape& in);
std::vector<std::int64_t> TransposeOrder(const OnnxNode& node, std::size_t rank);
SliceAttributes ReadSlice(const OnnxNode& node);

}  // namespace tandem
