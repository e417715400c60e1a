#include "profiles/base/figures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "profiles/base/decimal.h"

namespace tandem {
namespace {

constexpr std::string_view kUnknown = "-";

}  // namespace

std::string TimeUnit::Text(Nanos time) const {
  const std::int64_t size = time.count() < 0 ? -time.count() : time.count();
  const std::int64_t thousandths = (size + thousandth_ns / 2) / thousandth_ns;
  std::string decimals = std::to_string(thousandths % 1000);
  decimals.insert(0, 3 - decimals.size(), '0');
  const bool minus = time < Nanos{0} && thousandths > 0;  // no "-0.000"
  return (minus ? "-" : "") + std::to_string(thousandths / 1000) + "." + decimals;
}

std::string TimeUnit::Signed(Nanos time) const {
  if (time < Nanos{0}) return "-" + Text(-time);
  return (time > Nanos{0} ? "+" : "") + Text(time);
}

TimeUnit UnitFor(Nanos longest) {
  constexpr std::int64_t kOneMilli = 1'000'000, kOneSecond = 1'000'000'000;
  if (longest.count() >= 100 * kOneSecond) return {"s", kOneMilli};
  if (longest.count() >= kOneMilli) return kMillis;
  return {"us", 1};
}

std::string ExactMillis(Nanos time) { return DecimalText(time.count(), 6); }

std::string Fixed(double value, int decimals) {
  char text[400];  // the largest double has 309 digits
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string Short(double value) {
  const double size = value < 0 ? -value : value;
  if (size == 0 || (size >= 0.001 && size < 1e7)) {
    return Fixed(value, size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3);
  }
  char text[40];
  std::snprintf(text, sizeof text, "%.2e", value);
  return text;
}

std::string Short(std::optional<double> value) { return value ? Short(*value) : std::string(kUnknown); }

std::string Share(std::optional<double> share) {
  return share ? Fixed(100 * *share, *share < 10 ? 1 : 0) + "%" : std::string(kUnknown);
}

std::string Percent(double fraction, int decimals) { return Fixed(100 * fraction, decimals) + " %"; }

std::string SignedPercent(double fraction, int decimals) {
  const std::string text = Percent(fraction, decimals);
  if (text[0] != '-') return "+" + text;
  return text.find_first_of("123456789") == std::string::npos ? text.substr(1) : text;  // no "-0 %"
}

std::string PercentInTenths(double fraction) { return DecimalText(std::llround(fraction * 1000), 1) + " %"; }

std::string Beyond(double value, double of) {
  if (of <= 0) return std::string(kUnknown);
  const double fraction = value / of - 1;
  return (std::llround(fraction * 1000) >= 0 ? "+" : "") + PercentInTenths(fraction);
}

std::string Words(std::string_view name) {
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

}  // namespace tandem
