// What a layer asks of a processor, in the terms that an estimate is made of: a class of operation, how many
// operations, how many bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "profiles/base/json_reader.h"
#include "profiles/model/model.h"

namespace tandem {

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

// operations: multiply-accumulates of conv and fc; elements read in windows for pool and lrn; elements
// written for the others. bytes: activations read and written and weights, in fp32.
struct LayerWork {
  CostClass cost_class = CostClass::kElementwise;
  double operations = 0;
  double bytes = 0;
};

LayerWork WorkOf(const Model& model, LayerId id);

// Of layers that run as one kernel: the class of the heaviest, all operations, the bytes that cross the
// group's border.
LayerWork WorkOfGroup(const Model& model, const std::vector<LayerId>& group);

}  // namespace tandem
