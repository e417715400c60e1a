// Do quantised models come out on whole numbers as the reference has them, and what is not quantised by
// numbers?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "device/backends/cpu/xnnpack/conv.h"
#include "device/processor/backend.h"
#include "profiles/base/input_error.h"
#include "profiles/model/model_builder.h"
#include "tests/support/device/executable_run.h"
#include "tests/support/device/operation_cases.h"

namespace tandem {
namespace {

ConvAttributes Quantized(ConvAttributes attributes) {
  attributes.quantized = true;
  return attributes;
}
QuantizeAttributes Grid(double scale, std::int64_t zero_point = 0, GridType type = GridType::kInt8) {
  return {scale, zero_point, type};
}

struct Net {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Weights> weights;
  SegmentSpec spec;

  explicit Net(const ModelBuilder& net) : model(std::make_shared<const Model>(net.Build())) {
    weights = std::make_shared<const Weights>(RandomWeights(*model, 5));
    std::vector<LayerId> layers;
    for (std::size_t i = 0; i < model->size(); ++i) {
      if (model->layer(LayerId(i)).op != Op::kInput) layers.emplace_back(i);
    }
    spec = SegmentOf(model, weights, model->name(), layers);
  }
};

struct Came {
  std::vector<float> found, expected;
  std::vector<std::string> steps;
  std::size_t ByBytes() const {
    return static_cast<std::size_t>(std::count_if(
        steps.begin(), steps.end(), [](const std::string& how) { return how.ends_with("xnnpack, int8"); }));
  }
};

Came RunOnBytes(const ModelBuilder& builder) {
  const Net net(builder);
  const OpenUnit unit(BackendNamed("cpu"), 0, "int8");
  const auto executable = unit->Compile(net.spec);
  TensorsByLayer tensors;
  std::vector<Tensor> inputs;
  for (const LayerId id : net.model->Inputs()) {
    inputs.push_back(Scattered(net.model->layer(id).output, 11));
    tensors[id] = inputs.back().values;
  }
  for (int run = 0; run < 2; ++run) RunExecutable(*executable, net.spec, tensors);
  Came came;
  const LayerId last = net.spec.outputs.back();
  VisitReference(*net.model, *net.weights, inputs, [&](LayerId id, const Tensor& expected) {
    if (id == last) came.expected = expected.values;
  });
  came.found = tensors.at(last);
  for (const ExecutionStep& step : executable->Steps()) came.steps.push_back(step.how);
  return came;
}

// A sum of products may lie so near to the middle of two numbers of the grid that it is rounded otherwise.
void ExpectOnGrid(const Came& came, double scale, double most_apart = 0.02) {
  ASSERT_EQ(came.found.size(), came.expected.size());
  std::size_t apart = 0;
  for (std::size_t i = 0; i < came.found.size(); ++i) {
    const double steps = std::abs(came.found[i] - came.expected[i]) / scale;
    EXPECT_LT(steps, 1.01) << i << ": " << came.found[i] << " for " << came.expected[i];
    apart += steps > 0.5 ? 1 : 0;
  }
  EXPECT_LE(static_cast<double>(apart), most_apart * static_cast<double>(came.found.size()));
}

class Bytes : public testing::Test {
 protected:
  void SetUp() override {
    if (XnnVersion().empty()) GTEST_SKIP() << "built without XNNPACK";
  }
};

TEST_F(Bytes, ConvolutionsOfAllKindsAreOnWholeNumbers) {
  for (const auto& [type, zero] :
       {std::pair(GridType::kInt8, std::int64_t{-3}), {GridType::kUint8, std::int64_t{120}}}) {
    ModelBuilder net("net");
    net.Input("in", {2, 5, 9, 7});
    net.Add("in_q", Op::kQuantize, Grid(1.0 / 128, zero, type));
    net.Conv("conv", Quantized(SquareConv(24, 3, 2, 1)));
    net.Relu("relu");
    net.Add("conv_q", Op::kQuantize, Grid(0.02, zero, type));
    net.Conv("depthwise", Quantized(Grouped(24, SquareConv(24, 3, 1, 1))));
    net.Add("six", Op::kRelu6);
    net.Add("depthwise_q", Op::kQuantize, Grid(0.02, zero, type));
    net.Conv("point", Quantized(NoBias(SquareConv(10, 1))));
    net.Add("point_q", Op::kQuantize, Grid(0.03, 0));
    const Came came = RunOnBytes(net);
    EXPECT_EQ(came.ByBytes(), 3U);
    EXPECT_EQ(came.steps.size(), 5U) << "one to bytes and one from them beside them";
    ExpectOnGrid(came, 0.03, 0.1);
  }
}

TEST_F(Bytes, SumsPoolsMeansAndMatricesStayOnThem) {
  ModelBuilder net("net");
  net.Input("in", {1, 8, 13, 11});
  net.Add("in_q", Op::kQuantize, Grid(1.0 / 128));
  const std::string a = net.MaxPool("pool", SquarePool(3, 2, 1), "in_q");
  net.Conv("conv", Quantized(SquareConv(8, 3, 1, 1)), a);
  net.Add("conv_q", Op::kQuantize, Grid(0.02, 7));
  net.Sum("sum", "conv_q", a);
  net.Relu("relu");
  net.Add("sum_q", Op::kQuantize, Grid(0.02, -128));
  net.AvgPool("mean", GlobalPool());
  net.Add("mean_q", Op::kQuantize, Grid(0.01, -128));
  net.Add("flat", Op::kFlatten);
  net.Add("fc", Op::kFc, FcAttributes{6, true, 1, true});
  net.Add("fc_q", Op::kQuantize, Grid(0.02));
  const Came came = RunOnBytes(net);
  EXPECT_EQ(came.ByBytes(), 5U);
  EXPECT_EQ(came.steps.size(), 7U);
  ExpectOnGrid(came, 0.02, 0.35);
}

// XNNPACK adds no numbers of which one kind is a thousand times the other.
TEST_F(Bytes, SumsOfScalesThatAreFarApartAreNumbersBetween) {
  ModelBuilder net("net");
  const std::string in = net.Input("in", {1, 4, 3, 3});
  const std::string coarse = net.Add("coarse", Op::kQuantize, Grid(1), {in});
  const std::string fine = net.Add("fine", Op::kQuantize, Grid(1e-5), {in});
  net.Sum("sum", coarse, fine);
  net.Add("sum_q", Op::kQuantize, Grid(1e-5));
  const Came came = RunOnBytes(net);
  EXPECT_EQ(came.ByBytes(), 0U);
  ExpectOnGrid(came, 1e-5, 0);
}

// Three kinds of rows: those of a sequence, those of an image of one channel, whose bytes lie as its numbers
// do, and those of an image of two, whose bytes do not.
TEST_F(Bytes, MatricesOfAnyRankAreProductsOverTheirLastAxis) {
  for (const auto& [shape, on_bytes] : {std::pair(Shape{2, 3, 8}, std::size_t{1}),
                                        {Shape{2, 1, 3, 8}, std::size_t{1}},
                                        {Shape{2, 2, 3, 8}, std::size_t{0}}}) {
    ModelBuilder net("net");
    net.Input("in", shape);
    net.Add("in_q", Op::kQuantize, Grid(1.0 / 128, 5));
    net.Add("fc", Op::kFc, FcAttributes{6, true, -1, true});
    net.Relu("relu");
    net.Add("fc_q", Op::kQuantize, Grid(0.02, -3));
    const Came came = RunOnBytes(net);
    EXPECT_EQ(came.ByBytes(), on_bytes) << ShapeText(shape);
    ExpectOnGrid(came, 0.02, 0.1);
  }
}

TEST_F(Bytes, WhatIsAddedBehindAProductIsItsBias) {
  ElementwiseAttributes each;
  each.has_constant = true;
  each.constant_shape = {8, 1, 1};
  for (const bool bias : {true, false}) {
    for (const Op op : {Op::kAdd, Op::kSub}) {
      ModelBuilder net("net");
      net.Input("in", {1, 4, 5, 5});
      net.Add("in_q", Op::kQuantize, Grid(1.0 / 128));
      const ConvAttributes conv = Quantized(SquareConv(8, 3, 1, 1));
      net.Conv("conv", bias ? conv : NoBias(conv));
      net.Add("added", op, each);
      net.Relu("relu");
      net.Add("conv_q", Op::kQuantize, Grid(0.03, -100));
      const Came came = RunOnBytes(net);
      EXPECT_EQ(came.ByBytes(), 1U);
      ExpectOnGrid(came, 0.03, 0.1);
    }
  }
}

TEST_F(Bytes, AConstantThatAProductIsTakenFromOrTimesRunsAsNumbers) {
  ElementwiseAttributes each;
  each.has_constant = each.constant_first = true;
  each.constant_shape = {8, 1, 1};
  for (const Op op : {Op::kSub, Op::kMul}) {
    ModelBuilder net("net");
    net.Input("in", {1, 4, 5, 5});
    net.Add("in_q", Op::kQuantize, Grid(1.0 / 128));
    net.Conv("conv", Quantized(SquareConv(8, 3, 1, 1)));
    net.Add("constant", op, each);
    net.Add("conv_q", Op::kQuantize, Grid(0.03));
    const Came came = RunOnBytes(net);
    EXPECT_EQ(came.ByBytes(), 0U);
    ExpectOnGrid(came, 0.03, 0.1);
  }
}

TEST_F(Bytes, AWindowAsLargeAsItsImageIsAMeanOfAll) {
  for (const auto& [pool, on_bytes] : {std::pair(SquarePool(4, 4), std::size_t{1}),
                                       {SquarePool(4, 1), std::size_t{1}},
                                       {AdaptivePool(1), std::size_t{1}},
                                       {SquarePool(2, 2), std::size_t{0}},
                                       {SquarePool(6, 1, 1), std::size_t{0}}}) {
    ModelBuilder net("net");
    net.Input("in", {2, 8, 4, 4});
    net.Add("in_q", Op::kQuantize, Grid(1.0 / 128, 5));
    net.AvgPool("mean", pool);
    net.Add("mean_q", Op::kQuantize, Grid(1.0 / 256, -3));
    const Came came = RunOnBytes(net);
    EXPECT_EQ(came.ByBytes(), on_bytes);
    ExpectOnGrid(came, 1.0 / 256, 0.1);
  }
}

// The parts lie on three grids, one of which is the whole's.
Came JoinedAlong(std::int64_t axis, const Shape& shape) {
  ModelBuilder net("net");
  const std::string in = net.Input("in", shape);
  std::vector<std::string> parts;
  for (const auto& [name, grid] : {std::pair("fine", Grid(0.011, 5)),
                                   {"whole", Grid(0.02, -7)},
                                   {"coarse", Grid(0.05, 130, GridType::kUint8)}}) {
    parts.push_back(net.Add(name, Op::kQuantize, grid, {in}));
  }
  net.Add("joined", Op::kConcat, AxisAttributes{axis}, parts);
  net.Add("joined_q", Op::kQuantize, Grid(0.02, -7));
  return RunOnBytes(net);
}

TEST_F(Bytes, JoinedOnesStayThem) {
  for (const std::int64_t axis : {1, 2, 3, -4}) {
    const Came came = JoinedAlong(axis, {2, 5, 4, 3});
    ExpectOnGrid(came, 0.02, 0);
    EXPECT_EQ(came.steps,
              (std::vector<std::string>{"to bytes", "to bytes", "to bytes", "concat, int8", "from bytes"}));
  }
  ExpectOnGrid(JoinedAlong(1, {3, 7}), 0.02, 0);
}

TEST_F(Bytes, WhatIsJoinedWithNumbersIsJoinedAsNumbers) {
  ModelBuilder net("net");
  const std::string in = net.Input("in", {1, 4, 3, 3});
  const std::string some = net.Add("some", Op::kQuantize, Grid(0.02), {in});
  net.Add("joined", Op::kConcat, AxisAttributes{1}, {some, in});
  net.Add("joined_q", Op::kQuantize, Grid(0.05));
  const Came came = RunOnBytes(net);
  ExpectOnGrid(came, 0.05, 0);
  EXPECT_EQ(std::count(came.steps.begin(), came.steps.end(), "concat, int8"), 0);
}

TEST_F(Bytes, WhatIsNotQuantisedRunsAsNumbersBetween) {
  ModelBuilder net("net");
  net.Input("in", {1, 8, 6, 6});
  net.Add("in_q", Op::kQuantize, Grid(1.0 / 128));
  net.Conv("conv", Quantized(SquareConv(16, 3, 1, 1)));
  net.Add("conv_q", Op::kQuantize, Grid(0.02));
  net.Add("swish", Op::kHardSwish);
  net.Conv("plain", SquareConv(8, 1));
  net.Add("plain_q", Op::kQuantize, Grid(0.05, 4));
  net.Conv("last", Quantized(SquareConv(4, 1)));
  const Came came = RunOnBytes(net);
  EXPECT_EQ(came.ByBytes(), 1U) << "the last one's output is on no grid";
  EXPECT_LT(RelativeError(came.found, came.expected), 0.02);
}

// A step of each kind that ends on a grid, then whatever `behind` adds.
template <class Behind>
std::vector<Came> BehindAGrid(Behind behind) {
  std::vector<Came> all;
  for (const std::string kind : {"conv", "fc", "sum", "mean", "concat", "alone"}) {
    ModelBuilder net(kind);
    const std::string in = net.Input("in", kind == "fc" ? Shape{2, 8} : Shape{2, 8, 5, 5});
    const std::string fine = net.Add("fine", Op::kQuantize, Grid(1.0 / 128, 3), {in});
    const std::string coarse = net.Add("coarse", Op::kQuantize, Grid(1.0 / 64, -5), {in});
    if (kind == "conv") net.Conv("step", Quantized(SquareConv(8, 3, 1, 1)), fine);
    if (kind == "fc") net.Add("step", Op::kFc, FcAttributes{6, true, 1, true}, {fine});
    if (kind == "sum") net.Sum("step", fine, coarse);
    if (kind == "mean") net.AvgPool("step", GlobalPool(), fine);
    if (kind == "concat") net.Add("step", Op::kConcat, AxisAttributes{1}, {fine, coarse});
    if (kind == "alone") net.Add("step", Op::kIdentity, {}, {fine});
    net.Add("step_q", Op::kQuantize, Grid(0.11, 1));
    behind(net);
    all.push_back(RunOnBytes(net));
  }
  return all;
}

std::vector<std::vector<std::string>> StepsOf(const std::vector<Came>& all) {
  std::vector<std::vector<std::string>> steps;
  for (const Came& came : all) steps.push_back(came.steps);
  return steps;
}

TEST_F(Bytes, WhatVanishesBehindAGridVanishesAndTheGridStays) {
  const std::vector<Came> without = BehindAGrid([](ModelBuilder&) {}),
                          with = BehindAGrid([](ModelBuilder&net) {
                            net.Add("drop", Op::kDropout);
                            net.Add("same", Op::kIdentity);
                          });
  for (const Came& came : with) ExpectOnGrid(came, 0.11, 0.1);
  EXPECT_EQ(StepsOf(with), StepsOf(without));
}

TEST_F(Bytes, WhatReadsWhatVanishedReadsBytes) {
  const auto layers = [](ModelBuilder& net) {
    net.Add("flat", Op::kFlatten);
    net.Add("fc", Op::kFc, FcAttributes{5, true, 1, true});
    net.Add("fc_q", Op::kQuantize, Grid(0.13));
  };
  const std::vector<Came> without = BehindAGrid(layers), with = BehindAGrid([&](ModelBuilder&net) {
                                                           net.Add("drop", Op::kDropout);
                                                           layers(net);
                                                         });
  for (const Came& came : with) ExpectOnGrid(came, 0.13, 0.1);
  EXPECT_EQ(StepsOf(with), StepsOf(without));
}

TEST_F(Bytes, WhatVanishesBeforeAGridVanishesToo) {
  ModelBuilder net("net");
  const std::string in = net.Input("in", {1, 4, 3, 3});
  const std::string a = net.Add("a", Op::kQuantize, Grid(0.02), {in});
  const std::string b = net.Add("b", Op::kQuantize, Grid(0.05, 9), {in});
  net.Add("joined", Op::kConcat, AxisAttributes{1}, {a, b});
  net.Add("drop", Op::kDropout);
  net.Add("joined_q", Op::kQuantize, Grid(0.05, 9));
  const Came came = RunOnBytes(net);
  ExpectOnGrid(came, 0.05, 0);
  EXPECT_EQ(std::count(came.steps.begin(), came.steps.end(), "concat, int8"), 1);
}

TEST_F(Bytes, ANumberThatReadsWhatVanishedReadsWhatLiesOnTheGrid) {
  for (const Came& came : BehindAGrid([](ModelBuilder& net) {
         net.Add("drop", Op::kDropout);
         net.Relu("relu");
         net.Add("relu_q", Op::kQuantize, Grid(0.17));
       })) {
    ExpectOnGrid(came, 0.17, 0.1);
  }
}

TEST_F(Bytes, WhatVanishesBesideAnotherReaderIsTheSameBytes) {
  ModelBuilder net("net");
  net.Input("in", {1, 4, 6, 6});
  net.Add("in_q", Op::kQuantize, Grid(1.0 / 128));
  net.Conv("conv", Quantized(SquareConv(4, 3, 1, 1)));
  const std::string grid = net.Add("conv_q", Op::kQuantize, Grid(0.05));
  net.Add("same", Op::kIdentity);
  const std::string pool = net.MaxPool("pool", SquarePool(3, 1, 1));
  const std::string drop = net.Add("drop", Op::kDropout);
  net.Sum("sum", drop, grid);
  net.Add("sum_q", Op::kQuantize, Grid(0.09));
  const Came came = RunOnBytes(net);
  ExpectOnGrid(came, 0.09, 0.1);
  EXPECT_EQ(came.ByBytes(), 3U);
}

// Of every number what its nearest one of the first grid is on the second: without the first, every second
// one were another.
TEST_F(Bytes, AGridBehindAnotherIsASecondOne) {
  for (const bool vanishing : {false, true}) {
    for (const Came& came : BehindAGrid([&](ModelBuilder& net) {
           if (vanishing) net.Add("drop", Op::kDropout);
           net.Add("again", Op::kQuantize, Grid(0.045, 2));
         })) {
      ASSERT_EQ(came.found.size(), came.expected.size());
      std::size_t apart = 0;
      for (std::size_t i = 0; i < came.found.size(); ++i) {
        apart += std::abs(came.found[i] - came.expected[i]) > 0.01 ? 1 : 0;
      }
      EXPECT_LE(static_cast<double>(apart), 0.1 * static_cast<double>(came.found.size()));
    }
  }
}

TEST_F(Bytes, TwoGridsOfOneTensorAreTwo) {
  ModelBuilder net("net");
  const std::string in = net.Input("in", {1, 4, 3, 3});
  const std::string fine = net.Add("fine", Op::kQuantize, Grid(0.005), {in});
  const std::string coarse = net.Add("coarse", Op::kQuantize, Grid(0.25, 3), {in});
  const std::string again = net.Add("again", Op::kQuantize, Grid(0.125), {coarse});
  net.Sum("first", fine, coarse);
  net.Sum("sum", "first", again);
  const Came came = RunOnBytes(net);
  EXPECT_LT(RelativeError(came.found, came.expected), 1e-6);
}

TEST_F(Bytes, NoNumberIsZeroAndWhatIsInfiniteIsTheLastOfTheGrid) {
  ModelBuilder builder("net");
  builder.Input("in", {1, 5});
  builder.Add("in_q", Op::kQuantize, Grid(0.5, 100));
  const Net net(builder);
  const OpenUnit unit(BackendNamed("cpu"), 0, "int8");
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  TensorsByLayer tensors{{net.model->Inputs()[0], {NAN, kInfinite, -kInfinite, 1, -NAN}}};
  RunExecutable(*unit->Compile(net.spec), net.spec, tensors);
  EXPECT_EQ(tensors.at(net.spec.outputs[0]), (std::vector<float>{0, 13.5, -114, 1, 0}));
}

TEST_F(Bytes, AModelThatIsNotQuantisedIsRefused) {
  ModelBuilder net("net");
  net.Input("in", {1, 4, 3, 3});
  net.Conv("conv", SquareConv(4, 1));
  std::string error;
  try {
    RunOnBytes(net);
  } catch (const EnvironmentError& refused) {
    error = refused.what();
  }
  EXPECT_EQ(error,
            "net: int8 runs quantised models alone, and it has no quantize layer; an ONNX file in the QDQ "
            "format and a TensorFlow Lite file of int8 have");
}

TEST(Fp32OfAQuantisedModel, IsTheReference) {
  ModelBuilder builder("net");
  builder.Input("in", {1, 8, 6, 6});
  builder.Add("in_q", Op::kQuantize, Grid(1.0 / 128));
  builder.Conv("conv", Quantized(SquareConv(16, 3, 1, 1)));
  builder.Relu("relu");
  builder.Add("conv_q", Op::kQuantize, Grid(0.02));
  const Net net(builder);
  const OpenUnit unit(BackendNamed("cpu"));
  const auto executable = unit->Compile(net.spec);
  const Tensor input = Scattered({1, 8, 6, 6}, 11);
  TensorsByLayer tensors{{net.model->Inputs()[0], input.values}};
  RunExecutable(*executable, net.spec, tensors);
  Came came;
  const std::vector<Tensor> inputs = {input};
  VisitReference(*net.model, *net.weights, inputs, [&](LayerId id, const Tensor& expected) {
    if (id == net.spec.outputs[0]) came.expected = expected.values;
  });
  came.found = tensors.at(net.spec.outputs[0]);
  ExpectOnGrid(came, 0.02);
}

}  // namespace
}  // namespace tandem
