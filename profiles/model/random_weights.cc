// Random weights for networks whose real ones are not shipped. Every layer's numbers come from its own
// generator, so that a change to one layer leaves the draws of all others alone. How large they are follows
// the second moment E[x^2] of the activations, estimated through the graph: a layer that multiplies gives
// about 1 whatever it reads, so that sums of residual branches grow with their number only, and nothing
// vanishes or explodes.
#include <algorithm>
#include <cmath>
#include <random>
#include <span>

#include "profiles/base/hash.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/base/table.h"
#include "profiles/model/shape_inference.h"
#include "profiles/model/weights.h"

namespace tandem {
namespace {

constexpr double kLeastMoment = 1e-12, kMostMoment = 1e12;

// A line of a stranger's file may ask for 2^40. What is read from a file of weights is no larger than that.
void CheckDrawn(const Model& model) {
  std::int64_t all = 0, most = 0;
  LayerId largest(0);
  for (std::size_t i = 0; i < model.size(); ++i) {
    std::int64_t own = 0;
    for (const WeightRole& role : WeightsOf(model, LayerId(i))) own += Elements(role.shape);
    all += own;
    if (own > most) largest = LayerId(i);
    most = std::max(most, own);
  }
  if (all <= kMostRandomWeights) return;
  throw InputError("model " + Quoted(model.name()) + ": its " + Grouped(all) + " weights, of which layer " +
                   Quoted(model.layer(largest).name) + " has the most, would be random ones of " +
                   Grouped(all >> 18) + " MiB; at most " + Grouped(kMostRandomWeights >> 18) +
                   " MiB are made: give it a file with its weights, or layers that are smaller");
}

// Uniform numbers by a formula of our own: the standard library's distributions differ between systems.
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : bits_(seed) {}

  void Fill(std::vector<float>& values, const RandomSpread& spread) {
    const auto scale = static_cast<float>(std::sqrt(3.0) * spread.deviation / (1 << 24));
    const auto offset = static_cast<float>(spread.middle);
    for (std::size_t i = 0; i < values.size(); i += 2) {
      const std::uint64_t draw = bits_();
      values[i] = offset + scale * Odd(draw >> 40);
      if (i + 1 < values.size()) values[i + 1] = offset + scale * Odd((draw >> 8) & 0xFFFFFF);
    }
  }

 private:
  // Of 24 bits: an odd number between -2^24 and 2^24.
  static float Odd(std::uint64_t bits) {
    return static_cast<float>(2 * static_cast<std::int32_t>(bits) + 1 - (1 << 24));
  }

  std::mt19937_64 bits_;
};

// Of a quantized layer: a step for each output, of which 127 reach as far as its greatest weight does, and
// the weights as whole multiples.
void PutOnGrid(const std::string& layer, Weights& weights) {
  const auto step = weights.find({layer, "step"});
  if (step == weights.end()) return;
  std::vector<float>&steps = step->second.values, &all = weights.at({layer, "weight"}).values;
  const std::size_t each = all.size() / steps.size();
  for (std::size_t output = 0; output < steps.size(); ++output) {
    const std::span<float> own(all.data() + output * each, each);
    float greatest = 0;
    for (const float value : own) greatest = std::max(greatest, std::abs(value));
    steps[output] = greatest / 127;
    for (float& value : own) value = std::nearbyint(value / steps[output]) * steps[output];
  }
}

}  // namespace

Weights RandomWeights(const Model& model, std::uint64_t seed) {
  CheckDrawn(model);
  Weights weights;
  std::vector<double> moments;
  for (std::size_t i = 0; i < model.size(); ++i) {
    const Layer& layer = model.layer(LayerId(i));
    const LayerShapes shapes = ShapesOf(model, LayerId(i));
    MomentsRead read{shapes, {}};
    for (const LayerId input : layer.inputs) read.in.push_back(moments[input.index()]);
    read.of_sum = !layer.inputs.empty() && model.layer(layer.inputs[0]).op == Op::kAdd;
    Uniform random(seed ^ Fnv1a64(layer.name));
    for (const WeightRole& role : WeightsOf(model, LayerId(i))) {
      Tensor tensor{role.shape, std::vector<float>(static_cast<std::size_t>(Elements(role.shape)))};
      random.Fill(tensor.values, role.spread(read.in[0], role.fan_in));
      weights.emplace(WeightKey{layer.name, role.name}, std::move(tensor));
    }
    PutOnGrid(layer.name, weights);
    moments.push_back(std::clamp(Declaration(layer.op).moment(read), kLeastMoment, kMostMoment));
  }
  return weights;
}

}  // namespace tandem
