// The operations of a layer: one name per operation, whatever a source format calls it. What is known of each
// stands in its declaration (op_declaration.h, ops/).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

// Those that the code names. Others may be declared anywhere; they have ids from kOutside on.
enum class Op : std::uint16_t {
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
  kQuantize,
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

  kOutside,  // the first of those that only their declarations know
};

const std::string& OpName(Op op);  // "max_pool", as a model file says it
std::optional<Op> FindOp(std::string_view name);
std::vector<std::string_view> OpNames();  // of all operations, by id

// What the operation does to its numbers; see OpKind.
bool IsActivation(Op op);  // one number in, one out, as a step behind a kernel
bool IsNothing(Op op);     // dropout, identity: what they read is what they make
bool IsFree(Op op);        // moves no data and computes nothing: needs no time of its own in a profile
bool IsView(Op op);        // what it makes may lie in the memory of what it reads

}  // namespace tandem
