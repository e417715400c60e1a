// Does every backend make of infinities and of what is no number what the reference makes of them?
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "profiles/model/model_builder.h"
#include "tests/support/device/computing_backends.h"
#include "tests/support/device/executable_run.h"
#include "tests/support/device/random_layer.h"

namespace tandem {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();

// A layer to which any number may come, and which keeps the shape of its image.
struct HostileOp {
  Op op;
  Attributes attributes;
};

std::vector<HostileOp> Functions() {
  std::vector<HostileOp> functions;
  for (const Op op :
       {Op::kRelu, Op::kRelu6, Op::kLeakyRelu, Op::kElu, Op::kSigmoid, Op::kHardSigmoid, Op::kHardSwish,
        Op::kTanh, Op::kSoftplus, Op::kGelu, Op::kErf, Op::kExp, Op::kAbs, Op::kNeg, Op::kLog, Op::kSqrt}) {
    functions.push_back({op, DefaultAttributes(op)});
  }
  functions.push_back({Op::kClip, ClipAttributes{-0.5, 2}});
  functions.push_back({Op::kClip, ClipAttributes{0.5, 2}});
  functions.push_back({Op::kQuantize, QuantizeAttributes{0.25, 3, GridType::kInt8}});
  functions.push_back({Op::kSoftmax, AxisAttributes{1}});
  functions.push_back({Op::kMaxPool, SquarePool(3, 1, 1)});
  functions.push_back({Op::kAvgPool, SquarePool(3, 1, 1)});
  return functions;
}

const Op kPairs[] = {Op::kAdd, Op::kSub, Op::kMul, Op::kDiv, Op::kPow, Op::kMax, Op::kMin};

// Every pair of neighbours comes up.
std::vector<float> HostileNumbers(const Shape& shape, std::uint64_t seed) {
  const float numbers[] = {kNoNumber, kInfinity, -kInfinity, 0, -0.0F, 1, -1, 2.5F, -3, 0.25F, 50, -80};
  std::mt19937_64 bits(seed);
  std::vector<float> values(static_cast<std::size_t>(Elements(shape)));
  for (float& value : values) value = numbers[bits() % std::size(numbers)];
  return values;
}

bool Alike(float found, float expected) {
  if (std::isnan(expected)) return std::isnan(found);
  if (std::isinf(expected)) return found == expected;
  return std::abs(found - expected) <= 1e-3F * std::max(1.0F, std::abs(expected));
}

void ExpectAlike(const OpenUnit& unit, const Model& source, std::uint64_t seed) {
  const auto model = std::make_shared<const Model>(source);
  const auto weights = std::make_shared<const Weights>(RandomWeights(*model, seed));
  TensorsByLayer tensors, expected;
  std::vector<Tensor> inputs;
  for (const LayerId id : model->Inputs()) {
    const Shape& shape = model->layer(id).output;
    tensors[id] = HostileNumbers(shape, seed + id.index());
    inputs.push_back({shape, tensors[id]});
  }
  VisitReference(*model, *weights, inputs, [&](LayerId id, const Tensor& t) { expected[id] = t.values; });
  const SegmentSpec spec = WholeSegment(model, weights, model->name());
  RunExecutable(*unit->Compile(spec), spec, tensors);
  for (const LayerId id : spec.outputs) {
    const std::vector<float>&found = tensors.at(id), &wanted = expected.at(id);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_TRUE(Alike(found[i], wanted[i]))
          << model->name() << ", seed " << seed << ": " << model->layer(id).name << " at " << i << " is "
          << found[i] << ", not " << wanted[i];
    }
  }
}

class HostileInputs : public testing::TestWithParam<const DeviceBackend*> {
 protected:
  void SetUp() override {
    // 65,504 is the greatest half: other numbers are infinite there.
    if (!ComputesInFloat(*GetParam())) GTEST_SKIP() << "computes in half";
    unit_ = std::make_unique<OpenUnit>(*GetParam());
  }
  std::unique_ptr<OpenUnit> unit_;
};
INSTANTIATE_TEST_SUITE_P(, HostileInputs, testing::ValuesIn(ComputingBackends()),
                         [](const auto& backend) { return std::string(backend.param->name()); });

