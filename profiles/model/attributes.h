// What tells one layer from another of the same operation.
#pragma once

#include <algorithm>
#include <any>
#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "profiles/base/check.h"
#include "profiles/base/json_reader.h"
#include "profiles/model/op.h"
#include "profiles/model/shape.h"

namespace tandem {

// Extents in height and width; pads are those before and after in each.
struct Extent {
  std::int64_t h = 1, w = 1;
  friend bool operator==(const Extent&, const Extent&) = default;
};
struct Padding {
  std::int64_t top = 0, left = 0, bottom = 0, right = 0;
  friend bool operator==(const Padding&, const Padding&) = default;
};

// Of numbers that go into a program that nobody sees, or come out of it.
enum class ElementType : std::uint8_t {
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kUint64,
  kInt64,
  kFp16,
  kBf16,
  kFp32,
  kFp64
};
inline constexpr std::array<Named<ElementType>, 12> kElementTypeNames = {{{"uint8", ElementType::kUint8},
                                                                          {"int8", ElementType::kInt8},
                                                                          {"uint16", ElementType::kUint16},
                                                                          {"int16", ElementType::kInt16},
                                                                          {"uint32", ElementType::kUint32},
                                                                          {"int32", ElementType::kInt32},
                                                                          {"uint64", ElementType::kUint64},
                                                                          {"int64", ElementType::kInt64},
                                                                          {"fp16", ElementType::kFp16},
                                                                          {"bf16", ElementType::kBf16},
                                                                          {"fp32", ElementType::kFp32},
                                                                          {"fp64", ElementType::kFp64}}};
std::int64_t BytesOfElement(ElementType type);

// input: the shape with its batch.
struct InputAttributes {
  Shape shape;
  std::optional<ElementType> type = {};  // where opaque layers alone read it
};
// conv and deconv.
struct ConvAttributes {
  std::int64_t out_channels = 0;
  Extent kernel;
  Extent stride;
  Padding pad;
  Extent dilation;
  std::int64_t groups = 1;
  bool bias = true;
  Extent output_pad{0, 0};  // deconv alone: rows and columns added at the bottom and right
  bool quantized = false;   // conv alone: its weights are whole multiples of a step for each output channel
};
// fc: all axes from `axis` on are flattened into one, then multiplied. axis -1: the last axis alone.
struct FcAttributes {
  std::int64_t out_features = 0;
  bool bias = true;
  std::int64_t axis = 1;
  bool quantized = false;  // its weights are whole multiples of a step for each output
};
// max_pool and avg_pool. Where the output is rounded up, a window must still start inside the input or its
// left and top padding (the rule of Caffe and PyTorch).
struct PoolAttributes {
  Extent kernel;
  Extent stride;
  Padding pad;
  Extent dilation;
  bool ceil_mode = false;
  bool count_include_pad = true;  // avg_pool: does padding count in the divisor?
  bool global = false;            // the window is the whole input; the fields above then mean nothing
  // Not 0: the output has these extents, position i of `out` over `in` being the window from floor(i * in /
  // out) to ceil((i + 1) * in / out), and the fields above mean nothing (PyTorch's adaptive pooling).
  Extent adaptive{0, 0};
};
struct LeakyReluAttributes {
  double slope = 0.01;
};
struct PreluAttributes {
  bool shared = false;  // one slope for all channels
};
struct EluAttributes {
  double alpha = 1;
};
struct HardSigmoidAttributes {
  double alpha = 0.2, beta = 0.5;
};
struct ClipAttributes {
  double min = 0, max = 0;
};
// quantize: the nearest of 256 numbers, (q - zero_point) * scale for the whole q of the type; a tie goes to
// the even multiple of the scale.
enum class GridType : std::uint8_t { kInt8, kUint8 };
inline constexpr std::array<Named<GridType>, 2> kGridTypeNames = {
    {{"int8", GridType::kInt8}, {"uint8", GridType::kUint8}}};
struct QuantizeAttributes {
  double scale = 1;
  std::int64_t zero_point = 0;
  GridType type = GridType::kInt8;

