#include "device/backends/cpu/loops/channel_loops.h"

#include <algorithm>
#include <cstring>

#include "device/backends/cpu/loops/simd.h"

namespace tandem {
namespace {

template <std::int64_t kLanes>
struct Lanes;
template <>
struct Lanes<16> {
  using Vector = float __attribute__((vector_size(64), aligned(64)));
};
template <>
struct Lanes<8> {
  using Vector = float __attribute__((vector_size(32), aligned(32)));
};

// One row per thread.
template <std::int64_t kLanes>
void AffineRows(const AffineLoop& loop, const float* factor, const float* offset, SimpleActivation activation,
                const float* from, float* to) {
  const std::int64_t rows_of_image = loop.channels / kLanes, row = loop.length * kLanes;
  const std::int64_t length = loop.length;
#pragma omp parallel for
  for (std::int64_t r = 0; r < loop.rows; ++r) {
    RunSimd([=]() TANDEM_INLINE {
      const float* a = factor + r % rows_of_image * kLanes;
      const float* b = offset + r % rows_of_image * kLanes;
      const float* x = from + r * row;
      float* y = to + r * row;
      for (std::int64_t i = 0; i < length; ++i) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane) {
          y[i * kLanes + lane] = Activate(x[i * kLanes + lane] * a[lane] + b[lane], activation);
        }
      }
    });
  }
}

// All channels of a position side by side; a stretch of positions per thread.
void AffinePositions(const AffineLoop& loop, const float* factor, const float* offset,
                     SimpleActivation activation, const float* from, float* to) {
  const std::int64_t lanes = loop.lanes, positions = loop.rows * loop.length;
#pragma omp parallel for
  for (std::int64_t position = 0; position < positions; ++position) {
    RunSimd([=]() TANDEM_INLINE {
      const float* x = from + position * lanes;
      float* y = to + position * lanes;
      for (std::int64_t c = 0; c < lanes; ++c) y[c] = Activate(x[c] * factor[c] + offset[c], activation);
    });
  }
}

// to[i] = value(i), a chunk per thread.
template <class Value>
void InChunks(std::int64_t count, float* to, const Value& value) {
  constexpr std::int64_t kChunk = 16384;
#pragma omp parallel for
  for (std::int64_t first = 0; first < count; first += kChunk) {
    const std::int64_t last = std::min(first + kChunk, count);
    RunSimd([=]() TANDEM_INLINE {
      for (std::int64_t i = first; i < last; ++i) to[i] = value(i);
    });
  }
}

template <std::int64_t kLanes, bool kMax>
void PoolPlanes(const BlockedPool& pool, const float* from, float* to) {
  using Vector = typename Lanes<kLanes>::Vector;
  const auto height = static_cast<std::int64_t>(pool.rows.first.size());
  const auto width = static_cast<std::int64_t>(pool.columns.first.size());
  const WindowAxis *rows = &pool.rows, *columns = &pool.columns;
  const std::int64_t in_row = pool.in_width * kLanes, in_plane = pool.in_height * in_row;
#pragma omp parallel for
  for (std::int64_t line = 0; line < pool.planes * height; ++line) {
    RunSimd([=]() TANDEM_INLINE {
      const std::int64_t plane = line / height;
      const auto y = static_cast<std::size_t>(line % height);
      const float* in = from + plane * in_plane;
      auto* result = reinterpret_cast<Vector*>(to + line * width * kLanes);
      for (std::size_t x = 0; x < static_cast<std::size_t>(width); ++x) {
        Vector sum = Vector{} - (kMax ? std::numeric_limits<float>::infinity() : 0.0f);
        for (std::int64_t i = rows->first[y]; i < rows->last[y]; i += rows->step) {
          for (std::int64_t k = columns->first[x]; k < columns->last[x]; k += columns->step) {
            const Vector& value = *reinterpret_cast<const Vector*>(in + i * in_row + k * kLanes);
            if constexpr (kMax) {
              sum = sum < value ? value : sum;  // as everywhere: what is no number is passed over
            } else {
              sum += value;
            }
          }
        }
        if constexpr (!kMax) {
          const std::int64_t counted = rows->counted[y] * columns->counted[x];
          sum = sum * (counted == 0 ? 0.0f : 1.0f / static_cast<float>(counted));
        }
        result[x] = sum;
      }
    });
  }
}

// A position's channels lie side by side and are gone over again for each place of its window.
template <bool kMax>
void PoolPositions(const BlockedPool& pool, const float* from, float* to) {
  const auto height = static_cast<std::int64_t>(pool.rows.first.size());
  const auto width = static_cast<std::int64_t>(pool.columns.first.size());
  const WindowAxis *rows = &pool.rows, *columns = &pool.columns;
  const std::int64_t lanes = pool.lanes, in_row = pool.in_width * lanes, in_plane = pool.in_height * in_row;
#pragma omp parallel for
  for (std::int64_t line = 0; line < pool.planes * height; ++line) {
    RunSimd([=]() TANDEM_INLINE {
      const float* in = from + line / height * in_plane;
      const auto y = static_cast<std::size_t>(line % height);
      float* result = to + line * width * lanes;
      for (std::size_t x = 0; x < static_cast<std::size_t>(width); ++x, result += lanes) {
        for (std::int64_t c = 0; c < lanes; ++c) {
          result[c] = kMax ? -std::numeric_limits<float>::infinity() : 0.0f;
        }
        for (std::int64_t i = rows->first[y]; i < rows->last[y]; i += rows->step) {
          for (std::int64_t k = columns->first[x]; k < columns->last[x]; k += columns->step) {
            const float* value = in + i * in_row + k * lanes;
            for (std::int64_t c = 0; c < lanes; ++c) {
              result[c] = kMax ? (result[c] < value[c] ? value[c] : result[c]) : result[c] + value[c];
            }
          }
        }
        if constexpr (!kMax) {
          const std::int64_t counted = rows->counted[y] * columns->counted[x];
          const float share = counted == 0 ? 0.0f : 1.0f / static_cast<float>(counted);
          for (std::int64_t c = 0; c < lanes; ++c) result[c] *= share;
        }
      }
    });
  }
}

}  // namespace

