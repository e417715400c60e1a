// Small TensorFlow Lite models, written down in a line per operator.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "profiles/importers/tflite/import.h"
#include "profiles/importers/tflite/tandem_tflite_generated.h"

namespace tandem {

using TfliteOp = tfl::BuiltinOperator;

// A grid, or scales along an axis.
struct TfliteTestScales {
  std::vector<float> scales;
  std::vector<std::int64_t> zeros = {};
  int axis = 0;
};

// The last operator's outputs are the model's outputs.
class TfliteTestGraph {
 public:
  struct Tensor {
    std::string name;
    Shape shape;
    tfl::TensorType type = tfl::TensorType::FLOAT32;
    std::string data = {};  // none: an operator makes it, or it is an input
    TfliteTestScales scales = {};
    std::vector<int> signature = {};
    bool is_variable = false, is_sparse = false;
    std::uint32_t external = 0;
  };
  using MakeOptions = std::function<flatbuffers::Offset<void>(flatbuffers::FlatBufferBuilder&)>;
  struct Node {
    std::int32_t type = 0;
    std::string custom = {};
    std::vector<int> inputs, outputs;
    tfl::BuiltinOptions options_type = tfl::BuiltinOptions::NONE;
    MakeOptions options = nullptr;
  };

  // Each gives the tensor's index.
  int Input(const std::string& name, const Shape& shape);
  int Input(const std::string& name, const Shape& shape, tfl::TensorType type,
            const TfliteTestScales& scales);
  int Made(const std::string& name, const Shape& shape = {});  // by an operator, in float
  int Made(const std::string& name, const Shape& shape, tfl::TensorType type, const TfliteTestScales& scales);
  // Without values they are 0, 1, 2, ...
  int Floats(const std::string& name, const Shape& shape, std::vector<float> values = {});
  int Ints(const std::string& name, const std::vector<int>& values);
  int Int(const std::string& name, int value);  // of no axes
  // Numbers of that type: INT8, UINT8, INT32, FLOAT16.
  int Stored(const std::string& name, const Shape& shape, tfl::TensorType type,
             const std::vector<int>& values, const TfliteTestScales& scales = {});

  TfliteTestGraph& Add(TfliteOp type, std::vector<int> from, std::vector<int> to);
  // With options: `make(builder)` gives them.
  template <class Make>
  TfliteTestGraph& Add(TfliteOp type, std::vector<int> from, std::vector<int> to, Make make) {
    Add(type, std::move(from), std::move(to));
    nodes.back().options_type = TypeOf(decltype(make(std::declval<flatbuffers::FlatBufferBuilder&>())){});
    nodes.back().options = [make](flatbuffers::FlatBufferBuilder& builder) { return make(builder).Union(); };
    return *this;
  }
  TfliteTestGraph& AddCustom(const std::string& name, std::vector<int> from, std::vector<int> to);

  std::string Bytes() const;
  ImportedModel Import(const ImportOptions& options = {}) const;
  std::string Error(const ImportOptions& options = {}) const;  // "no error" where it is imported

  std::vector<Tensor> tensors;
  std::vector<Node> nodes;
  std::vector<int> inputs, outputs;
  std::uint32_t version = 3;
  bool new_codes = true;            // operators are told by the newer of their two fields, too
  bool data_behind_tables = false;  // as files beyond 2 GB have it

 private:
  template <class Options>
  static tfl::BuiltinOptions TypeOf(flatbuffers::Offset<Options>) {
    return tfl::BuiltinOptionsTraits<Options>::enum_value;
  }
  int AddTensor(Tensor tensor);
};

std::string ErrorOfTfliteBytes(const std::string& bytes);
std::string OpsOfTflite(const Model& model);  // "input conv relu"

}  // namespace tandem
