// Do whole TensorFlow Lite files become the networks that they hold, and is what is none refused with its
// place?
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/model/model_source.h"
#include "profiles/model/safetensors.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tflite_test_graph.h"

namespace tandem {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;
using Fused = tfl::ActivationFunctionType;
using Type = tfl::TensorType;

auto Conv(Fused fused = Fused::NONE) {
  return [=](Builder& builder) { return tfl::CreateConv2DOptions(builder, tfl::Padding::SAME, 1, 1, fused); };
}
auto Fc() {
  return [](Builder& builder) { return tfl::CreateFullyConnectedOptions(builder); };
}

// What a small classifier looks like: two operators of use and one that nothing needs.
TfliteTestGraph Classifier() {
  TfliteTestGraph graph;
  const int image = graph.Input("image", {1, 4, 4, 3}), w = graph.Floats("w", {2, 3, 3, 3});
  const int conv = graph.Made("net/conv;net/bias", {1, 4, 4, 2}), unused = graph.Made("unused", {1, 4, 4, 2});
  const int fc = graph.Floats("fc", {5, 32}), y = graph.Made("y", {1, 5});
  graph.Add(TfliteOp::CONV_2D, {image, w}, {conv}, Conv(Fused::RELU6)).Add(TfliteOp::TANH, {conv}, {unused});
  return graph.Add(TfliteOp::FULLY_CONNECTED, {conv, fc}, {y}, Fc());
}

TEST(TfliteImport, NamesTheModelAfterItsFileAndLayersAfterTensors) {
  const ImportedModel imported = Classifier().Import();
  EXPECT_EQ(imported.model.name(), "net");
  std::string names;
  for (const Layer& layer : imported.model.layers()) names += layer.name + " ";
  EXPECT_EQ(names, "image net/conv net/conv/relu6 y/flatten y ");
  EXPECT_EQ(OpsOfTflite(imported.model), "input conv relu6 flatten fc");
  EXPECT_EQ(imported.model.layer(LayerId(0)).output, (Shape{1, 3, 4, 4}));
}

TEST(TfliteImport, ALayerWithoutANameIsCalledByItsOperator) {
  TfliteTestGraph graph;
  const int x = graph.Input("", {1, 2}), y = graph.Made(""), z = graph.Made("");
  const Model model = graph.Add(TfliteOp::RELU, {x}, {y}).Add(TfliteOp::TANH, {y}, {z}).Import().model;
  std::string names;
  for (const Layer& layer : model.layers()) names += layer.name + " ";
  EXPECT_EQ(names, "input_0 RELU_0 TANH_1 ");
}

TEST(TfliteImport, CountsAreThoseOfItsNetwork) {
  const Counts totals = Classifier().Import().model.totals();
  EXPECT_EQ(totals.params, 2 * 27 + 5 * 32);
  EXPECT_EQ(totals.macs, 16 * 2 * 27 + 5 * 32);
  EXPECT_EQ(Classifier().Import().model.WithBatch(3).totals().macs, 3 * totals.macs);
}

TEST(TfliteImport, AnOutputThatIsReadOnIsStillAnOutput) {
  TfliteTestGraph graph = Classifier();
  graph.outputs = {5, 2, 3};
  const Model model = graph.Import().model;
  EXPECT_EQ(OpsOfTflite(model), "input conv relu6 tanh flatten fc identity");
  EXPECT_EQ(model.Outputs().size(), 3U);
  EXPECT_EQ(model.layers().back().name, "net/conv/relu6/output");
}

TEST(TfliteImport, ReadsOperatorsOfEitherOfTheTwoFields) {
  TfliteTestGraph graph = Classifier();
  graph.new_codes = false;
  EXPECT_EQ(OpsOfTflite(graph.Import().model), "input conv relu6 flatten fc");
}

TEST(TfliteImport, ReadsNumbersBehindTheTables) {
  TfliteTestGraph graph = Classifier();
  const Weights expected = graph.Import().weights;
  graph.data_behind_tables = true;
  const Weights found = graph.Import().weights;
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [key, tensor] : expected) EXPECT_EQ(found.at(key).values, tensor.values);
  const std::string bytes = graph.Bytes();
  EXPECT_EQ(
      ErrorOfTfliteBytes(bytes.substr(0, bytes.size() - 1)),
      "net.tflite: tensor 4 \"fc\": its buffer lies beyond the end of the file, which may be cut short");
}

