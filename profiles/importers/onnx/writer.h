// An ONNX graph while a model's layers are written into it, one after the other.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "profiles/model/model.h"
#include "profiles/model/op_table.h"
#include "profiles/model/weights.h"

namespace tandem {

struct OnnxWrittenAttribute {
  std::string name;
  std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>> value;
};
using OnnxWrittenAttributes = std::vector<OnnxWrittenAttribute>;

// The first extent of inputs and outputs: as the model has it, or any, and then no constant may hold it.
enum class OnnxBatch : std::uint8_t { kStated, kOpen };

class OnnxWriter {
 public:
  using Value = std::string;  // the name of what a node or an initialiser gives

  OnnxWriter(onnx::GraphProto& graph, const Model& model, const Weights& weights,
             OnnxBatch batch = OnnxBatch::kStated);

  // The layer that is written now.
  void Begin(LayerId id) { id_ = id; }
  // What stands for its output from now on.
  void Give(const Value& value) { values_[id_.index()] = value; }

  bool open_batch() const { return batch_ == OnnxBatch::kOpen; }
  const Layer& layer() const { return model_.layer(id_); }
  template <class A>
  const A& As() const {
    return layer().As<A>();
  }
  const Shape& InShape(std::size_t i = 0) const { return model_.layer(layer().inputs[i]).output; }
  const Value& In(std::size_t i = 0) const { return values_[layer().inputs[i].index()]; }

  // The layer's own node bears its name, those that help it a suffix behind it.
  Value Node(const std::string& type, const std::vector<Value>& inputs,
             const OnnxWrittenAttributes& attributes = {}, const std::string& suffix = "");
  // The layer's weight of that role, seen in another shape of as many elements where one is given.
  Value Weight(const std::string& role, const Shape& shape = {});
  Value Floats(const std::string& suffix, const Shape& shape, const std::vector<float>& values);
  Value Number(const std::string& suffix, double value) {
    return Floats(suffix, {}, {static_cast<float>(value)});
  }
  Value Integers(const std::string& suffix, const std::vector<std::int64_t>& values);
  // Of one byte each.
  Value Bytes(const std::string& suffix, const Shape& shape, GridType type,
              const std::vector<std::int64_t>& values);
  // The "weight" of a quantized layer: as whole multiples of its steps, then as numbers again.
  Value WeightOnGrid();

  void AddInput();
  void AddOutputs();
  // Throws InputError that names the layer.
  [[noreturn]] void Fail(const std::string& what) const;

 private:
  std::string Unique(const std::string& name);
  onnx::TensorProto& Initializer(const std::string& suffix, const Shape& shape);

  onnx::GraphProto& graph_;
  const Model& model_;
  const Weights& weights_;
  OnnxBatch batch_;
  LayerId id_;
  std::vector<Value> values_;    // by layer
  std::set<std::string> names_;  // of layers, helping nodes and initialisers
};

// What writes a layer and gives the name of its output; the files in which they stand register them.
using OnnxWriters = OpTable<OnnxWriter::Value (*)(OnnxWriter& to)>;

OnnxWriter::Value WriteOnnxLayer(OnnxWriter& to);  // any but an input

}  // namespace tandem
