// Small ONNX models, written down in a line per node.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <variant>
#include <vector>

#include "profiles/base/input_error.h"
#include "profiles/importers/onnx/import.h"

namespace tandem {

struct OnnxTestAttribute {
  std::string name;
  std::variant<int, float, std::string, std::vector<std::int64_t>, std::vector<float>, onnx::TensorProto>
      value;
};
using OnnxTestAttributes = std::vector<OnnxTestAttribute>;

// The last node's first output is the model's output.
class OnnxTestGraph {
 public:
  explicit OnnxTestGraph(int opset = 13);

  // -1 is an extent that the file leaves open.
  OnnxTestGraph& Input(const std::string& name, const Shape& shape);
  // Without values they are 0, 1, 2, ...
  OnnxTestGraph& Floats(const std::string& name, const Shape& shape, std::vector<float> values = {});
  OnnxTestGraph& Ints(const std::string& name, const std::vector<std::int64_t>& values);
  OnnxTestGraph& Int(const std::string& name, std::int64_t value);  // of no axes
  // The node is called by its first output with "n_" before it.
  OnnxTestGraph& Node(const std::string& type, const std::vector<std::string>& inputs,
                      const std::vector<std::string>& outputs, const OnnxTestAttributes& attributes = {});

  onnx::ModelProto& proto() { return proto_; }
  onnx::GraphProto& graph() { return *proto_.mutable_graph(); }
  ImportedModel Import(const ImportOptions& options = {}) const;
  std::string Error(const ImportOptions& options = {}) const;  // "no error" where it is imported

 private:
  onnx::ModelProto proto_;
};

onnx::TensorProto OnnxTestTensor(const Shape& shape, const std::vector<float>& values);
onnx::TensorProto OnnxTestTensor(const Shape& shape, const std::vector<std::int64_t>& values);

std::string OpsOf(const Model& model);      // "input conv relu"
std::string LastShape(const Model& model);  // "1x8x4x4"
const Layer& LastLayer(const Model& model);
std::string ErrorOfBytes(const std::string& bytes);

}  // namespace tandem
