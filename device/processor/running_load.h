// A load on a unit beside its work, as another program would be one.
#pragma once

#include <optional>
#include <string>

#include "profiles/base/time.h"

namespace tandem {

// It works for a part of each.
inline constexpr Nanos kLoadPeriod{10'000'000};

// From when it is made until it goes; looked at from any thread.
class RunningLoad {
 public:
  virtual ~RunningLoad() = default;
  virtual Nanos elapsed() const = 0;  // since it began
  virtual double Share() const = 0;   // of the unit's time, so far
  // Of the unit's time, lately, in which anything at all kept it busy, as another one than the load itself
  // tells; nothing where nobody does.
  virtual std::optional<double> BusyAsTold() const { return std::nullopt; }
  // So many times as long as alone a known piece of work takes beside it that keeps all of the unit busy;
  // done when it is asked. Nothing where there is none.
  virtual std::optional<double> SlowdownOfKnown() { return std::nullopt; }
  // Why it ended before its time; empty as long as it goes on.
  virtual std::string Trouble() const { return {}; }
};

}  // namespace tandem
