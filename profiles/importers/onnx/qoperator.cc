// Operators of the QOperator format, which read and make integers: each stands for the operator on numbers
// between a DequantizeLinear before each input and a QuantizeLinear behind it.
#include <algorithm>
#include <map>
#include <utility>

#include "profiles/importers/onnx/graph.h"

namespace tandem {
namespace {

using Inputs = std::vector<std::string>;

const std::string& InputOf(const onnx::NodeProto& node, int i) {
  static const std::string kNone;
  return i < node.input_size() ? node.input(i) : kNone;
}

std::int64_t IntOf(const onnx::NodeProto& node, std::string_view name) {
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.name() == name) return attribute.i();
  }
  return 0;
}

class QdqNodes {
 public:
  explicit QdqNodes(const onnx::GraphProto& graph) {
    for (const onnx::NodeProto& node : graph.node()) Take(node.output());
    for (const onnx::ValueInfoProto& input : graph.input()) names_.Take(input.name());
    for (const onnx::TensorProto& tensor : graph.initializer()) names_.Take(tensor.name());
  }

  onnx::NodeProto& Add(onnx::NodeProto node) {
    onnx::NodeProto& added = *nodes_.Add();
    added = std::move(node);
    return added;
  }

  // Of that node, with a suffix to its name, and a value of its own.
  onnx::NodeProto& Add(const onnx::NodeProto& of, const std::string& type, const std::string& suffix,
                       const Inputs& inputs) {
    onnx::NodeProto& node = *nodes_.Add();
    node.set_name(OnnxNode::Name(of) + suffix);
    node.set_op_type(type);
    for (const std::string& input : inputs) node.add_input(input);
    node.add_output(names_.Take(of.output(0) + suffix));
    return node;
  }

  // The numbers of an integer input, behind which its scale and its zero point stand.
  std::string Numbers(const onnx::NodeProto& of, int i, std::int64_t axis = 0) {
    return Dequantized(of, {InputOf(of, i), InputOf(of, i + 1), InputOf(of, i + 2)}, axis);
  }

  // A bias, whose scale is that of the data times that of the weights; none stays none.
  std::string Bias(const onnx::NodeProto& of, int i, int data_scale, int weight_scale, std::int64_t axis) {
    if (InputOf(of, i).empty()) return {};
    const std::string scale =
        Add(of, "Mul", "/bias_scale", {InputOf(of, data_scale), InputOf(of, weight_scale)}).output(0);
    return Dequantized(of, {InputOf(of, i), scale}, axis);
  }

  // The operator itself, with the name and the attributes of `of`; where `scale` is an input, a
  // QuantizeLinear brings what it makes to the grid of that and the zero point behind it.
  onnx::NodeProto& AddOperator(const onnx::NodeProto& of, const std::string& type, const Inputs& inputs,
                               int scale) {
    const bool quantized = !InputOf(of, scale).empty();
    const std::string made = quantized ? names_.Take(of.output(0) + "/numbers") : of.output(0);
    onnx::NodeProto node;
    node.set_name(OnnxNode::Name(of));
    node.set_op_type(type);
    for (const std::string& input : inputs) node.add_input(input);
    node.add_output(made);
    *node.mutable_attribute() = of.attribute();
    onnx::NodeProto& added = Add(std::move(node));
    if (quantized) {
      onnx::NodeProto& quantize =
          Add(of, "QuantizeLinear", "/quantize", {made, InputOf(of, scale), InputOf(of, scale + 1)});
      quantize.set_output(0, of.output(0));
    }
    return added;
  }

  auto Release() { return std::move(nodes_); }

 private:
  template <class Values>
  void Take(const Values& values) {
    for (const std::string& value : values) names_.Take(value);
  }

  std::string Dequantized(const onnx::NodeProto& of, const Inputs& inputs, std::int64_t axis) {
    onnx::NodeProto& node = Add(of, "DequantizeLinear", "/dequantize", inputs);
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name("axis");
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(axis);
    return node.output(0);
  }

  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes_;
  UniqueNames names_;  // of values
};

void QLinearConv(QdqNodes& to, const onnx::NodeProto& node) {
  const std::string data = to.Numbers(node, 0), weight = to.Numbers(node, 3);
  Inputs inputs = {data, weight};
  if (const std::string bias = to.Bias(node, 8, 1, 4, 0); !bias.empty()) inputs.push_back(bias);
  to.AddOperator(node, "Conv", inputs, 6);
}

