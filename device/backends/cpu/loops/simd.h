// Compiles a loop for the vector widths of x86-64 and takes the widest that this processor has. Elsewhere the
// compiler's default is good.
#pragma once

namespace tandem {

#if defined(__x86_64__) && defined(__GNUC__)
enum class SimdLevel { kBase, kAvx2, kAvx512 };

inline SimdLevel FindSimdLevel() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
    return SimdLevel::kAvx512;
  }
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? SimdLevel::kAvx2
                                                                         : SimdLevel::kBase;
}

template <class Loop>
__attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma"))) void RunAvx512(const Loop& loop) {
  loop();
}
template <class Loop>
__attribute__((target("avx2,fma"))) void RunAvx2(const Loop& loop) {
  loop();
}

// `loop` is a lambda marked TANDEM_INLINE, and so is every function of ours that it calls.
template <class Loop>
void RunSimd(const Loop& loop) {
  static const SimdLevel level = FindSimdLevel();
  switch (level) {
    case SimdLevel::kAvx512:
      return RunAvx512(loop);
    case SimdLevel::kAvx2:
      return RunAvx2(loop);
    default:
      return loop();
  }
}
#else
template <class Loop>
void RunSimd(const Loop& loop) {
  loop();
}
#endif

#define TANDEM_INLINE __attribute__((always_inline))

}  // namespace tandem
