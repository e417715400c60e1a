// Remaining work in integers, so that every engine ends an occupation at the same nanosecond: at the first
// one at which nothing is left. What rests, at rate 0, has no end until it goes on.
#pragma once

#include <algorithm>
#include <cstdint>

#include "policies/engine/runner.h"

namespace tandem {

class Progress {
 public:
  Progress() = default;
  // `credit`: less than a nanosecond of it is done, and so the end is where it would be without.
  Progress(Nanos now, Nanos work, std::int32_t credit)
      : rest_(work.count() * kFullRate - credit), since_(now.count()), end_(now + work), rate_(kFullRate) {}

  Nanos End() const { return end_; }
  void SetRate(Nanos now, Rate rate) {
    rest_ -= (now.count() - since_) * rate_;
    since_ = now.count();
    rate_ = rate;
    if (rest_ <= 0) {
      end_ = now;
    } else {
      end_ = rests() ? Runner::kNever : Nanos{since_ + (rest_ + rate_ - 1) / rate_};
    }
  }
  Rate rate() const { return rate_; }
  bool rests() const { return rate_ == 0; }
  // At its end: what was done beyond the work, less than a nanosecond of it.
  std::int32_t Surplus(Nanos now) const {
    // What goes on takes a nanosecond at least, however fast it is.
    return static_cast<std::int32_t>(
        std::clamp<std::int64_t>((now.count() - since_) * rate_ - rest_, 0, kFullRate - 1));
  }
  // In thousandths of a nanosecond; negative: it is over for so long.
  std::int64_t Rest(Nanos now) const { return rest_ - (now.count() - since_) * rate_; }
  // Profiled work that is left, rounded up.
  Nanos Left(Nanos now) const {
    const std::int64_t rest = Rest(now);
    return Nanos{rest <= 0 ? 0 : (rest + kFullRate - 1) / kFullRate};
  }

 private:
  std::int64_t rest_ = 0;  // thousandths of a nanosecond
  std::int64_t since_ = 0;
  Nanos end_{0};
  Rate rate_ = kFullRate;
};

}  // namespace tandem