TEST(TfliteImport, LeavesWeightsOutWhereTheyAreNotWanted) {
  ImportOptions options;
  options.want_weights = false;
  EXPECT_TRUE(Classifier().Import(options).weights.empty());
  EXPECT_EQ(Classifier().Import().weights.size(), 2U);
}

TEST(TfliteImport, IsToldByItsNameAndByItsFirstBytes) {
  const TempFolder folder;
  for (const char* name : {"net.tflite", "net.bin", "net"}) {
    const std::filesystem::path file = folder / name;
    WriteFile(file, Classifier().Bytes());
    EXPECT_EQ(LoadModel(file.string(), {}).model.name(), "net");
    EXPECT_EQ(LoadModel(name, folder / "from.json").model.name(), "net") << "beside who names it";
    EXPECT_TRUE(IsModelFile(file));
    EXPECT_EQ(FilesOfModel(file), std::vector<std::filesystem::path>{file});
  }
  WriteFile(folder / "text.bin", "TFL3 is not at its place");
  EXPECT_FALSE(IsModelFile(folder / "text.bin"));
}

TEST(TfliteInput, IsAskedForWhereItsShapeIsOpen) {
  TfliteTestGraph graph;
  const int x = graph.Input("image", {1, 1, 1, 3});
  graph.tensors[0].signature = {-1, -1, -1, 3};
  graph.Add(TfliteOp::RELU, {x}, {graph.Made("y", {1, 1, 1, 3})});
  EXPECT_EQ(
      graph.Error(),
      "net.tflite: tensor 0 \"image\": it is an input of the shape 1x3x?x? (batch, channels, height, width), "
      "which is open; give one with `tandem models import --input`, such as 1x3x224x224");
  ImportOptions options;
  options.input = Shape{2, 3, 8, 9};
  EXPECT_EQ(graph.Import(options).model.layers().back().output, (Shape{2, 3, 8, 9}));
  graph.tensors[0].signature = {-1, 1, 1, 3};
  EXPECT_EQ(graph.Error(), "no error") << "a batch of any size is 1";
  graph.Input("second", {1});
  EXPECT_EQ(graph.Error(options),
            "net.tflite: an input shape can be asked for where a model has one input; this one has 2");
}

TEST(TfliteImport, WhatJudgesAtItsEndIsLeftOut) {
  TfliteTestGraph graph = Classifier();
  const int boxes = graph.Made("boxes");
  graph.AddCustom("TFLite_Detection_PostProcess", {5, 2}, {boxes});
  const ImportedModel imported = graph.Import();
  EXPECT_EQ(OpsOfTflite(imported.model), "input conv relu6 flatten fc identity");
  ASSERT_EQ(imported.notes.size(), 1U);
  EXPECT_EQ(imported.notes[0],
            "TFLite_Detection_PostProcess at its end is left out; the outputs are what it reads: \"y\", "
            "\"net/conv/relu6\"");
  graph.Add(TfliteOp::RELU, {boxes}, {graph.Made("z")});
  EXPECT_EQ(graph.Error(),
            "net.tflite: operator 4 \"z\" (RELU): its input 0, tensor 6 \"boxes\" is made by "
            "TFLite_Detection_PostProcess, which is left out at the end of a network alone");
}

TEST(TfliteImport, NamesAnOperatorThatIsNotSupportedEvenWhereNothingNeedsIt) {
  TfliteTestGraph graph = Classifier();
  graph.nodes[1].type = static_cast<std::int32_t>(TfliteOp::WHILE);
  EXPECT_EQ(
      graph.Error(),
      "net.tflite: operator 1 \"unused\" (WHILE): the operator is not supported; docs/formats.md lists those "
      "that are");
  graph.nodes[1].type = 200;
  EXPECT_EQ(
      graph.Error(),
      "net.tflite: operator 1 \"unused\" (number 200): the operator is not supported; docs/formats.md lists "
      "those that are");
  graph.nodes[1].type = static_cast<std::int32_t>(TfliteOp::CUSTOM);
  graph.nodes[1].custom = "Mine";
  EXPECT_EQ(
      graph.Error(),
      "net.tflite: operator 1 \"unused\" (Mine): is an operator of somebody's own, which is not supported");
}

