#include "tests/support/tflite_test_graph.h"

#include <cstring>
#include <numeric>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

template <class Number>
void Append(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::string DataOf(tfl::TensorType type, const std::vector<int>& values) {
  std::string bytes;
  for (const int value : values) {
    if (type == tfl::TensorType::INT32) Append(bytes, static_cast<std::int32_t>(value));
    if (type == tfl::TensorType::FLOAT16) Append(bytes, static_cast<std::uint16_t>(value));
    if (type == tfl::TensorType::INT8 || type == tfl::TensorType::UINT8) bytes += static_cast<char>(value);
  }
  return bytes;
}

Offset<tfl::QuantizationParameters> MakeScales(FlatBufferBuilder& builder, const TfliteTestScales& scales) {
  if (scales.scales.empty()) return 0;
  const auto scale = builder.CreateVector(scales.scales);
  const auto zeros = builder.CreateVector(scales.zeros);
  return tfl::CreateQuantizationParameters(builder, scale, zeros, 0, scales.axis);
}

Offset<tfl::Tensor> MakeTensor(FlatBufferBuilder& builder, const TfliteTestGraph::Tensor& tensor,
                               std::uint32_t buffer) {
  const std::vector<std::int32_t> extents(tensor.shape.begin(), tensor.shape.end());
  const auto shape = builder.CreateVector(extents);
  const auto name = builder.CreateString(tensor.name);
  const auto scales = MakeScales(builder, tensor.scales);
  Offset<flatbuffers::Vector<std::int32_t>> signature = 0;
  if (!tensor.signature.empty()) signature = builder.CreateVector(tensor.signature);
  Offset<tfl::Ignored> sparsity = 0;
  if (tensor.is_sparse) sparsity = tfl::CreateIgnored(builder);
  return tfl::CreateTensor(builder, shape, tensor.type, buffer, name, scales, tensor.is_variable, sparsity,
                           signature, tensor.external);
}

Offset<tfl::OperatorCode> MakeCode(FlatBufferBuilder& builder, const TfliteTestGraph::Node& node,
                                   bool new_codes) {
  Offset<flatbuffers::String> custom = 0;
  if (!node.custom.empty()) custom = builder.CreateString(node.custom);
  const auto old = static_cast<std::int8_t>(std::min(node.type, 127));
  return tfl::CreateOperatorCode(builder, old, custom, 1,
                                 new_codes ? static_cast<TfliteOp>(node.type) : TfliteOp::ADD);
}

Offset<tfl::Operator> MakeNode(FlatBufferBuilder& builder, const TfliteTestGraph::Node& node,
                               std::uint32_t code) {
  const auto inputs = builder.CreateVector(node.inputs), outputs = builder.CreateVector(node.outputs);
  const Offset<void> options = node.options ? node.options(builder) : Offset<void>(0);
  return tfl::CreateOperator(builder, code, inputs, outputs, node.options_type, options);
}

struct Parts {
  std::vector<Offset<tfl::Tensor>> tensors;
  std::vector<Offset<tfl::Buffer>> buffers;
  std::vector<Offset<tfl::OperatorCode>> codes;
  std::vector<Offset<tfl::Operator>> nodes;
};

// `behind`: where the data of tensors begins, if it stands behind the tables.
std::string Build(const TfliteTestGraph& graph, std::uint64_t behind) {
  FlatBufferBuilder builder;
  Parts parts;
  parts.buffers.push_back(tfl::CreateBuffer(builder));
  for (const TfliteTestGraph::Tensor& tensor : graph.tensors) {
    std::uint32_t buffer = 0;
    if (!tensor.data.empty()) {
      buffer = static_cast<std::uint32_t>(parts.buffers.size());
      if (graph.data_behind_tables) {
        parts.buffers.push_back(tfl::CreateBuffer(builder, 0, behind, tensor.data.size()));
        behind += tensor.data.size();
      } else {
        builder.ForceVectorAlignment(tensor.data.size(), 1, 16);
        const auto data = builder.CreateVector(reinterpret_cast<const std::uint8_t*>(tensor.data.data()),
                                               tensor.data.size());
        parts.buffers.push_back(tfl::CreateBuffer(builder, data));
      }
    }
    parts.tensors.push_back(MakeTensor(builder, tensor, buffer));
  }
  for (const TfliteTestGraph::Node& node : graph.nodes) {
    parts.codes.push_back(MakeCode(builder, node, graph.new_codes));
    parts.nodes.push_back(MakeNode(builder, node, static_cast<std::uint32_t>(parts.nodes.size())));
  }
  const auto tensors = builder.CreateVector(parts.tensors);
  const auto inputs = builder.CreateVector(graph.inputs), outputs = builder.CreateVector(graph.outputs);
  const auto nodes = builder.CreateVector(parts.nodes);
  const auto network = tfl::CreateSubGraph(builder, tensors, inputs, outputs, nodes);
  const auto codes = builder.CreateVector(parts.codes);
  const auto networks = builder.CreateVector(std::vector<Offset<tfl::SubGraph>>{network});
  const auto buffers = builder.CreateVector(parts.buffers);
  tfl::FinishModelBuffer(builder, tfl::CreateModel(builder, graph.version, codes, networks, 0, buffers));
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

}  // namespace

int TfliteTestGraph::AddTensor(Tensor tensor) {
  tensors.push_back(std::move(tensor));
  return static_cast<int>(tensors.size()) - 1;
}

int TfliteTestGraph::Input(const std::string& name, const Shape& shape) {
  return Input(name, shape, tfl::TensorType::FLOAT32, {});
}

int TfliteTestGraph::Input(const std::string& name, const Shape& shape, tfl::TensorType type,
                           const TfliteTestScales& scales) {
  inputs.push_back(AddTensor({name, shape, type, {}, scales}));
  return inputs.back();
}

int TfliteTestGraph::Made(const std::string& name, const Shape& shape) { return AddTensor({name, shape}); }

int TfliteTestGraph::Made(const std::string& name, const Shape& shape, tfl::TensorType type,
                          const TfliteTestScales& scales) {
  return AddTensor({name, shape, type, {}, scales});
}

int TfliteTestGraph::Floats(const std::string& name, const Shape& shape, std::vector<float> values) {
  if (values.empty()) {
    values.resize(static_cast<std::size_t>(Elements(shape)));
    std::iota(values.begin(), values.end(), 0.0F);
  }
  std::string data;
  for (const float value : values) Append(data, value);
  return AddTensor({name, shape, tfl::TensorType::FLOAT32, data});
}

int TfliteTestGraph::Ints(const std::string& name, const std::vector<int>& values) {
  return Stored(name, {static_cast<std::int64_t>(values.size())}, tfl::TensorType::INT32, values);
}

int TfliteTestGraph::Int(const std::string& name, int value) {
  return Stored(name, {}, tfl::TensorType::INT32, {value});
}

int TfliteTestGraph::Stored(const std::string& name, const Shape& shape, tfl::TensorType type,
                            const std::vector<int>& values, const TfliteTestScales& scales) {
  return AddTensor({name, shape, type, DataOf(type, values), scales});
}

TfliteTestGraph& TfliteTestGraph::Add(TfliteOp type, std::vector<int> from, std::vector<int> to) {
  outputs = to;
  nodes.push_back({static_cast<std::int32_t>(type), {}, std::move(from), std::move(to)});
  return *this;
}

TfliteTestGraph& TfliteTestGraph::AddCustom(const std::string& name, std::vector<int> from,
                                            std::vector<int> to) {
  Add(TfliteOp::CUSTOM, std::move(from), std::move(to));
  nodes.back().custom = name;
  return *this;
}

std::string TfliteTestGraph::Bytes() const {
  std::string bytes = Build(*this, 2);
  if (!data_behind_tables) return bytes;
  bytes = Build(*this, bytes.size());
  for (const Tensor& tensor : tensors) bytes += tensor.data;
  return bytes;
}

ImportedModel TfliteTestGraph::Import(const ImportOptions& options) const {
  ImportedModel imported = ImportTfliteBytes(Bytes(), "net.tflite", options);
  if (options.want_weights) CheckWeights(imported.model, imported.weights, "net.tflite");
  return imported;
}

std::string TfliteTestGraph::Error(const ImportOptions& options) const {
  try {
    Import(options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string ErrorOfTfliteBytes(const std::string& bytes) {
  try {
    ImportTfliteBytes(bytes, "net.tflite", {});
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string OpsOfTflite(const Model& model) {
  std::string ops;
  for (const Layer& layer : model.layers()) ops += (ops.empty() ? "" : " ") + std::string(OpName(layer.op));
  return ops;
}

}  // namespace tandem
