#include "device/energy/sensor.h"

#include <chrono>

namespace tandem {

double WrappingCount::Joules(std::uint64_t count) {
  if (begun_) {
    // Wrapped around once at most: call_within() sees to that.
    microjoules_ += static_cast<double>(count >= last_ ? count - last_ : range_ - last_ + count);
  }
  begun_ = true;
  last_ = count;
  return microjoules_ / 1e6;
}

double SummedPower::Joules(Nanos now, double watts) {
  if (begun_) joules_ += (watts_ + watts) / 2 * std::chrono::duration<double>(now - last_).count();
  begun_ = true;
  last_ = now;
  watts_ = watts;
  return joules_;
}

}  // namespace tandem