  // Of q - zero_point; the greatest is 255 more.
  std::int64_t least() const { return (type == GridType::kInt8 ? -128 : 0) - zero_point; }
  friend bool operator==(const QuantizeAttributes&, const QuantizeAttributes&) = default;
};
struct LrnAttributes {
  std::int64_t size = 5;
  double alpha = 1e-4, beta = 0.75, k = 1;
  bool within_channel = false;
};
// batch_norm: `affine` says that it has gamma and beta of its own (Caffe's has not).
struct BatchNormAttributes {
  double epsilon = 1e-5;
  bool affine = true;
};
struct LayerNormAttributes {
  double epsilon = 1e-5;
  std::int64_t axis = -1;
  bool bias = true;
};
// scale: one factor, and perhaps one offset, per channel.
struct ScaleAttributes {
  bool bias = true;
};
// add, sub, mul, div, pow, max, min of the inputs in order, broadcast as NumPy does. A constant operand comes
// after the inputs, or before them where `constant_first`; its elements are parameters. `coefficients` (add
// alone, one per input or none) multiply the inputs first.
struct ElementwiseAttributes {
  std::vector<double> coefficients;
  bool has_constant = false;
  Shape constant_shape;  // {} is one number
  bool constant_first = false;
};
struct AxisAttributes {  // concat, softmax, flatten
  std::int64_t axis = 1;
};
struct DropoutAttributes {
  double ratio = 0.5;
};
struct ReshapeAttributes {
  Shape shape;  // 0 keeps the input's extent, one -1 is inferred; the batch is the first
};
// opaque: a program's output for one inference, and what it keeps.
struct OpaqueAttributes {
  Shape shape;
  std::int64_t params = 0;
  std::optional<ElementType> type = {};
};
struct TransposeAttributes {
  std::vector<std::int64_t> order;
};
enum class PadMode : std::uint8_t { kConstant, kReflect, kEdge };
inline constexpr std::array<Named<PadMode>, 3> kPadModeNames = {
    {{"constant", PadMode::kConstant}, {"reflect", PadMode::kReflect}, {"edge", PadMode::kEdge}}};
struct PadAttributes {
  std::vector<std::int64_t> before, after;  // per axis
  PadMode mode = PadMode::kConstant;
  double value = 0;
};
// slice: one half-open range with a step per named axis.
struct SliceAttributes {
  std::vector<std::int64_t> axes, starts, ends, steps;
};
// nearest: the element at floor(position / scale). linear: between the centres of elements ("half pixel").
enum class UpsampleMode : std::uint8_t { kNearest, kLinear };
inline constexpr std::array<Named<UpsampleMode>, 2> kUpsampleModeNames = {
    {{"nearest", UpsampleMode::kNearest}, {"linear", UpsampleMode::kLinear}}};
// linear alone: a position shows what lies between the centres of elements; the first and the last positions
// show the first and the last elements; or positions are counted from the elements' edges ("half pixel",
// "align corners" and "asymmetric" of other tools).
enum class UpsampleAlign : std::uint8_t { kCentres, kCorners, kEdges };
inline constexpr std::array<Named<UpsampleAlign>, 3> kUpsampleAlignNames = {
    {{"centres", UpsampleAlign::kCentres},
     {"corners", UpsampleAlign::kCorners},
     {"edges", UpsampleAlign::kEdges}}};
struct UpsampleAttributes {
  // The output is floor(extent * scale). nearest reads position floor(at / scale), linear blends the
  // neighbours of (at + 0.5) / scale - 0.5, not below 0 (the rules of PyTorch).
  double scale_h = 1, scale_w = 1;
  UpsampleMode mode = UpsampleMode::kNearest;
  UpsampleAlign align = UpsampleAlign::kCentres;
};
// Along one axis linear blends the neighbours of (at + shift) / scale - shift, not below 0.
struct LinearPlaces {
  double scale = 1, shift = 0.5;
  double At(double at) const { return std::max(0.0, (at + shift) / scale - shift); }
};
LinearPlaces PlacesOf(UpsampleAlign align, double scale, std::int64_t in, std::int64_t out);
struct ReduceAttributes {
  std::vector<std::int64_t> axes;
  bool keep_dims = true;
};
struct NoAttributes {};

// One struct of those above, or an outside operation's own.
class Attributes {
 public:
  Attributes() : value_(NoAttributes{}) {}
  template <class A, class = std::enable_if_t<std::is_aggregate_v<std::decay_t<A>>>>
  Attributes(A&& value) : value_(std::forward<A>(value)) {}

  template <class A>
  const A& As() const {
    const A* value = std::any_cast<A>(&value_);
    TANDEM_CHECK(value != nullptr, "a layer has the attributes of its operation");
    return *value;
  }
  template <class A>
  A& As() {
    return const_cast<A&>(std::as_const(*this).As<A>());
  }

 private:
  std::any value_;
};

// The attributes of `op` with their defaults.
Attributes DefaultAttributes(Op op);

}  // namespace tandem
