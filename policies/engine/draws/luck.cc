#include "policies/engine/draws/luck.h"

#include <cmath>

#include "scenarios/arrivals/elementary.h"
#include "scenarios/arrivals/random.h"

namespace tandem {
namespace {

double UniformOf(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

}  // namespace

Luck::Luck(std::uint64_t seed, std::uint64_t draw) : bits_(MixBits(MixBits(seed) + draw)) {}

double Luck::Uniform(std::uint64_t what) const { return UniformOf(MixBits(bits_ ^ MixBits(what))); }

double Luck::Exponential(std::uint64_t what) const { return -NaturalLog(1 - Uniform(what)); }

Luck::Point Luck::InCircle(std::uint64_t what) const {
  std::uint64_t bits = MixBits(bits_ ^ MixBits(what));
  for (;;) {
    bits = MixBits(bits);
    const double x = 2 * UniformOf(bits) - 1;
    bits = MixBits(bits);
    const double y = 2 * UniformOf(bits) - 1;
    if (const double square = x * x + y * y; square > 0 && square < 1) return {x, square};
  }
}

double Luck::Normal(std::uint64_t what) const {  // Marsaglia's polar method
  const auto [x, square] = InCircle(what);
  return x * std::sqrt(-2 * NaturalLog(square) / square);
}

double Luck::Student(std::uint64_t what, double degrees) const {  // Bailey's
  const auto [x, square] = InCircle(what);
  return x * std::sqrt(degrees * (Exp(-2 / degrees * NaturalLog(square)) - 1) / square);
}

double Luck::Factor(std::uint64_t what, double error) const {
  return error == 0 ? 1 : Exp(error * Normal(what));
}

}  // namespace tandem
