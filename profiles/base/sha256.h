// SHA-256 (FIPS 180-4): how users tell one output from another with the tools that they have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace tandem {

// 64 lower-case hexadecimal digits, as `sha256sum` prints them.
std::string Sha256(std::span<const std::byte> bytes);
// Of a file, however large. Throws InputError where it cannot be read.
std::string Sha256OfFile(const std::filesystem::path& file);

// The same of what comes piece by piece.
class Sha256Sum {
 public:
  void Add(std::span<const std::byte> bytes);
  std::string Text() const;  // of all so far

 private:
  static constexpr std::size_t kBlock = 64;

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, kBlock> rest_{};  // the bytes behind the last whole block
  std::uint64_t bytes_ = 0;
};

}  // namespace tandem
