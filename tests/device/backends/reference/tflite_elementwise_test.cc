// Do operators that work element by element compute what TensorFlow Lite says, whatever the axes of their
// operands?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/device/tflite_run.h"

namespace tandem {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;
using Fused = tfl::ActivationFunctionType;

// As NumPy broadcasts: axes are counted from the last.
float Broadcast(const FileTensor& from, const std::array<std::int64_t, 4>& at) {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < from.shape.size(); ++i) {
    const std::int64_t place = at[4 - from.shape.size() + i];
    offset = offset * from.shape[i] + (from.shape[i] == 1 ? 0 : place);
  }
  return from.values[static_cast<std::size_t>(offset)];
}

TEST(TfliteElementwise, ConstantsOfAnyAxesMeetTheFilesAxes) {
  const FileTensor in = Waving({2, 3, 4, 5});
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{5}, Shape{1, 1, 5}, Shape{4, 1}, Shape{3, 4, 5},
                             Shape{1, 3, 1, 1}, Shape{2, 1, 1, 5}, Shape{1, 1, 1, 1}}) {
    SCOPED_TRACE(ShapeText(shape));
    const FileTensor constant = Waving(shape, 4);
    for (const bool first : {false, true}) {
      TfliteTestGraph graph;
      const int x = graph.Input("x", in.shape), k = graph.Floats("k", shape, constant.values);
      graph.Add(TfliteOp::SUB, first ? std::vector<int>{k, x} : std::vector<int>{x, k}, {graph.Made("y")},
                [](Builder& builder) { return tfl::CreateSubOptions(builder); });
      ExpectNear(RunTflite(graph, {in}), Filled(in.shape, [&](auto n, auto y, auto c, auto k2) {
                   const double difference = in.at(n, y, c, k2) - Broadcast(constant, {n, y, c, k2});
                   return first ? -difference : difference;
                 }));
    }
  }
}

TEST(TfliteElementwise, TensorsOfFewerAxesMeetTheFilesAxes) {
  const FileTensor in = Waving({2, 3, 4, 5});
  for (const Shape& shape :
       {Shape{1, 5}, Shape{4, 5}, Shape{3, 1, 5}, Shape{2, 1, 1, 5}, Shape{2, 3, 4, 1}}) {
    SCOPED_TRACE(ShapeText(shape));
    const FileTensor other = Waving(shape, 4);
    TfliteTestGraph graph;
    const int x = graph.Input("x", in.shape), k = graph.Input("k", shape);
    graph.Add(TfliteOp::MUL, {x, k}, {graph.Made("y")},
              [](Builder& builder) { return tfl::CreateMulOptions(builder); });
    ExpectNear(RunTflite(graph, {in, other}), Filled(in.shape, [&](auto n, auto y, auto c, auto k2) {
                 return in.at(n, y, c, k2) * Broadcast(other, {n, y, c, k2});
               }));
  }
}

// y = f(x) for each number.
void ExpectFunction(const TfliteTestGraph& graph, const FileTensor& in, double (*function)(double),
                    double most = 1e-5) {
  FileTensor expected = in;
  for (float& value : expected.values) value = static_cast<float>(function(value));
  ExpectNear(RunTflite(graph, {in}), expected, most);
}

FileTensor Wide(double factor) {
  FileTensor in = Waving({1, 3, 3, 4});
  for (float& value : in.values) value *= static_cast<float>(factor);
  return in;
}

TEST(TfliteElementwise, FunctionsOfOneNumber) {
  const auto expect = [](TfliteOp type, double (*function)(double), bool positive = false) {
    SCOPED_TRACE(tfl::EnumNameBuiltinOperator(type));
    FileTensor in = Wide(9);
    for (float& value : in.values) value = positive ? std::abs(value) + 0.1F : value;
    TfliteTestGraph graph;
    const int x = graph.Input("x", in.shape);
    ExpectFunction(graph.Add(type, {x}, {graph.Made("y")}), in, function, 1e-4);
  };
  expect(TfliteOp::RELU, [](double x) { return std::max(x, 0.0); });
  expect(TfliteOp::RELU6, [](double x) { return std::clamp(x, 0.0, 6.0); });
  expect(TfliteOp::RELU_N1_TO_1, [](double x) { return std::clamp(x, -1.0, 1.0); });
  expect(TfliteOp::RELU_0_TO_1, [](double x) { return std::clamp(x, 0.0, 1.0); });
  expect(TfliteOp::LOGISTIC, [](double x) { return 1 / (1 + std::exp(-x)); });
  expect(TfliteOp::TANH, [](double x) { return std::tanh(x); });
  expect(TfliteOp::HARD_SWISH, [](double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; });
  expect(TfliteOp::ELU, [](double x) { return x < 0 ? std::expm1(x) : x; });
  expect(TfliteOp::ABS, [](double x) { return std::abs(x); });
  expect(TfliteOp::NEG, [](double x) { return -x; });
  expect(TfliteOp::SQUARE, [](double x) { return x * x; });
  expect(
      TfliteOp::SQRT, [](double x) { return std::sqrt(x); }, true);
  expect(
      TfliteOp::RSQRT, [](double x) { return 1 / std::sqrt(x); }, true);
  expect(
      TfliteOp::LOG, [](double x) { return std::log(x); }, true);
}

