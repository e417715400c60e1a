#include "profiles/importers/onnx/node.h"

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/model/shape_inference.h"

namespace tandem {
namespace {

using onnx::AttributeProto;

constexpr std::size_t kMostAxes = 32;

}  // namespace

const std::string& OnnxNode::Name(const onnx::NodeProto& proto) {
  if (!proto.name().empty()) return proto.name();
  for (const std::string& output : proto.output()) {
    if (!output.empty()) return output;
  }
  return proto.op_type();
}

void OnnxNode::Fail(const std::string& what) const {
  throw InputError(graph_.file.string() + ": node " + Quoted(Name(proto_)) + " (" + type() + "): " + what);
}

const AttributeProto* OnnxNode::Find(std::string_view name) const {
  for (const AttributeProto& attribute : proto_.attribute()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

const AttributeProto* OnnxNode::Find(std::string_view name, AttributeProto::AttributeType type) const {
  const AttributeProto* attribute = Find(name);
  // The oldest files state no type.
  if (attribute != nullptr && attribute->has_type() && attribute->type() != type) {
    Fail("its attribute " + Quoted(name) + " is of another type than " +
         AttributeProto::AttributeType_Name(type));
  }
  return attribute;
}

std::int64_t OnnxNode::Int(std::string_view name, std::int64_t otherwise) const {
  const AttributeProto* attribute = Find(name, AttributeProto::INT);
  return attribute == nullptr ? otherwise : attribute->i();
}

double OnnxNode::Float(std::string_view name, double otherwise) const {
  const AttributeProto* attribute = Find(name, AttributeProto::FLOAT);
  return attribute == nullptr ? otherwise : ShortestDecimal(attribute->f());
}

std::string OnnxNode::String(std::string_view name, const std::string& otherwise) const {
  const AttributeProto* attribute = Find(name, AttributeProto::STRING);
  return attribute == nullptr ? otherwise : attribute->s();
}

std::optional<std::vector<std::int64_t>> OnnxNode::Ints(std::string_view name) const {
  const AttributeProto* attribute = Find(name, AttributeProto::INTS);
  if (attribute == nullptr) return std::nullopt;
  return std::vector<std::int64_t>(attribute->ints().begin(), attribute->ints().end());
}

std::optional<std::vector<float>> OnnxNode::Floats(std::string_view name) const {
  const AttributeProto* attribute = Find(name, AttributeProto::FLOATS);
  if (attribute == nullptr) return std::nullopt;
  return std::vector<float>(attribute->floats().begin(), attribute->floats().end());
}

const onnx::TensorProto* OnnxNode::Tensor(std::string_view name) const {
  const AttributeProto* attribute = Find(name, AttributeProto::TENSOR);
  return attribute == nullptr ? nullptr : &attribute->t();
}

bool OnnxNode::Has(std::size_t i) const { return i < inputs() && !proto_.input(static_cast<int>(i)).empty(); }

std::string OnnxNode::InputText(std::size_t i) const {
  return "input " + std::to_string(i) + (Has(i) ? " " + Quoted(proto_.input(static_cast<int>(i))) : "");
}

const OnnxValue& OnnxNode::Value(std::size_t i) const {
  if (!Has(i)) Fail("its " + InputText(i) + " is missing");
  const auto found = graph_.values.find(proto_.input(static_cast<int>(i)));
  if (found == graph_.values.end()) {
    Fail("its " + InputText(i) + " is an output that has no meaning when a network only runs");
  }
  return found->second;
}

bool OnnxNode::IsConstant(std::size_t i) const { return std::holds_alternative<OnnxConstant>(Value(i)); }

const OnnxActivation& OnnxNode::Activation(std::size_t i) const {
  const auto* activation = std::get_if<OnnxActivation>(&Value(i));
  if (activation == nullptr) Fail("its " + InputText(i) + " is a constant, which is not supported there");
  return *activation;
}

const OnnxActivation& OnnxNode::Data(std::size_t i) const {
  const OnnxActivation& activation = Activation(i);
  const bool carries = CarriesIntegers(type());
  if (activation.is_integer() && !carries) {
    Fail("its " + InputText(i) +
         " is what QuantizeLinear gives: only a DequantizeLinear behind that is supported (the QDQ format), "
         "or what moves numbers, and MaxPool");
  }
  if (!carries || i == 0) return activation;
  const OnnxActivation& first = Activation(0);
  if (activation.integers != first.integers || activation.open != first.open) {
    Fail("its " + InputText(i) + " is integers of another grid than its " + InputText(0));
  }
  return activation;
}

const OnnxActivation& OnnxNode::Integers(std::size_t i) const {
  const auto* activation = std::get_if<OnnxActivation>(&Value(i));
  if (activation == nullptr || !activation->is_integer()) {
    Fail("its " + InputText(i) +
         " is not what a QuantizeLinear gives, nor a constant, nor an input of INT8 or UINT8 that every node "
         "behind it takes for integers");
  }
  return *activation;
}

const OnnxConstant& OnnxNode::Constant(std::size_t i) const {
  const auto* constant = std::get_if<OnnxConstant>(&Value(i));
  if (constant == nullptr) Fail("its " + InputText(i) + " is no constant, which is not supported there");
  return *constant;
}

const Shape& OnnxNode::ShapeOf(std::size_t i) const {
  return IsConstant(i) ? Constant(i).shape : Activation(i).shape;
}

void OnnxNode::CheckFill(std::size_t i) const {
  const OnnxConstant& constant = Constant(i);
  if (constant.fill && Elements(constant.shape) > graph_.limit) FailOnBudget();
}

std::vector<std::int64_t> OnnxNode::IntsOf(std::size_t i) const {
  CheckFill(i);
  try {
    const auto ints = IntValues(Constant(i), file());
    if (ints) return *ints;
  } catch (const InputError& error) {
    Fail("its " + InputText(i) + ": " + error.what());
  }
  Fail("the values of its " + InputText(i) + " are not in the file");
}

std::vector<float> OnnxNode::FloatsOf(std::size_t i) const {
  CheckFill(i);
  try {
    const auto floats = FloatValues(Constant(i), file());
    if (floats) return *floats;
  } catch (const InputError& error) {
    Fail("its " + InputText(i) + ": " + error.what());
  }
  Fail("the values of its " + InputText(i) + " are not in the file");
}

float OnnxNode::FloatOf(std::size_t i) const {
  if (Elements(Constant(i).shape) != 1) Fail("its " + InputText(i) + " is not one number");
  return FloatsOf(i)[0];
}

std::optional<std::vector<std::int64_t>> OnnxNode::IntsFrom(std::string_view attribute, std::size_t i) const {
  if (Has(i)) return IntsOf(i);
  return Ints(attribute);
}

bool OnnxNode::HasOutput(std::size_t i) const {
  return i < outputs() && !proto_.output(static_cast<int>(i)).empty();
}

OnnxActivation OnnxNode::Layer(Op op, Attributes attributes, const std::vector<OnnxActivation>& inputs,
                               const std::string& suffix) {
  LayerSpec spec{graph_.names.Take(Name(proto_) + suffix), op, std::move(attributes), {}};
  std::vector<Shape> shapes;
  for (const OnnxActivation& input : inputs) {
    spec.inputs.push_back(input.layer);
    shapes.push_back(input.shape);
  }
  OnnxActivation output{spec.name, {}};
  try {
    output.shape = InferShape(op, spec.attributes, shapes).output;
  } catch (const InputError& error) {
    Fail(error.what());
  }
  CheckRank(output.shape);
  graph_.places[spec.name] = graph_.layers.size();
  graph_.layers.push_back(std::move(spec));
  return output;
}

void OnnxNode::Weight(const OnnxActivation& to, const std::string& role, const OnnxConstant& constant,
                      Shape shape, bool transpose, float factor) {
  if (Elements(constant.shape) != Elements(shape)) {
    Fail("its " + role + " has the shape " + ShapeText(constant.shape) + " where " + ShapeText(shape) +
         " is expected");
  }
  graph_.weights.push_back({{to.layer, role}, constant, std::move(shape), transpose, factor});
}

void OnnxNode::CheckRank(const Shape& shape) const {
  if (shape.size() > kMostAxes) Fail("its output has " + std::to_string(shape.size()) + " axes");
}

LayerSpec* OnnxNode::LayerReadHereAlone(std::size_t i) {
  const std::string& layer = Activation(i).layer;
  const auto reads = graph_.reads.find(proto_.input(static_cast<int>(i)));
  if (reads == graph_.reads.end() || reads->second != 1) return nullptr;
  const auto place = graph_.places.find(layer);
  return place == graph_.places.end() ? nullptr : &graph_.layers[place->second];
}

void OnnxNode::Give(std::size_t output, OnnxValue value) {
  if (const auto* constant = std::get_if<OnnxConstant>(&value)) CheckRank(constant->shape);
  if (auto* activation = std::get_if<OnnxActivation>(&value);
      activation != nullptr && CarriesIntegers(type())) {
    activation->integers = Activation(0).integers;
    activation->open = Activation(0).open;
  }
  if (HasOutput(output)) graph_.values[proto_.output(static_cast<int>(output))] = std::move(value);
}

void OnnxNode::FailOnBudget() const {
  Fail("the file asks for more than " + std::to_string(graph_.limit) + " numbers to be computed at import");
}

bool OnnxNode::Spend(std::int64_t elements) {
  if (!want_weights() && elements > kOnnxSmallTensor) return false;
  if (elements > graph_.limit - graph_.spent) FailOnBudget();
  graph_.spent += elements;
  return true;
}

std::int64_t OnnxNode::Elements(const Shape& shape) const {
  try {
    return CheckedElements(shape);
  } catch (const InputError& error) {
    Fail(error.what());
  }
}

std::int64_t OnnxNode::Axis(std::int64_t axis, std::size_t rank) const {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) {
    Fail("its axis " + std::to_string(axis) + " is outside of " + std::to_string(rank) + " axes");
  }
  return axis < 0 ? axis + signed_rank : axis;
}

}  // namespace tandem
