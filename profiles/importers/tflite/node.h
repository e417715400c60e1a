// One operator of a TensorFlow Lite network while it is turned into layers, and what those before it have
// made.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "profiles/importers/tflite/tensor.h"
#include "profiles/model/import_rules.h"
#include "profiles/model/model.h"
#include "profiles/model/weights.h"

namespace tandem {

// What a layer computes.
struct TfliteActivation {
  std::string layer;
  Shape shape;  // as the layer has it: see layout.h
  // On which its numbers lie, where kernels can tell that from the layers.
  std::optional<QuantizeAttributes> grid = {};
  // The same numbers before they were moved, for who can read them there: the rows of an image whose
  // numbers are still in the layer's order, and the image without zeros around it.
  std::shared_ptr<const TfliteActivation> image = {};
  std::shared_ptr<const TfliteActivation> inside = {};
  Padding around = {};  // of `inside`
};
// What an operator makes that is left out at the end of the network.
struct TfliteLeftOut {
  std::string by;
};
using TfliteValue = std::variant<std::monostate, TfliteActivation, TfliteConstant, TfliteLeftOut>;

// A tensor that a layer needs; read once all are known to be needed.
struct TfliteWeight {
  WeightKey key;
  TfliteConstant constant;
  Shape shape;                     // as the layer wants it
  Shape view;                      // as what the constant is seen before its axes are moved
  std::vector<std::size_t> order;  // empty: they are not
};

struct TfliteGraph {
  std::filesystem::path file;
  const tfl::Model* model = nullptr;
  const tfl::SubGraph* network = nullptr;
  std::string_view bytes;  // of the whole file
  bool want_weights = true;
  bool file_shapes = true;          // the inputs have the shapes of the file, and so has what follows
  std::vector<TfliteValue> values;  // by tensor
  std::vector<LayerSpec> layers;
  std::vector<TfliteWeight> weights;
  std::vector<std::string> ends;  // layers that what is left out reads
  std::vector<std::string> notes;
  UniqueNames names;  // of layers

  const tfl::Tensor& tensor(std::size_t index) const {
    return *network->tensors()->Get(static_cast<flatbuffers::uoffset_t>(index));
  }
  std::string NameOf(std::size_t tensor) const;  // may be empty
  // `4 "conv1/Relu6"`
  std::string TensorText(std::size_t tensor) const;
};

class TfliteNode {
 public:
  TfliteNode(TfliteGraph& graph, std::size_t index);

  tfl::BuiltinOperator type() const { return type_; }
  std::string TypeText() const;  // "CONV_2D"; the name of a custom one
  // Throws InputError that names file, operator and place.
  [[noreturn]] void Fail(const std::string& what) const;

  // Its options; an error where the file has none or those of another operator.
  template <class Options>
  const Options& OptionsAs() const {
    const auto* options = proto_->builtin_options_as<Options>();
    if (options == nullptr) Fail("its options are missing, or those of another operator");
    return *options;
  }

  std::size_t inputs() const { return inputs_.size(); }
  bool Has(std::size_t i) const { return i < inputs_.size() && inputs_[i] >= 0; }
  bool IsConstant(std::size_t i) const { return std::holds_alternative<TfliteConstant>(Value(i)); }
  const TfliteActivation& Data(std::size_t i) const;    // an error where it is a constant
  const TfliteConstant& Constant(std::size_t i) const;  // an error where a layer computes it
  Shape ShapeOf(std::size_t i) const;                   // in the file's order
  std::vector<std::int64_t> IntsOf(std::size_t i) const;
  float FloatOf(std::size_t i) const;     // of one number
  bool IsQuantized(std::size_t i) const;  // whole numbers of 8 bits

  std::size_t outputs() const { return outputs_.size(); }
  Shape OutputShape(std::size_t i) const;  // as the file states it

  // Adds a layer. Its name is that of the first output; helpers before and after the layer of note have a
  // suffix.
  TfliteActivation Layer(Op op, Attributes attributes, const std::vector<TfliteActivation>& inputs,
                         const std::string& suffix = "");
  // The same numbers, in the file's order, under another shape of the file's order.
  TfliteActivation Reshaped(const TfliteActivation& in, const Shape& to, const std::string& suffix = "",
                            const Shape& asked = {});
  TfliteActivation Activated(const TfliteActivation& in, tfl::ActivationFunctionType function);
  // On the grid of that output, where it has one.
  TfliteActivation OnGridOf(std::size_t output, const TfliteActivation& in);
  // A weight of the layer `to`, as large as `shape`. With an order, the constant is seen as `view` and its
  // axes are moved.
  void Weight(const TfliteActivation& to, const std::string& role, const TfliteConstant& constant,
              Shape shape, Shape view = {}, std::vector<std::size_t> order = {});
  void Give(std::size_t output, TfliteActivation value);
  void Give(std::size_t output, TfliteConstant value);
  void LeaveOut();

  std::int64_t Elements(const Shape& shape) const;  // checked
  std::size_t Axis(std::int64_t axis, std::size_t rank) const;

 private:
  const TfliteValue& Value(std::size_t i) const;
  std::size_t Output(std::size_t i) const;
  std::string InputText(std::size_t i) const;
  TfliteActivation Moved(const TfliteActivation& in, const std::array<std::size_t, 4>& order,
                         const std::string& suffix);

  TfliteGraph& graph_;
  std::size_t index_;
  const tfl::Operator* proto_;
  tfl::BuiltinOperator type_ = tfl::BuiltinOperator::CUSTOM;
  std::vector<std::int64_t> inputs_, outputs_;  // tensors, in range; -1: left out
  std::string name_;
};

// By operator; null where it is not known.
using TfliteTranslation = void (*)(TfliteNode& node);
TfliteTranslation FindTfliteTranslation(tfl::BuiltinOperator type);
// Of operators all of whose inputs are constants, and of SHAPE.
using TfliteFolding = TfliteConstant (*)(TfliteNode& node);
TfliteFolding FindTfliteFolding(tfl::BuiltinOperator type);

}  // namespace tandem