bool IsSimple(const Layer& layer, SimpleActivation& activation) {
  switch (layer.op) {
    case Op::kRelu:
      activation.low = 0;  // not a slope of 0: that times -infinity is no number
      return true;
    case Op::kRelu6:
      activation.low = 0;
      activation.high = 6;
      return true;
    case Op::kLeakyRelu:
      activation.slope = static_cast<float>(layer.As<LeakyReluAttributes>().slope);
      return true;
    case Op::kClip:
      activation.low = static_cast<float>(layer.As<ClipAttributes>().min);
      activation.high = static_cast<float>(layer.As<ClipAttributes>().max);
      return true;
    default:
      return false;
  }
}

void RunAffine(const AffineLoop& loop, const float* factor, const float* offset,
               const SimpleActivation& activation, const float* from, float* to) {
  if (loop.lanes == 16) return AffineRows<16>(loop, factor, offset, activation, from, to);
  if (loop.lanes == 8) return AffineRows<8>(loop, factor, offset, activation, from, to);
  if (loop.lanes > 1) return AffinePositions(loop, factor, offset, activation, from, to);
  AffineRows<1>(loop, factor, offset, activation, from, to);
}

void RunSum(std::int64_t count, const SimpleActivation& activation, const float* a, const float* b,
            float* to) {
  InChunks(count, to, [=](std::int64_t i) TANDEM_INLINE { return Activate(a[i] + b[i], activation); });
}

void RunActivation(std::int64_t count, const SimpleActivation& activation, const float* from, float* to) {
  InChunks(count, to, [=](std::int64_t i) TANDEM_INLINE { return Activate(from[i], activation); });
}

void RunGather(const BlockedGather& g, const float* from, float* to) {
  const auto blocks = static_cast<std::int64_t>(g.blocks.size()),
             height = static_cast<std::int64_t>(g.rows.size());
  const auto width = static_cast<std::int64_t>(g.columns.size());
  const auto lines = static_cast<std::int64_t>(g.images.size()) * blocks * height;
  const auto at = [](const std::vector<std::int64_t>& axis, std::int64_t i) {
    return axis[static_cast<std::size_t>(i)];
  };
#pragma omp parallel for
  for (std::int64_t line = 0; line < lines; ++line) {
    const std::int64_t image = at(g.images, line / height / blocks),
                       block = at(g.blocks, line / height % blocks);
    const std::int64_t row = at(g.rows, line % height);
    float* result = to + line * width * g.lanes;
    if (image < 0 || block < 0 || row < 0) {
      std::fill_n(result, width * g.lanes, g.value);
      continue;
    }
    const float* source = from + ((image * g.in_blocks + block) * g.in_height + row) * g.in_width * g.lanes;
    for (std::int64_t x = 0; x < width; ++x, result += g.lanes) {
      const std::int64_t column = g.columns[static_cast<std::size_t>(x)];
      if (column < 0) {
        std::fill_n(result, g.lanes, g.value);
      } else {
        std::memcpy(result, source + column * g.lanes, static_cast<std::size_t>(g.lanes) * sizeof(float));
      }
    }
  }
}

void RunPool(const BlockedPool& pool, const float* from, float* to) {
  if (pool.lanes == 16)
    return pool.max ? PoolPlanes<16, true>(pool, from, to) : PoolPlanes<16, false>(pool, from, to);
  if (pool.lanes == 8)
    return pool.max ? PoolPlanes<8, true>(pool, from, to) : PoolPlanes<8, false>(pool, from, to);
  pool.max ? PoolPositions<true>(pool, from, to) : PoolPositions<false>(pool, from, to);
}

// In tiles, so that neither side is gone over in steps wider than a few lines.
void RunTranspose(const Transpose& t, const float* from, float* to) {
  constexpr std::int64_t kTile = 16;
  const std::int64_t tiles = (t.rows + kTile - 1) / kTile, rows = t.rows, columns = t.columns;
#pragma omp parallel for
  for (std::int64_t tile = 0; tile < t.images * tiles; ++tile) {
    RunSimd([=]() TANDEM_INLINE {
      const std::int64_t image = tile / tiles * rows * columns;
      const std::int64_t first = tile % tiles * kTile, last = std::min(first + kTile, rows);
      for (std::int64_t begin = 0; begin < columns; begin += kTile) {
        const std::int64_t end = std::min(begin + kTile, columns);
        for (std::int64_t c = begin; c < end; ++c) {
          for (std::int64_t r = first; r < last; ++r)
            to[image + c * rows + r] = from[image + r * columns + c];
        }
      }
    });
  }
}

}  // namespace tandem
