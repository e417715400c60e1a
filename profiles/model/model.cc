#include "profiles/model/model.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <functional>
#include <queue>

#include "profiles/base/check.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/model/shape_inference.h"

namespace tandem {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
using Vertex = Graph::vertex_descriptor;
using NameIndex = std::map<std::string, LayerId, std::less<>>;

constexpr std::size_t kMostLayers = 100'000;
constexpr std::size_t kMostLayersShown = 12;  // of a cycle
constexpr std::int64_t kBytesPerElement = 4;  // fp32

const std::string& PlaceOf(const LayerSpec& spec, const std::string& source) {
  return spec.place.empty() ? source : spec.place;
}

NameIndex IndexNames(const std::vector<LayerSpec>& specs, const std::string& source) {
  NameIndex index;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].name.empty()) {
      throw InputError(source + ": layer " + std::to_string(i) + " has an empty name");
    }
    if (!index.emplace(specs[i].name, LayerId(i)).second) {
      throw InputError(PlaceOf(specs[i], source) + ": two layers are called " + Quoted(specs[i].name));
    }
  }
  return index;
}

Graph BuildGraph(const std::vector<LayerSpec>& specs, const NameIndex& index, const std::string& source) {
  Graph graph(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    for (const std::string& input : specs[i].inputs) {
      const auto found = index.find(input);
      if (found == index.end()) {
        std::vector<std::string> known;
        for (const auto& [name, id] : index) known.push_back(name);
        throw InputError(PlaceOf(specs[i], source) + ": layer " + Quoted(specs[i].name) + " reads " +
                         Quoted(input) + ", which no layer makes" + Suggestion(input, known));
      }
      boost::add_edge(found->second.index(), i, graph);
    }
  }
  return graph;
}

// Kahn's algorithm; of the layers that are ready the one that the source gave first comes next.
std::vector<std::size_t> TopologicalOrder(const Graph& graph) {
  std::vector<std::size_t> waiting(boost::num_vertices(graph));
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (Vertex v = 0; v < waiting.size(); ++v) {
    waiting[v] = boost::in_degree(v, graph);
    if (waiting[v] == 0) ready.push(v);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const Vertex v = ready.top();
    ready.pop();
    order.push_back(v);
    for (const auto& edge : boost::make_iterator_range(boost::out_edges(v, graph))) {
      const Vertex user = boost::target(edge, graph);
      if (--waiting[user] == 0) ready.push(user);
    }
  }
  return order;
}

// The first vertex that lies on a cycle: it reads from its own strongly connected component.
Vertex FirstOnCycle(const Graph& graph, const std::vector<int>& component) {
  for (Vertex v = 0; v < component.size(); ++v) {
    for (const auto& edge : boost::make_iterator_range(boost::in_edges(v, graph))) {
      if (component[boost::source(edge, graph)] == component[v]) return v;
    }
  }
  TANDEM_CHECK(false, "a graph without a topological order has a cycle");
}

// One cycle, as the list of its vertices in the direction of the data: the shortest walk back to the first
// vertex that lies on any.
std::vector<Vertex> FindCycle(const Graph& graph) {
  std::vector<int> component(boost::num_vertices(graph));
  boost::strong_components(
      graph, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
  const Vertex start = FirstOnCycle(graph, component);
  const Vertex unseen = component.size();
  std::vector<Vertex> from(component.size(), unseen);
  std::queue<Vertex> frontier({start});
  while (from[start] == unseen) {
    const Vertex v = frontier.front();
    frontier.pop();
    for (const auto& edge : boost::make_iterator_range(boost::out_edges(v, graph))) {
      const Vertex next = boost::target(edge, graph);
      if (component[next] != component[start] || from[next] != unseen) continue;
      from[next] = v;
      frontier.push(next);
    }
  }
  std::vector<Vertex> cycle = {start};
  for (Vertex v = from[start]; v != start; v = from[v]) cycle.push_back(v);
  std::reverse(cycle.begin() + 1, cycle.end());
  return cycle;
}

[[noreturn]] void FailOnCycle(const Graph& graph, const std::vector<LayerSpec>& specs,
                              const std::string& source) {
  const std::vector<Vertex> cycle = FindCycle(graph);
  std::string path;
  for (std::size_t i = 0; i < std::min(cycle.size(), kMostLayersShown); ++i) {
    path += Quoted(specs[cycle[i]].name) + " -> ";
  }
  if (cycle.size() > kMostLayersShown) path += "... -> ";
  throw InputError(source + ": the layers form a cycle: " + path + Quoted(specs[cycle[0]].name));
}

Inferred InferLayer(const LayerSpec& spec, const std::vector<Shape>& inputs, const std::string& source) {
  try {
    return InferShape(spec.op, spec.attributes, inputs);
  } catch (const InputError& error) {
    throw InputError(PlaceOf(spec, source) + ": layer " + Quoted(spec.name) + " (" +
                     std::string(OpName(spec.op)) + "): " + error.what());
  }
}

// Sums over all layers are taken without a second look later on.
void ExpectSummable(const std::vector<Layer>& layers, const std::string& source) {
  std::int64_t macs = 0, elements = 0;
  bool overflow = false;
  for (const Layer& layer : layers) {
    overflow |= __builtin_add_overflow(macs, layer.counts.macs, &macs);
    overflow |= __builtin_add_overflow(elements, layer.counts.params + layer.counts.state, &elements);
  }
  std::int64_t bytes = 0;
  if (overflow || __builtin_mul_overflow(elements, kBytesPerElement, &bytes)) {
    throw InputError(source + ": its work or its weights are beyond 64 bits");
  }
}

}  // namespace

