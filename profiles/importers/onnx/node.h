// One node of an ONNX graph while it is turned into layers, and what the nodes before it have made.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "profiles/importers/onnx/tensor.h"
#include "profiles/model/import_rules.h"
#include "profiles/model/model.h"
#include "profiles/model/weights.h"

namespace tandem {

// The grid of an input of integers, which is known once a DequantizeLinear behind it says so.
struct OnnxOpenGrid {
  GridType type = GridType::kInt8;
  std::optional<QuantizeAttributes> grid = {};
};

// A value of the graph is what a layer computes, or a constant.
struct OnnxActivation {
  std::string layer;
  Shape shape;
  // What QuantizeLinear gives: integers, which DequantizeLinear alone makes numbers of. The layer's are these
  // numbers already.
  std::optional<QuantizeAttributes> integers = {};
  // Of an input of integers, and shared by all that is moved from it; null for all else.
  std::shared_ptr<OnnxOpenGrid> open = {};

  bool is_integer() const { return integers || open; }
};
using OnnxValue = std::variant<OnnxActivation, OnnxConstant>;

// A tensor that a layer needs; read once all are known to have values.
struct OnnxWeight {
  WeightKey key;
  OnnxConstant constant;
  Shape shape;             // as the layer wants it
  bool transpose = false;  // of a matrix, before it is scaled
  float factor = 1;
};

struct OnnxGraph {
  std::filesystem::path file;
  std::uint64_t bytes = 0;  // of the file
  std::int64_t opset = 0;
  bool want_weights = true;
  std::map<std::string_view, std::size_t> reads;  // how often a value is read, an output of the graph too
  std::map<std::string, OnnxValue, std::less<>> values;
  std::vector<LayerSpec> layers;
  std::map<std::string, std::size_t, std::less<>> places;  // of the nodes' layers among these, by name
  std::vector<OnnxWeight> weights;
  UniqueNames names;  // of layers
  // How many numbers may be computed at import and how many were, so that a small file cannot ask for all
  // memory.
  std::int64_t limit = 0;
  std::int64_t spent = 0;
};

class OnnxNode {
 public:
  OnnxNode(OnnxGraph& graph, const onnx::NodeProto& proto) : graph_(graph), proto_(proto) {}

  const std::string& type() const { return proto_.op_type(); }
  std::int64_t opset() const { return graph_.opset; }
  bool want_weights() const { return graph_.want_weights; }
  // The node's name, else its first output's.
  static const std::string& Name(const onnx::NodeProto& proto);
  // Throws InputError that names file, node and operator.
  [[noreturn]] void Fail(const std::string& what) const;

  // Attributes; one of another type than asked for is an error.
  bool HasAttribute(std::string_view name) const { return Find(name) != nullptr; }
  std::int64_t Int(std::string_view name, std::int64_t otherwise) const;
  double Float(std::string_view name, double otherwise) const;
  std::string String(std::string_view name, const std::string& otherwise) const;
  std::optional<std::vector<std::int64_t>> Ints(std::string_view name) const;
  std::optional<std::vector<float>> Floats(std::string_view name) const;
  const onnx::TensorProto* Tensor(std::string_view name) const;

  // Inputs; an optional one that is left out has an empty name.
  std::size_t inputs() const { return static_cast<std::size_t>(proto_.input_size()); }
  bool Has(std::size_t i) const;
  bool IsConstant(std::size_t i) const;
  // An error where it is a constant, or integers that the operator does not just carry on.
  const OnnxActivation& Data(std::size_t i) const;
  const OnnxActivation& Integers(std::size_t i) const;
  const OnnxConstant& Constant(std::size_t i) const;  // an error where a layer computes it
  const Shape& ShapeOf(std::size_t i) const;
  std::vector<std::int64_t> IntsOf(std::size_t i) const;  // of a constant whose values are known
  std::vector<float> FloatsOf(std::size_t i) const;
  float FloatOf(std::size_t i) const;  // of one number
  // What older operator sets give as an attribute and newer ones as input `i`.
  std::optional<std::vector<std::int64_t>> IntsFrom(std::string_view attribute, std::size_t i) const;

  std::size_t outputs() const { return static_cast<std::size_t>(proto_.output_size()); }
  bool HasOutput(std::size_t i) const;

  // Adds a layer. Its name is the node's; helpers before and after the layer of note have a suffix.
  OnnxActivation Layer(Op op, Attributes attributes, const std::vector<OnnxActivation>& inputs,
                       const std::string& suffix = "");
  // A weight of the layer `to`, which must have as many elements as `shape`.
  void Weight(const OnnxActivation& to, const std::string& role, const OnnxConstant& constant, Shape shape,
              bool transpose = false, float factor = 1);
  // The layer that makes input `i`, to be changed; null where others read it, too.
  LayerSpec* LayerReadHereAlone(std::size_t i);
  void Give(std::size_t output, OnnxValue value);  // integers where the operator carries them on

  // Work on constants: counts `elements` against the limit of the file; false where they are not worth it.
  bool Spend(std::int64_t elements);
  std::int64_t Elements(const Shape& shape) const;  // checked
  std::int64_t Axis(std::int64_t axis, std::size_t rank) const;
  const std::filesystem::path& file() const { return graph_.file; }

 private:
  const onnx::AttributeProto* Find(std::string_view name) const;
  const onnx::AttributeProto* Find(std::string_view name, onnx::AttributeProto::AttributeType type) const;
  const OnnxValue& Value(std::size_t i) const;
  const OnnxActivation& Activation(std::size_t i) const;
  void CheckFill(std::size_t i) const;
  [[noreturn]] void FailOnBudget() const;
  void CheckRank(const Shape& shape) const;
  std::string InputText(std::size_t i) const;

  OnnxGraph& graph_;
  const onnx::NodeProto& proto_;
};

// Both tables by operator; null where an operator is not known.
using OnnxTranslation = void (*)(OnnxNode& node);
OnnxTranslation FindOnnxTranslation(std::string_view type);
// Of operators all of whose inputs are constants.
using OnnxFolding = OnnxConstant (*)(OnnxNode& node);
OnnxFolding FindOnnxFolding(std::string_view type);
// Does the operator move or pick numbers alone, so that what it does to integers it does to what they mean?
bool CarriesIntegers(std::string_view type);

}  // namespace tandem
