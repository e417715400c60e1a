#include "tests/support/onnx_test_graph.h"

#include <numeric>

namespace tandem {
namespace {

void SetAttribute(onnx::AttributeProto& proto, const OnnxTestAttribute& attribute) {
  using onnx::AttributeProto;
  proto.set_name(attribute.name);
  if (const auto* i = std::get_if<int>(&attribute.value)) {
    proto.set_type(AttributeProto::INT);
    proto.set_i(*i);
  } else if (const auto* f = std::get_if<float>(&attribute.value)) {
    proto.set_type(AttributeProto::FLOAT);
    proto.set_f(*f);
  } else if (const auto* s = std::get_if<std::string>(&attribute.value)) {
    proto.set_type(AttributeProto::STRING);
    proto.set_s(*s);
  } else if (const auto* ints = std::get_if<std::vector<std::int64_t>>(&attribute.value)) {
    proto.set_type(AttributeProto::INTS);
    proto.mutable_ints()->Add(ints->begin(), ints->end());
  } else if (const auto* floats = std::get_if<std::vector<float>>(&attribute.value)) {
    proto.set_type(AttributeProto::FLOATS);
    proto.mutable_floats()->Add(floats->begin(), floats->end());
  } else {
    proto.set_type(AttributeProto::TENSOR);
    *proto.mutable_t() = std::get<onnx::TensorProto>(attribute.value);
  }
}

}  // namespace

OnnxTestGraph::OnnxTestGraph(int opset) {
  proto_.set_ir_version(8);
  proto_.add_opset_import()->set_version(opset);
}

OnnxTestGraph& OnnxTestGraph::Input(const std::string& name, const Shape& shape) {
  onnx::ValueInfoProto& input = *graph().add_input();
  input.set_name(name);
  auto& type = *input.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  type.mutable_shape();
  for (const std::int64_t extent : shape) {
    auto& dim = *type.mutable_shape()->add_dim();
    if (extent < 0) dim.set_dim_param("open");
    if (extent >= 0) dim.set_dim_value(extent);
  }
  return *this;
}

OnnxTestGraph& OnnxTestGraph::Floats(const std::string& name, const Shape& shape, std::vector<float> values) {
  if (values.empty()) {
    values.resize(static_cast<std::size_t>(Elements(shape)));
    std::iota(values.begin(), values.end(), 0.0F);
  }
  onnx::TensorProto& tensor = *graph().add_initializer();
  tensor = OnnxTestTensor(shape, values);
  tensor.set_name(name);
  return *this;
}

OnnxTestGraph& OnnxTestGraph::Ints(const std::string& name, const std::vector<std::int64_t>& values) {
  onnx::TensorProto& tensor = *graph().add_initializer();
  tensor = OnnxTestTensor({static_cast<std::int64_t>(values.size())}, values);
  tensor.set_name(name);
  return *this;
}

OnnxTestGraph& OnnxTestGraph::Int(const std::string& name, std::int64_t value) {
  onnx::TensorProto& tensor = *graph().add_initializer();
  tensor = OnnxTestTensor({}, std::vector<std::int64_t>{value});
  tensor.set_name(name);
  return *this;
}

OnnxTestGraph& OnnxTestGraph::Node(const std::string& type, const std::vector<std::string>& inputs,
                                   const std::vector<std::string>& outputs,
                                   const OnnxTestAttributes& attributes) {
  onnx::NodeProto& node = *graph().add_node();
  node.set_op_type(type);
  if (!outputs.empty()) node.set_name("n_" + outputs[0]);
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& output : outputs) node.add_output(output);
  for (const OnnxTestAttribute& attribute : attributes) SetAttribute(*node.add_attribute(), attribute);
  graph().clear_output();
  if (!outputs.empty()) graph().add_output()->set_name(outputs[0]);
  return *this;
}

ImportedModel OnnxTestGraph::Import(const ImportOptions& options) const {
  return ImportOnnxBytes(proto_.SerializeAsString(), "net.onnx", options);
}

std::string OnnxTestGraph::Error(const ImportOptions& options) const {
  try {
    Import(options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

onnx::TensorProto OnnxTestTensor(const Shape& shape, const std::vector<float>& values) {
  onnx::TensorProto tensor;
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  tensor.mutable_dims()->Add(shape.begin(), shape.end());
  tensor.set_raw_data(values.data(), values.size() * sizeof(float));
  return tensor;
}

onnx::TensorProto OnnxTestTensor(const Shape& shape, const std::vector<std::int64_t>& values) {
  onnx::TensorProto tensor;
  tensor.set_data_type(onnx::TensorProto::INT64);
  tensor.mutable_dims()->Add(shape.begin(), shape.end());
  tensor.mutable_int64_data()->Add(values.begin(), values.end());
  return tensor;
}

std::string OpsOf(const Model& model) {
  std::string ops;
  for (const Layer& layer : model.layers()) {
    ops += (ops.empty() ? "" : " ") + std::string(OpName(layer.op));
  }
  return ops;
}

std::string LastShape(const Model& model) { return ShapeText(LastLayer(model).output); }

const Layer& LastLayer(const Model& model) { return model.layers().back(); }

std::string ErrorOfBytes(const std::string& bytes) {
  try {
    ImportOnnxBytes(bytes, "net.onnx", {});
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace tandem
