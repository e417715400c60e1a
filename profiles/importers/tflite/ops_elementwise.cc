// Operators that work element by element.
#include <algorithm>
#include <array>
#include <utility>

#include "profiles/importers/tflite/layout.h"
#include "profiles/importers/tflite/ops.h"

namespace tandem::tflite_ops {
namespace {

using Operator = tfl::BuiltinOperator;

template <std::size_t N>
Op OpOf(const TfliteNode& node, const std::array<std::pair<Operator, Op>, N>& ops) {
  for (const auto& [type, op] : ops) {
    if (type == node.type()) return op;
  }
  node.Fail("has no layer of its own");
}

constexpr std::array<std::pair<Operator, Op>, 7> kBinaryOps = {{{Operator::ADD, Op::kAdd},
                                                                {Operator::SUB, Op::kSub},
                                                                {Operator::MUL, Op::kMul},
                                                                {Operator::DIV, Op::kDiv},
                                                                {Operator::POW, Op::kPow},
                                                                {Operator::MAXIMUM, Op::kMax},
                                                                {Operator::MINIMUM, Op::kMin}}};

constexpr std::array<std::pair<Operator, Op>, 11> kUnaryOfTflite = {{{Operator::RELU, Op::kRelu},
                                                                     {Operator::RELU6, Op::kRelu6},
                                                                     {Operator::LOGISTIC, Op::kSigmoid},
                                                                     {Operator::TANH, Op::kTanh},
                                                                     {Operator::HARD_SWISH, Op::kHardSwish},
                                                                     {Operator::ELU, Op::kElu},
                                                                     {Operator::EXP, Op::kExp},
                                                                     {Operator::LOG, Op::kLog},
                                                                     {Operator::SQRT, Op::kSqrt},
                                                                     {Operator::ABS, Op::kAbs},
                                                                     {Operator::NEG, Op::kNeg}}};

tfl::ActivationFunctionType FusedOf(const TfliteNode& node) {
  switch (node.type()) {
    case Operator::ADD:
      return node.OptionsAs<tfl::AddOptions>().fused_activation_function();
    case Operator::SUB:
      return node.OptionsAs<tfl::SubOptions>().fused_activation_function();
    case Operator::MUL:
      return node.OptionsAs<tfl::MulOptions>().fused_activation_function();
    case Operator::DIV:
      return node.OptionsAs<tfl::DivOptions>().fused_activation_function();
    default:
      return tfl::ActivationFunctionType::NONE;
  }
}

// As many axes as the output has: more of one place stand in front, in the file's order.
Shape Widened(const Shape& of_file, std::size_t rank) {
  Shape shape(rank - std::min(rank, of_file.size()), 1);
  shape.insert(shape.end(), of_file.begin(), of_file.end());
  return shape;
}

// A constant operand of what has `rank` axes; without axes of one place in front.
TfliteActivation WithConstantOf(TfliteNode& node, Op op, const TfliteActivation& in,
                                const TfliteConstant& constant, bool constant_first) {
  const std::size_t rank = std::max(in.shape.size(), constant.shape.size());
  const Shape view = Widened(constant.shape, rank);
  const Shape of_layer = LayerShape(view);
  const auto first = std::find_if(of_layer.begin(), of_layer.end(), [](std::int64_t e) { return e != 1; });
  ElementwiseAttributes a;
  a.has_constant = true;
  a.constant_shape.assign(first, of_layer.end());
  a.constant_first = constant_first;
  const TfliteActivation wide = node.Reshaped(in, Widened(FileShape(in.shape), rank), "/axes");
  const TfliteActivation output = node.Layer(op, a, {wide});
  std::vector<std::size_t> order;
  if (rank == 4) order = OrderOf(kTfliteToLayer);
  node.Weight(output, "constant", constant, a.constant_shape, view, order);
  return output;
}

TfliteActivation OfBoth(TfliteNode& node, Op op, const std::string& suffix = "") {
  const TfliteActivation &a = node.Data(0), &b = node.Data(1);
  const std::size_t rank = std::max(a.shape.size(), b.shape.size());
  const TfliteActivation first = node.Reshaped(a, Widened(FileShape(a.shape), rank), "/axes");
  const TfliteActivation second = node.Reshaped(b, Widened(FileShape(b.shape), rank), "/axes");
  return node.Layer(op, ElementwiseAttributes{}, {first, second}, suffix);
}

TfliteActivation WithNumberOf(TfliteNode& node, Op op, const TfliteActivation& in, float number,
                              bool constant_first) {
  const TfliteConstant constant = MakeTfliteConstant({}, std::vector<float>{number});
  return WithConstantOf(node, op, in, constant, constant_first);
}

TfliteActivation Combined(TfliteNode& node, Op op) {
  for (const std::size_t i : {0, 1}) {
    if (node.IsConstant(i)) return WithConstantOf(node, op, node.Data(1 - i), node.Constant(i), i == 0);
  }
  return OfBoth(node, op);
}

}  // namespace

void Binary(TfliteNode& node) {
  node.Give(0, node.Activated(Combined(node, OpOf(node, kBinaryOps)), FusedOf(node)));
}

void SquaredDifference(TfliteNode& node) {
  const TfliteActivation difference = Combined(node, Op::kSub);
  node.Give(0, WithNumberOf(node, Op::kPow, difference, 2, false));
}

void AddAll(TfliteNode& node) {
  std::vector<TfliteActivation> inputs;
  for (std::size_t i = 0; i < node.inputs(); ++i) inputs.push_back(node.Data(i));
  node.Give(0, node.Layer(Op::kAdd, ElementwiseAttributes{}, inputs));
}

void Unary(TfliteNode& node) {
  const Op op = OpOf(node, kUnaryOfTflite);
  node.Give(0, node.Layer(op, DefaultAttributes(op), {node.Data(0)}));
}

void Square(TfliteNode& node) { node.Give(0, WithNumberOf(node, Op::kPow, node.Data(0), 2, false)); }

void Rsqrt(TfliteNode& node) {
  const TfliteActivation root = node.Layer(Op::kSqrt, NoAttributes{}, {node.Data(0)}, "/sqrt");
  node.Give(0, WithNumberOf(node, Op::kDiv, root, 1, true));
}

void Relu1(TfliteNode& node) {
  const double least = node.type() == Operator::RELU_N1_TO_1 ? -1 : 0;
  node.Give(0, node.Layer(Op::kClip, ClipAttributes{least, 1}, {node.Data(0)}));
}

void LeakyRelu(TfliteNode& node) {
  const double slope = ShortestDecimal(node.OptionsAs<tfl::LeakyReluOptions>().alpha());
  node.Give(0, node.Layer(Op::kLeakyRelu, LeakyReluAttributes{slope}, {node.Data(0)}));
}

void Prelu(TfliteNode& node) {
  const TfliteActivation& in = node.Data(0);
  const TfliteConstant& slope = node.Constant(1);
  const std::int64_t slopes = node.Elements(slope.shape);
  const std::size_t rank = in.shape.size();
  const bool per_channel = (rank == 2 || rank == 4) && slopes == in.shape[1] && !slope.shape.empty() &&
                           slope.shape.back() == slopes;
  if (slopes != 1 && !per_channel) {
    node.Fail("its slopes of " + ShapeText(slope.shape) + " are neither one number nor one per channel of " +
              ShapeText(FileShape(in.shape)));
  }
  const TfliteActivation output = node.Layer(Op::kPrelu, PreluAttributes{slopes == 1}, {in});
  node.Weight(output, "slope", slope, {slopes});
  node.Give(0, output);
}

void Gelu(TfliteNode& node) {
  if (node.OptionsAs<tfl::GeluOptions>().approximate()) {
    node.Fail("its approximation by tanh is not supported; convert the network with the exact one");
  }
  node.Give(0, node.Layer(Op::kGelu, NoAttributes{}, {node.Data(0)}));
}

}  // namespace tandem::tflite_ops
