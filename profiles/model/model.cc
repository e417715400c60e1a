#include "profiles/model/model.h"

#include "profiles/base/graph.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/model/op_declaration.h"
#include "profiles/model/shape_inference.h"

namespace tandem {
namespace {

using NameIndex = std::map<std::string, LayerId, std::less<>>;

constexpr std::size_t kMostLayers = 100'000;
constexpr std::int64_t kBytesPerElement = 4;  // fp32

bool IsOpaque(Op op) { return Declaration(op).kind == OpKind::kOpaque; }

std::optional<ElementType> TypeOf(Op op, const Attributes& attributes) {
  if (op == Op::kInput) return attributes.As<InputAttributes>().type;
  if (IsOpaque(op)) return attributes.As<OpaqueAttributes>().type;
  return std::nullopt;
}

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

std::vector<GraphEdge> FindEdges(const std::vector<LayerSpec>& specs, const NameIndex& index,
                                 const std::string& source) {
  std::vector<GraphEdge> edges;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    for (const std::string& input : specs[i].inputs) {
      const auto found = index.find(input);
      if (found == index.end()) {
        std::vector<std::string> known;
        for (const auto& [name, id] : index) known.push_back(name);
        throw InputError(PlaceOf(specs[i], source) + ": layer " + Quoted(specs[i].name) + " reads " +
                         Quoted(input) + ", which no layer makes" + Suggestion(input, known));
      }
      edges.push_back({found->second.index(), i});
    }
  }
  return edges;
}

Inferred InferLayer(const LayerSpec& spec, const std::vector<Shape>& inputs, const std::string& source) {
  try {
    return InferShape(spec.op, spec.attributes, inputs);
  } catch (const InputError& error) {
    throw InputError(PlaceOf(spec, source) + ": layer " + Quoted(spec.name) + " (" +
                     std::string(OpName(spec.op)) + "): " + error.what());
  }
}

// Kernels take and give float: of another type is what a program reads from outside, or makes for one.
void ExpectTypeFits(const LayerSpec& from, const LayerSpec& reader, const std::string& source) {
  if (IsOpaque(reader.op) || !TypeOf(from.op, from.attributes)) return;
  throw InputError(PlaceOf(from, source) + ": layer " + Quoted(from.name) + " has a \"type\", and layer " +
                   Quoted(reader.name) + " (" + std::string(OpName(reader.op)) +
                   ") reads it; only what \"opaque\" layers alone read may have one: leave it out, and it is "
                   "as wide as the unit's precision, an input fp32");
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
  const auto [order, cycle] = OrderOf(specs.size(), FindEdges(specs, index, source));
  if (!cycle.empty()) {
    throw InputError(source + ": the layers form a cycle: " + CycleText(cycle, [&](std::size_t layer) {
                       return specs[layer].name;
                     }));
  }

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
      ExpectTypeFits(specs[index.find(input)->second.index()], spec, source);
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

std::int64_t Model::BytesOut(LayerId id) const {
  return Elements(layer(id).output) * ElementBytes(id).value_or(kBytesPerElement);
}

std::optional<std::int64_t> Model::ElementBytes(LayerId id) const {
  const auto type = TypeOf(layer(id).op, layer(id).attributes);
  return type ? std::optional(BytesOfElement(*type)) : std::nullopt;
}

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
  specs[Inputs()[0].index()].attributes =
      InputAttributes{shape, layer(Inputs()[0]).As<InputAttributes>().type};
  return Build(name_, specs, name_ + " at " + ShapeText(shape));
}

Model Model::WithBatch(std::int64_t batch) const {
  std::vector<LayerSpec> specs = Specs();
  for (const LayerId id : Inputs()) {
    Shape shape = layer(id).output;
    if (!shape.empty()) shape[0] = batch;
    specs[id.index()].attributes = InputAttributes{shape, layer(id).As<InputAttributes>().type};
  }
  return Build(name_, specs, name_ + " at batch " + std::to_string(batch));
}

std::vector<LayerId> WorkingLayers(const Model& model) {
  std::vector<LayerId> layers;
  for (std::size_t l = 0; l < model.size(); ++l) {
    if (model.layers()[l].op != Op::kInput) layers.emplace_back(l);
  }
  return layers;
}

std::vector<LayerId> LayersBetween(const Model& model, LayerId from, LayerId to) {
  if (!from.valid() || !to.valid() || to < from) return {};
  std::vector<char> after(model.size(), 0), before(model.size(), 0);
  after[from.index()] = before[to.index()] = 1;
  for (std::size_t i = from.index(); i <= to.index(); ++i) {
    for (const LayerId input : model.layer(LayerId(i)).inputs) {
      if (after[input.index()] != 0) after[i] = 1;
    }
  }
  for (std::size_t i = to.index() + 1; i-- > from.index();) {
    if (before[i] == 0) continue;
    for (const LayerId input : model.layer(LayerId(i)).inputs) before[input.index()] = 1;
  }
  std::vector<LayerId> layers;
  for (std::size_t i = from.index(); i <= to.index(); ++i) {
    if (after[i] != 0 && before[i] != 0) layers.push_back(LayerId(i));
  }
  return layers;
}

}  // namespace tandem
