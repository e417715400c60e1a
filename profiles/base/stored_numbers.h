// Numbers as files and cards hold them, little-endian.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tandem {

static_assert(std::endian::native == std::endian::little, "bytes are taken as they lie");

// A half: a sign, 5 bits of exponent, 10 of fraction.
float FloatOf(std::uint16_t half);
// The nearest, the even one of two; infinity beyond the largest.
std::uint16_t HalfOf(float value);

struct Half {
  std::uint16_t bits = 0;
  float Value() const { return FloatOf(bits); }
};

// The upper half of a float.
struct Bfloat {
  std::uint16_t bits = 0;
  float Value() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
};

template <class Out, class Stored>
Out Converted(Stored stored) {
  if constexpr (std::is_class_v<Stored>) {
    return static_cast<Out>(stored.Value());
  } else {
    return static_cast<Out>(stored);
  }
}

// As many as there are bytes for.
template <class Out, class Stored>
std::vector<Out> FromBytes(std::string_view bytes) {
  std::vector<Out> values(bytes.size() / sizeof(Stored));
  if constexpr (std::is_same_v<Stored, Out>) {
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Out));
  } else {
    for (std::size_t i = 0; i < values.size(); ++i) {
      Stored stored;
      std::memcpy(&stored, bytes.data() + i * sizeof stored, sizeof stored);
      values[i] = Converted<Out>(stored);
    }
  }
  return values;
}

}  // namespace tandem
