// Numbers in plain order as whole numbers of a byte with their channels last, and back.
#pragma once

#include <cstdint>

namespace tandem {

struct ByteLoop {
  std::int64_t images = 1, channels = 1, positions = 1;
  float scale = 1;        // a byte q means (q - zero) * scale
  std::int32_t zero = 0;  // -128 to 127
};

// The nearest one, a tie to the even multiple of the scale; what is no number becomes `zero`.
void RunToBytes(const ByteLoop& loop, const float* from, std::int8_t* to);
void RunFromBytes(const ByteLoop& loop, const std::int8_t* from, float* to);

}  // namespace tandem
