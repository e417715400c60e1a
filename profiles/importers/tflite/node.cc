#include "profiles/importers/tflite/node.h"

#include <algorithm>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/importers/tflite/layout.h"
#include "profiles/model/shape_inference.h"

namespace tandem {
namespace {

constexpr std::size_t kMostAxesMade = 32;

std::vector<std::int64_t> ReadIndices(const flatbuffers::Vector<std::int32_t>* given) {
  if (given == nullptr) return {};
  return {given->begin(), given->end()};
}

// Converters join the names of all that went into a tensor by ';'.
std::string FirstName(const std::string& name) { return name.substr(0, name.find(';')); }

std::vector<std::int64_t> Signed(const std::array<std::size_t, 4>& order) {
  return {order.begin(), order.end()};
}

}  // namespace

std::string TfliteGraph::NameOf(std::size_t index) const {
  const flatbuffers::String* name = tensor(index).name();
  return name == nullptr ? "" : name->str();
}

std::string TfliteGraph::TensorText(std::size_t index) const {
  const std::string name = NameOf(index);
  return std::to_string(index) + (name.empty() ? "" : " " + Quoted(name));
}

TfliteNode::TfliteNode(TfliteGraph& graph, std::size_t index)
    : graph_(graph),
      index_(index),
      proto_(graph.network->operators()->Get(static_cast<flatbuffers::uoffset_t>(index))) {
  const auto* codes = graph_.model->operator_codes();
  if (codes == nullptr || proto_->opcode_index() >= codes->size()) {
    throw InputError(graph_.file.string() + ": operator " + std::to_string(index_) +
                     ": its kind is none of the file's list");
  }
  const tfl::OperatorCode* code = codes->Get(proto_->opcode_index());
  // Where the older byte is not the last one that it can be, it is what was meant.
  type_ = static_cast<tfl::BuiltinOperator>(std::max<std::int32_t>(
      code->deprecated_builtin_code(), static_cast<std::int32_t>(code->builtin_code())));
  inputs_ = ReadIndices(proto_->inputs());
  outputs_ = ReadIndices(proto_->outputs());
  const auto tensors = static_cast<std::int64_t>(graph_.values.size());
  for (const std::vector<std::int64_t>* list : {&inputs_, &outputs_}) {
    for (const std::int64_t tensor : *list) {
      if (tensor < -1 || tensor >= tensors)
        Fail("it names tensor " + std::to_string(tensor) + " of " + std::to_string(tensors));
    }
  }
  if (!outputs_.empty() && outputs_[0] >= 0) name_ = FirstName(graph_.NameOf(Output(0)));
  if (name_.empty()) name_ = TypeText() + "_" + std::to_string(index_);
}

std::string TfliteNode::TypeText() const {
  if (type_ == tfl::BuiltinOperator::CUSTOM) {
    const tfl::OperatorCode* code = graph_.model->operator_codes()->Get(proto_->opcode_index());
    return code->custom_code() == nullptr ? "CUSTOM" : code->custom_code()->str();
  }
  const std::string name = tfl::EnumNameBuiltinOperator(type_);
  return name.empty() ? "number " + std::to_string(static_cast<std::int32_t>(type_)) : name;
}

void TfliteNode::Fail(const std::string& what) const {
  throw InputError(graph_.file.string() + ": operator " + std::to_string(index_) +
                   (name_.empty() ? "" : " " + Quoted(name_)) + " (" + TypeText() + "): " + what);
}

std::string TfliteNode::InputText(std::size_t i) const {
  return "input " + std::to_string(i) +
         (Has(i) ? ", tensor " + graph_.TensorText(static_cast<std::size_t>(inputs_[i])) : "");
}

const TfliteValue& TfliteNode::Value(std::size_t i) const {
  if (!Has(i)) Fail("its " + InputText(i) + " is missing");
  const TfliteValue& value = graph_.values[static_cast<std::size_t>(inputs_[i])];
  if (const auto* left = std::get_if<TfliteLeftOut>(&value)) {
    Fail("its " + InputText(i) + " is made by " + left->by +
         ", which is left out at the end of a network alone");
  }
  if (std::holds_alternative<std::monostate>(value)) {
    const bool kept = graph_.tensor(static_cast<std::size_t>(inputs_[i])).is_variable();
    Fail("its " + InputText(i) +
         (kept ? " is kept from run to run, which is not supported" : " is made by nothing before it"));
  }
  return value;
}

const TfliteActivation& TfliteNode::Data(std::size_t i) const {
  const auto* activation = std::get_if<TfliteActivation>(&Value(i));
  if (activation == nullptr) Fail("its " + InputText(i) + " is a constant, which is not supported there");
  return *activation;
}

const TfliteConstant& TfliteNode::Constant(std::size_t i) const {
  const auto* constant = std::get_if<TfliteConstant>(&Value(i));
  if (constant == nullptr) Fail("its " + InputText(i) + " is no constant, which is not supported there");
  return *constant;
}

Shape TfliteNode::ShapeOf(std::size_t i) const {
  return IsConstant(i) ? Constant(i).shape : FileShape(Data(i).shape);
}

std::vector<std::int64_t> TfliteNode::IntsOf(std::size_t i) const {
  try {
    return TfliteInts(Constant(i));
  } catch (const InputError& error) {
    Fail("its " + InputText(i) + ": " + error.what());
  }
}

float TfliteNode::FloatOf(std::size_t i) const {
  if (Elements(Constant(i).shape) != 1) Fail("its " + InputText(i) + " is not one number");
  return TfliteFloats(Constant(i))[0];
}

bool TfliteNode::IsQuantized(std::size_t i) const {
  if (!Has(i)) return false;
  const tfl::TensorType type = graph_.tensor(static_cast<std::size_t>(inputs_[i])).type();
  return type == tfl::TensorType::INT8 || type == tfl::TensorType::UINT8;
}

std::size_t TfliteNode::Output(std::size_t i) const {
  if (i >= outputs_.size() || outputs_[i] < 0) Fail("its output " + std::to_string(i) + " is missing");
  return static_cast<std::size_t>(outputs_[i]);
}

Shape TfliteNode::OutputShape(std::size_t i) const {
  try {
    return TfliteShape(graph_.tensor(Output(i)));
  } catch (const InputError& error) {
    Fail("its output " + std::to_string(i) + ": " + error.what());
  }
}

TfliteActivation TfliteNode::Layer(Op op, Attributes attributes, const std::vector<TfliteActivation>& inputs,
                                   const std::string& suffix) {
  LayerSpec spec{graph_.names.Take(name_ + suffix), op, std::move(attributes), {}};
  std::vector<Shape> shapes;
  for (const TfliteActivation& input : inputs) {
    spec.inputs.push_back(input.layer);
    shapes.push_back(input.shape);
  }
  TfliteActivation output{spec.name, {}};
  try {
    output.shape = InferShape(op, spec.attributes, shapes).output;
  } catch (const InputError& error) {
    Fail(error.what());
  }
  if (output.shape.size() > kMostAxesMade)
    Fail("its output has " + std::to_string(output.shape.size()) + " axes");
  graph_.layers.push_back(std::move(spec));
  return output;
}

TfliteActivation TfliteNode::Moved(const TfliteActivation& in, const std::array<std::size_t, 4>& order,
                                   const std::string& suffix) {
  return Layer(Op::kTranspose, TransposeAttributes{Signed(order)}, {in}, suffix);
}

TfliteActivation TfliteNode::Reshaped(const TfliteActivation& in, const Shape& to, const std::string& suffix,
                                      const Shape& asked) {
  const Shape from = FileShape(in.shape);
  if (Elements(from) != Elements(to)) Fail("cannot turn " + ShapeText(from) + " into " + ShapeText(to));
  if (from == to) return in;
  TfliteActivation at = in;
  const bool out_of = from.size() == 4 && MovesNumbers(in.shape, OrderOf(kTfliteToFile));
  const bool into = to.size() == 4 && MovesNumbers(to, OrderOf(kTfliteToLayer));
  if (out_of) at = Moved(in, kTfliteToFile, suffix + "/nhwc");
  const Shape made = into ? to : LayerShape(to);
  const bool rows = made.size() == 2 && at.shape.size() > 2 && made[0] == at.shape[0];
  const std::string reformed = suffix + (into ? "/reshape" : "");
  if (at.shape != made) {
    at = rows
             ? Layer(Op::kFlatten, AxisAttributes{1}, {at}, reformed)
             : Layer(Op::kReshape, BatchlessReshape(at.shape, made, into || to.size() != 4 ? asked : Shape{}),
                     {at}, reformed);
  }
  if (into) at = Moved(at, kTfliteToLayer, suffix);
  if (!out_of && !into) at.grid = in.grid;
  if (out_of && rows) at.image = std::make_shared<const TfliteActivation>(in);
  return at;
}

TfliteActivation TfliteNode::Activated(const TfliteActivation& in, tfl::ActivationFunctionType function) {
  using Function = tfl::ActivationFunctionType;
  switch (function) {
    case Function::NONE:
      return in;
    case Function::RELU:
      return Layer(Op::kRelu, NoAttributes{}, {in}, "/relu");
    case Function::RELU6:
      return Layer(Op::kRelu6, NoAttributes{}, {in}, "/relu6");
    case Function::RELU_N1_TO_1:
      return Layer(Op::kClip, ClipAttributes{-1, 1}, {in}, "/clip");
    default:  // TANH too: the runtime passes over it, and no converter writes it
      Fail("its fused activation function, number " + std::to_string(static_cast<int>(function)) +
           ", is not supported");
  }
}

TfliteActivation TfliteNode::OnGridOf(std::size_t output, const TfliteActivation& in) {
  std::optional<QuantizeAttributes> grid;
  try {
    grid = TfliteGrid(graph_.tensor(Output(output)));
  } catch (const InputError& error) {
    Fail("its output " + std::to_string(output) + ": " + error.what());
  }
  if (!grid || in.grid == grid) return in;
  TfliteActivation on_grid = Layer(Op::kQuantize, *grid, {in}, "/quantize");
  on_grid.grid = grid;
  // Where the numbers lay on it before they were moved, the layer changes none of them.
  if (in.image && in.image->grid == grid) on_grid.image = in.image;
  if (in.inside && in.inside->grid == grid) {
    on_grid.inside = in.inside;
    on_grid.around = in.around;
  }
  return on_grid;
}

void TfliteNode::Weight(const TfliteActivation& to, const std::string& role, const TfliteConstant& constant,
                        Shape shape, Shape view, std::vector<std::size_t> order) {
  if (Elements(constant.shape) != Elements(shape)) {
    Fail("its " + role + " has the shape " + ShapeText(constant.shape) + " where " + ShapeText(shape) +
         " is expected");
  }
  graph_.weights.push_back({{to.layer, role}, constant, std::move(shape), std::move(view), std::move(order)});
}

void TfliteNode::Give(std::size_t output, TfliteActivation value) {
  const std::size_t tensor = Output(output);
  if (!std::holds_alternative<std::monostate>(graph_.values[tensor])) {
    Fail("it makes tensor " + graph_.TensorText(tensor) + ", which is there already");
  }
  const Shape stated = OutputShape(output);
  const bool open = graph_.tensor(tensor).shape_signature() != nullptr || stated.empty();
  if (graph_.file_shapes && !open && Elements(stated) != Elements(value.shape)) {
    Fail("its output is " + ShapeText(FileShape(value.shape)) + ", and the file says " + ShapeText(stated));
  }
  graph_.values[tensor] = OnGridOf(output, value);
}

void TfliteNode::Give(std::size_t output, TfliteConstant value) {
  const std::size_t tensor = Output(output);
  if (!std::holds_alternative<std::monostate>(graph_.values[tensor])) {
    Fail("it makes tensor " + graph_.TensorText(tensor) + ", which is there already");
  }
  graph_.values[tensor] = std::move(value);
}

void TfliteNode::LeaveOut() {
  std::string read;
  for (std::size_t i = 0; i < inputs(); ++i) {
    if (!Has(i) || IsConstant(i)) continue;
    graph_.ends.push_back(Data(i).layer);
    read += (read.empty() ? "" : ", ") + Quoted(Data(i).layer);
  }
  for (const std::int64_t tensor : outputs_) {
    if (tensor >= 0) graph_.values[static_cast<std::size_t>(tensor)] = TfliteLeftOut{TypeText()};
  }
  graph_.notes.push_back(TypeText() + " at its end is left out; the outputs are what it reads: " + read);
}

std::int64_t TfliteNode::Elements(const Shape& shape) const {
  try {
    return CheckedElements(shape);
  } catch (const InputError& error) {
    Fail(error.what());
  }
}

std::size_t TfliteNode::Axis(std::int64_t axis, std::size_t rank) const {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) {
    Fail("its axis " + std::to_string(axis) + " is outside of " + std::to_string(rank) + " axes");
  }
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

}  // namespace tandem
