// Does each part of a layer, or of a few that run as one, compute what the whole has in that place: for every
// operation that can be split, along both axes, on every backend, wherever the borders are?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "device/processor/part_executable.h"
#include "profiles/model/model_builder.h"
#include "tests/support/device/cut_plans.h"
#include "tests/support/device/executable_run.h"
#include "tests/support/device/operation_cases.h"

namespace tandem {
namespace {

constexpr double kTolerance = 1e-5;

std::vector<const DeviceBackend*> Computing() {
  std::vector<const DeviceBackend*> found;
  for (const DeviceBackend* backend : Backends()) {
    if (backend->name() == "reference" || backend->name() == "cpu") found.push_back(backend);
  }
  return found;
}

// The segment's inputs, and its output as the reference has it.
struct WholeRun {
  SegmentSpec spec;
  std::vector<AlignedTensor> inputs;
  std::vector<const float*> reads;
  std::vector<float> output;
};

WholeRun RunWhole(const Model& model, const std::vector<LayerId>& layers, bool positive) {
  const auto shared = std::make_shared<const Model>(model);
  const auto weights = std::make_shared<const Weights>(RandomWeights(model, 4));
  WholeRun run;
  run.spec = SegmentOf(shared, weights, model.name(), layers);
  std::vector<Tensor> inputs;
  for (const LayerId id : model.Inputs()) {
    inputs.push_back(Scattered(model.layer(id).output, static_cast<std::uint32_t>(id.value) + 9));
    for (float& value : inputs.back().values) value = positive ? std::abs(value) + 0.5F : value;
  }
  TensorsByLayer tensors;
  VisitReference(model, *weights, inputs, [&](LayerId id, const Tensor& t) { tensors[id] = t.values; });
  const std::vector<LayerId> inputs_of_model = model.Inputs();
  for (const LayerId id : run.spec.inputs) {
    const auto at = std::find(inputs_of_model.begin(), inputs_of_model.end(), id);
    const std::vector<float>& values =
        at == inputs_of_model.end() ? tensors.at(id)
                                    : inputs[static_cast<std::size_t>(at - inputs_of_model.begin())].values;
    run.inputs.emplace_back(values.size());
    std::copy(values.begin(), values.end(), run.inputs.back().data());
    run.reads.push_back(run.inputs.back().data());
  }
  run.output = tensors.at(run.spec.outputs.at(0));
  return run;
}

class PartModels : public testing::TestWithParam<const DeviceBackend*> {
 protected:
  void SetUp() override { unit_ = std::make_unique<OpenUnit>(*GetParam()); }

  // Returns whether the layers can be split along that axis.
  bool ExpectParts(const WholeRun& whole, SplitAxis axis, std::vector<std::int64_t> borders) {
    const SplitRange range = SplitRangeOf(*whole.spec.model, whole.spec.layers, axis);
    if (range.extent / range.granule < 2) return false;
    for (std::int64_t& border : borders) border = border * range.extent / 12 / range.granule * range.granule;
    borders.push_back(0);
    borders.push_back(range.extent);
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    AlignedTensor output(whole.output.size());
    output.Poison();
    float* to = output.data();
    // The last part first: none may write into what another one has made.
    for (std::size_t i = borders.size() - 1; i > 0; --i) {
      const LayerPart part{axis, borders[i - 1], borders[i]};
      const auto executable = CompilePart(**unit_, whole.spec, part);
      executable->Run(whole.reads, {&to, 1});
      executable->Run(whole.reads, {&to, 1});
    }
    EXPECT_LT(RelativeError(output.values(), whole.output), kTolerance)
        << whole.spec.model_name << ", layer " << whole.spec.model->layer(whole.spec.layers.back()).name
        << " along " << NameOf(kSplitAxisNames, axis);
    return true;
  }

  int ExpectAllParts(const Model& model, const std::vector<LayerId>& layers, bool positive = false) {
    const WholeRun whole = RunWhole(model, layers, positive);
    int splits = 0;
    for (const SplitAxis axis : {SplitAxis::kChannels, SplitAxis::kRows}) {
      splits += ExpectParts(whole, axis, {6}) ? 1 : 0;
      splits += ExpectParts(whole, axis, {1, 4, 11}) ? 1 : 0;
    }
    return splits;
  }

