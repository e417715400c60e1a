// Do the fast loops on plain tensors compute what the reference does, for every operation, shape and size?
#include "device/backends/cpu/plain_ops.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "tests/device/operation_cases.h"
#include "tests/device/reference_run.h"

namespace tandem {
namespace {

constexpr double kMostError = 1e-5;

double RelativeError(const std::vector<float>& computed, const std::vector<float>& expected) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double distance = static_cast<double>(computed[i]) - static_cast<double>(expected[i]);
    difference += distance * distance;
    norm += static_cast<double>(expected[i]) * static_cast<double>(expected[i]);
  }
  return std::sqrt(difference) / std::max(std::sqrt(norm), 1e-30);
}

// Twice: what the first run leaves behind must not show in the second.
double ErrorOf(const Model& model, const Weights& weights, const std::vector<Tensor>& inputs) {
  const Layer& layer = model.layers().back();
  std::vector<Shape> shapes;
  std::vector<const float*> values;
  std::vector<const Tensor*> tensors;
  for (const LayerId id : layer.inputs) {
    const Tensor& input = inputs[id.index()];
    shapes.push_back(input.shape);
    values.push_back(input.values.data());
    tensors.push_back(&input);
  }
  const Tensor expected = RunReferenceLayer(layer, weights, tensors);
  const PlainKernel kernel = MakePlainKernel(layer, weights, shapes);
  double worst = 0;
  for (int run = 0; run < 2; ++run) {
    std::vector<float> output(expected.values.size(), std::numeric_limits<float>::quiet_NaN());
    kernel(values, output.data());
    const double error = RelativeError(output, expected.values);
    worst = error <= worst ? worst : error;  // NaN stays
  }
  return worst;
}

std::vector<Tensor> InputsOf(const Model& model, bool positive) {
  std::vector<Tensor> inputs;
  for (const LayerId id : model.Inputs()) {
    inputs.push_back(Scattered(model.layer(id).output, static_cast<std::uint32_t>(inputs.size()) + 1));
    for (float& value : inputs.back().values) value = positive ? std::abs(value) + 0.5F : value;
  }
  return inputs;
}

TEST(PlainLayers, AreThoseOfTheReference) {
  const auto expect_all = [](const std::vector<OperationCase>& cases, bool positive) {
    for (const OperationCase& one : cases) {
      const Model model = ModelOf(one);
      EXPECT_LE(ErrorOf(model, RandomWeights(model, 5), InputsOf(model, positive)), kMostError) << one.name;
    }
  };
  expect_all(OperationCases(), false);
  expect_all(PositiveCases(), true);
}

OperationCase OneLayer(const char* name, Op op, Attributes attributes, std::vector<Shape> inputs) {
  return {name, {"x", op, std::move(attributes), {}}, std::move(inputs)};
}

// Any shape and any setting of the operations whose loops depend on them.
class RandomLayer {
 public:
  explicit RandomLayer(std::uint64_t seed) : bits_(seed) {}

  OperationCase Next() {
    const std::size_t rank = static_cast<std::size_t>(Between(2, 5));
    switch (Between(0, 9)) {
      case 0:
        return OneLayer("transpose", Op::kTranspose, TransposeAttributes{Order(rank)}, {Any(rank)});
      case 1:
        return Slice(Any(rank));
      case 2:
        return PadOf(Any(rank));
      case 3:
        return Broadcast(Any(rank));
      case 4:
        return OneLayer("softmax", Op::kSoftmax,
                        AxisAttributes{Between(0, static_cast<std::int64_t>(rank) - 1)}, {Any(rank)});
      case 5:
        return Mean(Any(rank));
      case 6:
        return PoolOf(Op::kMaxPool);
      case 7:
        return PoolOf(Op::kAvgPool);
      case 8: {
        const auto mode = Between(0, 1) == 0 ? UpsampleMode::kNearest : UpsampleMode::kLinear;
        Shape in = Any(4);
        in[2] += 1;  // something is left where the scale is below 1
        in[3] += 1;
        return OneLayer("upsample", Op::kUpsample, UpsampleAttributes{Scale(), Scale(), mode}, {in});
      }
      default:
        return OneLayer("lrn", Op::kLrn, LrnOf(), {Any(4)});
    }
  }

