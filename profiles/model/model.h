// Room profiles/model: networks: layers, shapes, weights, and models from everywhere. Knows no board and no
// time.
//
// A network as a directed acyclic graph of layers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/model/layer.h"

namespace tandem {

// A layer as a source states it: inputs by name, nothing derived yet.
struct LayerSpec {
  std::string name;
  Op op = Op::kInput;
  Attributes attributes;
  std::vector<std::string> inputs;
  std::string place = {};  // where the source states it, for messages: "file:/layers/7"; may be empty
};

class Model {
 public:
  // Puts the layers into a topological order that keeps the given order wherever it can, then infers shapes
  // and counts. Throws InputError, with the layer's place or else `source`, for: no layer, more than a
  // hundred thousand, a name that is empty or given twice, an input that no layer has (did you mean), a cycle
  // (its layers named, in order), a layer whose inputs do not fit, sums over all layers beyond 64 bits.
  static Model Build(std::string name, const std::vector<LayerSpec>& layers, const std::string& source);

  const std::string& name() const { return name_; }
  std::size_t size() const { return layers_.size(); }
  const Layer& layer(LayerId id) const { return layers_[id.index()]; }
  // In topological order: LayerId(i) is the i-th of them, every input has a smaller id than its user.
  std::span<const Layer> layers() const { return layers_; }
  // Who reads the output of `id`, in order of id; once per use.
  std::span<const LayerId> users(LayerId id) const { return users_[id.index()]; }
  LayerId Find(std::string_view name) const;  // an invalid id where there is none
  std::vector<LayerId> Inputs() const;        // the layers of op input
  std::vector<LayerId> Outputs() const;       // the layers that no layer reads
  std::int64_t batch() const;                 // of the first input

  Counts totals() const;
  // Activations read and written: fp32, but for what is said to be of another type.
  std::int64_t BytesIn(LayerId id) const;
  std::int64_t BytesOut(LayerId id) const;
  // Of an element of its output, where the model says of which type that is, whatever unit makes it.
  std::optional<std::int64_t> ElementBytes(LayerId id) const;
  std::int64_t BytesOfWeights() const;  // params and state, fp32

  // The specs it was built from, in topological order; `With...` make variants of a model by way of them.
  std::vector<LayerSpec> Specs() const;
  Model WithInputShape(const Shape& shape) const;  // of the only input; InputError where there are more
  Model WithBatch(std::int64_t batch) const;       // of every input

 private:
  std::string name_;
  std::vector<Layer> layers_;
  std::vector<std::vector<LayerId>> users_;
  std::map<std::string, LayerId, std::less<>> by_name_;
};

// The layers that run: all but the inputs, in topological order.
std::vector<LayerId> WorkingLayers(const Model& model);
// All layers on ways from `from` to `to`, both included, ascending; none where there is no way.
std::vector<LayerId> LayersBetween(const Model& model, LayerId from, LayerId to);

}  // namespace tandem
