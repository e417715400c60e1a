#include "scenarios/report/text.h"

#include <algorithm>
#include <cstdio>

namespace tandem {
namespace {

constexpr std::string_view kUnknown = "-";

}  // namespace

std::string TimeUnit::Text(Nanos time) const {
  const std::int64_t thousandths = (time.count() + thousandth_ns / 2) / thousandth_ns;
  std::string decimals = std::to_string(thousandths % 1000);
  decimals.insert(0, 3 - decimals.size(), '0');
  return std::to_string(thousandths / 1000) + "." + decimals;
}

std::string TimeUnit::Text(const std::optional<LatencySummary>& latency,
                           Nanos LatencySummary::*figure) const {
  return latency ? Text((*latency).*figure) : std::string(kUnknown);
}

TimeUnit UnitFor(Nanos longest) {
  constexpr std::int64_t kMillis = 1'000'000, kSeconds = 1'000'000'000;
  if (longest.count() >= 100 * kSeconds) return {"s", kMillis};
  if (longest.count() >= kMillis) return {"ms", 1000};
  return {"us", 1};
}

std::string Short(double value) {
  char text[40];
  const double size = value < 0 ? -value : value;
  if (size != 0 && (size < 0.001 || size >= 1e7)) {
    std::snprintf(text, sizeof text, "%.2e", value);
  } else {
    const int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
  }
  return text;
}

std::string Short(std::optional<double> value) { return value ? Short(*value) : std::string(kUnknown); }

std::string Percent(std::optional<double> share) {
  if (!share) return std::string(kUnknown);
  char text[40];
  std::snprintf(text, sizeof text, *share < 10 ? "%.1f%%" : "%.0f%%", 100 * *share);
  return text;
}

std::string Words(std::string_view name) {
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

}  // namespace tandem