  std::unique_ptr<OpenUnit> unit_;
};
INSTANTIATE_TEST_SUITE_P(, PartModels, testing::ValuesIn(Computing()),
                         [](const auto& backend) { return std::string(backend.param->name()); });

TEST_P(PartModels, EveryOperationThatCanBeSplitGivesItsParts) {
  int splits = 0;
  for (const OperationCase& one : OperationCases()) {
    const Model model = ModelOf(one);
    splits += ExpectAllParts(model, {LayerId(model.size() - 1)});
  }
  for (const OperationCase& one : PositiveCases()) {
    const Model model = ModelOf(one);
    splits += ExpectAllParts(model, {LayerId(model.size() - 1)}, true);
  }
  EXPECT_GT(splits, 250);
}

// Rows that see padding alone, windows that reach beyond it, strides that step over the input.
TEST_P(PartModels, RowsAtTheBordersOfTheInput) {
  int splits = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Chance chance(seed);
    const std::int64_t batch = 1 + chance.Below(2);
    ModelBuilder net("borders " + std::to_string(seed));
    net.Input("in", {batch, 4, 1 + chance.Below(9), 3 + chance.Below(5)});
    if (chance.Percent(50)) {
      ConvAttributes conv = SquareConv(3, 1);
      conv.kernel = {1 + chance.Below(4), 2};
      conv.stride = {1 + chance.Below(5), 1};
      conv.dilation = {1 + chance.Below(3), 1};
      const std::int64_t window = (conv.kernel.h - 1) * conv.dilation.h + 1;
      conv.pad = {window + chance.Below(6), 1, chance.Below(12), 0};
      net.Conv("x", conv);
    } else {
      PoolAttributes pool;
      pool.kernel = {2 + chance.Below(3), 2};
      pool.stride = {1 + chance.Below(5), 1};
      pool.pad = {chance.Below(pool.kernel.h), 1, chance.Below(pool.kernel.h), 1};
      pool.ceil_mode = chance.Percent(70);
      pool.count_include_pad = chance.Percent(50);
      if (pool.pad.top + pool.pad.bottom < pool.kernel.h - 1) pool.pad.top = pool.kernel.h - 1;
      chance.Percent(50) ? net.MaxPool("x", pool) : net.AvgPool("x", pool);
    }
    splits += ExpectAllParts(net.Build(), {LayerId(1)});
  }
  EXPECT_GT(splits, 120);
}

TEST_P(PartModels, LayersThatRunAsOneAreSplitTogether) {
  ModelBuilder net("groups");
  net.Input("in", {1, 16, 10, 9});
  net.Conv("a", SquareConv(16, 3, 1, 1));
  net.Add("a_norm", Op::kBatchNorm);
  net.Add("a_scale", Op::kScale);
  net.Add("a_prelu", Op::kPrelu);
  net.Sum("sum", "a_prelu", "in");  // what the convolution reads is read again, in another range
  net.Relu("sum_relu");
  net.Conv("b", Grouped(16, SquareConv(32, 3, 2, 1)));
  net.Relu("b_relu");
  net.MaxPool("b_pool", RoundedUp(SquarePool(2, 2)));
  net.Sum("twice", "b_pool", "b_pool");
  const Model model = net.Build();
  const auto layers = [&](const std::vector<std::string>& names) {
    std::vector<LayerId> ids;
    for (const std::string& name : names) ids.push_back(model.Find(name));
    return ids;
  };
  for (const std::int64_t batch : {1, 2}) {
    const Model at = model.WithBatch(batch);
    EXPECT_EQ(ExpectAllParts(at, layers({"a", "a_norm", "a_scale", "a_prelu", "sum", "sum_relu"})), 4);
    EXPECT_EQ(ExpectAllParts(at, layers({"b", "b_relu"})), 4);
    EXPECT_EQ(ExpectAllParts(at, layers({"b_pool", "twice"})), 4);
  }
}

// A part of channels at batch 1 is written where it belongs; where its place does not begin a cache line, and
// of more than one run, it is copied there.
TEST(PartBlocks, LieInTheWholeTensor) {
  const TensorBlock channels = BlockOf({1, 8, 5, 3}, {SplitAxis::kChannels, 2, 5});
  EXPECT_TRUE(channels.Dense());
  EXPECT_EQ(channels.first, 30u);
  EXPECT_EQ(channels.size(), 45u);
  const TensorBlock rows = BlockOf({2, 8, 5, 3}, {SplitAxis::kRows, 1, 3});
  EXPECT_EQ(rows.runs, 16u);
  EXPECT_EQ(rows.length, 6u);
  EXPECT_EQ(rows.stride, 15u);
  EXPECT_EQ(rows.first, 3u);
}

TEST(PartModelsOfProcessors, ReadWhereTheInputLiesWhereTheyCan) {
  ModelBuilder net("depthwise");
  net.Input("in", {1, 32, 8, 8});
  net.Conv("x", Grouped(32, SquareConv(32, 3, 1, 1)));
  const auto model = std::make_shared<const Model>(net.Build());
  const auto weights = std::make_shared<const Weights>(RandomWeights(*model, 1));
  const SegmentSpec whole = WholeSegment(model, weights, "depthwise");
  const PartModel aligned = PartModelOf(whole, {SplitAxis::kChannels, 8, 32});
  EXPECT_EQ(aligned.offsets, std::vector<std::size_t>{8 * 64});
  EXPECT_EQ(aligned.spec.layers.size(), 1u);
  EXPECT_EQ(aligned.spec.weights->at({"x", "weight"}).shape, (Shape{24, 1, 3, 3}));
  EXPECT_FALSE(aligned.spec.WholeModel()) << "it is not the model of that name";
  const PartModel rows = PartModelOf(whole, {SplitAxis::kRows, 4, 8});
  EXPECT_EQ(rows.offsets, std::vector<std::size_t>{0});
  EXPECT_EQ(rows.spec.layers.size(), 2u) << "a slice and the convolution";
  EXPECT_EQ(rows.spec.weights, whole.weights) << "weights are shared";
}

}  // namespace
}  // namespace tandem
