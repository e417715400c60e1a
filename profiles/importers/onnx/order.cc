#include "profiles/base/graph.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/importers/onnx/graph.h"

namespace tandem {
namespace {

using Makers = std::map<std::string_view, std::size_t>;  // of a value: the node

Makers FindMakers(const onnx::GraphProto& proto, const OnnxGraph& graph) {
  Makers makers;
  for (int i = 0; i < proto.node_size(); ++i) {
    for (const std::string& output : proto.node(i).output()) {
      if (output.empty()) continue;
      if (graph.values.contains(output) || !makers.emplace(output, static_cast<std::size_t>(i)).second) {
        throw InputError(graph.file.string() + ": node " + Quoted(OnnxNode::Name(proto.node(i))) + " makes " +
                         Quoted(output) + ", which is there already");
      }
    }
  }
  return makers;
}

[[noreturn]] void FailOnInput(const onnx::GraphProto& proto, const OnnxGraph& graph,
                              const onnx::NodeProto& node, const std::string& input, const Makers& makers) {
  std::vector<std::string> known;
  for (const onnx::ValueInfoProto& other : proto.input()) known.push_back(other.name());
  for (const auto& [name, maker] : makers) known.emplace_back(name);
  throw InputError(graph.file.string() + ": node " + Quoted(OnnxNode::Name(node)) + " reads " +
                   Quoted(input) + ", which nothing makes" + Suggestion(input, known));
}

// From what each node reads.
std::vector<GraphEdge> FindEdges(const onnx::GraphProto& proto, const OnnxGraph& graph) {
  const Makers makers = FindMakers(proto, graph);
  std::vector<GraphEdge> edges;
  for (int i = 0; i < proto.node_size(); ++i) {
    for (const std::string& input : proto.node(i).input()) {
      if (input.empty() || graph.values.contains(input)) continue;
      const auto maker = makers.find(input);
      if (maker == makers.end()) {
        FailOnInput(proto, graph, proto.node(i), input, makers);
      }
      edges.push_back({maker->second, static_cast<std::size_t>(i)});
    }
  }
  return edges;
}

}  // namespace

std::vector<const onnx::NodeProto*> OrderOnnxNodes(const onnx::GraphProto& proto, const OnnxGraph& graph) {
  const auto node = [&](std::size_t i) -> const onnx::NodeProto& { return proto.node(static_cast<int>(i)); };
  const auto [order, cycle] = OrderOf(static_cast<std::size_t>(proto.node_size()), FindEdges(proto, graph));
  if (!cycle.empty()) {
    throw InputError(graph.file.string() + ": the nodes form a cycle: " +
                     CycleText(cycle, [&](std::size_t i) { return OnnxNode::Name(node(i)); }));
  }
  std::vector<const onnx::NodeProto*> nodes;
  for (const std::size_t i : order) nodes.push_back(&node(i));
  return nodes;
}

}  // namespace tandem
