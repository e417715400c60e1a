// Do quantised operators compute what plain arithmetic of whole numbers gives?
#include "tests/support/device/tflite_quantized.h"

namespace tandem::quantized {
namespace {

TEST(TfliteQuantized, AConvolutionIsWhatWholeNumbersGive) {
  for (const auto& [from, to] : kGrids) {
    const QuantizedConv conv{from, to};
    const FileTensor in = conv.Input();
    ExpectOnGrid(RunTflite(conv.Graph(), {in}).values, conv.Expected(in, -1e9, 1e9), to.scale);
    ExpectOnGrid(RunTflite(conv.Graph(Fused::RELU6), {in}).values, conv.Expected(in, 0, 6), to.scale);
  }
}

TEST(TfliteQuantized, AMatrixOfUnsignedBytesIsWhatWholeNumbersGive) {
  const Grid from{0.05, 135, Type::UINT8}, to{0.3, 108, Type::UINT8};
  TfliteTestGraph graph;
  const int x = graph.Input("x", {2, 6}, Type::UINT8, from.Scales());
  Ints stored;
  for (const int number : Scattered(18, 2)) stored.push_back(number + 128);
  const int w = graph.Stored("w", {3, 6}, Type::UINT8, stored, {{0.02F}, {128}});
  const int y = graph.Made("y", {2, 3}, Type::UINT8, to.Scales());
  graph.Add(TfliteOp::FULLY_CONNECTED, {x, w}, {y},
            [](Builder& builder) { return tfl::CreateFullyConnectedOptions(builder, Fused::RELU); });
  FileTensor in{{2, 6}, {}}, expected{{2, 3}, {}};
  for (int i = 0; i < 12; ++i) in.values.push_back(static_cast<float>(from.Value(i * 20 + 8)));
  for (int row = 0; row < 2; ++row) {
    for (std::size_t o = 0; o < 3; ++o) {
      int sum = 0;
      for (std::size_t i = 0; i < 6; ++i)
        sum += (static_cast<int>(row * 6 + static_cast<int>(i)) * 20 + 8 - from.zero) *
               (stored[o * 6 + i] - 128);
      expected.values.push_back(
          static_cast<float>(to.Value(to.Nearest(std::max(sum * from.scale * 0.02, 0.0)))));
    }
  }
  ExpectOnGrid(RunTflite(graph, {in}).values, expected, to.scale);
  EXPECT_TRUE(graph.Import().model.layer(LayerId(2)).As<FcAttributes>().quantized);
}

TEST(TfliteQuantized, SumsAndMeansAreOnTheirGrids) {
  const Grid a{0.1, 5}, b{0.05, -10}, sum{0.12, 3}, mean{0.03, 0};
  TfliteTestGraph graph;
  const int x = graph.Input("x", {1, 2, 3, 4}, Type::INT8, a.Scales());
  const int z = graph.Input("z", {1, 2, 3, 4}, Type::INT8, b.Scales());
  const int y = graph.Made("y", {1, 2, 3, 4}, Type::INT8, sum.Scales());
  graph.Add(TfliteOp::ADD, {x, z}, {y}, [](Builder& builder) { return tfl::CreateAddOptions(builder); });
  const int m = graph.Made("m", {1, 4}, Type::INT8, mean.Scales()), axes = graph.Ints("axes", {1, 2});
  graph.Add(TfliteOp::MEAN, {y, axes}, {m},
            [](Builder& builder) { return tfl::CreateReducerOptions(builder); });
  FileTensor first = Waving({1, 2, 3, 4}, 1), second = Waving({1, 2, 3, 4}, 2);
  std::vector<double> means(4);
  for (std::size_t i = 0; i < first.values.size(); ++i) {
    const double both = a.Value(a.Nearest(first.values[i])) + b.Value(b.Nearest(second.values[i]));
    means[i % 4] += sum.Value(sum.Nearest(both)) / 6;
  }
  FileTensor expected{{1, 4}, {}};
  for (const double value : means)
    expected.values.push_back(static_cast<float>(mean.Value(mean.Nearest(value))));
  const FileTensor found = RunTflite(graph, {first, second});
  EXPECT_EQ(found.shape, expected.shape);
  ExpectOnGrid(found.values, expected, mean.scale);
  EXPECT_EQ(OpsOfTflite(graph.Import().model),
            "input quantize input quantize add quantize avg_pool quantize flatten");
}

}  // namespace
}  // namespace tandem::quantized
