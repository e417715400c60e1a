#include "device/backends/cpu/loops/bytes.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "device/backends/cpu/loops/kernels.h"
#include "device/backends/cpu/loops/simd.h"

namespace tandem {
namespace {

constexpr std::int64_t kTile = 64;  // positions whose numbers stay near while all channels are gone through

TANDEM_INLINE inline std::int8_t ToByte(float x, float scale, float zero) {
  const float q = std::rint(x / scale) + zero;
  const float above = q < -128 ? -128 : q;
  const float held = above > 127 ? 127 : above;
  return static_cast<std::int8_t>(held == held ? held : zero);
}

}  // namespace

void RunToBytes(const ByteLoop& loop, const float* from, std::int8_t* to) {
  const std::int64_t tiles = (loop.positions + kTile - 1) / kTile;
  InParts(loop.images * tiles, loop.channels * kTile, [=](std::int64_t first, std::int64_t last) {
    for (std::int64_t at = first; at < last; ++at) {
      const std::int64_t image = at / tiles, begin = at % tiles * kTile;
      const std::int64_t count = std::min(kTile, loop.positions - begin);
      const float* const in = from + image * loop.channels * loop.positions + begin;
      std::int8_t* const out = to + (image * loop.positions + begin) * loop.channels;
      const float scale = loop.scale, zero = static_cast<float>(loop.zero);
      const std::int64_t channels = loop.channels, positions = loop.positions;
      RunSimd([=]() TANDEM_INLINE {
        for (std::int64_t c = 0; c < channels; ++c) {
          std::int8_t line[kTile];
          for (std::int64_t p = 0; p < count; ++p) line[p] = ToByte(in[c * positions + p], scale, zero);
          for (std::int64_t p = 0; p < count; ++p) out[p * channels + c] = line[p];
        }
      });
    }
  });
}

void RunFromBytes(const ByteLoop& loop, const std::int8_t* from, float* to) {
  const std::int64_t tiles = (loop.positions + kTile - 1) / kTile;
  InParts(loop.images * tiles, loop.channels * kTile, [=](std::int64_t first, std::int64_t last) {
    for (std::int64_t at = first; at < last; ++at) {
      const std::int64_t image = at / tiles, begin = at % tiles * kTile;
      const std::int64_t count = std::min(kTile, loop.positions - begin);
      const std::int8_t* const in = from + (image * loop.positions + begin) * loop.channels;
      float* const out = to + image * loop.channels * loop.positions + begin;
      const float scale = loop.scale;
      const std::int32_t zero = loop.zero;
      const std::int64_t channels = loop.channels, positions = loop.positions;
      RunSimd([=]() TANDEM_INLINE {
        for (std::int64_t c = 0; c < channels; ++c) {
          for (std::int64_t p = 0; p < count; ++p) {
            out[c * positions + p] = static_cast<float>(in[p * channels + c] - zero) * scale;
          }
        }
      });
    }
  });
}

void JoinBytes(std::int64_t rows, const std::vector<JoinedBytes>& parts,
               const std::vector<const std::int8_t*>& from, std::int8_t* to) {
  std::int64_t row = 0;
  for (const JoinedBytes& part : parts) row += part.count;
  InParts(rows, row, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t at = first; at < last; ++at) {
      std::int8_t* out = to + at * row;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::int64_t count = parts[i].count;
        const std::int8_t* const in = from[i] + at * count;
        if (parts[i].becomes.empty()) {
          std::memcpy(out, in, static_cast<std::size_t>(count));
        } else {
          const std::int8_t* const becomes = parts[i].becomes.data() + 128;
          for (std::int64_t k = 0; k < count; ++k) out[k] = becomes[in[k]];
        }
        out += count;
      }
    }
  });
}

}  // namespace tandem
