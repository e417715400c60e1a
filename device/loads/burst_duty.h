// When a load on a unit that takes work in pieces, without a thread of its own there, gives it the next
// piece, and how large a piece. Nothing here looks at a clock.
#pragma once

#include <cstdint>
#include <optional>

#include "device/loads/duty_cycle.h"

namespace tandem {

// How long a unit takes for so many rounds of a load's work where nothing else is at work: the best that was
// seen.
class BurstRate {
 public:
  void Took(std::int64_t rounds, Nanos time);
  bool known() const { return rounds_ > 0; }
  std::int64_t RoundsFor(Nanos time) const;  // that take at least so long
  Nanos Alone(std::int64_t rounds) const;

 private:
  std::int64_t rounds_ = 0;
  Nanos time_{0};
};

// Finds the rate of a unit by bursts that grow until one lasts about `wanted`.
class BurstCalibration {
 public:
  explicit BurstCalibration(Nanos wanted) : wanted_(wanted) {}
  std::optional<std::int64_t> Next() const;  // so many rounds; nothing once enough was seen
  void Took(std::int64_t rounds, Nanos time, BurstRate& rate);

 private:
  Nanos wanted_;
  std::int64_t rounds_ = 1024;
  int long_enough_ = 0, tried_ = 0;
};

// `share` (0..1) of every period's work from `begin` on. What counts is the work that was done, by the time
// that it takes alone: beside others a burst lasts longer, and that time is theirs.
class BurstDuty {
 public:
  BurstDuty(double share, Nanos period, Nanos begin);

  // Nothing: a burst is due; else until when there is none.
  std::optional<Nanos> SleepUntil(Nanos now) { return cycle_.SleepUntil(now, used_); }
  std::int64_t Rounds(const BurstRate& rate) const { return rate.RoundsFor(work_); }  // of a burst
  void Did() { used_ += work_; }
  Nanos used() const { return used_; }

 private:
  DutyCycle cycle_;
  Nanos work_;  // in one period
  Nanos used_{0};
};

}  // namespace tandem
