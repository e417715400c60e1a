#include "device/lowering/folded_weights.h"

#include <cmath>

namespace tandem {
namespace {

void Append(ChannelAffine& affine, std::size_t channel, double factor, double offset) {
  affine.factor[channel] *= factor;
  affine.offset[channel] = affine.offset[channel] * factor + offset;
}

double At(const float* values, std::size_t i, double otherwise) {
  return values == nullptr ? otherwise : static_cast<double>(values[i]);
}

void AppendBatchNorm(const ModelWeights& of, LayerId id, ChannelAffine& affine) {
  const float *gamma = of.Of(id, "gamma"), *beta = of.Of(id, "beta");
  const float *mean = of.Of(id, "mean"), *variance = of.Of(id, "variance");
  const double epsilon = of.layer(id).As<BatchNormAttributes>().epsilon;
  for (std::size_t c = 0; c < affine.factor.size(); ++c) {
    const double factor = At(gamma, c, 1) / std::sqrt(At(variance, c, 1) + epsilon);
    Append(affine, c, factor, At(beta, c, 0) - At(mean, c, 0) * factor);
  }
}

// add, sub, mul and div of a constant.
void AppendConstant(const ModelWeights& of, LayerId id, ChannelAffine& affine) {
  const Layer& layer = of.layer(id);
  const auto& a = layer.As<ElementwiseAttributes>();
  const float* constant = of.Of(id, "constant");
  const bool each = Elements(a.constant_shape) > 1;
  for (std::size_t c = 0; c < affine.factor.size(); ++c) {
    const double value = static_cast<double>(constant[each ? c : 0]);
    if (layer.op == Op::kMul) Append(affine, c, value, 0);
    if (layer.op == Op::kDiv) Append(affine, c, 1 / value, 0);
    if (layer.op == Op::kAdd) Append(affine, c, 1, value);
    if (layer.op == Op::kSub) Append(affine, c, a.constant_first ? -1 : 1, a.constant_first ? value : -value);
  }
}

}  // namespace

ChannelAffine AffineOf(const ModelWeights& of, const FusedGroup& layers, std::int64_t channels) {
  const auto count = static_cast<std::size_t>(channels);
  ChannelAffine affine{std::vector<double>(count, 1), std::vector<double>(count, 0)};
  for (const LayerId id : layers) {
    if (!IsAffine(of.model, id)) continue;
    const Layer& layer = of.layer(id);
    if (layer.op == Op::kBatchNorm) {
      AppendBatchNorm(of, id, affine);
    } else if (layer.op == Op::kScale) {
      const float *gamma = of.Of(id, "gamma"), *beta = of.Of(id, "beta");
      for (std::size_t c = 0; c < count; ++c) Append(affine, c, At(gamma, c, 1), At(beta, c, 0));
    } else {
      AppendConstant(of, id, affine);
    }
  }
  return affine;
}

FoldedWeights FoldWeights(const ModelWeights& of, const FusedGroup& group) {
  const Layer& layer = of.layer(group[0]);
  const bool fc = layer.op == Op::kFc;
  const std::int64_t channels = fc ? layer.As<FcAttributes>().out_features : layer.output[1];
  FoldedWeights folded;
  folded.weight = of.Of(group[0], "weight");
  const float* bias = of.Of(group[0], "bias");
  bool plain = true;
  for (const LayerId id : group) {
    plain = plain && !IsAffine(of.model, id);
  }
  if (plain) {
    if (bias != nullptr) folded.bias.assign(bias, bias + channels);
    return folded;
  }
  const ChannelAffine affine = AffineOf(of, group, channels);
  for (std::size_t c = 0; c < affine.factor.size(); ++c) {
    folded.bias.push_back(static_cast<float>(At(bias, c, 0) * affine.factor[c] + affine.offset[c]));
  }
  const auto count = static_cast<std::size_t>(layer.counts.params - (bias == nullptr ? 0 : channels));
  folded.scaled.resize(count);
  // conv and fc have the output channel outermost; deconv (in, out / groups, h, w).
  std::size_t inner = count / affine.factor.size(), outputs = affine.factor.size(), groups = 1, in = 1;
  if (layer.op == Op::kDeconv) {
    const auto& a = layer.As<ConvAttributes>();
    groups = static_cast<std::size_t>(a.groups);
    outputs /= groups;
    inner = static_cast<std::size_t>(a.kernel.h * a.kernel.w);
    in = count / (outputs * inner);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t channel = i / inner % outputs + i / (inner * outputs) / (in / groups) * outputs;
    folded.scaled[i] = static_cast<float>(static_cast<double>(folded.weight[i]) * affine.factor[channel]);
  }
  return folded;
}

}  // namespace tandem
