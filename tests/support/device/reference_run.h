// Builds and runs one layer on the reference backend, for tests by hand-computed numbers and by laws.
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "device/backends/reference/reference.h"

namespace tandem {

// 1, 2, 3, ...: sums over them are known by heart.
inline Tensor Counting(const Shape& shape, float first = 1) {
  Tensor tensor{shape, std::vector<float>(static_cast<std::size_t>(Elements(shape)))};
  std::iota(tensor.values.begin(), tensor.values.end(), first);
  return tensor;
}

// Scattered between -1 and 1, the same for the same seed.
inline Tensor Scattered(const Shape& shape, std::uint32_t seed = 1) {
  Tensor tensor{shape, std::vector<float>(static_cast<std::size_t>(Elements(shape)))};
  for (float& value : tensor.values) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<float>(static_cast<int>(seed >> 16) - 32768) / 32768;
  }
  return tensor;
}

using RoleTensors = std::vector<std::pair<std::string, Tensor>>;

// The output of a single layer "x" that reads `inputs`.
inline Tensor RunOp(Op op, const Attributes& attributes, const std::vector<Tensor>& inputs,
                    const RoleTensors& roles = {}) {
  std::vector<LayerSpec> specs;
  LayerSpec layer{"x", op, attributes, {}};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    layer.inputs.push_back("in" + std::to_string(i));
    specs.push_back({layer.inputs.back(), Op::kInput, InputAttributes{inputs[i].shape}, {}});
  }
  specs.push_back(layer);
  Weights weights;
  for (const auto& [role, tensor] : roles) weights[{"x", role}] = tensor;
  return RunReference(Model::Build("test", specs, "test"), weights, inputs).back();
}

}  // namespace tandem
