// ONNX.
#include "tests/fuzz/message_mutations.h"
#include "tests/fuzz/readers.h"
#include "tests/support/onnx_test_graph.h"

namespace tandem {
namespace {

using Ints = std::vector<std::int64_t>;

std::string Classifier() {
  OnnxTestGraph graph;
  graph.Input("x", {1, 3, 8, 8}).Floats("w", {4, 3, 3, 3}).Floats("m", {64, 5}).Floats("v", {4});
  graph.Node("Conv", {"x", "w"}, {"c"}, {{"pads", Ints{1, 1, 1, 1}}})
      .Node("BatchNormalization", {"c", "v", "v", "v", "v"}, {"n"})
      .Node("Relu", {"n"}, {"r"})
      .Node("MaxPool", {"r"}, {"p"}, {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}})
      .Node("Flatten", {"p"}, {"f"})
      .Node("Gemm", {"f", "m"}, {"g"})
      .Node("Softmax", {"g"}, {"y"}, {{"axis", 1}});
  return graph.proto().SerializeAsString();
}

// A shape that the file computes.
std::string Reshaped() {
  OnnxTestGraph graph;
  graph.Input("x", {2, 3, 4, 4}).Int("zero", 0).Ints("rest", {-1}).Ints("axes", {0});
  graph.Node("Shape", {"x"}, {"s"})
      .Node("Gather", {"s", "zero"}, {"n"}, {{"axis", 0}})
      .Node("Unsqueeze", {"n", "axes"}, {"u"})
      .Node("Concat", {"u", "rest"}, {"to"}, {{"axis", 0}})
      .Node("Reshape", {"x", "to"}, {"f"})
      .Node("Relu", {"f"}, {"y"});
  return graph.proto().SerializeAsString();
}

std::string Quantized() {
  OnnxTestGraph graph;
  graph.Input("x", {1, 2, 1, 1}).Floats("s", {}, {0.1F}).Floats("w", {2, 2, 1, 1});
  graph.Node("QuantizeLinear", {"x", "s"}, {"q"})
      .Node("DequantizeLinear", {"q", "s"}, {"d"})
      .Node("Conv", {"d", "w"}, {"y"});
  return graph.proto().SerializeAsString();
}

// An input of integers, and operators on such.
std::string OnIntegers() {
  OnnxTestGraph graph;
  graph.Input("x", {1, 2, 2, 2}).Floats("s", {}, {0.1F}).Floats("w", {2, 2, 1, 1}).Floats("m", {2, 3});
  graph.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
      onnx::TensorProto::UINT8);
  for (const auto& [name, type] :
       {std::pair("z", onnx::TensorProto::UINT8), {"i", onnx::TensorProto::INT8}}) {
    onnx::TensorProto& zero = *graph.graph().add_initializer();
    zero.set_name(name);
    zero.set_data_type(type);
    zero.add_int32_data(1);
  }
  graph.Node("QuantizeLinear", {"w", "s", "i"}, {"wq"})
      .Node("QLinearConv", {"x", "s", "z", "wq", "s", "i", "s", "z"}, {"c"})
      .Node("MaxPool", {"c"}, {"p"}, {{"kernel_shape", Ints{2, 2}}})
      .Node("Flatten", {"p"}, {"f"})
      .Node("QuantizeLinear", {"m", "s", "i"}, {"mq"})
      .Node("QLinearMatMul", {"f", "s", "z", "mq", "s", "i", "s", "z"}, {"y"});
  return graph.proto().SerializeAsString();
}

FuzzReader Onnx() {
  return {"onnx",
          {Classifier(), Reshaped(), Quantized(), OnIntegers()},
          [](const std::string& bytes) { ImportOnnxBytes(bytes, "fuzz.onnx", {}); },
          [](const std::string& bytes, std::mt19937_64& chance) {
            return WithFieldsChanged(onnx::ModelProto::default_instance(), bytes, chance);
          }};
}
const FuzzReaderRegistration kOnnx(Onnx);

}  // namespace
}  // namespace tandem
