#include "scenarios/arrivals/random.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tandem {

double NaturalLog(double x) {
  constexpr double kSqrtHalf = 0.70710678118654752440;
  // ln 2 in two parts: the first has so many trailing zero bits that its product with any exponent is exact.
  constexpr double kLn2High = 0x1.62e42fefa38p-1;
  constexpr double kLn2Low = 0x1.ef35793c7673p-45;
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // in [0.5, 1)
  if (mantissa < kSqrtHalf) {
    mantissa *= 2;
    --exponent;
  }
  // ln m = 2 artanh((m - 1) / (m + 1)); with |s| < 0.172 the term s^23 is below half an ulp.
  const double f = mantissa - 1;
  const double s = f / (2 + f);
  const double square = s * s;
  double sum = 0;
  for (int power = 21; power >= 3; power -= 2) sum = (sum + 1.0 / power) * square;
  // 2s = f - s f, so that the leading term is f itself, without a rounding error.
  const double tail = 2 * s * sum - s * f;
  return exponent * kLn2High + (f + (tail + exponent * kLn2Low));
}

double StreamRandom::Uniform() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }

double StreamRandom::Exponential() { return -NaturalLog(1 - Uniform()); }

std::int64_t StreamRandom::UniformUpTo(std::int64_t most) {
  const double scaled = std::floor(Uniform() * static_cast<double>(most + 1));
  return std::min(static_cast<std::int64_t>(scaled), most);
}

std::vector<std::size_t> ShuffledOrder(std::size_t size, StreamRandom& random) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = size; i > 1; --i) {
    std::swap(order[i - 1],
              order[static_cast<std::size_t>(random.UniformUpTo(static_cast<std::int64_t>(i) - 1))]);
  }
  return order;
}

}  // namespace tandem