TEST(TfliteImport, RefusesGraphsThatDoNotHold) {
  TfliteTestGraph graph = Classifier();
  graph.nodes[1].inputs = {5};
  EXPECT_EQ(
      graph.Error(),
      "net.tflite: operator 1 \"unused\" (TANH): its input 0, tensor 5 \"y\" is made by nothing before it");
  graph.nodes[1].inputs = {77};
  EXPECT_EQ(graph.Error(), "net.tflite: operator 1 (TANH): it names tensor 77 of 6");
  graph.nodes[1].inputs = {};
  EXPECT_EQ(graph.Error(),
            "net.tflite: operator 1 \"unused\" (TANH): all its inputs are constants, which is not supported");
  graph.nodes[1].inputs = {2};
  graph.nodes[1].outputs = {2};
  EXPECT_EQ(graph.Error(),
            "net.tflite: operator 1 \"net/conv\" (TANH): it makes tensor 2 \"net/conv;net/bias\", which is "
            "there already");
  graph.nodes[1].outputs = {};
  EXPECT_EQ(graph.Error(), "net.tflite: operator 1 \"TANH_1\" (TANH): it has no output");
  graph = Classifier();
  graph.nodes[0].options = nullptr;
  graph.nodes[0].options_type = tfl::BuiltinOptions::NONE;
  EXPECT_EQ(
      graph.Error(),
      "net.tflite: operator 0 \"net/conv\" (CONV_2D): its options are missing, or those of another operator");
  graph = Classifier();
  graph.outputs = {9};
  EXPECT_EQ(graph.Error(), "net.tflite: its output 0 is tensor 9 of 6");
  graph.outputs = {3};
  graph.nodes.pop_back();
  graph.nodes.pop_back();
  EXPECT_EQ(graph.Error(), "net.tflite: its output 0, tensor 3 \"unused\", is made by nothing");
  graph.version = 2;
  EXPECT_EQ(
      graph.Error(),
      "net.tflite: is of version 2 of the format; supported is version 3, which converters since 2018 write");
  graph.version = 3;
  graph.nodes.clear();
  EXPECT_EQ(graph.Error(), "net.tflite: has no network: no operators");
}

TEST(TfliteImport, RefusesTensorsThatDoNotHold) {
  TfliteTestGraph graph = Classifier();
  graph.tensors[1].data.pop_back();
  EXPECT_EQ(graph.Error(),
            "net.tflite: tensor 1 \"w\": it has 215 bytes of data, its shape 2x3x3x3 needs 216");
  graph.tensors[1].is_sparse = true;
  EXPECT_EQ(graph.Error(),
            "net.tflite: tensor 1 \"w\": it is sparse, which is not supported; convert the network without "
            "sparsity");
  graph = Classifier();
  graph.tensors[1].external = 1;
  EXPECT_EQ(graph.Error(),
            "net.tflite: tensor 1 \"w\": its numbers stand in another file, which is not supported");
  graph = Classifier();
  graph.tensors[1].shape = {2, 3, 3, -3};
  EXPECT_EQ(graph.Error(), "net.tflite: tensor 1 \"w\": its extent -3 is negative");
  graph.tensors[1].shape = {1 << 30, 1 << 30, 3, 3};
  EXPECT_EQ(graph.Error(), "net.tflite: tensor 1 \"w\": it has more than 2^40 elements");
  graph = Classifier();
  graph.tensors[1].type = Type::INT4;
  EXPECT_EQ(graph.Error(),
            "net.tflite: tensor 1 \"w\": its numbers are of type INT4, which is not supported");
  graph = Classifier();
  graph.tensors[2].shape = {1, 4, 4, 7};
  EXPECT_EQ(
      graph.Error(),
      "net.tflite: operator 0 \"net/conv\" (CONV_2D): its output is 1x4x4x2, and the file says 1x4x4x7");
  graph = Classifier();
  graph.tensors[0].type = Type::STRING;
  EXPECT_EQ(graph.Error(),
            "net.tflite: tensor 0 \"image\": it is an input of 1x3x4x4: its numbers are of type STRING; "
            "supported are "
            "FLOAT32, INT8 and UINT8");
  graph = Classifier();
  graph.tensors[1].is_variable = true;
  graph.tensors[1].data = {};
  EXPECT_EQ(graph.Error(),
            "net.tflite: operator 0 \"net/conv\" (CONV_2D): its input 1, tensor 1 \"w\" is kept from run to "
            "run, which "
            "is not supported");
}

TEST(TfliteImport, TellsAModelFromOtherFiles) {
  EXPECT_EQ(ErrorOfTfliteBytes(""),
            "net.tflite: is not a TensorFlow Lite model: it has no TFL3 at its beginning");
  EXPECT_EQ(ErrorOfTfliteBytes("{\"tandem\": \"model/1\"}"),
            "net.tflite: is not a TensorFlow Lite model: it has no TFL3 at its beginning");
  const std::string whole = Classifier().Bytes();
  EXPECT_EQ(ErrorOfTfliteBytes(whole.substr(0, whole.size() / 2)),
            "net.tflite: is damaged, or is cut short: its tables point to where there are none");
}

