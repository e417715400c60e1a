// TensorFlow Lite.
#include <array>

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

// A chain of operators of any kind, whose tensors and options fit only now and then: tables have no names by
// which to change one that fits.
class DrawnGraph {
 public:
  explicit DrawnGraph(std::mt19937_64& chance) : chance_(chance) {}

  std::string Bytes() {
    graph_.Input("in", Extents());
    for (std::size_t node = 1 + Below(4); node > 0; --node) AddNode();
    return graph_.Bytes();
  }

 private:
  std::size_t Below(std::size_t end) { return chance_() % end; }

  Shape Extents() {
    static constexpr std::array<std::int64_t, 8> kExtents = {1, 1, 2, 3, 4, 8, 0, 0x7fffffff};
    Shape shape;
    for (std::size_t axis = Below(10) < 8 ? 4 : Below(6); axis > 0; --axis) {
      shape.push_back(kExtents[Below(Below(8) == 0 ? kExtents.size() : 5)]);
    }
    return shape;
  }
  Shape SmallExtents() {
    Shape shape;
    for (std::size_t axis = Below(5); axis > 0; --axis)
      shape.push_back(static_cast<std::int64_t>(1 + Below(4)));
    return shape;
  }
  std::vector<int> SmallInts() {
    std::vector<int> values;
    for (std::size_t count = 1 + Below(5); count > 0; --count) {
      values.push_back(Below(10) == 0 ? 0x7fffffff : static_cast<int>(Below(6)) - 2);
    }
    return values;
  }

  // What was made before, or stands in the file.
  int From() {
    switch (Below(5)) {
      case 0:
        return graph_.Floats("w", SmallExtents());
      case 1:
        return graph_.Ints("i", SmallInts());
      case 2:
        return Below(3) == 0 ? -1 : graph_.Int("n", SmallInts()[0]);
      default:
        return last_;
    }
  }

  void AddNode() {
    std::vector<int> from = {last_};
    for (std::size_t more = Below(4); more > 0; --more) from.push_back(From());
    last_ = graph_.Made("y", Below(2) == 0 ? Shape{} : Extents());
    graph_.Add(static_cast<TfliteOp>(Below(static_cast<std::size_t>(TfliteOp::MAX) + 1)), from, {last_});
    if (Below(2) == 0) graph_.nodes.back().inputs.resize(1 + Below(from.size()));
    if (Below(3) == 0) return;  // without options
    const auto kind =
        static_cast<tfl::BuiltinOptions>(Below(static_cast<std::size_t>(tfl::BuiltinOptions::MAX) + 1));
    graph_.nodes.back().options_type = kind;
    const std::vector<int> numbers = SmallInts();
    graph_.nodes.back().options = [numbers](Builder& builder) {
      const auto start = builder.StartTable();
      for (std::size_t field = 0; field < numbers.size(); ++field) {
        builder.AddElement(flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(field)),
                           numbers[field], 0);
      }
      return flatbuffers::Offset<void>(builder.EndTable(start));
    };
  }

  std::mt19937_64& chance_;
  TfliteTestGraph graph_;
  int last_ = 0;
};

FuzzReader Tflite() {
  return {"tflite",
          {SmallClassifier(), Activations()},
          [](const std::string& bytes) { ImportTfliteBytes(bytes, "fuzz.tflite", {}); },
          [](const std::string&, std::mt19937_64& chance) { return DrawnGraph(chance).Bytes(); }};
}
const FuzzReaderRegistration kTflite(Tflite);

}  // namespace
}  // namespace tandem
