#include "profiles/base/sha256.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <fstream>
#include <vector>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

constexpr std::size_t kFileBlock = std::size_t{1} << 20;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<std::uint32_t, 8>;

void Mix(State& state, std::span<const std::byte> block) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i) {
    w[i] = 0;
    for (std::size_t k = 0; k < 4; ++k) w[i] = w[i] << 8 | std::to_integer<std::uint32_t>(block[4 * i + k]);
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t sum = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                              ((e & f) ^ (~e & g)) + kRounds[i] + w[i];
    const std::uint32_t more =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + sum;
    d = c, c = b, b = a, a = sum + more;
  }
  const State worked = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += worked[i];
}

}  // namespace

std::string Sha256(std::span<const std::byte> bytes) {
  Sha256Sum sum;
  sum.Add(bytes);
  return sum.Text();
}

std::string Sha256OfFile(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  Sha256Sum sum;
  std::vector<char> block(kFileBlock);
  while (stream.read(block.data(), static_cast<std::streamsize>(block.size())) || stream.gcount() > 0) {
    sum.Add(std::as_bytes(std::span(block).first(static_cast<std::size_t>(stream.gcount()))));
  }
  if (!stream.eof()) throw InputError(file.string() + ": cannot be read");
  return sum.Text();
}

void Sha256Sum::Add(std::span<const std::byte> bytes) {
  const std::size_t held = bytes_ % kBlock;
  bytes_ += bytes.size();
  if (held > 0) {
    const std::size_t taken = std::min(kBlock - held, bytes.size());
    std::copy_n(bytes.begin(), taken, rest_.begin() + static_cast<std::ptrdiff_t>(held));
    bytes = bytes.subspan(taken);
    if (held + taken < kBlock) return;
    Mix(state_, rest_);
  }
  for (; bytes.size() >= kBlock; bytes = bytes.subspan(kBlock)) Mix(state_, bytes.first(kBlock));
  std::copy(bytes.begin(), bytes.end(), rest_.begin());
}

std::string Sha256Sum::Text() const {
  // The rest, a one bit, zeros, and how many bits there were in the last eight bytes.
  State state = state_;
  const std::size_t held = bytes_ % kBlock;
  const std::uint64_t bits = bytes_ * 8;
  std::array<std::byte, 2 * kBlock> tail{};
  std::copy_n(rest_.begin(), held, tail.begin());
  tail[held] = std::byte{0x80};
  const std::size_t end = held + 9 <= kBlock ? kBlock : 2 * kBlock;
  for (std::size_t i = 0; i < 8; ++i) tail[end - 1 - i] = static_cast<std::byte>(bits >> (8 * i) & 0xff);
  for (std::size_t at = 0; at < end; at += kBlock) Mix(state, std::span(tail).subspan(at, kBlock));
  std::string text;
  for (const std::uint32_t word : state) {
    for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[word >> shift & 0xf];
  }
  return text;
}

}  // namespace tandem
