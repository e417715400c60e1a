#include "profiles/model/weights.h"

#include <algorithm>
#include <cmath>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/model/shape_inference.h"

namespace tandem {
namespace {

using Roles = std::vector<std::pair<std::string, Shape>>;

std::string Describe(const WeightKey& key) { return "the " + key.role + " of layer " + Quoted(key.layer); }

// Kernels that are fast make numbers of what is none: nothing would tell of it at the outputs.
void ExpectNumbers(const std::vector<float>& values, const std::string& source, const WeightKey& key) {
  const auto none = std::find_if(values.begin(), values.end(), [](float value) { return std::isnan(value); });
  if (none == values.end()) return;
  throw InputError(source + ": " + Describe(key) + " has NaN at position " +
                   std::to_string(none - values.begin()) + ", which is no number");
}

}  // namespace

const float* FindWeight(const Weights& weights, const Layer& layer, const char* role) {
  const auto found = weights.find({layer.name, role});
  return found == weights.end() ? nullptr : found->second.values.data();
}

std::vector<std::pair<std::string, Shape>> WeightShapes(const Model& model, LayerId id) {
  std::vector<std::pair<std::string, Shape>> shapes;
  for (WeightRole& role : WeightsOf(model, id))
    shapes.emplace_back(std::move(role.name), std::move(role.shape));
  return shapes;
}

void CheckWeights(const Model& model, const Weights& weights, const std::string& source) {
  std::map<WeightKey, Shape> shapes;
  for (const auto& [key, tensor] : weights) shapes[key] = tensor.shape;
  CheckWeightShapes(model, shapes, source);
  for (const auto& [key, tensor] : weights) {
    if (tensor.values.size() != static_cast<std::size_t>(Elements(tensor.shape))) {
      throw InputError(source + ": " + Describe(key) + " has " + std::to_string(tensor.values.size()) +
                       " numbers, its shape " + ShapeText(tensor.shape) + " needs another count");
    }
    ExpectNumbers(tensor.values, source, key);
  }
}

void CheckWeightShapes(const Model& model, const std::map<WeightKey, Shape>& shapes,
                       const std::string& source) {
  std::size_t needed = 0;
  for (std::size_t i = 0; i < model.size(); ++i) {
    for (const auto& [role, shape] : WeightShapes(model, LayerId(i))) {
      const WeightKey key{model.layer(LayerId(i)).name, role};
      const auto found = shapes.find(key);
      if (found == shapes.end()) throw InputError(source + ": " + Describe(key) + " is missing");
      if (found->second != shape) {
        throw InputError(source + ": " + Describe(key) + " has the shape " + ShapeText(found->second) +
                         ", its layer needs " + ShapeText(shape));
      }
      ++needed;
    }
  }
  if (needed == shapes.size()) return;
  std::vector<std::string> names;
  for (const Layer& layer : model.layers()) names.push_back(layer.name);
  for (const auto& [key, shape] : shapes) {
    const LayerId id = model.Find(key.layer);
    if (!id.valid()) {
      throw InputError(source + ": " + Describe(key) + " belongs to no layer of " + Quoted(model.name()) +
                       Suggestion(key.layer, names));
    }
    const auto roles = WeightShapes(model, id);
    const auto is_role = [&key = key](const auto& role) { return role.first == key.role; };
    if (std::none_of(roles.begin(), roles.end(), is_role)) {
      throw InputError(source + ": " + Describe(key) + " is more than its operation, " +
                       std::string(OpName(model.layer(id).op)) + ", takes");
    }
  }
}

}  // namespace tandem
