// FNV-1a, 64 bits: the project's one hash for what is kept in files or seeds a generator, so that it is the
// same on every machine.
#pragma once

#include <cstdint>
#include <string_view>

namespace tandem {

inline constexpr std::uint64_t kFnvBasis = 0xcbf29ce484222325;

// `seed` continues an earlier hash.
constexpr std::uint64_t Fnv1a64(std::string_view bytes, std::uint64_t seed = kFnvBasis) {
  for (const char byte : bytes) {
    seed ^= static_cast<unsigned char>(byte);
    seed *= 0x100000001b3;
  }
  return seed;
}

}  // namespace tandem
