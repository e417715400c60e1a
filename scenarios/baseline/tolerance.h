// How far a figure may move before somebody has to be told.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profiles/base/codecs.h"

namespace tandem {

// Of the figure's value in the baseline, or in the figure's own unit; 0: exact.
struct Tolerance {
  double amount = 0;
  bool percent = false;

  double Of(double value) const;  // in the figure's unit
  std::string Text() const;       // "0", "2%", "1000"
  friend bool operator==(const Tolerance&, const Tolerance&) = default;
};

// "2%" or "1000"; nothing: neither, or below 0.
std::optional<Tolerance> ParseTolerance(std::string_view text);

namespace as {
CodecOf<Tolerance> ToleranceOrPercent();  // a number, or "2%"
}

}  // namespace tandem
