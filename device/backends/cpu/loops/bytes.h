// Numbers in plain order as whole numbers of a byte with their channels last, and back.
#pragma once

#include <cstdint>
#include <vector>

namespace tandem {

struct ByteLoop {
  std::int64_t images = 1, channels = 1, positions = 1;
  float scale = 1;        // a byte q means (q - zero) * scale
  std::int32_t zero = 0;  // -128 to 127
};

// The nearest one, a tie to the even multiple of the scale; what is no number becomes `zero`.
void RunToBytes(const ByteLoop& loop, const float* from, std::int8_t* to);
void RunFromBytes(const ByteLoop& loop, const std::int8_t* from, float* to);

// Of each of `rows` rows so many bytes, which are of another grid perhaps: what a byte q becomes stands at
// q + 128; empty: it stays.
struct JoinedBytes {
  std::int64_t count = 0;
  std::vector<std::int8_t> becomes;
};
// Rows of all parts, one behind the other, where parts have a row each.
void JoinBytes(std::int64_t rows, const std::vector<JoinedBytes>& parts,
               const std::vector<const std::int8_t*>& from, std::int8_t* to);

}  // namespace tandem
