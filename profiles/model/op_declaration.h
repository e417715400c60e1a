// All that is known of an operation without running it. Each declaration stands in a file of ops/, by family,
// or outside of the project; kernels and writers of other formats are tables of their own (op_table.h).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "profiles/model/attribute_codecs.h"
#include "profiles/model/attributes.h"

namespace tandem {

// The struct of an operation's attributes and its keys in a model file.
struct AttributesType {
  Attributes defaults;
  std::shared_ptr<const AnyFields> fields;
  void* (*struct_of)(Attributes& attributes);  // what the fields describe

  template <class A>
  AttributesType(const Fields<A>& described)
      : defaults(A{}),
        fields(std::make_shared<Fields<A>>(described)),
        struct_of([](Attributes& attributes) -> void* { return &attributes.As<A>(); }) {}
  AttributesType() : AttributesType(Fields<NoAttributes>()) {}
};

// A layer as its operation's rules see it.
struct LayerShapes {
  const Attributes& attributes;
  std::vector<const Shape*> inputs;
  Shape out;  // empty while the shape is being inferred

  template <class A>
  const A& As() const {
    return attributes.As<A>();
  }
  const Shape& in(std::size_t i = 0) const { return *inputs[i]; }
  double ElementsRead() const;
  double ElementsWritten() const;
};

enum class OpKind : std::uint8_t {
  kOther,
  kInput,
  kProduct,      // weights for each output channel: factors and offsets per channel fold into them
  kActivation,   // one number in, one out; kernels know it as a step behind them
  kElementwise,  // of tensors that broadcast, and of a constant: ElementwiseAttributes
  kNothing,      // what it reads is what it makes
  kReform,       // the same numbers under another shape
  kPart,         // its result or its inputs may lie inside of each other's memory
  kOpaque,       // what it does, and so what it costs, is known to its program alone
};

// How a part of the output (some channels, or rows) follows from parts of the inputs; see layer_parts.h.
enum class PartRule : std::uint8_t {
  kNever,
  kEachNumber,   // from the same part of the input
  kSameShapes,   // the same, of inputs of the output's shape and no constant
  kPool,         // channel by channel, rows by windows: PoolAttributes
  kConvolution,  // channels of a group from all of the group's, rows by windows: ConvAttributes
  kFeatures,     // every feature from all of the input: FcAttributes
};

// Layers of one class reach about the same share of a processor's peak rate. Those up to kFc are matrix
// products.
enum class CostClass : std::uint8_t {
  kConv1x1,
  kConv3x3,    // up to nine taps
  kConvLarge,  // more taps, and transposed convolutions
  kConvDepthwise,
  kFc,
  kPool,
  kLrn,
  kElementwise,  // activations, normalisation by constants, sums
  kCopy,         // concat, slice, pad, transpose, upsample
  kSoftmax,
};
inline constexpr std::array<Named<CostClass>, 10> kCostClassNames = {
    {{"conv 1x1", CostClass::kConv1x1},
     {"conv 3x3", CostClass::kConv3x3},
     {"conv larger", CostClass::kConvLarge},
     {"conv depthwise", CostClass::kConvDepthwise},
     {"fc", CostClass::kFc},
     {"pool", CostClass::kPool},
     {"lrn", CostClass::kLrn},
     {"elementwise", CostClass::kElementwise},
     {"copy", CostClass::kCopy},
     {"softmax", CostClass::kSoftmax}}};
inline constexpr std::size_t kCostClasses = kCostClassNames.size();

// Random numbers symmetric around `middle`, with that standard deviation.
struct RandomSpread {
  double middle = 0, deviation = 0.1;
};

// A tensor of a layer's weights: its role and shape, and how large its random numbers are where `moment` is
// E[x^2] of the layer's input and `fan_in` the numbers that one output sums over.
struct WeightRole {
  std::string name;
  Shape shape;
  RandomSpread (*spread)(double moment, double fan_in) = [](double, double) { return RandomSpread{}; };
  double fan_in = 1;
  bool state = false;  // not trained: a running mean or variance
};

// E[x^2] of each input, and whether the first is a sum of branches.
struct MomentsRead {
  const LayerShapes& of;
  std::vector<double> in;
  bool of_sum = false;
};

// The rules may throw InputError with a plain sentence ("expects 4 axes, its input has 2: 1x1000").
struct OpDeclaration {
  std::string name;
  AttributesType attributes = {};
  OpKind kind = OpKind::kOther;
  std::size_t inputs = 1;
  bool or_more = false;  // inputs

  Shape (*shape)(const LayerShapes& of) = [](const LayerShapes& of) { return of.in(); };
  std::vector<WeightRole> (*weights)(const LayerShapes& of) = [](const LayerShapes&) {
    return std::vector<WeightRole>{};
  };
  std::int64_t (*macs)(const LayerShapes& of) = nullptr;  // multiply-accumulates, of products alone
  PartRule parts = PartRule::kNever;

  // For estimates. Operations are its macs or else the elements that it writes unless there is a rule.
  CostClass cost_class = CostClass::kElementwise;
  CostClass (*cost_class_of)(const LayerShapes& of) = nullptr;  // instead, where it depends on the layer
  double (*operations)(const LayerShapes& of) = nullptr;

  // E[x^2] of the output when its weights are random.
  double (*moment)(const MomentsRead& read) = [](const MomentsRead& read) { return read.in[0]; };

  // Do the tools whose dumps are read fuse what follows into it, and it into what stands in front?
  bool takes_in = false, taken_in = false;
};

const OpDeclaration& Declaration(Op op);

// `const OpRegistration kConv{Op::kConv, {.name = "conv", ...}};` at namespace scope. Without an id of op.h:
// one that is free, `op` tells which.
struct OpRegistration {
  Op op;
  OpRegistration(Op known, OpDeclaration declaration);
  explicit OpRegistration(OpDeclaration declaration);
};

}  // namespace tandem
