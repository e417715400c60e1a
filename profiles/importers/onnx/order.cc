#include <algorithm>
#include <functional>
#include <queue>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/importers/onnx/graph.h"

namespace tandem {
namespace {

constexpr std::size_t kMostNodesShown = 12;  // of a cycle

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

// Which nodes each node reads.
std::vector<std::vector<std::size_t>> FindSources(const onnx::GraphProto& proto, const OnnxGraph& graph) {
  const Makers makers = FindMakers(proto, graph);
  std::vector<std::vector<std::size_t>> sources(static_cast<std::size_t>(proto.node_size()));
  for (int i = 0; i < proto.node_size(); ++i) {
    for (const std::string& input : proto.node(i).input()) {
      if (input.empty() || graph.values.contains(input)) continue;
      const auto maker = makers.find(input);
      if (maker == makers.end()) {
        FailOnInput(proto, graph, proto.node(i), input, makers);
      }
      sources[static_cast<std::size_t>(i)].push_back(maker->second);
    }
  }
  return sources;
}

// Walks back from a node that was never ready, through others of its kind, until one comes again.
[[noreturn]] void FailOnCycle(const onnx::GraphProto& proto, const OnnxGraph& graph,
                              const std::vector<std::vector<std::size_t>>& sources,
                              const std::vector<std::size_t>& waiting) {
  const auto stuck = [&](std::size_t node) { return waiting[node] > 0; };
  std::size_t node = 0;
  while (!stuck(node)) ++node;
  std::vector<std::size_t> walk;
  std::vector<bool> seen(waiting.size(), false);
  while (!seen[node]) {
    seen[node] = true;
    walk.push_back(node);
    node = *std::find_if(sources[node].begin(), sources[node].end(), stuck);
  }
  walk.erase(walk.begin(), std::find(walk.begin(), walk.end(), node));
  walk.push_back(node);
  std::reverse(walk.begin(), walk.end());
  std::string path;
  for (std::size_t i = 0; i + 1 < walk.size() && i < kMostNodesShown; ++i) {
    path += Quoted(OnnxNode::Name(proto.node(static_cast<int>(walk[i])))) + " -> ";
  }
  if (walk.size() > kMostNodesShown + 1) path += "... -> ";
  throw InputError(graph.file.string() + ": the nodes form a cycle: " + path +
                   Quoted(OnnxNode::Name(proto.node(static_cast<int>(node)))));
}

}  // namespace

std::vector<const onnx::NodeProto*> OrderOnnxNodes(const onnx::GraphProto& proto, const OnnxGraph& graph) {
  const auto sources = FindSources(proto, graph);
  std::vector<std::size_t> waiting(sources.size());
  std::vector<std::vector<std::size_t>> users(sources.size());
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    waiting[i] = sources[i].size();
    if (waiting[i] == 0) ready.push(i);
    for (const std::size_t source : sources[i]) users[source].push_back(i);
  }
  std::vector<const onnx::NodeProto*> order;
  while (!ready.empty()) {
    const std::size_t node = ready.top();
    ready.pop();
    order.push_back(&proto.node(static_cast<int>(node)));
    for (const std::size_t user : users[node]) {
      if (--waiting[user] == 0) ready.push(user);
    }
  }
  if (order.size() != sources.size()) FailOnCycle(proto, graph, sources, waiting);
  return order;
}

}  // namespace tandem
