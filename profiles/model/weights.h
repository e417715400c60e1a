// The numbers of a model: one tensor per layer and role. Models carry shapes only, so that everything but
// running kernels works without weights.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/model/model.h"

namespace tandem {

struct Tensor {
  Shape shape;
  std::vector<float> values;
};

// Roles and shapes: weight (conv: out, in / groups, h, w; deconv: in, out / groups, h, w; fc: out, in), bias,
// gamma, beta, mean, variance (per channel; scale has gamma and beta), slope (prelu), constant (elementwise).
struct WeightKey {
  std::string layer;
  std::string role;
  friend auto operator<=>(const WeightKey&, const WeightKey&) = default;
};
using Weights = std::map<WeightKey, Tensor>;

// The layer's numbers of that role, nullptr where it has none.
const float* FindWeight(const Weights& weights, const Layer& layer, const char* role);

// The roles and shapes of the tensors that layer `id` needs.
std::vector<std::pair<std::string, Shape>> WeightShapes(const Model& model, LayerId id);

// Throws InputError, `source` first, where a tensor is missing, superfluous, of another shape than its
// layer's, or holds NaN.
void CheckWeights(const Model& model, const Weights& weights, const std::string& source);

// The same, of what their shapes tell.
void CheckWeightShapes(const Model& model, const std::map<WeightKey, Shape>& shapes,
                       const std::string& source);

inline constexpr std::int64_t kMostRandomWeights = std::int64_t{1} << 31;  // of four bytes each

// Seeded weights that keep activations finite and alive through all layers (scaled by fan-in). Throws
// InputError where there would be more of them.
Weights RandomWeights(const Model& model, std::uint64_t seed);

}  // namespace tandem
