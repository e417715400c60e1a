// TensorFlow Lite.
#include "tests/fuzz/readers.h"
#include "tests/support/tflite_test_graph.h"

namespace tandem {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;

std::string SmallClassifier() {
  TfliteTestGraph graph;
  const int image = graph.Input("image", {1, 4, 4, 3}), w = graph.Floats("w", {2, 3, 3, 3});
  const int conv = graph.Made("conv", {1, 4, 4, 2}), fc = graph.Floats("fc", {5, 32});
  const int y = graph.Made("y", {1, 5});
  graph
      .Add(TfliteOp::CONV_2D, {image, w}, {conv},
           [](Builder& builder) {
             return tfl::CreateConv2DOptions(builder, tfl::Padding::SAME, 1, 1,
                                             tfl::ActivationFunctionType::RELU6);
           })
      .Add(TfliteOp::FULLY_CONNECTED, {conv, fc}, {y},
           [](Builder& builder) { return tfl::CreateFullyConnectedOptions(builder); });
  return graph.Bytes();
}

std::string Activations() {
  TfliteTestGraph graph;
  const int x = graph.Input("x", {1, 2}), y = graph.Made("y"), z = graph.Made("z");
  return graph.Add(TfliteOp::RELU, {x}, {y}).Add(TfliteOp::TANH, {y}, {z}).Bytes();
}

FuzzReader Tflite() {
  return {"tflite", {SmallClassifier(), Activations()}, [](const std::string& bytes) {
            ImportTfliteBytes(bytes, "fuzz.tflite", {});
          }};
}
const FuzzReaderRegistration kTflite(Tflite);

}  // namespace
}  // namespace tandem
