#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/importers/tflite/graph.h"
#include "profiles/importers/tflite/layout.h"
#include "profiles/model/import_rules.h"

namespace tandem {
namespace {

Tensor ReadWeight(const TfliteWeight& weight, const TfliteGraph& graph) {
  Tensor tensor{weight.shape, {}};
  try {
    tensor.values = TfliteFloats(weight.constant);
  } catch (const InputError& error) {
    throw InputError(graph.file.string() + ": the " + weight.key.role + " of layer " +
                     Quoted(weight.key.layer) + ": " + error.what());
  }
  if (!weight.order.empty()) tensor.values = WithAxesMoved(tensor.values, weight.view, weight.order);
  return tensor;
}

}  // namespace

Weights ReadTfliteWeights(const Model& model, const TfliteGraph& graph) {
  Weights weights;
  std::int64_t read = 0;
  for (const TfliteWeight& weight : graph.weights) {
    if (!model.Find(weight.key.layer).valid()) continue;
    read += Elements(weight.shape);
    CheckShared(read, graph.bytes.size(), graph.file.string());
    weights.emplace(weight.key, ReadWeight(weight, graph));
  }
  return weights;
}

}  // namespace tandem
