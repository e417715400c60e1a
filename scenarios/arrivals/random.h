// Random numbers that are the same on every compiler, library and processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "profiles/base/hash.h"

namespace tandem {

// The natural logarithm of a normal positive number within 2 ulp, from sums, products and quotients alone: a
// library's log may differ in the last bit from another's.
double NaturalLog(double x);

// Sixty-four bits that look unrelated to those of any other value: the finaliser of SplitMix64.
constexpr std::uint64_t MixBits(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

// One per stream: what one stream draws never changes what another draws.
class StreamRandom {
 public:
  StreamRandom(std::string_view stream_name, std::uint64_t scenario_seed)
      : bits_(Fnv1a64(stream_name) ^ scenario_seed) {}

  double Uniform();                             // in [0, 1), a multiple of 2^-53
  double Exponential();                         // of mean 1: -ln(1 - u)
  std::int64_t UniformUpTo(std::int64_t most);  // in 0..most, most < 2^53

 private:
  std::mt19937_64 bits_;
};

// The numbers below `size`, shuffled.
std::vector<std::size_t> ShuffledOrder(std::size_t size, StreamRandom& random);

}  // namespace tandem
