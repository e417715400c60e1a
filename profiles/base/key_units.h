// Units in the names of keys. A duration may be written in any unit that files have for it: "deadline_us" is
// "deadline_ms" and "deadline_s", too.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/base/time.h"

namespace tandem {

// The key of a duration, in parts: "age_us_per_level" is "age_" in "us" and "_per_level".
class TimeKey {
 public:
  explicit TimeKey(std::string_view key);  // which outlives it

  bool has_unit() const { return !unit_.empty(); }
  bool IsSpelled(std::string_view key) const;  // is it the same in some unit?
  std::string In(std::string_view unit) const { return std::string(before_).append(unit).append(after_); }
  std::string WithoutUnit() const;  // "age_per_level"
  std::string_view unit() const { return unit_; }

 private:
  std::string_view key_, before_, unit_, after_;
};

// What a schema says of a duration that is given, in whatever unit.
std::string TimeGivenSchema(std::string_view key);

// As Suggestion, for a key: where the unit is another one, it is told. `spellings`: of the durations among
// `known` in other units.
std::string KeySuggestion(std::string_view word, std::span<const std::string_view> known,
                          std::span<const std::string_view> spellings);

}  // namespace tandem
