// Are models of 8 bits read with their scales, and are other kinds of them made numbers, or refused with the
// reason?
#include <gtest/gtest.h>

#include "tests/support/tflite_test_graph.h"

namespace tandem {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;
using Type = tfl::TensorType;
using Floats = std::vector<float>;

auto Point() {
  return [](Builder& builder) {
    return tfl::CreateConv2DOptions(builder, tfl::Padding::VALID, 1, 1, tfl::ActivationFunctionType::RELU);
  };
}

// A convolution of 1 x 1 on two channels.
TfliteTestGraph SmallQuantized(Type type, const TfliteTestScales& weights,
                               const std::vector<int>& values = {1, -2, 127, -128}) {
  TfliteTestGraph graph;
  const TfliteTestScales grid{{0.1F}, {type == Type::INT8 ? 0 : 128}};
  const int x = graph.Input("x", {1, 1, 1, 2}, type, grid);
  const int w = graph.Stored("w", {2, 1, 1, 2}, type, values, weights);
  const int b = graph.Stored("b", {2}, Type::INT32, {10, -20}, {{0.05F, 0.025F}, {0, 0}});
  return graph.Add(TfliteOp::CONV_2D, {x, w, b}, {graph.Made("y", {1, 1, 1, 2}, type, {{0.5F}, {3}})},
                   Point());
}

TEST(TfliteQuantized, TensorsGetLayersThatPutThemOnTheirGridsAndWeightsKeepTheirSteps) {
  const ImportedModel imported = SmallQuantized(Type::INT8, {{0.5F, 0.25F}, {0, 0}}).Import();
  EXPECT_EQ(OpsOfTflite(imported.model), "input quantize conv relu quantize");
  const auto& grid = imported.model.layer(LayerId(1)).As<QuantizeAttributes>();
  EXPECT_FLOAT_EQ(static_cast<float>(grid.scale), 0.1F);
  EXPECT_EQ(grid.zero_point, 0);
  EXPECT_EQ(grid.type, GridType::kInt8);
  EXPECT_EQ(imported.model.layers().back().As<QuantizeAttributes>().zero_point, 3);
  const Layer& conv = imported.model.layer(LayerId(2));
  EXPECT_TRUE(conv.As<ConvAttributes>().quantized);
  EXPECT_EQ(imported.weights.at({conv.name, "weight"}).values, (Floats{0.5F, -1, 31.75F, -32}));
  EXPECT_EQ(imported.weights.at({conv.name, "step"}).values, (Floats{0.5F, 0.25F}));
  EXPECT_EQ(imported.weights.at({conv.name, "bias"}).values, (Floats{0.5F, -0.5F}));
  EXPECT_EQ(conv.counts.params, 6) << "a step is no parameter";
}

TEST(TfliteQuantized, OneScaleIsEachOutputs) {
  const ImportedModel imported = SmallQuantized(Type::INT8, {{0.5F}, {0}}).Import();
  EXPECT_EQ(imported.weights.at({"y", "step"}).values, (Floats{0.5F, 0.5F}));
}

TEST(TfliteQuantized, UnsignedBytesAreWeightsOfWholeNumbersWhateverTheirZeroPoint) {
  const ImportedModel fits = SmallQuantized(Type::UINT8, {{0.5F}, {120}}, {0, 120, 121, 247}).Import();
  EXPECT_TRUE(fits.model.layer(LayerId(2)).As<ConvAttributes>().quantized);
  EXPECT_EQ(fits.weights.at({"y", "weight"}).values, (Floats{-60, 0, 0.5F, 63.5F}));
  EXPECT_EQ(fits.model.layer(LayerId(1)).As<QuantizeAttributes>().type, GridType::kUint8);
  const ImportedModel beyond = SmallQuantized(Type::UINT8, {{0.5F}, {120}}, {0, 120, 121, 248}).Import();
  EXPECT_TRUE(beyond.model.layer(LayerId(2)).As<ConvAttributes>().quantized);
  EXPECT_EQ(beyond.weights.at({"y", "weight"}).values, (Floats{-60, 0, 0.5F, 64}));
}

TEST(TfliteQuantized, WeightsOfBytesOnNumbersAreNumbers) {
  TfliteTestGraph graph;
  const int x = graph.Input("x", {1, 1, 1, 2});
  const int w = graph.Stored("w", {2, 1, 1, 2}, Type::INT8, {1, -2, 3, 4}, {{0.5F, 2}, {0, 0}});
  const ImportedModel imported = graph.Add(TfliteOp::CONV_2D, {x, w}, {graph.Made("y")}, Point()).Import();
  EXPECT_EQ(OpsOfTflite(imported.model), "input conv relu");
  EXPECT_FALSE(imported.model.layer(LayerId(1)).As<ConvAttributes>().quantized);
  EXPECT_EQ(imported.weights.at({"y", "weight"}).values, (Floats{0.5F, -1, 6, 8}));
}

TEST(TfliteQuantized, HalvesAndBytesThatAreMadeNumbersBeforeAreWeights) {
  TfliteTestGraph graph;
  const int x = graph.Input("x", {1, 2});
  const int half = graph.Stored("half", {2, 2}, Type::FLOAT16, {0x3c00, 0xc000, 0x3800, 0});
  const int full = graph.Made("full"),
            bytes = graph.Stored("bytes", {2}, Type::INT8, {4, -8}, {{0.25F}, {0}});
  const int bias = graph.Made("bias");
  graph.Add(TfliteOp::DEQUANTIZE, {half}, {full}).Add(TfliteOp::DEQUANTIZE, {bytes}, {bias});
  graph.Add(TfliteOp::FULLY_CONNECTED, {x, full, bias}, {graph.Made("y")},
            [](Builder& builder) { return tfl::CreateFullyConnectedOptions(builder); });
  const ImportedModel imported = graph.Import();
  EXPECT_EQ(OpsOfTflite(imported.model), "input fc");
  EXPECT_EQ(imported.weights.at({"y", "weight"}).values, (Floats{1, -2, 0.5F, 0}));
  EXPECT_EQ(imported.weights.at({"y", "bias"}).values, (Floats{1, -2}));
}

// What moves numbers of a grid and needs no layer of its own again: reshapes and greatest ones.
TEST(TfliteQuantized, NumbersThatStayOnTheirGridGetItOnce) {
  const TfliteTestScales grid{{0.1F}, {-5}}, other{{0.2F}, {0}};
  TfliteTestGraph graph;
  const int x = graph.Input("x", {1, 2, 2, 3}, Type::INT8, grid);
  const int pool = graph.Made("pool", {1, 1, 1, 3}, Type::INT8, grid),
            rows = graph.Made("rows", {1, 3}, Type::INT8, grid);
  graph.Add(TfliteOp::MAX_POOL_2D, {x}, {pool}, [](Builder& builder) {
    return tfl::CreatePool2DOptions(builder, tfl::Padding::VALID, 1, 1, 2, 2);
  });
  graph.Add(TfliteOp::RESHAPE, {pool, graph.Ints("to", {1, 3})}, {rows});
  EXPECT_EQ(OpsOfTflite(graph.Import().model), "input quantize max_pool flatten");
  const int again = graph.Made("again", {1, 3}, Type::INT8, other), real = graph.Made("real", {1, 3});
  graph.Add(TfliteOp::QUANTIZE, {rows}, {again}).Add(TfliteOp::DEQUANTIZE, {again}, {real});
  const Model model = graph.Import().model;
  EXPECT_EQ(OpsOfTflite(model), "input quantize max_pool flatten quantize");
  EXPECT_FLOAT_EQ(static_cast<float>(model.layers().back().As<QuantizeAttributes>().scale), 0.2F);
}

TEST(TfliteQuantized, BytesWithoutAScaleAreTheNumbersThatTheyAre) {
  TfliteTestGraph graph;
  const int x = graph.Input("x", {1, 2, 2, 3}, Type::UINT8, {});
  EXPECT_EQ(OpsOfTflite(graph.Add(TfliteOp::CAST, {x}, {graph.Made("y")}).Import().model), "input identity");
}

TEST(TfliteQuantized, OtherKindsAreRefusedWithTheReason) {
  const auto error = [](Type type, const TfliteTestScales& scales) {
    TfliteTestGraph graph;
    const int x = graph.Input("x", {1, 1, 1, 2}, type, scales);
    return graph.Add(TfliteOp::RELU, {x}, {graph.Made("y")}).Error();
  };
  const std::string place = "net.tflite: tensor 0 \"x\": it is an input of 1x2x1x1: ";
  EXPECT_EQ(
      error(Type::INT16, {{0.1F}, {0}}),
      place +
          "its numbers are whole ones of 16 bits (int16x8), for which there are no kernels; convert the "
          "network to int8, or leave it in float");
  EXPECT_EQ(error(Type::INT8, {}), place + "its numbers are of type INT8, and it has no scale for them");
  EXPECT_EQ(error(Type::INT8, {{0}, {0}}), place + "its scale is 0");
  EXPECT_EQ(error(Type::INT8, {{-1}, {0}}), place + "its scale of -1.000000 is no scale");
  EXPECT_EQ(error(Type::INT8, {{0.1F}, {200}}), place + "its zero point 200 is no INT8");
  EXPECT_EQ(error(Type::INT8, {{0.1F, 0.2F}, {0, 0}, 3}),
            place + "it has a scale for each channel, which constants alone may have");
  EXPECT_EQ(error(Type::INT8, {{0.1F, 0.2F}, {0, 0}, 1}), place + "it has 2 scales along axis 1 of 1x1x1x2");
  EXPECT_EQ(error(Type::INT8, {{0.1F, 0.2F}, {0, 0, 0}, 3}),
            place + "it has not as many zero points as scales");
}

}  // namespace
}  // namespace tandem
