// Half numbers on the host, as CUDA's header of this name has them.
#pragma once

#include <cstdint>

struct __half {
  std::uint16_t bits;
};

float __half2float(__half value);
__half __float2half(float value);  // to the nearest, halves to even
