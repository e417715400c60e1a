#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>

#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "profiles/importers/onnx/graph.h"
#include "profiles/model/shape_inference.h"

namespace tandem {
namespace {

using Names = std::set<std::string_view>;

[[noreturn]] void Fail(const OnnxGraph& graph, const std::string& what) {
  throw InputError(graph.file.string() + ": " + what);
}

void CountReads(const onnx::GraphProto& proto, OnnxGraph& graph) {
  for (const onnx::NodeProto& node : proto.node()) {
    for (const std::string& input : node.input()) ++graph.reads[input];
  }
  for (const onnx::ValueInfoProto& output : proto.output()) ++graph.reads[output.name()];
}

bool IsWeightPlace(const std::string& type, int input) {
  if (type == "PRelu") return input == 1;
  return input >= 1 && (type == "Conv" || type == "ConvTranspose" || type == "Gemm" ||
                        type == "BatchNormalization" || type == "LayerNormalization");
}

bool PassesOn(const std::string& type) {
  return type == "Identity" || type == "Transpose" || type == "Reshape" || type == "Squeeze" ||
         type == "Unsqueeze" || type == "Flatten" || type == "Cast";
}

// The values that some node takes for its weights, itself or by way of nodes that pass them on. Nodes stand
// in order in nearly every file; where they do not, a weight may be taken for an input.
Names FindWeights(const onnx::GraphProto& proto) {
  Names weights;
  for (int n = proto.node_size(); n-- > 0;) {
    const onnx::NodeProto& node = proto.node(n);
    const bool passes =
        PassesOn(node.op_type()) && node.output_size() > 0 && weights.contains(node.output(0));
    for (int i = 0; i < node.input_size(); ++i) {
      if (IsWeightPlace(node.op_type(), i) || (passes && i == 0)) weights.insert(node.input(i));
    }
  }
  return weights;
}

// The values that every node which reads them takes for integers: DequantizeLinear, and what carries them to
// one. Nodes stand in order as above.
Names FindIntegers(const onnx::GraphProto& proto) {
  Names integers, numbers;
  for (int n = proto.node_size(); n-- > 0;) {
    const onnx::NodeProto& node = proto.node(n);
    const auto among = [&node](const Names& names) {
      return std::any_of(node.output().begin(), node.output().end(),
                         [&](const std::string& output) { return names.contains(output); });
    };
    if (node.op_type() == "Shape" || node.op_type() == "Size") continue;
    const bool carries = CarriesIntegers(node.op_type()) && among(integers) && !among(numbers);
    for (int i = 0; i < node.input_size(); ++i) {
      const bool takes = carries || (node.op_type() == "DequantizeLinear" && i == 0);
      (takes ? integers : numbers).insert(node.input(i));
    }
  }
  std::erase_if(integers, [&](std::string_view name) { return numbers.contains(name); });
  return integers;
}

// PyTorch names a parameter by the path to it, "features.0.weight", and an input "x" or "input.1".
bool IsParameterPath(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot != std::string::npos && dot + 1 < name.size() &&
         std::isalpha(static_cast<unsigned char>(name[dot + 1])) != 0;
}

const onnx::TensorShapeProto* StatedShape(const onnx::ValueInfoProto& input) {
  if (!input.type().has_tensor_type() || !input.type().tensor_type().has_shape()) return nullptr;
  return &input.type().tensor_type().shape();
}

// The extents; what the file leaves open is -1.
std::optional<Shape> ReadShape(const onnx::ValueInfoProto& input) {
  const onnx::TensorShapeProto* stated = StatedShape(input);
  if (stated == nullptr) return std::nullopt;
  Shape shape;
  for (const auto& extent : stated->dim()) {
    shape.push_back(extent.has_dim_value() && extent.dim_value() > 0 ? extent.dim_value() : -1);
  }
  return shape;
}

bool IsComplete(const Shape& shape) {
  for (const std::int64_t extent : shape) {
    if (extent < 0) return false;
  }
  return true;
}

std::string OpenShapeText(const Shape& shape) {
  return Joined(shape, "x", [](std::int64_t extent) { return extent < 0 ? "?" : std::to_string(extent); });
}

void AddConstant(OnnxGraph& graph, const std::string& name, OnnxConstant constant) {
  if (!graph.values.emplace(name, std::move(constant)).second) {
    Fail(graph, "two initializers or inputs are called " + Quoted(name));
  }
}

OnnxConstant ReadInitializer(const onnx::TensorProto& tensor, const OnnxGraph& graph) {
  try {
    return StoredConstant(tensor, graph.file);
  } catch (const InputError& error) {
    Fail(graph, "initializer " + Quoted(tensor.name()) + ": " + error.what());
  }
}

void AddInitializers(const onnx::GraphProto& proto, OnnxGraph& graph) {
  if (proto.sparse_initializer_size() > 0) Fail(graph, "sparse initializers are not supported");
  for (const onnx::TensorProto& tensor : proto.initializer()) {
    if (!graph.reads.contains(tensor.name())) continue;
    AddConstant(graph, tensor.name(), ReadInitializer(tensor, graph));
  }
}

Shape InputShape(const OnnxGraph& graph, const onnx::ValueInfoProto& input, const ImportOptions& options) {
  if (options.input) return *options.input;
  std::optional<Shape> shape = ReadShape(input);
  if (!shape)
    Fail(graph,
         "input " + Quoted(input.name()) + " has no shape; give one with `tandem models import --input`");
  if (!shape->empty() && (*shape)[0] < 0) (*shape)[0] = 1;  // a batch of any size
  if (!IsComplete(*shape)) {
    Fail(graph, "input " + Quoted(input.name()) + " has the shape " + OpenShapeText(*shape) +
                    ", which is open; give one with `tandem models import --input`, such as 1x3x224x224");
  }
  return *shape;
}

// Of an input whose integers mean numbers of a grid; others are taken as the numbers that they are.
std::shared_ptr<OnnxOpenGrid> OpenGridOf(const onnx::ValueInfoProto& input, const Names& integers) {
  const int type = input.type().tensor_type().elem_type();
  const bool is_signed = type == onnx::TensorProto::INT8;
  if (!integers.contains(input.name()) || (!is_signed && type != onnx::TensorProto::UINT8)) return nullptr;
  return std::make_shared<OnnxOpenGrid>(OnnxOpenGrid{is_signed ? GridType::kInt8 : GridType::kUint8});
}

void AddInput(const onnx::ValueInfoProto& input, const ImportOptions& options, const Names& integers,
              OnnxGraph& graph) {
  const Shape shape = InputShape(graph, input, options);
  try {
    InferShape(Op::kInput, InputAttributes{shape}, {});
  } catch (const InputError& error) {
    Fail(graph, "input " + Quoted(input.name()) + " of " + ShapeText(shape) + ": " + error.what());
  }
  const std::string layer = graph.names.Take(input.name());
  graph.layers.push_back({layer, Op::kInput, InputAttributes{shape}, {}});
  OnnxActivation value{layer, shape};
  value.open = OpenGridOf(input, integers);
  if (!graph.values.emplace(input.name(), std::move(value)).second) {
    Fail(graph, "two inputs are called " + Quoted(input.name()));
  }
}

}  // namespace

void ReadOnnxInputs(const onnx::GraphProto& proto, const ImportOptions& options, OnnxGraph& graph) {
  CountReads(proto, graph);
  const Names weights = FindWeights(proto);
  AddInitializers(proto, graph);
  std::vector<const onnx::ValueInfoProto*> inputs;
  for (const onnx::ValueInfoProto& input : proto.input()) {
    // Old files list their initialisers among the inputs.
    if (!graph.reads.contains(input.name()) || graph.values.contains(input.name())) continue;
    const std::optional<Shape> shape = ReadShape(input);
    const bool is_weight =
        weights.contains(input.name()) || (!inputs.empty() && IsParameterPath(input.name()));
    if (!is_weight || !shape || !IsComplete(*shape)) {
      inputs.push_back(&input);
      continue;
    }
    OnnxConstant constant;
    constant.shape = *shape;
    AddConstant(graph, input.name(), constant);
  }
  if (options.input && inputs.size() != 1) {
    Fail(graph, "an input shape can be asked for where a model has one input; this one has " +
                    std::to_string(inputs.size()));
  }
  const Names integers = FindIntegers(proto);
  for (const onnx::ValueInfoProto* input : inputs) AddInput(*input, options, integers, graph);
}

}  // namespace tandem
