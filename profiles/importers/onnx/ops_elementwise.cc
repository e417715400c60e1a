// Operators that work element by element.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "profiles/importers/onnx/ops.h"

namespace tandem {
namespace {

template <std::size_t N>
Op FindOp(const OnnxNode& node, const std::array<std::pair<std::string_view, Op>, N>& ops) {
  for (const auto& [type, op] : ops) {
    if (type == node.type()) return op;
  }
  node.Fail("has no layer of its own");
}

constexpr std::array<std::pair<std::string_view, Op>, 9> kElementwise = {{{"Add", Op::kAdd},
                                                                          {"Sub", Op::kSub},
                                                                          {"Mul", Op::kMul},
                                                                          {"Div", Op::kDiv},
                                                                          {"Pow", Op::kPow},
                                                                          {"Sum", Op::kAdd},
                                                                          {"Mean", Op::kAdd},
                                                                          {"Max", Op::kMax},
                                                                          {"Min", Op::kMin}}};

constexpr std::array<std::pair<std::string_view, Op>, 11> kUnaryOps = {{{"Relu", Op::kRelu},
                                                                        {"Sigmoid", Op::kSigmoid},
                                                                        {"Tanh", Op::kTanh},
                                                                        {"Softplus", Op::kSoftplus},
                                                                        {"Erf", Op::kErf},
                                                                        {"Exp", Op::kExp},
                                                                        {"Log", Op::kLog},
                                                                        {"Sqrt", Op::kSqrt},
                                                                        {"Abs", Op::kAbs},
                                                                        {"Neg", Op::kNeg},
                                                                        {"Identity", Op::kIdentity}}};

OnnxActivation WithConstant(OnnxNode& node, Op op, const OnnxActivation& in, const OnnxConstant& constant,
                            bool constant_first, const std::string& suffix = "", float factor = 1) {
  ElementwiseAttributes a;
  a.has_constant = true;
  a.constant_shape = constant.shape;
  a.constant_first = constant_first;
  const OnnxActivation output = node.Layer(op, a, {in}, suffix);
  node.Weight(output, "constant", constant, constant.shape, false, factor);
  return output;
}

OnnxActivation WithNumber(OnnxNode& node, Op op, const OnnxActivation& in, float number, bool constant_first,
                          const std::string& suffix = "") {
  return WithConstant(node, op, in, MakeConstant({}, std::vector<float>{number}), constant_first, suffix);
}

float ClipBound(const OnnxNode& node, const char* attribute, std::size_t input, float otherwise) {
  if (node.opset() < 11) return static_cast<float>(node.Float(attribute, otherwise));
  return node.Has(input) ? node.FloatOf(input) : otherwise;
}

}  // namespace

void TranslateBinary(OnnxNode& node) {
  const Op op = FindOp(node, kElementwise);
  for (const std::size_t i : {0, 1}) {
    if (node.IsConstant(i)) {
      if (op == Op::kAdd && AddAsBias(node, 1 - i, i)) return;
      return node.Give(0, WithConstant(node, op, node.Data(1 - i), node.Constant(i), i == 0));
    }
  }
  node.Give(0, node.Layer(op, ElementwiseAttributes{}, {node.Data(0), node.Data(1)}));
}

void TranslateVariadic(OnnxNode& node) {
  const Op op = FindOp(node, kElementwise);
  ElementwiseAttributes a;
  std::vector<OnnxActivation> inputs;
  std::vector<std::size_t> constants;
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    if (node.IsConstant(i)) constants.push_back(i);
    if (!node.IsConstant(i)) inputs.push_back(node.Data(i));
  }
  const bool mean = node.type() == "Mean";
  const double share = 1.0 / static_cast<double>(node.inputs());
  if (mean) a.coefficients.assign(inputs.size(), share);
  // A second constant, which no exporter is known to write, gets a layer of its own.
  OnnxActivation output = inputs[0];
  if (inputs.size() > 1) output = node.Layer(op, a, inputs);
  if (inputs.size() == 1 && mean && !constants.empty())
    output = WithNumber(node, Op::kMul, output, static_cast<float>(share), false, "/share");
  if (inputs.size() == 1 && node.inputs() == 1) output = node.Layer(Op::kIdentity, NoAttributes{}, {output});
  for (const std::size_t i : constants) {
    output = WithConstant(node, op, output, node.Constant(i), false, inputs.size() > 1 ? "/constant" : "",
                          mean ? static_cast<float>(share) : 1.0F);
  }
  node.Give(0, output);
}

void TranslateUnary(OnnxNode& node) {
  node.Give(0, node.Layer(FindOp(node, kUnaryOps), NoAttributes{}, {node.Data(0)}));
}

