#include <algorithm>

#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "profiles/importers/tflite/graph.h"
#include "profiles/importers/tflite/layout.h"
#include "profiles/model/shape_inference.h"

namespace tandem {
namespace {

[[noreturn]] void FailOnTensor(const TfliteGraph& graph, std::size_t tensor, const std::string& what) {
  throw InputError(graph.file.string() + ": tensor " + graph.TensorText(tensor) + ": " + what);
}

// The numbers that the file has for the tensor; none: an operator makes it, or it is an input.
std::string_view BytesOfTensor(const TfliteGraph& graph, std::size_t index) {
  const tfl::Tensor& tensor = graph.tensor(index);
  if (tensor.external_buffer() != 0) {
    FailOnTensor(graph, index, "its numbers stand in another file, which is not supported");
  }
  const auto* buffers = graph.model->buffers();
  const std::size_t count = buffers == nullptr ? 0 : buffers->size();
  if (tensor.buffer() == 0) return {};
  if (tensor.buffer() >= count) {
    FailOnTensor(graph, index,
                 "its buffer " + std::to_string(tensor.buffer()) + " is none of " + std::to_string(count));
  }
  const tfl::Buffer& buffer = *buffers->Get(tensor.buffer());
  if (buffer.data() != nullptr && buffer.data()->size() > 0) {
    return {reinterpret_cast<const char*>(buffer.data()->data()), buffer.data()->size()};
  }
  if (buffer.offset() <= 1) return {};
  if (buffer.offset() > graph.bytes.size() || buffer.size() > graph.bytes.size() - buffer.offset()) {
    FailOnTensor(graph, index, "its buffer lies beyond the end of the file, which may be cut short");
  }
  return graph.bytes.substr(buffer.offset(), buffer.size());
}

void ReadTensors(TfliteGraph& graph) {
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    const std::string_view bytes = BytesOfTensor(graph, i);
    if (bytes.empty()) continue;
    try {
      graph.values[i] = TfliteStored(graph.tensor(i), bytes);
    } catch (const InputError& error) {
      FailOnTensor(graph, i, error.what());
    }
  }
}

// As the file has it; what it leaves open is -1, a batch of any size is 1.
Shape StatedShape(const TfliteGraph& graph, std::size_t index) {
  const tfl::Tensor& tensor = graph.tensor(index);
  Shape shape;
  try {
    shape = TfliteShape(tensor);
  } catch (const InputError& error) {
    FailOnTensor(graph, index, error.what());
  }
  const auto* open = tensor.shape_signature();
  for (std::size_t i = 0; open != nullptr && open->size() == shape.size() && i < shape.size(); ++i) {
    if (open->Get(static_cast<flatbuffers::uoffset_t>(i)) < 0) shape[i] = i == 0 ? 1 : -1;
  }
  return shape;
}

Shape ShapeOfInput(const TfliteGraph& graph, std::size_t index, const ImportOptions& options) {
  if (options.input) return *options.input;
  const Shape shape = LayerShape(StatedShape(graph, index));
  if (std::none_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent < 0; })) return shape;
  const std::string text =
      Joined(shape, "x", [](std::int64_t extent) { return extent < 0 ? "?" : std::to_string(extent); });
  FailOnTensor(graph, index,
               "it is an input of the shape " + text +
                   " (batch, channels, height, width), which is open; give one with `tandem models import "
                   "--input`, such as 1x3x224x224");
}

// Bytes without a scale are taken as the numbers that they are: pictures mostly.
bool IsRawBytes(const tfl::Tensor& tensor) {
  const bool has_scale = tensor.quantization() != nullptr && tensor.quantization()->scale() != nullptr &&
                         tensor.quantization()->scale()->size() > 0;
  return tensor.type() == tfl::TensorType::UINT8 && !has_scale;
}

void AddInput(TfliteGraph& graph, std::size_t index, const ImportOptions& options) {
  const tfl::Tensor& tensor = graph.tensor(index);
  const Shape shape = ShapeOfInput(graph, index, options);
  if (!std::holds_alternative<std::monostate>(graph.values[index])) {
    FailOnTensor(graph, index, "it is an input, and has numbers or is listed twice");
  }
  std::optional<QuantizeAttributes> grid;
  try {
    InferShape(Op::kInput, InputAttributes{shape}, {});
    if (!IsRawBytes(tensor)) grid = TfliteGrid(tensor);
  } catch (const InputError& error) {
    FailOnTensor(graph, index, "it is an input of " + ShapeText(shape) + ": " + error.what());
  }
  const std::string stated = graph.NameOf(index);
  const std::string name = graph.names.Take(stated.empty() ? "input_" + std::to_string(index) : stated);
  graph.layers.push_back({name, Op::kInput, InputAttributes{shape}, {}});
  TfliteActivation value{name, shape};
  if (grid) {
    value.layer = graph.names.Take(name + "/quantize");
    value.grid = grid;
    graph.layers.push_back({value.layer, Op::kQuantize, *grid, {name}});
  }
  graph.values[index] = std::move(value);
}

}  // namespace

void ReadTfliteInputs(const ImportOptions& options, TfliteGraph& graph) {
  ReadTensors(graph);
  std::vector<std::size_t> inputs;
  const auto* given = graph.network->inputs();
  for (std::size_t i = 0; given != nullptr && i < given->size(); ++i) {
    const std::int64_t tensor = given->Get(static_cast<flatbuffers::uoffset_t>(i));
    if (tensor < 0 || static_cast<std::size_t>(tensor) >= graph.values.size()) {
      throw InputError(graph.file.string() + ": its input " + std::to_string(i) + " is tensor " +
                       std::to_string(tensor) + " of " + std::to_string(graph.values.size()));
    }
    inputs.push_back(static_cast<std::size_t>(tensor));
  }
  if (options.input && inputs.size() != 1) {
    throw InputError(graph.file.string() +
                     ": an input shape can be asked for where a model has one input; this one has " +
                     std::to_string(inputs.size()));
  }
  if (options.input && !inputs.empty()) {
    graph.file_shapes = *options.input == LayerShape(StatedShape(graph, inputs[0]));
  }
  for (const std::size_t input : inputs) AddInput(graph, input, options);
}

}  // namespace tandem
