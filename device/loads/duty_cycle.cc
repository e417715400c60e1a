#include "device/loads/duty_cycle.h"

#include <cmath>

namespace tandem {
namespace {

// After a while without the core it does not take the core for as long a while.
constexpr std::int64_t kPeriodsOwed = 10;

}  // namespace

DutyCycle::DutyCycle(double share, Nanos period, Nanos begin)
    : work_(std::llround(share * static_cast<double>(period.count()))), period_(period), begin_(begin) {}

std::optional<Nanos> DutyCycle::SleepUntil(Nanos now, Nanos used) {
  if (now < begin_) return begin_;
  const std::int64_t begun = (now - begin_) / period_ + 1;
  const Nanos owed = begun * work_ - forgiven_ - used;
  if (owed > kPeriodsOwed * work_) forgiven_ += owed - kPeriodsOwed * work_;
  if (owed > Nanos{0}) return std::nullopt;
  return begin_ + begun * period_;
}

// n threads beside one that never sleeps get n / (n + 1).
int ThreadsForLoad(std::int64_t load_pct) {
  return load_pct == 0 ? 0 : static_cast<int>(load_pct / (100 - load_pct)) + 1;
}

}  // namespace tandem