TEST(TfliteImport, OperatorsThatShareTheirNumbersDoNotTakeAllMemory) {
  TfliteTestGraph graph;
  int from = graph.Input("x", {1, 256});
  const int w = graph.Floats("w", {256, 256});
  for (int i = 0; i < 500; ++i) {
    const int to = graph.Made("y");
    graph.Add(TfliteOp::FULLY_CONNECTED, {from, w}, {to}, Fc());
    from = to;
  }
  EXPECT_NE(graph.Error().find("its layers share their numbers so often"), std::string::npos);
}

// A file with something of everything, so that damage meets all that is read.
TfliteTestGraph Rich() {
  TfliteTestGraph graph;
  const int x = graph.Input("x", {1, 6, 6, 4}, Type::INT8, {{0.1F}, {3}});
  const int pads = graph.Stored("pads", {4, 2}, Type::INT32, {0, 0, 1, 1, 1, 1, 0, 0});
  const int padded = graph.Made("padded", {1, 8, 8, 4}, Type::INT8, {{0.1F}, {3}});
  const int w = graph.Stored("w", {1, 3, 3, 4}, Type::INT8, std::vector<int>(36, 5),
                             {{0.1F, 0.2F, 0.3F, 0.4F}, {0, 0, 0, 0}, 3});
  const int y = graph.Made("y", {1, 3, 3, 4}, Type::INT8, {{0.2F}, {-1}});
  graph.Add(TfliteOp::PAD, {x, pads}, {padded});
  graph.Add(TfliteOp::DEPTHWISE_CONV_2D, {padded, w}, {y}, [](Builder& builder) {
    return tfl::CreateDepthwiseConv2DOptions(builder, tfl::Padding::VALID, 2, 2, 1);
  });
  const int part = graph.Made("part", {1, 3, 2, 4}, Type::INT8, {{0.2F}, {-1}});
  const std::vector<int> slice = {y, graph.Ints("begin", {0, 0, 1, 0}), graph.Ints("end", {1, 3, 3, 4}),
                                  graph.Ints("strides", {1, 1, 1, 1})};
  graph.Add(TfliteOp::STRIDED_SLICE, slice, {part},
            [](Builder& builder) { return tfl::CreateStridedSliceOptions(builder); });
  const int real = graph.Made("real", {1, 3, 2, 4}), shape = graph.Ints("shape", {1, -1}),
            rows = graph.Made("rows", {1, 24});
  graph.Add(TfliteOp::DEQUANTIZE, {part}, {real}).Add(TfliteOp::RESHAPE, {real, shape}, {rows});
  const int half = graph.Stored("half", {2, 24}, Type::FLOAT16, std::vector<int>(48, 0x3c00));
  const int full = graph.Made("full"), out = graph.Made("out", {1, 2});
  graph.Add(TfliteOp::DEQUANTIZE, {half}, {full});
  return graph.Add(TfliteOp::FULLY_CONNECTED, {rows, full}, {out}, Fc());
}

// Whatever the bytes, the answer is a model or an InputError.
TEST(TfliteImport, SurvivesDamage) {
  const std::string whole = Rich().Bytes();
  ASSERT_EQ(ErrorOfTfliteBytes(whole), "no error");
  for (std::size_t length = 0; length + 32 < whole.size(); ++length) {
    EXPECT_NE(ErrorOfTfliteBytes(whole.substr(0, length)), "no error") << length;
  }
  std::mt19937_64 bits(1);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = whole;
    for (int change = 0; change < 1 + round % 4; ++change) {
      // A bit, a byte, or a number that is large or below 0.
      const std::size_t at = bits() % damaged.size();
      if (round % 3 == 0) damaged[at] = static_cast<char>(damaged[at] ^ static_cast<char>(1 << bits() % 8));
      if (round % 3 == 1) damaged[at] = static_cast<char>(bits());
      if (round % 3 == 2 && at + 4 <= damaged.size()) damaged.replace(at / 4 * 4, 4, "\xff\xff\xff\x7f", 4);
    }
    refused += ErrorOfTfliteBytes(damaged) != "no error" ? 1 : 0;
  }
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 20000);
}

}  // namespace
}  // namespace tandem
