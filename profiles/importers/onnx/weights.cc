#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/importers/onnx/graph.h"
#include "profiles/model/import_rules.h"

namespace tandem {
namespace {

// Constants that are one number repeated take no room in the file; a model that claims more of them than
// these gets none rather than all memory.
constexpr std::int64_t kMostFilled = std::int64_t{1} << 28;
constexpr std::size_t kBlock = 32;  // rows and columns that stay in the cache

// (columns, rows) of the source becomes (rows, columns).
std::vector<float> Transposed(const std::vector<float>& from, std::size_t rows, std::size_t columns) {
  std::vector<float> to(from.size());
  for (std::size_t top = 0; top < rows; top += kBlock) {
    for (std::size_t left = 0; left < columns; left += kBlock) {
      for (std::size_t column = left; column < std::min(left + kBlock, columns); ++column) {
        for (std::size_t row = top; row < std::min(top + kBlock, rows); ++row) {
          to[row * columns + column] = from[column * rows + row];
        }
      }
    }
  }
  return to;
}

Tensor ReadTensor(const OnnxWeight& weight, const OnnxGraph& graph) {
  Tensor tensor{weight.shape, {}};
  try {
    tensor.values = *FloatValues(weight.constant, graph.file);
  } catch (const InputError& error) {
    throw InputError(graph.file.string() + ": the " + weight.key.role + " of layer " +
                     Quoted(weight.key.layer) + ": " + error.what());
  }
  if (weight.transpose) {
    tensor.values = Transposed(tensor.values, static_cast<std::size_t>(weight.shape[0]),
                               static_cast<std::size_t>(weight.shape[1]));
  }
  if (weight.factor != 1) {
    for (float& value : tensor.values) value *= weight.factor;
  }
  return tensor;
}

// Of the model and of those beside it that hold its weights, each once.
std::uint64_t BytesOfFiles(const std::vector<const OnnxWeight*>& weights, const OnnxGraph& graph) {
  std::set<std::filesystem::path> files;
  for (const OnnxWeight* weight : weights) {
    if (weight->constant.stored == nullptr) continue;
    for (const onnx::StringStringEntryProto& entry : weight->constant.stored->external_data()) {
      if (entry.key() == "location") files.insert(graph.file.parent_path() / entry.value());
    }
  }
  std::uint64_t bytes = graph.bytes;
  for (const std::filesystem::path& file : files) {
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(file, error);
    if (!error) bytes += size;
  }
  return bytes;
}

}  // namespace

Weights ReadOnnxWeights(const Model& model, const OnnxGraph& graph) {
  std::int64_t filled = 0, stored = 0;
  std::vector<const OnnxWeight*> needed;
  for (const OnnxWeight& weight : graph.weights) {
    if (!model.Find(weight.key.layer).valid()) continue;
    needed.push_back(&weight);
    (weight.constant.fill ? filled : stored) += Elements(weight.shape);
    if (!weight.constant.known() || filled > kMostFilled) return {};
  }
  CheckShared(stored, BytesOfFiles(needed, graph), graph.file.string());
  Weights weights;
  for (const OnnxWeight* weight : needed) weights.emplace(weight->key, ReadTensor(*weight, graph));
  return weights;
}

}  // namespace tandem
