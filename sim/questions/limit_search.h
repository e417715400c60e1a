// The most, or the least, of a value at which something holds: a bracket by doubling, then halves, on values
// of so many digits. It need not hold at every easier value: some of them are looked at, and some harder
// ones.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tandem {

enum class Holds : std::uint8_t { kYes, kNo, kBeyond };  // beyond: it cannot be tried there

struct LimitQuestion {
  double start = 1;    // where it begins
  bool least = false;  // the less the harder, and the least is looked for; else the most
  bool integer = false;
  int digits = 6;                  // of values that are no integers
  std::optional<double> from, to;  // it stays between them
  int checks = 8;  // easier values that are looked at behind the limit, and as many harder ones
};

struct Limit {
  std::optional<double> value;      // nothing: it holds nowhere that was tried
  std::optional<double> fails_at;   // the next harder value that was tried, where it does not hold
  bool ended = false;               // the search ended at `value`, which may not be the last
  bool beyond = false;              // it ended since the next harder value cannot be tried
  std::vector<double> fails_below;  // easier values at which it does not hold, ascending
  double easiest = 0;               // that was tried
  std::int64_t tried = 0;           // values
};

Limit FindLimit(const LimitQuestion& question, const std::function<Holds(double)>& holds);

// The nearest value of so many digits.
double InDigits(double value, int digits);

}  // namespace tandem