TEST_P(HostileInputs, ComeOutOfEveryFunctionAsFromTheReference) {
  for (const HostileOp& one : Functions()) {
    ModelBuilder net(std::string(OpName(one.op)));
    net.Input("in", {1, 16, 5, 6});
    net.Add("x", one.op, one.attributes);
    ExpectAlike(*unit_, net.Build(), 5);
  }
}

TEST_P(HostileInputs, ComeOutOfEveryPairAsFromTheReference) {
  for (const Op op : kPairs) {
    ModelBuilder net(std::string(OpName(op)));
    const std::string a = net.Input("a", {2, 300}), b = net.Input("b", {2, 300});
    net.Add("x", op, ElementwiseAttributes{}, {a, b});
    ExpectAlike(*unit_, net.Build(), 7);
  }
}

// Of operations whose kind of result hangs on no rounding: no root or logarithm of what is nearly 0.
Model RandomGraph(std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  const auto draw = [&](const auto& from) { return from[bits() % std::size(from)]; };
  const Op functions[] = {Op::kRelu, Op::kRelu6, Op::kLeakyRelu, Op::kElu, Op::kHardSigmoid,
                          Op::kTanh, Op::kAbs,   Op::kNeg,       Op::kErf, Op::kBatchNorm};
  const Op pairs[] = {Op::kAdd, Op::kSub, Op::kMax, Op::kMin};
  ModelBuilder net("graph");
  const Shape image = {2, bits() % 2 == 0 ? 16 : 5, 4, 4};
  std::vector<std::string> made = {net.Input("a", image), net.Input("b", image)};
  for (int i = 0; i < 8; ++i) {
    const std::string name = "x" + std::to_string(i), from = draw(made);
    if (bits() % 3 == 0) {
      made.push_back(net.Add(name, draw(pairs), ElementwiseAttributes{}, {from, draw(made)}));
    } else if (bits() % 4 == 0) {
      made.push_back(net.MaxPool(name, SquarePool(3, 1, 1), from));
    } else {
      made.push_back(net.Add(name, draw(functions), from));
    }
  }
  net.Add("mean", Op::kReduceMean, ReduceAttributes{{0, 1, 2, 3}, false});
  net.Add("end", Op::kTanh);
  return net.Build();
}

TEST_P(HostileInputs, ComeOutOfRandomGraphsAsFromTheReference) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) ExpectAlike(*unit_, RandomGraph(seed), seed);
}

// A max pool in blocks of channels passes over what is no number as one in plain order does.
TEST_P(HostileInputs, PoolsInEitherLayoutPassOverWhatIsNoNumber) {
  ModelBuilder net("blocked");
  net.Input("in", {1, 16, 6, 6});
  net.Conv("conv", NoBias(SquareConv(16, 1)));
  net.Add("root", Op::kSqrt);  // of what is below 0: none
  net.MaxPool("pool", SquarePool(3, 1, 1));
  const auto model = std::make_shared<const Model>(net.Build());
  const auto weights = std::make_shared<const Weights>(RandomWeights(*model, 3));
  const Tensor input = Scattered(model->layer(LayerId(0)).output);
  const std::vector<Tensor> expected = RunReference(*model, *weights, {input});
  TensorsByLayer tensors = {{LayerId(0), input.values}};
  const SegmentSpec spec = WholeSegment(model, weights, "blocked");
  RunExecutable(*(*unit_)->Compile(spec), spec, tensors);
  const std::vector<float>& found = tensors.at(spec.outputs[0]);
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_TRUE(Alike(found[i], expected.back().values[i])) << i << ": " << found[i];
  }
}

}  // namespace
}  // namespace tandem
