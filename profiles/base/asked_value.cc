#include "profiles/base/asked_value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "profiles/base/input_error.h"
#include "profiles/base/key_units.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

enum class Quantity : std::uint8_t { kFactor, kTime, kBytes, kBandwidth, kRate, kShare, kPower, kEnergy };

struct ValueUnit {
  std::string_view name;
  Quantity quantity;
  double size;  // in the unit that keys have; of times in seconds
};
constexpr double kKibi = 1024;
constexpr std::array kUnits = {ValueUnit{"x", Quantity::kFactor, 1},
                               ValueUnit{"ns", Quantity::kTime, 1e-9},
                               ValueUnit{"us", Quantity::kTime, 1e-6},
                               ValueUnit{"ms", Quantity::kTime, 1e-3},
                               ValueUnit{"s", Quantity::kTime, 1},
                               ValueUnit{"min", Quantity::kTime, 60},
                               ValueUnit{"B", Quantity::kBytes, 1},
                               ValueUnit{"kB", Quantity::kBytes, 1e3},
                               ValueUnit{"MB", Quantity::kBytes, 1e6},
                               ValueUnit{"GB", Quantity::kBytes, 1e9},
                               ValueUnit{"KiB", Quantity::kBytes, kKibi},
                               ValueUnit{"MiB", Quantity::kBytes, kKibi* kKibi},
                               ValueUnit{"GiB", Quantity::kBytes, kKibi* kKibi* kKibi},
                               ValueUnit{"B/s", Quantity::kBandwidth, 1},
                               ValueUnit{"kB/s", Quantity::kBandwidth, 1e3},
                               ValueUnit{"MB/s", Quantity::kBandwidth, 1e6},
                               ValueUnit{"GB/s", Quantity::kBandwidth, 1e9},
                               ValueUnit{"MiB/s", Quantity::kBandwidth, kKibi* kKibi},
                               ValueUnit{"GiB/s", Quantity::kBandwidth, kKibi* kKibi* kKibi},
                               ValueUnit{"Mbit/s", Quantity::kBandwidth, 1e6 / 8},
                               ValueUnit{"Gbit/s", Quantity::kBandwidth, 1e9 / 8},
                               ValueUnit{"/s", Quantity::kRate, 1},
                               ValueUnit{"1/s", Quantity::kRate, 1},
                               ValueUnit{"fps", Quantity::kRate, 1},
                               ValueUnit{"Hz", Quantity::kRate, 1},
                               ValueUnit{"kHz", Quantity::kRate, 1e3},
                               ValueUnit{"%", Quantity::kShare, 1},
                               ValueUnit{"mW", Quantity::kPower, 1e-3},
                               ValueUnit{"W", Quantity::kPower, 1},
                               ValueUnit{"mJ", Quantity::kEnergy, 1e-3},
                               ValueUnit{"J", Quantity::kEnergy, 1}};

const ValueUnit* ValueUnitCalled(std::string_view name) {
  const auto found =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const ValueUnit& unit) { return unit.name == name; });
  return found == kUnits.end() ? nullptr : &*found;
}

// What keys end in, longer ends before their own ends.
struct KeyEnd {
  std::string_view end, unit;
};
constexpr std::array kKeyEnds = {KeyEnd{"_bytes_per_s", "B/s"}, KeyEnd{"_bytes", "B"}, KeyEnd{"_per_s", "/s"},
                                 KeyEnd{"fps", "/s"},           KeyEnd{"qps", "/s"},   KeyEnd{"rate", "/s"},
                                 KeyEnd{"_pct", "%"},           KeyEnd{"_w", "W"},     KeyEnd{"_j", "J"}};

std::string Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

std::vector<std::string> UnitNames() {
  std::vector<std::string> names;
  for (const ValueUnit& unit : kUnits) names.emplace_back(unit.name);
  return names;
}

}  // namespace

AskedValue ReadAskedValue(std::string_view text) {
  AskedValue value{Trimmed(text), {}, {}};
  double number = 0;
  const char* const end = value.text.data() + value.text.size();
  const bool is_change = value.text.starts_with('+') || value.text.starts_with('-');
  const auto read = std::from_chars(value.text.data() + (value.text.starts_with('+') ? 1 : 0), end, number);
  if (read.ec != std::errc() || !std::isfinite(number)) return value;
  value.number = number;
  value.unit = Trimmed({read.ptr, static_cast<std::size_t>(end - read.ptr)});
  if (value.unit == "\xc3\x97") value.unit = "x";  // the sign of multiplication
  if (is_change && value.unit == "%") {
    value.number = (100 + number) / 100;
    value.unit = "x";
  }
  if (value.unit.empty() || ValueUnitCalled(value.unit) != nullptr) return value;
  throw InputError("unknown unit " + Quoted(value.unit) + Suggestion(value.unit, UnitNames()));
}

std::string_view UnitOfKeyText(std::string_view key) {
  for (const KeyEnd& end : kKeyEnds) {
    if (key.ends_with(end.end)) return end.unit;
  }
  return TimeKey(key).unit();
}

double InUnitOfKey(const AskedValue& value, std::string_view key) {
  if (!value.number) throw InputError(Quoted(value.text) + " is no number");
  if (value.unit.empty()) return *value.number;
  const ValueUnit& unit = *ValueUnitCalled(value.unit);
  const ValueUnit* const of_key = ValueUnitCalled(UnitOfKeyText(key));
  if (of_key == nullptr) throw InputError(Quoted(key) + " is a plain number, not one in " + value.unit);
  if (of_key->quantity != unit.quantity) {
    throw InputError(Quoted(key) + " is in " + std::string(of_key->name) + ", not in " + value.unit);
  }
  // By what is a whole number where one of the two is.
  return unit.size >= of_key->size ? *value.number * std::round(unit.size / of_key->size * 1e9) / 1e9
                                   : *value.number / (std::round(of_key->size / unit.size * 1e9) / 1e9);
}

}  // namespace tandem
