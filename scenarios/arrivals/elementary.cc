#include "scenarios/arrivals/elementary.h"

#include <cmath>
#include <limits>

namespace tandem {

double Exp(double x) {
  constexpr double kLargest = 709.78, kSmallest = -708.39;  // beyond them e^x is no normal number
  if (x > kLargest) return std::numeric_limits<double>::infinity();
  if (x < kSmallest) return 0;
  // ln 2 in two parts: the first has so many trailing zero bits that its product with any exponent is exact.
  constexpr double kLn2High = 0x1.62e42fefa38p-1;
  constexpr double kLn2Low = 0x1.ef35793c7673p-45;
  constexpr double kInverseLn2 = 0x1.71547652b82fep0;
  const double exponent = std::floor(x * kInverseLn2 + 0.5);
  const double rest = (x - exponent * kLn2High) - exponent * kLn2Low;  // in [-ln 2 / 2, ln 2 / 2]
  // The Taylor series after its first two terms; the term of x^16 is below half an ulp.
  double sum = 0;
  for (int power = 15; power >= 2; --power) sum = (sum + 1) * rest / power;
  return std::ldexp(1 + (rest + sum * rest), static_cast<int>(exponent));
}

}  // namespace tandem
