// Random weights for networks whose real ones are not shipped. Every layer's numbers come from its own
// generator, so that a change to one layer leaves the draws of all others alone. How large they are follows
// the second moment E[x^2] of the activations, estimated through the graph: a layer that multiplies gives
// about 1 whatever it reads, so that sums of residual branches grow with their number only, and nothing
// vanishes or explodes.
#include <algorithm>
#include <cmath>
#include <random>

#include "profiles/base/hash.h"
#include "profiles/model/weights.h"

namespace tandem {
namespace {

constexpr double kLeastMoment = 1e-12, kMostMoment = 1e12;

// Uniform numbers by a formula of our own: the standard library's distributions differ between systems.
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : bits_(seed) {}

  // Symmetric around `middle`, with that standard deviation.
  void Fill(std::vector<float>& values, double middle, double deviation) {
    const auto scale = static_cast<float>(std::sqrt(3.0) * deviation / (1 << 24));
    const auto offset = static_cast<float>(middle);
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

// The numbers that one output sums over, from a weight's shape.
double FanIn(const Layer& layer, const Shape& weight) {
  const double per_channel = static_cast<double>(Elements(weight)) / static_cast<double>(weight[0]);
  if (layer.op != Op::kDeconv) return per_channel;
  const auto& a = layer.As<ConvAttributes>();
  const double overlap =
      static_cast<double>(a.kernel.h * a.kernel.w) / static_cast<double>(a.stride.h * a.stride.w);
  const std::int64_t channels = weight[0] / a.groups;  // exact: the groups divide the channels
  return std::max(1.0, static_cast<double>(channels) * overlap);
}

// `moment` is that of the layer's input.
void FillRole(const Layer& layer, const std::string& role, double moment, Tensor& tensor, Uniform& random) {
  if (role == "weight") {
    random.Fill(tensor.values, 0, 1 / std::sqrt(FanIn(layer, tensor.shape) * moment));
  } else if (role == "gamma") {
    random.Fill(tensor.values, 1, 0.1);
  } else if (role == "variance") {
    random.Fill(tensor.values, moment, 0.1 * moment);
  } else if (role == "mean") {
    random.Fill(tensor.values, 0, 0.1 * std::sqrt(moment));
  } else if (role == "slope") {
    random.Fill(tensor.values, 0.25, 0.05);
  } else if (role == "constant" && layer.op == Op::kPow) {
    random.Fill(tensor.values, 2, 0);  // a square is finite for every base
  } else if (role == "constant" && (layer.op == Op::kMul || layer.op == Op::kDiv)) {
    random.Fill(tensor.values, 1, 0.1);
  } else {  // bias, beta, what is added
    random.Fill(tensor.values, 0, 0.1);
  }
}

double MomentOfSum(const ElementwiseAttributes& a, const std::vector<double>& in) {
  double sum = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double factor = a.coefficients.empty() ? 1 : a.coefficients[i];
    sum += factor * factor * in[i];
  }
  return sum;
}

double MomentOfProduct(const std::vector<double>& in) {
  double product = 1;
  for (const double moment : in) product *= moment;
  return product;
}

double MomentOfConcat(const Model& model, const Layer& layer, const std::vector<double>& in) {
  double sum = 0, elements = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto count = static_cast<double>(Elements(model.layer(layer.inputs[i]).output));
    sum += count * in[i];
    elements += count;
  }
  return sum / elements;
}

// Half of what is symmetric around 0, as conv and fc give it. A sum of branches is not: it holds a stream
// that was cut at 0 before, so that next to nothing is cut from it again.
double MomentOfCut(const Model& model, const Layer& layer, double in) {
  return model.layer(layer.inputs[0]).op == Op::kAdd ? in : in / 2;
}

double MomentOf(const Model& model, const Layer& layer, const std::vector<double>& in) {
  switch (layer.op) {
    case Op::kInput:
    case Op::kConv:
    case Op::kDeconv:
    case Op::kFc:
    case Op::kBatchNorm:
    case Op::kLayerNorm:
      return 1;
    case Op::kRelu:
    case Op::kRelu6:
    case Op::kLeakyRelu:
    case Op::kPrelu:
    case Op::kElu:
    case Op::kGelu:
    case Op::kHardSwish:
    case Op::kSoftplus:
      return MomentOfCut(model, layer, in[0]);
    case Op::kSigmoid:
    case Op::kHardSigmoid:
      return 0.3;
    case Op::kTanh:
    case Op::kErf:
      return std::min(in[0], 0.5);
    case Op::kExp:
      return std::exp(2 * std::min(in[0], 10.0));
    case Op::kMaxPool:
      return 2 * in[0];
    case Op::kAvgPool:
    case Op::kReduceMean:
      return 0.7 * in[0];
    case Op::kAdd:
    case Op::kSub:
      return MomentOfSum(layer.As<ElementwiseAttributes>(), in);
    case Op::kMul:
      return MomentOfProduct(in);
    case Op::kDiv:
      return 1;
    case Op::kPow:
      return 3 * in[0] * in[0];
    case Op::kMatmul:
      return MomentOfProduct(in) * static_cast<double>(model.layer(layer.inputs[0]).output.back());
    case Op::kConcat:
      return MomentOfConcat(model, layer, in);
    case Op::kSoftmax:
      return 2.0 / static_cast<double>(layer.output.back() * layer.output.back());
    default:
      return in[0];
  }
}

}  // namespace

Weights RandomWeights(const Model& model, std::uint64_t seed) {
  Weights weights;
  std::vector<double> moments;
  for (std::size_t i = 0; i < model.size(); ++i) {
    const Layer& layer = model.layer(LayerId(i));
    std::vector<double> in;
    for (const LayerId input : layer.inputs) in.push_back(moments[input.index()]);
    Uniform random(seed ^ Fnv1a64(layer.name));
    for (const auto& [role, shape] : WeightShapes(model, LayerId(i))) {
      Tensor tensor{shape, std::vector<float>(static_cast<std::size_t>(Elements(shape)))};
      FillRole(layer, role, in[0], tensor, random);
      weights.emplace(WeightKey{layer.name, role}, std::move(tensor));
    }
    moments.push_back(std::clamp(MomentOf(model, layer, in), kLeastMoment, kMostMoment));
  }
  return weights;
}

}  // namespace tandem