void TranslateLeakyRelu(OnnxNode& node) {
  node.Give(0, node.Layer(Op::kLeakyRelu, LeakyReluAttributes{node.Float("alpha", 0.01)}, {node.Data(0)}));
}

void TranslatePRelu(OnnxNode& node) {
  const OnnxActivation& in = node.Data(0);
  const OnnxConstant& slope = node.Constant(1);
  const std::int64_t slopes = node.Elements(slope.shape);
  const std::size_t rank = in.shape.size();
  // The slopes broadcast from the last axis on: one per channel stand `behind` axes before the end. Some
  // exporters leave the ones behind the channels out.
  const std::size_t behind = rank < 2 ? 0 : rank - 2;
  const bool per_channel =
      rank >= 2 && slopes == in.shape[1] &&
      (slope.shape.size() == 1 ||
       (slope.shape.size() > behind && slope.shape[slope.shape.size() - 1 - behind] == slopes));
  if (slopes != 1 && !per_channel) {
    node.Fail("its slopes of " + ShapeText(slope.shape) + " are neither one number nor one per channel of " +
              ShapeText(in.shape));
  }
  const OnnxActivation output = node.Layer(Op::kPrelu, PreluAttributes{slopes == 1}, {in});
  node.Weight(output, "slope", slope, {slopes});
  node.Give(0, output);
}

void TranslateElu(OnnxNode& node) {
  node.Give(0, node.Layer(Op::kElu, EluAttributes{node.Float("alpha", 1)}, {node.Data(0)}));
}

void TranslateHardSigmoid(OnnxNode& node) {
  const HardSigmoidAttributes a{node.Float("alpha", 0.2), node.Float("beta", 0.5)};
  node.Give(0, node.Layer(Op::kHardSigmoid, a, {node.Data(0)}));
}

void TranslateHardSwish(OnnxNode& node) {
  node.Give(0, node.Layer(Op::kHardSwish, NoAttributes{}, {node.Data(0)}));
}

// x * tanh(softplus(x))
void TranslateMish(OnnxNode& node) {
  const OnnxActivation& in = node.Data(0);
  const OnnxActivation softplus = node.Layer(Op::kSoftplus, NoAttributes{}, {in}, "/softplus");
  const OnnxActivation tanh = node.Layer(Op::kTanh, NoAttributes{}, {softplus}, "/tanh");
  node.Give(0, node.Layer(Op::kMul, ElementwiseAttributes{}, {in, tanh}));
}

void TranslateReciprocal(OnnxNode& node) { node.Give(0, WithNumber(node, Op::kDiv, node.Data(0), 1, true)); }

void TranslateClip(OnnxNode& node) {
  constexpr float kMost = std::numeric_limits<float>::max();
  const float min = ClipBound(node, "min", 1, -kMost);
  const float max = ClipBound(node, "max", 2, kMost);
  const OnnxActivation& in = node.Data(0);
  if (!(min <= max)) node.Fail("its lower bound is not below its upper bound");
  if (min == 0 && max == 6) return node.Give(0, node.Layer(Op::kRelu6, NoAttributes{}, {in}));
  if (min == 0 && max >= kMost) return node.Give(0, node.Layer(Op::kRelu, NoAttributes{}, {in}));
  node.Give(0, node.Layer(Op::kClip, ClipAttributes{std::max(min, -kMost), std::min(max, kMost)}, {in}));
}

void TranslateDropout(OnnxNode& node) {
  const double ratio = node.Has(1) ? node.FloatOf(1) : node.Float("ratio", 0.5);
  node.Give(0, node.Layer(Op::kDropout, DropoutAttributes{ratio}, {node.Data(0)}));
}

// Between floating-point types; the project computes in fp32 alone.
void TranslateCast(OnnxNode& node) {
  const std::int64_t to = node.Int("to", 0);
  const bool is_float = to == onnx::TensorProto::FLOAT || to == onnx::TensorProto::FLOAT16 ||
                        to == onnx::TensorProto::DOUBLE || to == onnx::TensorProto::BFLOAT16;
  if (!is_float) node.Fail("only a cast to a floating-point type is supported");
  node.Give(0, node.Layer(Op::kIdentity, NoAttributes{}, {node.Data(0)}));
}

void TranslateGelu(OnnxNode& node) {
  const std::string approximate = node.String("approximate", "none");
  if (approximate != "none") node.Fail("its approximation by " + approximate + " is not supported");
  node.Give(0, node.Layer(Op::kGelu, NoAttributes{}, {node.Data(0)}));
}

}  // namespace tandem
