// A value as people write it behind a name: "1.5", "2x", "+10 %", "1GB/s", "16 ms", "5 %", "none".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tandem {

struct AskedValue {
  std::string text;                                        // as it was written
  std::optional<double> number;                            // where it begins with one
  std::string unit;                                        // behind it; empty: none
  bool IsFactor() const { return number && unit == "x"; }  // of what is there
};

// With a sign before and "%" behind it is a factor: "-10 %" is "0.9x". Throws InputError where what follows a
// number is no unit.
AskedValue ReadAskedValue(std::string_view text);

// What is measured in the unit that the key has, "latency_us", "fps", and in which unit.
std::string_view UnitOfKeyText(std::string_view key);  // "us", "bytes/s", "1/s", "%"; empty: a plain number

// The number in the unit of `key`; a plain one is in it already. Throws InputError where the units do not
// agree.
double InUnitOfKey(const AskedValue& value, std::string_view key);

}  // namespace tandem
