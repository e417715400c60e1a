#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string_view>

#include "profiles/importers/onnx/fold.h"

namespace tandem {
namespace {

using Int = std::int64_t;

// Integers wrap around as they do in every runtime; division by zero is the file's mistake.
Int Wrap(std::uint64_t value) { return static_cast<Int>(value); }
std::uint64_t Bits(Int value) { return static_cast<std::uint64_t>(value); }

Int Divide(const OnnxNode& node, Int a, Int b) {
  if (b == 0) node.Fail("divides by zero");
  return b == -1 ? Wrap(0 - Bits(a)) : a / b;
}

Int Modulo(const OnnxNode& node, Int a, Int b) {
  if (b == 0) node.Fail("divides by zero");
  if (b == -1) return 0;
  const Int rest = a % b;
  const bool as_c = node.Int("fmod", 0) != 0;
  return !as_c && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Int Power(const OnnxNode& node, Int a, Int b) {
  const double power = std::pow(static_cast<double>(a), static_cast<double>(b));
  if (!(std::abs(power) < 0x1p62)) node.Fail("its power is beyond 64 bits");
  return static_cast<Int>(power);
}

// A null pointer: not for numbers of that kind. `truth`: the result is 0 or 1 and an integer.
struct Binary {
  std::string_view type;
  Int (*ints)(const OnnxNode& node, Int a, Int b);
  float (*floats)(float a, float b);
  bool truth = false;
};
template <class Compare>
constexpr Binary Truth(std::string_view type, Compare) {
  return {type, [](const OnnxNode&, Int a, Int b) -> Int { return Compare()(a, b) ? 1 : 0; },
          [](float a, float b) { return Compare()(a, b) ? 1.0F : 0.0F; }, true};
}

const std::array kBinary = {
    Binary{"Add", [](const OnnxNode&, Int a, Int b) { return Wrap(Bits(a) + Bits(b)); },
           [](float a, float b) { return a + b; }},
    Binary{"Sub", [](const OnnxNode&, Int a, Int b) { return Wrap(Bits(a) - Bits(b)); },
           [](float a, float b) { return a - b; }},
    Binary{"Mul", [](const OnnxNode&, Int a, Int b) { return Wrap(Bits(a) * Bits(b)); },
           [](float a, float b) { return a * b; }},
    Binary{"Div", Divide, [](float a, float b) { return a / b; }},
    Binary{"Mod", Modulo, nullptr},
    Binary{"Pow", Power, [](float a, float b) { return std::pow(a, b); }},
    Binary{"Min", [](const OnnxNode&, Int a, Int b) { return std::min(a, b); },
           [](float a, float b) { return std::min(a, b); }},
    Binary{"Max", [](const OnnxNode&, Int a, Int b) { return std::max(a, b); },
           [](float a, float b) { return std::max(a, b); }},
    Truth("Equal", std::equal_to<>()),
    Truth("Less", std::less<>()),
    Truth("Greater", std::greater<>()),
    Truth("LessOrEqual", std::less_equal<>()),
    Truth("GreaterOrEqual", std::greater_equal<>()),
    Truth("And", std::logical_and<>()),
    Truth("Or", std::logical_or<>()),
};

struct Unary {
  std::string_view type;
  Int (*ints)(Int x);
  float (*floats)(float x);
};
const std::array kUnary = {
    Unary{"Neg", [](Int x) { return Wrap(0 - Bits(x)); }, [](float x) { return -x; }},
    Unary{"Abs", [](Int x) { return x < 0 ? Wrap(0 - Bits(x)) : x; }, [](float x) { return std::abs(x); }},
    Unary{"Not", [](Int x) -> Int { return x == 0 ? 1 : 0; }, nullptr},
    Unary{"Sqrt", nullptr, [](float x) { return std::sqrt(x); }},
    Unary{"Exp", nullptr, [](float x) { return std::exp(x); }},
    Unary{"Log", nullptr, [](float x) { return std::log(x); }},
    Unary{"Floor", nullptr, [](float x) { return std::floor(x); }},
    Unary{"Ceil", nullptr, [](float x) { return std::ceil(x); }},
    Unary{"Round", nullptr, [](float x) { return std::nearbyint(x); }},
    Unary{"Reciprocal", nullptr, [](float x) { return 1 / x; }},
};

template <class Table>
const auto& Row(const OnnxNode& node, std::string_view type, const Table& table) {
  for (const auto& row : table) {
    if (row.type == type) return row;
  }
  node.Fail("is not supported on constants");
}

template <class Function>
Function Need(const OnnxNode& node, Function function) {
  if (function == nullptr) node.Fail("is not supported on constants of this type");
  return function;
}

OnnxConstant ShapeOnly(Shape shape, bool integer) {
  OnnxConstant constant;
  constant.shape = std::move(shape);
  constant.integer = integer;
  return constant;
}

template <class T>
OnnxConstant Vector(std::vector<T> values) {
  const auto size = static_cast<Int>(values.size());
  return MakeConstant({size}, std::move(values));
}

template <class T>
std::vector<T> Spread(const std::vector<T>& own, const Shape& shape, const Shape& out) {
  if (shape == out) return own;
  std::vector<T> spread;
  spread.reserve(static_cast<std::size_t>(CheckedElements(out)));
  ForEachPlace(BroadcastStrides(shape, out), [&](std::size_t at) { spread.push_back(own[at]); });
  return spread;
}

std::vector<Int> IntsOver(const OnnxNode& node, std::size_t i, const Shape& out) {
  return Spread(node.IntsOf(i), node.ShapeOf(i), out);
}
std::vector<float> FloatsOver(const OnnxNode& node, std::size_t i, const Shape& out) {
  return Spread(node.FloatsOf(i), node.ShapeOf(i), out);
}

bool IsFloatType(Int type) {
  return type == onnx::TensorProto::FLOAT || type == onnx::TensorProto::FLOAT16 ||
         type == onnx::TensorProto::DOUBLE || type == onnx::TensorProto::BFLOAT16;
}

Int Truncated(const OnnxNode& node, float value) {
  if (!(std::abs(value) < 0x1p62F)) node.Fail("its input is beyond 64 bits");
  return static_cast<Int>(value);
}

// What a reduction does to two elements.
std::string_view Pairwise(const OnnxNode& node) {
  if (node.type() == "ReduceProd") return "Mul";
  if (node.type() == "ReduceMax") return "Max";
  return node.type() == "ReduceMin" ? "Min" : "Add";
}

// How many steps lead from `start` to below `limit`.
std::size_t RangeLength(const OnnxNode& node, double start, double limit, double step) {
  const double length = std::ceil((limit - start) / step);
  if (step == 0 || !(length <= static_cast<double>(kOnnxSmallTensor))) node.Fail("its range is out of range");
  return length < 0 ? 0 : static_cast<std::size_t>(length);
}

}  // namespace

OnnxConstant FoldBinary(OnnxNode& node) {
  if (node.inputs() != 2) node.Fail("of constants is supported with two of them");
  const Binary& row = Row(node, node.type(), kBinary);
  const OnnxConstant& a = node.Constant(0);
  const OnnxConstant& b = node.Constant(1);
  const Shape out = BroadcastShapes(node, a.shape, b.shape);
  const bool integer = a.integer && b.integer;
  if (!a.known() || !b.known() || !node.Spend(node.Elements(out)))
    return ShapeOnly(out, integer || row.truth);
  if (integer) {
    std::vector<Int> left = IntsOver(node, 0, out);
    const std::vector<Int> right = IntsOver(node, 1, out);
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = row.ints(node, left[i], right[i]);
    return MakeConstant(out, std::move(left));
  }
  const auto function = Need(node, row.floats);
  std::vector<float> left = FloatsOver(node, 0, out);
  const std::vector<float> right = FloatsOver(node, 1, out);
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = function(left[i], right[i]);
  if (row.truth) return MakeConstant(out, std::vector<Int>(left.begin(), left.end()));
  return MakeConstant(out, std::move(left));
}

OnnxConstant FoldUnary(OnnxNode& node) {
  const Unary& row = Row(node, node.type(), kUnary);
  const OnnxConstant& in = node.Constant(0);
  if (!in.known() || !node.Spend(node.Elements(in.shape))) return ShapeOnly(in.shape, in.integer);
  const auto apply = [&](auto values, auto function) {
    for (auto& value : values) value = function(value);
    return MakeConstant(in.shape, std::move(values));
  };
  return in.integer ? apply(node.IntsOf(0), Need(node, row.ints))
                    : apply(node.FloatsOf(0), Need(node, row.floats));
}

OnnxConstant FoldCast(OnnxNode& node) {
  const OnnxConstant& in = node.Constant(0);
  const bool to_float = IsFloatType(node.Int("to", 0));
  if (to_float != in.integer) return in;  // fp16, doubles and int32 are kept as float and int64
  if (!in.known() || !node.Spend(node.Elements(in.shape))) return ShapeOnly(in.shape, !to_float);
  if (to_float) return MakeConstant(in.shape, node.FloatsOf(0));
  std::vector<Int> ints;
  for (const float value : node.FloatsOf(0)) ints.push_back(Truncated(node, value));
  return MakeConstant(in.shape, std::move(ints));
}

OnnxConstant FoldWhere(OnnxNode& node) {
  const Shape out =
      BroadcastShapes(node, node.ShapeOf(0), BroadcastShapes(node, node.ShapeOf(1), node.ShapeOf(2)));
  const bool integer = node.Constant(1).integer && node.Constant(2).integer;
  const bool known = node.Constant(0).known() && node.Constant(1).known() && node.Constant(2).known();
  if (!known || !node.Spend(node.Elements(out))) return ShapeOnly(out, integer);
  const std::vector<Int> condition = IntsOver(node, 0, out);
  const auto choose = [&](auto values, const auto& otherwise) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (condition[i] == 0) values[i] = otherwise[i];
    }
    return MakeConstant(out, std::move(values));
  };
  if (integer) return choose(IntsOver(node, 1, out), IntsOver(node, 2, out));
  return choose(FloatsOver(node, 1, out), FloatsOver(node, 2, out));
}

