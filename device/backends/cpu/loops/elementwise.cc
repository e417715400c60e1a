#include <cmath>

#include "device/backends/cpu/loops/kernels.h"
#include "device/backends/cpu/loops/simd.h"
#include "device/backends/cpu/loops/walk.h"

namespace tandem {
namespace {

// out = function(a, b) over loops of which the innermost steps by one or, where an operand is broadcast, by
// none.
template <class Function>
void Combine(const std::vector<LoopAxis>& around, const LoopAxis& inner, const float* a, const float* b,
             float* out, Function function) {
  const std::vector<LoopAxis>* const loops = &around;
  InParts(Iterations(around), inner.count, [=](std::int64_t first, std::int64_t last) {
    RunSimd([=]() TANDEM_INLINE {
      LoopWalk walk(*loops, first);
      for (std::int64_t row = first; row < last; ++row, walk.Next()) {
        const float *const x = a + walk.a, *const y = b + walk.b;
        float* const z = out + walk.out;
        if (inner.a == 0) {
          const float same = x[0];
          for (std::int64_t i = 0; i < inner.count; ++i) z[i] = function(same, y[i]);
        } else if (inner.b == 0) {
          const float same = y[0];
          for (std::int64_t i = 0; i < inner.count; ++i) z[i] = function(x[i], same);
        } else {
          for (std::int64_t i = 0; i < inner.count; ++i) z[i] = function(x[i], y[i]);
        }
      }
    });
  });
}

// Two operands; how they lie over the output is worked out once.
struct Pair {
  std::vector<LoopAxis> around;
  LoopAxis inner;
  bool b_is_one_number = false;
  float factor_a = 1, factor_b = 1;  // of add
  void (*run)(const Pair& pair, const float* a, const float* b, float* out) = nullptr;
};

template <class Function>
void Run(const Pair& pair, const float* a, const float* b, float* out, Function function) {
  Combine(pair.around, pair.inner, a, b, out, function);
}

void RunAdd(const Pair& pair, const float* a, const float* b, float* out) {
  if (pair.factor_a == 1 && pair.factor_b == 1) {
    return Run(pair, a, b, out, [](float x, float y) TANDEM_INLINE { return x + y; });
  }
  Run(pair, a, b, out,
      [fa = pair.factor_a, fb = pair.factor_b](float x, float y) TANDEM_INLINE { return fa * x + fb * y; });
}

// Where every element of an operand is the same number, the usual powers are a product or a root.
void RunPow(const Pair& pair, const float* a, const float* b, float* out) {
  const auto run = [&](auto function) { Run(pair, a, b, out, function); };
  const float exponent = pair.b_is_one_number ? *b : 0;
  if (exponent == 2) return run([](float x, float) TANDEM_INLINE { return x * x; });
  if (exponent == 0.5F) return run([](float x, float) TANDEM_INLINE { return std::sqrt(x); });
  if (exponent == -1) return run([](float x, float) TANDEM_INLINE { return 1 / x; });
  run([](float x, float y) TANDEM_INLINE { return std::pow(x, y); });
}

// Steps over the axes of `out`; 0 repeats an element.
std::vector<std::int64_t> BroadcastSteps(const Shape& shape, const Shape& out) {
  std::vector<std::int64_t> steps(out.size(), 0);
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0; step *= shape[i]) {
    if (shape[i] != 1) steps[out.size() - shape.size() + i] = step;
  }
  return steps;
}

Pair MakePair(const Shape& a, const Shape& b, const Shape& out) {
  const auto steps_a = BroadcastSteps(a, out), steps_b = BroadcastSteps(b, out),
             steps = BroadcastSteps(out, out);
  std::vector<LoopAxis> axes;
  for (std::size_t i = 0; i < out.size(); ++i) axes.push_back({out[i], steps[i], steps_a[i], steps_b[i]});
  Pair pair{MergeLoops(axes), {}};
  pair.inner = pair.around.back();
  pair.around.pop_back();
  pair.b_is_one_number = Elements(b) == 1;
  return pair;
}

struct Operand {
  Shape shape;
  std::size_t input;      // which of the layer's
  const float* constant;  // instead of an input
  float factor;
};

std::vector<Operand> OperandsOf(const PlainLayer& of) {
  const auto& a = of.As<ElementwiseAttributes>();
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < of.inputs.size(); ++i) {
    const double factor = a.coefficients.empty() ? 1.0 : a.coefficients[i];
    operands.push_back({of.inputs[i], i, nullptr, static_cast<float>(factor)});
  }
  if (a.has_constant) {
    operands.insert(a.constant_first ? operands.begin() : operands.end(),
                    {a.constant_shape, 0, of.Weight("constant"), 1});
  }
  return operands;
}

// The first two operands, then what came out and the third, and so on.
PlainKernel Folded(const PlainLayer& of, decltype(Pair::run) run) {
  const std::vector<Operand> operands = OperandsOf(of);
  std::vector<Pair> pairs;
  for (std::size_t i = 1; i < operands.size(); ++i) {
    pairs.push_back(MakePair(i == 1 ? operands[0].shape : of.out(), operands[i].shape, of.out()));
    pairs.back().factor_a = i == 1 ? operands[0].factor : 1;
    pairs.back().factor_b = operands[i].factor;
    pairs.back().run = run;
  }
  return [=](std::span<const float* const> inputs, float* output) {
    const auto values = [&](const Operand& operand) {
      return operand.constant != nullptr ? operand.constant : inputs[operand.input];
    };
    const float* so_far = values(operands[0]);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      pairs[i].run(pairs[i], so_far, values(operands[i + 1]), output);
      so_far = output;
    }
  };
}

template <class Function>
auto Of(Function) {
  return [](const PlainLayer& of) {
    return Folded(of, [](const Pair& pair, const float* a, const float* b, float* out) {
      Run(pair, a, b, out, Function());
    });
  };
}

const PlainKernels kElementwise{{Op::kAdd, [](const PlainLayer& of) { return Folded(of, RunAdd); }},
                                {Op::kSub, Of([](float x, float y) TANDEM_INLINE { return x - y; })},
                                {Op::kMul, Of([](float x, float y) TANDEM_INLINE { return x * y; })},
                                {Op::kDiv, Of([](float x, float y) TANDEM_INLINE { return x / y; })},
                                {Op::kPow, [](const PlainLayer& of) { return Folded(of, RunPow); }},
                                {Op::kMax, Of([](float x, float y) TANDEM_INLINE { return x < y ? y : x; })},
                                {Op::kMin, Of([](float x, float y) TANDEM_INLINE { return y < x ? y : x; })}};

}  // namespace
}  // namespace tandem
