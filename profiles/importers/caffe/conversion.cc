#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/importers/caffe/layers.h"

namespace tandem {

CaffeConversion::CaffeConversion(CaffeGraph& graph, const caffe::LayerParameter& layer,
                                 std::vector<CaffeNode> layer_bottoms, std::size_t occurrence)
    : param(layer),
      bottoms(std::move(layer_bottoms)),
      graph_(graph),
      name_(graph.UniqueName(layer.name().empty() && layer.top_size() > 0 ? layer.top(0) : layer.name())),
      occurrence_(occurrence) {}

bool CaffeConversion::IsBatch(std::int64_t extent, const CaffeNode& node) const {
  return extent == graph_.file_batch && !node.shape.empty() && node.shape[0] == graph_.batch;
}

void CaffeConversion::ExpectBottoms(std::size_t least, std::size_t most) const {
  if (bottoms.size() >= least && bottoms.size() <= most) return;
  const std::string range = least == most            ? std::to_string(least)
                            : most == bottoms.size() ? std::to_string(least) + " or more"
                                                     : std::to_string(least) + " to " + std::to_string(most);
  throw InputError("takes " + range + " bottoms, has " + std::to_string(bottoms.size()));
}

const CaffeNode& CaffeConversion::OnlyBottom() const {
  ExpectBottoms(1, 1);
  return bottoms[0];
}

CaffeNode CaffeConversion::AddPart(const std::string& part, Op op, Attributes attributes,
                                   std::vector<CaffeNode> inputs) {
  return graph_.Add(graph_.UniqueName(name_ + "/" + part), op, std::move(attributes), inputs);
}

CaffeNode CaffeConversion::AddLast(Op op, Attributes attributes, std::vector<CaffeNode> inputs) {
  return graph_.Add(name_, op, std::move(attributes), inputs);
}

void CaffeConversion::Trained(const CaffeNode& node, const std::string& role, const Shape& shape, int blob,
                              const Shape& blob_shape, BlobUse use) {
  graph_.trained.push_back({{node.layer, role}, shape, param.name(), occurrence_, blob, blob_shape, use});
}

CaffeNode CaffeConversion::AddConstant(const std::string& part, Op op, double value, const CaffeNode& input) {
  ElementwiseAttributes attributes;
  attributes.has_constant = true;
  const CaffeNode node =
      part.empty() ? AddLast(op, attributes, {input}) : AddPart(part, op, attributes, {input});
  graph_.constants[{node.layer, "constant"}] = static_cast<float>(value);
  return node;
}

void CaffeConversion::SetTop(const CaffeNode& node) { SetTops({node}); }

void CaffeConversion::SetTops(const std::vector<CaffeNode>& nodes) {
  const auto tops = static_cast<std::size_t>(param.top_size());
  if (tops != nodes.size()) {
    throw InputError("makes " + std::to_string(nodes.size()) + " tops, has " + std::to_string(tops));
  }
  for (int i = 0; i < param.top_size(); ++i) {
    graph_.Write(param.top(i), {nodes[static_cast<std::size_t>(i)], {}});
  }
}

void CaffeConversion::Note(const std::string& what) {
  graph_.notes.push_back("layer " + Quoted(name_) + ": " + what);
}

}  // namespace tandem
