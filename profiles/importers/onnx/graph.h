// The parts of an ONNX import: what the graph reads from outside, the order of its nodes, its weights.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiles/importers/onnx/node.h"
#include "profiles/model/model_source.h"

namespace tandem {

inline bool IsStandardOnnx(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

// qoperator.cc. Operators of the QOperator format become those of the QDQ format that they stand for.
void RewriteQOperators(onnx::GraphProto& graph);
// What to do about an operator on integers that is not known; empty: it is none.
std::string QuantizedFormatHint(std::string_view type);

// order.cc. An order in which every node comes after those it reads, the file's own wherever it can be.
// Throws InputError for a value that nothing makes or that is made twice, and for a cycle.
std::vector<const onnx::NodeProto*> OrderOnnxNodes(const onnx::GraphProto& proto, const OnnxGraph& graph);

// inputs.cc. The initialisers and inputs that the nodes read become values, the latter layers too where
// they are no weights.
void ReadOnnxInputs(const onnx::GraphProto& proto, const ImportOptions& options, OnnxGraph& graph);

// weights.cc. The tensors of `model`; nothing where the file does not have them all.
Weights ReadOnnxWeights(const Model& model, const OnnxGraph& graph);

}  // namespace tandem
