#include "profiles/importers/onnx/writer.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

using onnx::AttributeProto;

struct AttributeSetter {
  AttributeProto& proto;

  void operator()(std::int64_t value) const {
    proto.set_type(AttributeProto::INT);
    proto.set_i(value);
  }
  void operator()(double value) const {
    proto.set_type(AttributeProto::FLOAT);
    proto.set_f(static_cast<float>(value));
  }
  void operator()(const std::string& value) const {
    proto.set_type(AttributeProto::STRING);
    proto.set_s(value);
  }
  void operator()(const std::vector<std::int64_t>& values) const {
    proto.set_type(AttributeProto::INTS);
    proto.mutable_ints()->Add(values.begin(), values.end());
  }
};

void Describe(onnx::ValueInfoProto& info, const std::string& name, const Shape& shape, OnnxBatch batch) {
  info.set_name(name);
  auto& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  type.mutable_shape();
  for (const std::int64_t extent : shape) type.mutable_shape()->add_dim()->set_dim_value(extent);
  if (batch == OnnxBatch::kOpen) type.mutable_shape()->mutable_dim(0)->set_dim_param("batch");
}

}  // namespace

OnnxWriter::OnnxWriter(onnx::GraphProto& graph, const Model& model, const Weights& weights, OnnxBatch batch)
    : graph_(graph), model_(model), weights_(weights), batch_(batch), values_(model.size()) {
  for (const Layer& layer : model.layers()) names_.insert(layer.name);
}

void OnnxWriter::Fail(const std::string& what) const {
  throw InputError(model_.name() + ": layer " + Quoted(layer().name) + ": " + what);
}

std::string OnnxWriter::Unique(const std::string& name) {
  std::string unique = name;
  for (int number = 2; !names_.insert(unique).second; ++number) unique = name + "_" + std::to_string(number);
  return unique;
}

OnnxWriter::Value OnnxWriter::Node(const std::string& type, const std::vector<Value>& inputs,
                                   const OnnxWrittenAttributes& attributes, const std::string& suffix) {
  onnx::NodeProto& node = *graph_.add_node();
  node.set_op_type(type);
  node.set_name(suffix.empty() ? layer().name : Unique(layer().name + suffix));
  for (const Value& input : inputs) node.add_input(input);
  node.add_output(node.name());
  for (const OnnxWrittenAttribute& attribute : attributes) {
    AttributeProto& proto = *node.add_attribute();
    proto.set_name(attribute.name);
    std::visit(AttributeSetter{proto}, attribute.value);
  }
  return node.name();
}

onnx::TensorProto& OnnxWriter::Initializer(const std::string& suffix, const Shape& shape) {
  onnx::TensorProto& tensor = *graph_.add_initializer();
  tensor.set_name(Unique(layer().name + ":" + suffix));
  tensor.mutable_dims()->Add(shape.begin(), shape.end());
  return tensor;
}

// Raw data are little-endian, as every processor is that tandem is built for.
OnnxWriter::Value OnnxWriter::Floats(const std::string& suffix, const Shape& shape,
                                     const std::vector<float>& values) {
  onnx::TensorProto& tensor = Initializer(suffix, shape);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  tensor.set_raw_data(values.data(), values.size() * sizeof(float));
  return tensor.name();
}

OnnxWriter::Value OnnxWriter::Integers(const std::string& suffix, const std::vector<std::int64_t>& values) {
  onnx::TensorProto& tensor = Initializer(suffix, {static_cast<std::int64_t>(values.size())});
  tensor.set_data_type(onnx::TensorProto::INT64);
  tensor.set_raw_data(values.data(), values.size() * sizeof(std::int64_t));
  return tensor.name();
}

OnnxWriter::Value OnnxWriter::Bytes(const std::string& suffix, const Shape& shape, GridType type,
                                    const std::vector<std::int64_t>& values) {
  onnx::TensorProto& tensor = Initializer(suffix, shape);
  tensor.set_data_type(type == GridType::kInt8 ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8);
  std::string bytes;
  for (const std::int64_t value : values) bytes.push_back(static_cast<char>(value));
  tensor.set_raw_data(bytes);
  return tensor.name();
}

OnnxWriter::Value OnnxWriter::WeightOnGrid() {
  const Tensor &weight = weights_.at({layer().name, "weight"}), &step = weights_.at({layer().name, "step"});
  const std::size_t each = weight.values.size() / step.values.size();
  std::vector<std::int64_t> integers;
  for (const float value : weight.values) {
    integers.push_back(std::llround(value / step.values[integers.size() / each]));
  }
  Value scale = Floats("step", step.shape, step.values);
  const auto [least, greatest] = std::ranges::minmax(integers);
  if (least >= -128 && greatest <= 127) {
    return Node("DequantizeLinear", {Bytes("weight", weight.shape, GridType::kInt8, integers), scale},
                {{"axis", 0}}, "/weight");
  }
  // Of grids that are not centred; each output's integers reach from its own least on.
  std::vector<std::int64_t> zeros;
  for (std::size_t output = 0; output < step.values.size(); ++output) {
    const std::span<std::int64_t> own = std::span(integers).subspan(output * each, each);
    zeros.push_back(std::clamp<std::int64_t>(-std::ranges::min(own), 0, 255));
    for (std::int64_t& integer : own) integer += zeros.back();
  }
  return Node("DequantizeLinear",
              {Bytes("weight", weight.shape, GridType::kUint8, integers), scale,
               Bytes("zero_point", step.shape, GridType::kUint8, zeros)},
              {{"axis", 0}}, "/weight");
}

OnnxWriter::Value OnnxWriter::Weight(const std::string& role, const Shape& shape) {
  const Tensor& tensor = weights_.at({layer().name, role});
  return Floats(role, shape.empty() ? tensor.shape : shape, tensor.values);
}

void OnnxWriter::AddInput() {
  Describe(*graph_.add_input(), layer().name, layer().output, batch_);
  Give(layer().name);
}

void OnnxWriter::AddOutputs() {
  for (const LayerId id : model_.Outputs()) {
    Describe(*graph_.add_output(), values_[id.index()], model_.layer(id).output, batch_);
  }
}

}  // namespace tandem
