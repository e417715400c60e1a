#include "profiles/base/key_units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "profiles/base/json_write.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

// What keys end in, and what people write instead.
struct KeyUnit {
  std::string_view name, words;
  char quantity;
  double size;
};
constexpr std::array<KeyUnit, 19> kKeyUnits = {{{"ns", "nanoseconds", 't', 1},
                                                {"us", "microseconds", 't', 1e3},
                                                {"ms", "milliseconds", 't', 1e6},
                                                {"s", "seconds", 't', 1e9},
                                                {"min", "minutes", 't', 6e10},
                                                {"bytes", "bytes", 'b', 1},
                                                {"kb", "kilobytes", 'b', 1e3},
                                                {"mb", "megabytes", 'b', 1e6},
                                                {"gb", "gigabytes", 'b', 1e9},
                                                {"kib", "kibibytes", 'b', 1024},
                                                {"mib", "mebibytes", 'b', 1 << 20},
                                                {"gib", "gibibytes", 'b', 1 << 30},
                                                {"mw", "milliwatts", 'p', 1},
                                                {"w", "watts", 'p', 1e3},
                                                {"kw", "kilowatts", 'p', 1e6},
                                                {"uj", "microjoules", 'e', 1},
                                                {"mj", "millijoules", 'e', 1e3},
                                                {"j", "joules", 'e', 1e6},
                                                {"pct", "percent", '%', 1}}};

// The first word of the key, behind its first "_", that `is`; empty where none is. What is a rate "per_s" is
// in no seconds.
template <class Is>
std::string_view WordOfKey(std::string_view key, Is is) {
  for (std::size_t at = key.find('_'); at != std::string_view::npos; at = key.find('_', at + 1)) {
    const std::string_view word = key.substr(at + 1, key.find('_', at + 1) - at - 1);
    if (is(word) && !key.substr(0, at).ends_with("per")) return word;
  }
  return {};
}

const KeyUnit* UnitOfKey(std::string_view key) {
  const auto named = [](std::string_view word) {
    return std::find_if(kKeyUnits.begin(), kKeyUnits.end(),
                        [&](const auto& unit) { return unit.name == word; });
  };
  const std::string_view word =
      WordOfKey(key, [&](std::string_view each) { return named(each) != kKeyUnits.end(); });
  return word.empty() ? nullptr : &*named(word);
}

bool IsWrittenUnit(std::string_view word) {
  return std::any_of(kWrittenUnits.begin(), kWrittenUnits.end(),
                     [&](const WrittenUnit& unit) { return unit.name == word; });
}

// How much one of the larger unit is.
std::string Factor(const KeyUnit& a, const KeyUnit& b) {
  const KeyUnit &small = a.size < b.size ? a : b, &large = a.size < b.size ? b : a;
  return "1 " + std::string(large.name) + " is " + JsonNumber(large.size / small.size) + " " +
         std::string(small.name);
}

// What is to be known of the unit of `nearest` by somebody who wrote `word`.
std::string UnitNote(std::string_view word, std::string_view nearest) {
  const KeyUnit* const meant = UnitOfKey(nearest);
  const KeyUnit* const written = UnitOfKey(word);
  if (!meant || meant == written) return "?";
  if (written && written->quantity == meant->quantity) return "? " + Factor(*meant, *written);
  return " (" + std::string(meant->words) + ")?";
}

// A duration as people may write it without one of its keys: "deadline", "deadline_ns".
struct LooseKey {
  std::string text;
  std::string_view key;
  bool without_unit;
};

std::vector<LooseKey> LooseKeys(std::span<const std::string_view> spellings) {
  std::vector<LooseKey> loose;
  for (const std::string_view key : spellings) {
    const TimeKey time(key);
    loose.push_back({time.WithoutUnit(), key, true});
    loose.push_back({time.In("ns"), key, false});
  }
  return loose;
}

std::string InEveryUnit(std::string_view key) {
  const TimeKey time(key);
  return "; did you mean " + Quoted(time.In("us")) + ", " + Quoted(time.In("ms")) + " or " +
         Quoted(time.In("s")) + "?";
}

}  // namespace

TimeKey::TimeKey(std::string_view key) : key_(key), before_(key) {
  unit_ = WordOfKey(key, IsWrittenUnit);
  if (unit_.empty()) return;
  const auto at = static_cast<std::size_t>(unit_.data() - key.data());
  before_ = key.substr(0, at);
  after_ = key.substr(at + unit_.size());
}

bool TimeKey::IsSpelled(std::string_view key) const {
  if (key == key_) return true;
  if (unit_.empty() || key.size() <= before_.size() + after_.size()) return false;
  if (!key.starts_with(before_) || !key.ends_with(after_)) return false;
  return IsWrittenUnit(key.substr(before_.size(), key.size() - before_.size() - after_.size()));
}

std::string TimeKey::WithoutUnit() const {
  return std::string(before_.substr(0, before_.size() - (has_unit() ? 1 : 0))).append(after_);
}

std::string TimeGivenSchema(std::string_view key) {
  std::string given;
  for (const WrittenUnit& unit : kWrittenUnits) {
    given +=
        (given.empty() ? "" : ", ") + ("{\"required\": [" + JsonString(TimeKey(key).In(unit.name)) + "]}");
  }
  return "{\"anyOf\": [" + given + "]}";
}

std::string KeySuggestion(std::string_view word, std::span<const std::string_view> known,
                          std::span<const std::string_view> spellings) {
  const std::vector<LooseKey> loose = LooseKeys(spellings);
  std::vector<std::string_view> all(known.begin(), known.end());
  for (const LooseKey& key : loose) all.push_back(key.text);
  all.insert(all.end(), spellings.begin(), spellings.end());
  const std::string_view nearest = Nearest(word, all);
  for (const LooseKey& key : loose) {
    if (key.text != nearest) continue;
    return key.without_unit ? InEveryUnit(key.key)
                            : "; did you mean " + Quoted(TimeKey(key.key).In("us")) + "? 1 us is 1000 ns";
  }
  if (nearest.empty()) return Suggestion(word, known);
  return "; did you mean " + Quoted(nearest) + UnitNote(word, nearest);
}

}  // namespace tandem
