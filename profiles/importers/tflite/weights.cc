#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/importers/tflite/graph.h"
#include "profiles/importers/tflite/layout.h"

namespace tandem {
namespace {

// Operators may share their numbers (a head over five scales does); a small file whose operators all read the
// same ones is refused before it takes all memory.
constexpr std::uint64_t kReadAtLeast = std::uint64_t{1} << 24;
constexpr std::uint64_t kTimesRead = 16;

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
  std::uint64_t read = 0;
  for (const TfliteWeight& weight : graph.weights) {
    if (!model.Find(weight.key.layer).valid()) continue;
    read += static_cast<std::uint64_t>(Elements(weight.shape));
    if (read > kReadAtLeast + kTimesRead * graph.bytes.size()) {
      throw InputError(graph.file.string() + ": its operators share their numbers so often that they are " +
                       std::to_string(read) + " and more");
    }
    weights.emplace(weight.key, ReadWeight(weight, graph));
  }
  return weights;
}

}  // namespace tandem
