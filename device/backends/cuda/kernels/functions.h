// The functions of one number and of two, in float. NaN stays NaN.
#pragma once

#include "device/backends/cuda/kernels/launch.h"

namespace tandem::gpu::TANDEM_KERNELS {

__device__ __forceinline__ float Clamp(float x, float low, float high) {
  x = x < low ? low : x;
  return high < x ? high : x;
}

__device__ __forceinline__ float Softplus(float x) { return (x < 0 ? 0 : x) + log1pf(expf(x < 0 ? x : -x)); }

template <int n, class One>
__device__ __forceinline__ void Map(float (&x)[n], One one) {
  TANDEM_UNROLL
  for (int i = 0; i < n; ++i) x[i] = one(x[i]);
}

// Those that take long: code of some length each, so that kernels which seldom use them call them.
template <class Kind>
__device__ TANDEM_CALLED float SlowFunction(Kind kind, float alpha, float v) {
  switch (kind) {
    case Function::kElu:
      return v < 0 ? alpha * expm1f(v) : v;
    case Function::kSigmoid:
      return 1 / (1 + expf(-v));
    case Function::kTanh:
      return tanhf(v);
    case Function::kSoftplus:
      return Softplus(v);
    case Function::kGelu:
      return v * 0.5F * (1 + erff(v * 0.707106781F));
    case Function::kErf:
      return erff(v);
    case Function::kExp:
      return expf(v);
    case Function::kLog:
      return logf(v);
    default:
      return v;
  }
}

struct CallSlow {
  template <int n>
  static __device__ __forceinline__ void Apply(const Function& f, float (&x)[n]) {
    Map(x, [kind = f.kind, alpha = f.alpha](float v) { return SlowFunction(kind, alpha, v); });
  }
};

// For kernels that do little else.
struct InlineSlow {
  template <int n>
  static __device__ __forceinline__ void Apply(const Function& f, float (&x)[n]) {
    switch (f.kind) {
      case Function::kElu:
        return Map(x, [alpha = f.alpha](float v) { return v < 0 ? alpha * expm1f(v) : v; });
      case Function::kSigmoid:
        return Map(x, [](float v) { return 1 / (1 + expf(-v)); });
      case Function::kTanh:
        return Map(x, [](float v) { return tanhf(v); });
      case Function::kGelu:
        return Map(x, [](float v) { return v * 0.5F * (1 + erff(v * 0.707106781F)); });
      default:
        return CallSlow::Apply(f, x);
    }
  }
};

// The switch stands outside of the loop over what a thread holds; all threads go the same way.
template <class Slow = CallSlow, int n>
__device__ __forceinline__ void Apply(const Function& f, float (&x)[n]) {
  const float alpha = f.alpha, beta = f.beta;
  switch (f.kind) {
    case Function::kNone:
      return;
    case Function::kRelu:
      return Map(x, [](float v) { return v < 0 ? 0 : v; });
    case Function::kRelu6:
      return Map(x, [](float v) { return Clamp(v, 0, 6); });
    case Function::kLeakyRelu:
      return Map(x, [=](float v) { return v < 0 ? alpha * v : v; });
    case Function::kHardSigmoid:
      return Map(x, [=](float v) { return Clamp(alpha * v + beta, 0, 1); });
    case Function::kHardSwish:
      return Map(x, [](float v) { return v * Clamp(v / 6 + 0.5F, 0, 1); });
    case Function::kSqrt:
      return Map(x, [](float v) { return sqrtf(v); });
    case Function::kAbs:
      return Map(x, [](float v) { return fabsf(v); });
    case Function::kNeg:
      return Map(x, [](float v) { return -v; });
    case Function::kClip:
      return Map(x, [=](float v) { return Clamp(v, alpha, beta); });
    case Function::kQuantize:
      return Map(x, [=](float v) { return Clamp(rintf(v / alpha), beta, beta + 255) * alpha; });
    default:
      return Slow::Apply(f, x);
  }
}

// As std::max and std::min: the first operand where one is NaN.
__device__ __forceinline__ float Max(float a, float b) { return a < b ? b : a; }
__device__ __forceinline__ float Min(float a, float b) { return b < a ? b : a; }

}  // namespace tandem::gpu::TANDEM_KERNELS