void QLinearMatMul(QdqNodes& to, const onnx::NodeProto& node) {
  const std::string left = to.Numbers(node, 0), right = to.Numbers(node, 3, -1);
  to.AddOperator(node, "MatMul", {left, right}, 6);
}

void QGemm(QdqNodes& to, const onnx::NodeProto& node) {
  const std::string left = to.Numbers(node, 0);
  const std::string right = to.Numbers(node, 3, IntOf(node, "transB") != 0 ? 0 : 1);
  Inputs inputs = {left, right};
  if (const std::string bias = to.Bias(node, 6, 1, 4, -1); !bias.empty()) inputs.push_back(bias);
  onnx::NodeProto& gemm = to.AddOperator(node, "Gemm", inputs, 7);
  // Its factor goes with the scales of both operands, so with the bias, too.
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.name() != "alpha") continue;
    onnx::AttributeProto& beta = *gemm.add_attribute();
    beta = attribute;
    beta.set_name("beta");
  }
}

template <const char* kType>
void OfOne(QdqNodes& to, const onnx::NodeProto& node) {
  to.AddOperator(node, kType, {to.Numbers(node, 0)}, 3);
}

template <const char* kType>
void OfTwo(QdqNodes& to, const onnx::NodeProto& node) {
  const std::string left = to.Numbers(node, 0), right = to.Numbers(node, 3);
  to.AddOperator(node, kType, {left, right}, 6);
}

void QLinearConcat(QdqNodes& to, const onnx::NodeProto& node) {
  Inputs inputs;
  for (int i = 2; i < node.input_size(); i += 3) inputs.push_back(to.Numbers(node, i));
  to.AddOperator(node, "Concat", inputs, 0);
}

constexpr char kAdd[] = "Add", kMul[] = "Mul", kAveragePool[] = "AveragePool",
               kGlobalAveragePool[] = "GlobalAveragePool", kLeakyRelu[] = "LeakyRelu", kSigmoid[] = "Sigmoid";

using Rewrite = void (*)(QdqNodes& to, const onnx::NodeProto& node);

// The first two are ONNX's own, the others ONNX Runtime's.
Rewrite RewriteOf(const onnx::NodeProto& node) {
  static const std::map<std::string_view, Rewrite> standard = {{"QLinearConv", QLinearConv},
                                                               {"QLinearMatMul", QLinearMatMul}};
  static const std::map<std::string_view, Rewrite> own = {
      {"QGemm", QGemm},
      {"QLinearAdd", OfTwo<kAdd>},
      {"QLinearAveragePool", OfOne<kAveragePool>},
      {"QLinearConcat", QLinearConcat},
      {"QLinearGlobalAveragePool", OfOne<kGlobalAveragePool>},
      {"QLinearLeakyRelu", OfOne<kLeakyRelu>},
      {"QLinearMul", OfTwo<kMul>},
      {"QLinearSigmoid", OfOne<kSigmoid>}};
  const bool has_output = node.output_size() == 1 && !node.output(0).empty();
  if (!has_output || IntOf(node, "channels_last") != 0) return nullptr;
  const bool is_own = node.domain() == "com.microsoft";
  if (!is_own && !IsStandardOnnx(node.domain())) return nullptr;
  const auto& table = is_own ? own : standard;
  const auto found = table.find(node.op_type());
  return found == table.end() ? nullptr : found->second;
}

}  // namespace

void RewriteQOperators(onnx::GraphProto& graph) {
  if (std::none_of(graph.node().begin(), graph.node().end(), RewriteOf)) return;
  QdqNodes to(graph);
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    if (const Rewrite rewrite = RewriteOf(node)) {
      rewrite(to, node);
    } else {
      to.Add(std::move(node));
    }
  }
  *graph.mutable_node() = to.Release();
}

std::string QuantizedFormatHint(std::string_view type) {
  const auto has = [type](std::string_view part) { return type.find(part) != std::string_view::npos; };
  const std::string how = "the QDQ format (a QuantizeLinear and a DequantizeLinear around every operator)";
  if (has("Dynamic") || has("Integer")) {
    return ": it finds its grid while the network runs; quantise the model with fixed grids, in " + how;
  }
  if (type.starts_with("QLinear") || type == "QGemm") {
    return ": it is of the QOperator format; quantise the model in " + how;
  }
  return {};
}

}  // namespace tandem