 private:
  std::int64_t Between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(bits_() % static_cast<std::uint64_t>(high - low + 1));
  }
  double Scale() { return static_cast<double>(Between(4, 20)) / 7; }
  Shape Any(std::size_t rank) {
    Shape shape;
    for (std::size_t i = 0; i < rank; ++i)
      shape.push_back(Between(1, i + 1 == rank ? 70 : rank > 3 ? 7 : 20));
    return shape;
  }
  std::vector<std::int64_t> Order(std::size_t rank) {
    std::vector<std::int64_t> order(rank);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = rank; i > 1; --i) {
      std::swap(order[i - 1], order[static_cast<std::size_t>(Between(0, static_cast<std::int64_t>(i) - 1))]);
    }
    return order;
  }
  OperationCase Slice(const Shape& in) {
    SliceAttributes a;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (Between(0, 1) == 0) continue;
      const std::int64_t start = Between(0, in[i] - 1);
      a.axes.push_back(static_cast<std::int64_t>(i));
      a.starts.push_back(start - (Between(0, 1) == 0 ? in[i] : 0));
      a.ends.push_back(Between(start + 1, in[i] + 2));
      a.steps.push_back(Between(1, 3));
    }
    return OneLayer("slice", Op::kSlice, a, {in});
  }
  OperationCase PadOf(const Shape& in) {
    PadAttributes a;
    a.mode = kPadModeNames[static_cast<std::size_t>(Between(0, 2))].value;
    a.value = 0.5;
    for (const std::int64_t extent : in) {
      const std::int64_t most = a.mode == PadMode::kReflect ? std::min<std::int64_t>(3, extent - 1) : 3;
      a.before.push_back(Between(0, most));
      a.after.push_back(Between(0, most));
    }
    return OneLayer("pad", Op::kPad, a, {in});
  }
  // Axes of the second operand, some of them in front, are one or missing.
  OperationCase Broadcast(const Shape& in) {
    Shape other = in;
    for (std::int64_t& extent : other) extent = Between(0, 1) == 0 ? 1 : extent;
    other.erase(other.begin(), other.begin() + Between(0, static_cast<std::int64_t>(in.size())));
    const Op op =
        std::array{Op::kAdd, Op::kSub, Op::kMul, Op::kMax, Op::kMin}[static_cast<std::size_t>(Between(0, 4))];
    if (Between(0, 1) == 0)
      return OneLayer("constant", op, ElementwiseAttributes{{}, true, other, Between(0, 1) == 0}, {in});
    return OneLayer("elementwise", op, ElementwiseAttributes{},
                    Between(0, 1) == 0 ? std::vector{in, other} : std::vector{other, in});
  }
  OperationCase Mean(const Shape& in) {
    ReduceAttributes a;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (Between(0, 1) == 0) a.axes.push_back(static_cast<std::int64_t>(i));
    }
    return OneLayer("reduce_mean", Op::kReduceMean, a, {in});
  }
  OperationCase PoolOf(Op op) {
    Shape in = Any(4);
    PoolAttributes a;
    if (Between(0, 4) == 0) {
      a.adaptive = {Between(1, 9), Between(1, 9)};
      return OneLayer("adaptive", op, a, {in});
    }
    a.kernel = {Between(1, 3), Between(1, 3)};
    a.stride = {Between(1, 3), Between(1, 3)};
    a.ceil_mode = Between(0, 1) == 0;
    a.dilation = {Between(1, 2), Between(1, 2)};
    a.pad = {Between(0, a.kernel.h - 1), Between(0, a.kernel.w - 1), Between(0, a.kernel.h - 1),
             Between(0, a.kernel.w - 1)};
    a.count_include_pad = Between(0, 1) == 0;
    in[2] += (a.kernel.h - 1) * a.dilation.h;
    in[3] += (a.kernel.w - 1) * a.dilation.w;
    return OneLayer("pool", op, a, {in});
  }
  LrnAttributes LrnOf() {
    return {Between(1, 6), 0.5, Between(0, 1) == 0 ? 0.75 : 0.6, 2, Between(0, 1) == 0};
  }

  std::mt19937_64 bits_;
};

TEST(PlainLayersOfAnyShape, AreThoseOfTheReference) {
  RandomLayer random(7);
  for (int i = 0; i < 400; ++i) {
    const OperationCase c = random.Next();
    const Model model = ModelOf(c);
    ASSERT_LE(ErrorOf(model, RandomWeights(model, 1), InputsOf(model, false)), kMostError)
        << c.name << " number " << i << " of " << ShapeText(c.inputs[0]);
  }
}

// Far out and near zero.
TEST(PlainFunctions, KeepTheirPrecisionEverywhere) {
  for (const Op op : {Op::kElu, Op::kSigmoid, Op::kTanh, Op::kSoftplus, Op::kErf, Op::kExp, Op::kLog}) {
    const Model model = ModelOf(OneLayer("x", op, DefaultAttributes(op), {{1, 64}}));
    for (double size = 1e-6; size < 100; size *= 1.7) {
      std::vector<Tensor> inputs = InputsOf(model, op == Op::kLog);
      for (float& value : inputs[0].values) value *= static_cast<float>(size);
      EXPECT_LE(ErrorOf(model, {}, inputs), kMostError) << NameOf(kOpNames, op) << " around " << size;
    }
  }
}

// At the ends of the number line and at what is no number.
TEST(PlainFunctions, KnowInfinityAndNoNumber) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const auto compute = [](Op op, float x) {
    const Model model = ModelOf(OneLayer("x", op, NoAttributes{}, {{1, 1}}));
    float result = 0;
    const std::vector<const float*> inputs = {&x};
    MakePlainKernel(model.layers().back(), {}, {{1, 1}})(inputs, &result);
    return result;
  };
  EXPECT_EQ(compute(Op::kExp, kInfinity), kInfinity);
  EXPECT_EQ(compute(Op::kExp, -kInfinity), 0);
  EXPECT_EQ(compute(Op::kLog, 0), -kInfinity);
  EXPECT_EQ(compute(Op::kLog, kInfinity), kInfinity);
  EXPECT_NEAR(compute(Op::kLog, 1e-40F), std::log(1e-40F), 1e-4);
  EXPECT_TRUE(std::isnan(compute(Op::kLog, -1)));
  EXPECT_EQ(compute(Op::kTanh, -kInfinity), -1);
  EXPECT_EQ(compute(Op::kErf, kInfinity), 1);
  EXPECT_EQ(compute(Op::kSigmoid, -kInfinity), 0);
  for (const Op op : {Op::kExp, Op::kLog, Op::kTanh, Op::kErf, Op::kSigmoid, Op::kSoftplus, Op::kRelu}) {
    EXPECT_TRUE(std::isnan(compute(op, kNan))) << NameOf(kOpNames, op);
  }
}

}  // namespace
}  // namespace tandem
