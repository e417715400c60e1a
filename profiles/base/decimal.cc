#include "profiles/base/decimal.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace tandem {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr int kLargestExponent = 400;  // beyond it every number but 0 is out of range

}  // namespace

std::optional<std::int64_t> ScaledDecimal(std::string_view text, int decimals) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  std::string digits;
  int exponent = decimals;
  bool fraction = false;
  while (!text.empty() && text[0] != 'e' && text[0] != 'E') {
    if (text[0] == '.') {
      fraction = true;
    } else {
      digits += text[0];
      if (fraction) --exponent;
    }
    text.remove_prefix(1);
  }
  if (!text.empty()) {
    text.remove_prefix(text.size() > 1 && text[1] == '+' ? 2 : 1);
    int written = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), written);
    const bool large = error != std::errc() || written > kLargestExponent || written < -kLargestExponent;
    exponent += large ? (text.starts_with('-') ? -100000 : 100000) : written;
  }
  while (digits.size() > 1 && digits.back() == '0') {
    digits.pop_back();
    ++exponent;
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return 0;
  if (exponent < 0 || exponent > 18) return std::nullopt;
  digits.append(static_cast<std::size_t>(exponent), '0');
  std::int64_t value = 0;
  for (const char digit : digits) {
    const std::int64_t next = digit - '0';
    if (value > (kMost - next) / 10) return std::nullopt;
    value = value * 10 + next;
  }
  return negative ? -value : value;
}

std::string DecimalText(std::int64_t value, int decimals) {
  std::string digits =
      std::to_string(value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value));
  const auto places = static_cast<std::size_t>(decimals);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  std::string text = digits.substr(0, digits.size() - places);
  std::string fraction = digits.substr(digits.size() - places);
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  if (!fraction.empty()) text += "." + fraction;
  return (value < 0 ? "-" : "") + text;
}

}  // namespace tandem