// Over all elements: what shapes are reduced by.
OnnxConstant FoldReduce(OnnxNode& node) {
  const OnnxConstant& in = node.Constant(0);
  const auto axes = node.IntsFrom("axes", 1);
  const std::size_t rank = in.shape.size();
  if ((rank > 1 && axes && axes->size() != rank) || node.Elements(in.shape) == 0) {
    node.Fail("of a constant is supported over all its elements alone");
  }
  const Shape out(node.Int("keepdims", 1) != 0 ? rank : 0, 1);
  if (!in.known() || !node.Spend(node.Elements(in.shape))) return ShapeOnly(out, in.integer);
  const Binary& row = Row(node, Pairwise(node), kBinary);
  const bool mean = node.type() == "ReduceMean";
  if (in.integer) {
    const std::vector<Int> values = node.IntsOf(0);
    Int result = values[0];
    for (std::size_t i = 1; i < values.size(); ++i) result = row.ints(node, result, values[i]);
    return MakeConstant(out, std::vector<Int>{mean ? result / static_cast<Int>(values.size()) : result});
  }
  const std::vector<float> values = node.FloatsOf(0);
  float result = values[0];
  for (std::size_t i = 1; i < values.size(); ++i) result = row.floats(result, values[i]);
  return MakeConstant(out, std::vector<float>{mean ? result / static_cast<float>(values.size()) : result});
}

OnnxConstant FoldRange(OnnxNode& node) {
  for (const std::size_t i : {0, 1, 2}) {
    if (node.Elements(node.Constant(i).shape) != 1) node.Fail("expects three single numbers");
  }
  if (node.Constant(0).integer) {
    const Int start = node.IntsOf(0)[0];
    const Int step = node.IntsOf(2)[0];
    std::vector<Int> values(RangeLength(node, static_cast<double>(start),
                                        static_cast<double>(node.IntsOf(1)[0]), static_cast<double>(step)));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = Wrap(Bits(start) + i * Bits(step));
    return Vector(std::move(values));
  }
  const float start = node.FloatOf(0);
  const float step = node.FloatOf(2);
  std::vector<float> values(RangeLength(node, start, node.FloatOf(1), step));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = start + static_cast<float>(i) * step;
  return Vector(std::move(values));
}

}  // namespace tandem
