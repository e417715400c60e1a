#include "profiles/importers/caffe/graph.h"

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/model/shape_inference.h"

namespace tandem {
namespace {

// Far beyond any network; keeps a hostile file from filling the memory and sums from overflowing.
constexpr std::size_t kMostLayers = 100'000;
constexpr std::int64_t kMostCounts = std::int64_t{1} << 60;

}  // namespace

std::string CaffeGraph::UniqueName(const std::string& wanted) {
  std::string name = wanted;
  while (name.empty() || names_.count(name) > 0) {
    int& number = next_number_[wanted];
    number = std::max(number + 1, 2);
    name = (wanted.empty() ? "layer" : wanted) + "_" + std::to_string(number);
  }
  names_.insert(name);
  return name;
}

CaffeNode CaffeGraph::Add(const std::string& unique_name, Op op, Attributes attributes,
                          const std::vector<CaffeNode>& inputs) {
  LayerSpec layer{unique_name, op, std::move(attributes), {}};
  std::vector<Shape> shapes;
  for (const CaffeNode& input : inputs) {
    layer.inputs.push_back(input.layer);
    shapes.push_back(input.shape);
  }
  Inferred inferred = InferShape(op, layer.attributes, shapes);
  const Counts& counts = inferred.counts;
  if (counts.params > kMostCounts - totals_.params || counts.macs > kMostCounts - totals_.macs) {
    throw InputError("its parameters or its work are beyond all measure");
  }
  totals_.params += counts.params;
  totals_.macs += counts.macs;
  layers_.push_back(std::move(layer));
  if (layers_.size() > kMostLayers) {
    throw InputError("is beyond the " + std::to_string(kMostLayers) + " layers that a network may have");
  }
  return {unique_name, std::move(inferred.output)};
}

const CaffeBlob& CaffeGraph::Read(const std::string& blob) const {
  const auto found = blobs_.find(blob);
  if (found != blobs_.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [name, state] : blobs_) known.push_back(name);
  throw InputError("reads " + Quoted(blob) + ", which no layer before it makes" + Suggestion(blob, known));
}

std::vector<LayerSpec> CaffeGraph::Finish() const {
  std::set<std::string> read;
  for (const LayerSpec& layer : layers_) read.insert(layer.inputs.begin(), layer.inputs.end());
  std::vector<LayerSpec> kept;
  for (const LayerSpec& layer : layers_) {
    const bool label = layer.op == Op::kInput && read_in_training_.count(layer.name) > 0;
    if (!label || read.count(layer.name) > 0) kept.push_back(layer);
  }
  return kept;
}

}  // namespace tandem
