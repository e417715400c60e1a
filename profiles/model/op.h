// The operations of a layer: one name per operation, whatever a source format calls it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "profiles/base/json_reader.h"

namespace tandem {

enum class Op : std::uint8_t {
  kInput,
  kConv,
  kDeconv,
  kFc,
  kMatmul,
  kMaxPool,
  kAvgPool,
  kRelu,
  kRelu6,
  kLeakyRelu,
  kPrelu,
  kElu,
  kSigmoid,
  kHardSigmoid,
  kHardSwish,
  kTanh,
  kSoftplus,
  kGelu,
  kErf,
  kExp,
  kLog,
  kSqrt,
  kAbs,
  kNeg,
  kClip,
  kLrn,
  kBatchNorm,
  kLayerNorm,
  kScale,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kPow,
  kMax,
  kMin,
  kConcat,
  kSoftmax,
  kDropout,
  kIdentity,
  kFlatten,
  kReshape,
  kTranspose,
  kPad,
  kSlice,
  kUpsample,
  kReduceMean,
};

inline constexpr std::array<Named<Op>, 47> kOpNames = {{
    {"input", Op::kInput},
    {"conv", Op::kConv},
    {"deconv", Op::kDeconv},
    {"fc", Op::kFc},
    {"matmul", Op::kMatmul},
    {"max_pool", Op::kMaxPool},
    {"avg_pool", Op::kAvgPool},
    {"relu", Op::kRelu},
    {"relu6", Op::kRelu6},
    {"leaky_relu", Op::kLeakyRelu},
    {"prelu", Op::kPrelu},
    {"elu", Op::kElu},
    {"sigmoid", Op::kSigmoid},
    {"hard_sigmoid", Op::kHardSigmoid},
    {"hard_swish", Op::kHardSwish},
    {"tanh", Op::kTanh},
    {"softplus", Op::kSoftplus},
    {"gelu", Op::kGelu},
    {"erf", Op::kErf},
    {"exp", Op::kExp},
    {"log", Op::kLog},
    {"sqrt", Op::kSqrt},
    {"abs", Op::kAbs},
    {"neg", Op::kNeg},
    {"clip", Op::kClip},
    {"lrn", Op::kLrn},
    {"batch_norm", Op::kBatchNorm},
    {"layer_norm", Op::kLayerNorm},
    {"scale", Op::kScale},
    {"add", Op::kAdd},
    {"sub", Op::kSub},
    {"mul", Op::kMul},
    {"div", Op::kDiv},
    {"pow", Op::kPow},
    {"max", Op::kMax},
    {"min", Op::kMin},
    {"concat", Op::kConcat},
    {"softmax", Op::kSoftmax},
    {"dropout", Op::kDropout},
    {"identity", Op::kIdentity},
    {"flatten", Op::kFlatten},
    {"reshape", Op::kReshape},
    {"transpose", Op::kTranspose},
    {"pad", Op::kPad},
    {"slice", Op::kSlice},
    {"upsample", Op::kUpsample},
    {"reduce_mean", Op::kReduceMean},
}};

using Shape = std::vector<std::int64_t>;  // batch first: {1, 3, 224, 224}

// Extents in height and width; pads are those before and after in each.
struct Extent {
  std::int64_t h = 1, w = 1;
  friend bool operator==(const Extent&, const Extent&) = default;
};
struct Padding {
  std::int64_t top = 0, left = 0, bottom = 0, right = 0;
  friend bool operator==(const Padding&, const Padding&) = default;
};

// input: the shape with its batch.
struct InputAttributes {
  Shape shape;
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
};
// fc: all axes from `axis` on are flattened into one, then multiplied. axis -1: the last axis alone.
struct FcAttributes {
  std::int64_t out_features = 0;
  bool bias = true;
  std::int64_t axis = 1;
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
struct UpsampleAttributes {
  // The output is floor(extent * scale). nearest reads position floor(at / scale), linear blends the
  // neighbours of (at + 0.5) / scale - 0.5, not below 0 (the rules of PyTorch).
  double scale_h = 1, scale_w = 1;
  UpsampleMode mode = UpsampleMode::kNearest;
};
struct ReduceAttributes {
  std::vector<std::int64_t> axes;
  bool keep_dims = true;
};
struct NoAttributes {};

using Attributes =
    std::variant<NoAttributes, InputAttributes, ConvAttributes, FcAttributes, PoolAttributes,
                 LeakyReluAttributes, PreluAttributes, EluAttributes, HardSigmoidAttributes, ClipAttributes,
                 LrnAttributes, BatchNormAttributes, LayerNormAttributes, ScaleAttributes,
                 ElementwiseAttributes, AxisAttributes, DropoutAttributes, ReshapeAttributes,
                 TransposeAttributes, PadAttributes, SliceAttributes, UpsampleAttributes, ReduceAttributes>;

// The attributes of `op` with their defaults.
Attributes DefaultAttributes(Op op);

// Operations that move no data and compute nothing at inference: they need no time of their own in a profile.
bool IsFree(Op op);

}  // namespace tandem
