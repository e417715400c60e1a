// Writing models as ONNX of operator set 17, with their weights inside: what other runtimes read.
//
// A layer becomes one node of its name, as a rule. Those that ONNX has no operator for become several: scale
// (Mul, Add), gelu, LRN within a channel, add with coefficients, adaptive and dilated mean pooling, fc of
// other inputs than matrices (Flatten, Gemm, Reshape). Read again by our importer, such layers stay apart,
// mean over height and width is a global pooling, clip to 0..6 is relu6, and batch norm has a gamma of 1 and
// a beta of 0 where it had none.
#pragma once

#include <filesystem>
#include <string>

#include "profiles/model/model.h"
#include "profiles/model/weights.h"

namespace tandem {

// `weights` are those that the model needs. Throws InputError where a layer cannot be said in ONNX and where
// the file would pass the 2 GiB that its format allows.
void WriteOnnx(const std::filesystem::path& file, const Model& model, const Weights& weights);
// The first extent of inputs and outputs is "batch"; the model passes CheckAnyBatch.
void WriteOnnxOfAnyBatch(const std::filesystem::path& file, const Model& model, const Weights& weights);
std::string OnnxBytes(const Model& model, const Weights& weights);

}  // namespace tandem