Model Model::Build(std::string name, const std::vector<LayerSpec>& specs, const std::string& source) {
  if (specs.empty()) throw InputError(source + ": the model has no layers");
  if (specs.size() > kMostLayers) {
    throw InputError(source + ": has " + std::to_string(specs.size()) + " layers, at most " +
                     std::to_string(kMostLayers) + " are read");
  }
  const NameIndex index = IndexNames(specs, source);
  const Graph graph = BuildGraph(specs, index, source);
  const std::vector<std::size_t> order = TopologicalOrder(graph);
  if (order.size() != specs.size()) FailOnCycle(graph, specs, source);

  Model model;
  model.name_ = std::move(name);
  model.users_.resize(specs.size());
  for (const std::size_t position : order) {
    const LayerSpec& spec = specs[position];
    const LayerId id(model.layers_.size());
    Layer layer{spec.name, spec.op, spec.attributes, {}, {}, {}};
    std::vector<Shape> shapes;
    for (const std::string& input : spec.inputs) {
      const LayerId from = model.by_name_.find(input)->second;
      layer.inputs.push_back(from);
      shapes.push_back(model.layers_[from.index()].output);
      model.users_[from.index()].push_back(id);
    }
    Inferred inferred = InferLayer(spec, shapes, source);
    layer.output = std::move(inferred.output);
    layer.counts = inferred.counts;
    model.by_name_.emplace(spec.name, id);
    model.layers_.push_back(std::move(layer));
  }
  ExpectSummable(model.layers_, source);
  return model;
}

LayerId Model::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? LayerId() : found->second;
}

std::vector<LayerId> Model::Inputs() const {
  std::vector<LayerId> inputs;
  for (std::size_t i = 0; i < size(); ++i) {
    if (layers_[i].op == Op::kInput) inputs.emplace_back(i);
  }
  return inputs;
}

std::vector<LayerId> Model::Outputs() const {
  std::vector<LayerId> outputs;
  for (std::size_t i = 0; i < size(); ++i) {
    if (users_[i].empty()) outputs.emplace_back(i);
  }
  return outputs;
}

std::int64_t Model::batch() const {
  for (const Layer& layer : layers_) {
    if (layer.op == Op::kInput && !layer.output.empty()) return layer.output[0];
  }
  return 1;
}

Counts Model::totals() const {
  Counts totals;
  for (const Layer& layer : layers_) {
    totals.params += layer.counts.params;
    totals.state += layer.counts.state;
    totals.macs += layer.counts.macs;
  }
  return totals;
}

std::int64_t Model::BytesIn(LayerId id) const {
  std::int64_t bytes = 0;
  for (const LayerId input : layer(id).inputs) bytes += BytesOut(input);
  return bytes;
}

std::int64_t Model::BytesOut(LayerId id) const { return Elements(layer(id).output) * kBytesPerElement; }

std::int64_t Model::BytesOfWeights() const {
  const Counts counts = totals();
  return (counts.params + counts.state) * kBytesPerElement;
}

std::vector<LayerSpec> Model::Specs() const {
  std::vector<LayerSpec> specs;
  for (const Layer& layer : layers_) {
    LayerSpec spec{layer.name, layer.op, layer.attributes, {}};
    for (const LayerId input : layer.inputs) spec.inputs.push_back(layers_[input.index()].name);
    specs.push_back(std::move(spec));
  }
  return specs;
}

Model Model::WithInputShape(const Shape& shape) const {
  std::vector<LayerSpec> specs = Specs();
  if (Inputs().size() != 1) {
    throw InputError(name_ + ": an input shape needs a model with one input, this has " +
                     std::to_string(Inputs().size()));
  }
  specs[Inputs()[0].index()].attributes = InputAttributes{shape};
  return Build(name_, specs, name_ + " at " + ShapeText(shape));
}

Model Model::WithBatch(std::int64_t batch) const {
  std::vector<LayerSpec> specs = Specs();
  for (const LayerId id : Inputs()) {
    Shape shape = layer(id).output;
    if (!shape.empty()) shape[0] = batch;
    specs[id.index()].attributes = InputAttributes{shape};
  }
  return Build(name_, specs, name_ + " at batch " + std::to_string(batch));
}

}  // namespace tandem
