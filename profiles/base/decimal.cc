#include "profiles/base/decimal.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace tandem {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr int kLargestExponent = 400;  // beyond it every number but 0 is out of range
constexpr int kBeyondExponents = 100000;

// digits x 10^exponent; no digits: 0.
struct Decimal {
  bool negative = false;
  std::string digits;  // without zeros in front and behind
  int exponent = 0;
};

// What stands behind the "e", as far as it matters.
int WrittenExponent(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int written = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), written);
  if (error == std::errc() && written <= kLargestExponent && written >= -kLargestExponent) return written;
  return text.starts_with('-') ? -kBeyondExponents : kBeyondExponents;
}

Decimal ParsedDecimal(std::string_view text) {
  Decimal parsed;
  parsed.negative = text.starts_with('-');
  if (parsed.negative) text.remove_prefix(1);
  bool fraction = false;
  for (; !text.empty() && text[0] != 'e' && text[0] != 'E'; text.remove_prefix(1)) {
    if (text[0] == '.') {
      fraction = true;
    } else {
      parsed.digits += text[0];
      if (fraction) --parsed.exponent;
    }
  }
  if (!text.empty()) parsed.exponent += WrittenExponent(text.substr(1));
  while (!parsed.digits.empty() && parsed.digits.back() == '0') {
    parsed.digits.pop_back();
    ++parsed.exponent;
  }
  parsed.digits.erase(0, std::min(parsed.digits.find_first_not_of('0'), parsed.digits.size()));
  return parsed;
}

// Of a decimal without fraction.
std::optional<std::int64_t> Whole(Decimal decimal) {
  if (decimal.digits.empty()) return 0;
  if (decimal.exponent < 0 || decimal.exponent > 18) return std::nullopt;
  decimal.digits.append(static_cast<std::size_t>(decimal.exponent), '0');
  std::int64_t value = 0;
  for (const char digit : decimal.digits) {
    const std::int64_t next = digit - '0';
    if (value > (kMost - next) / 10) return std::nullopt;
    value = value * 10 + next;
  }
  return decimal.negative ? -value : value;
}

}  // namespace

std::optional<std::int64_t> ScaledDecimal(std::string_view text, int decimals) {
  Decimal decimal = ParsedDecimal(text);
  decimal.exponent += decimals;
  return Whole(std::move(decimal));
}

std::optional<std::int64_t> RoundedDecimal(std::string_view text, int decimals) {
  Decimal decimal = ParsedDecimal(text);
  decimal.exponent += decimals;
  if (decimal.exponent >= 0) return Whole(std::move(decimal));
  const auto cut = static_cast<std::size_t>(-decimal.exponent);
  decimal.exponent = 0;
  if (cut > decimal.digits.size()) return 0;
  const std::size_t kept = decimal.digits.size() - cut;
  const bool away = decimal.digits[kept] >= '5';
  decimal.digits.resize(kept);
  const bool negative = decimal.negative;
  const auto whole = Whole(std::move(decimal));
  if (!whole || !away) return whole;
  if (*whole == kMost || *whole == -kMost) return std::nullopt;
  return *whole + (negative ? -1 : 1);
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