TEST(TfliteElementwise, FunctionsWithOptionsAndSlopes) {
  const FileTensor in = Wide(2);
  TfliteTestGraph leaky;
  const int x = leaky.Input("x", in.shape);
  leaky.Add(TfliteOp::LEAKY_RELU, {x}, {leaky.Made("y")},
            [](Builder& builder) { return tfl::CreateLeakyReluOptions(builder, 0.2F); });
  ExpectFunction(leaky, in, [](double value) { return value < 0 ? 0.2 * value : value; });
  TfliteTestGraph gelu;
  const int g = gelu.Input("x", in.shape);
  gelu.Add(TfliteOp::GELU, {g}, {gelu.Made("y")},
           [](Builder& builder) { return tfl::CreateGeluOptions(builder); });
  ExpectFunction(gelu, in, [](double value) { return value / 2 * (1 + std::erf(value / std::sqrt(2.0))); });
  for (const Shape& shape : {Shape{4}, Shape{1, 1, 4}, Shape{1, 1, 1}}) {
    const FileTensor slope = Waving(shape, 6);
    TfliteTestGraph prelu;
    const int u = prelu.Input("x", in.shape), s = prelu.Floats("s", shape, slope.values);
    prelu.Add(TfliteOp::PRELU, {u, s}, {prelu.Made("y")});
    ExpectNear(RunTflite(prelu, {in}), Filled(in.shape, [&](auto n, auto y, auto c, auto k) {
                 const double value = in.at(n, y, c, k);
                 return value < 0 ? value * Broadcast(slope, {n, y, c, k}) : value;
               }));
  }
}

TEST(TfliteElementwise, SumsWithFusedFunctionsAndTheirLike) {
  const FileTensor a = Wide(3), b = Waving({1, 3, 3, 4}, 8);
  const auto expect = [&](TfliteOp type, auto make, double (*function)(double, double)) {
    SCOPED_TRACE(tfl::EnumNameBuiltinOperator(type));
    TfliteTestGraph graph;
    const int x = graph.Input("a", a.shape), y = graph.Input("b", b.shape);
    graph.Add(type, {x, y}, {graph.Made("y")}, make);
    FileTensor expected = a;
    for (std::size_t i = 0; i < a.values.size(); ++i)
      expected.values[i] = static_cast<float>(function(a.values[i], b.values[i]));
    ExpectNear(RunTflite(graph, {a, b}), expected);
  };
  const auto none = [](Builder& builder) { return tfl::CreateReshapeOptions(builder); };
  expect(
      TfliteOp::ADD, [](Builder& builder) { return tfl::CreateAddOptions(builder, Fused::RELU); },
      [](double x, double y) { return std::max(x + y, 0.0); });
  expect(
      TfliteOp::MUL, [](Builder& builder) { return tfl::CreateMulOptions(builder, Fused::RELU_N1_TO_1); },
      [](double x, double y) { return std::clamp(x * y, -1.0, 1.0); });
  expect(
      TfliteOp::SUB, [](Builder& builder) { return tfl::CreateSubOptions(builder, Fused::RELU6); },
      [](double x, double y) { return std::clamp(x - y, 0.0, 6.0); });
  expect(TfliteOp::MAXIMUM, none, [](double x, double y) { return std::max(x, y); });
  expect(TfliteOp::MINIMUM, none, [](double x, double y) { return std::min(x, y); });
  expect(TfliteOp::SQUARED_DIFFERENCE, none, [](double x, double y) { return (x - y) * (x - y); });
  expect(TfliteOp::ADD_N, none, [](double x, double y) { return x + y; });
}

}  // namespace
}  // namespace tandem
