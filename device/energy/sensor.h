// What tells the energy that a part of the board takes. A sensor is one file, <kind>.cc; the meter
// knows nothing of them but this.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/host/clock.h"
#include "profiles/base/time.h"
#include "profiles/costs/platform.h"

namespace tandem {

class EnergySensor {
 public:
  virtual ~EnergySensor() = default;

  virtual std::string name() const = 0;  // "rapl package-0"
  // Since the first call, which gives 0. Throws EnvironmentError where it cannot be read any more.
  virtual double Joules() = 0;
  // It has a new figure this often; what is shorter it cannot tell.
  virtual Nanos update() const = 0;
  // Between two calls no more time than this may pass: a count that wraps around, a draw that is summed up.
  virtual Nanos call_within() const = 0;
  // Does it count what the unit draws? A sensor of the whole board counts every unit.
  virtual bool Covers(const Unit& unit) const = 0;
  virtual bool OfWholeBoard() const { return false; }
};

// All sensors of a kind, or why there are none.
struct EnergySensors {
  std::string kind;  // "rapl"
  std::vector<std::unique_ptr<EnergySensor>> sensors;
  std::string why_not;
};

// A count of microjoules that begins anew after `range`.
class WrappingCount {
 public:
  explicit WrappingCount(std::uint64_t range) : range_(range) {}
  double Joules(std::uint64_t count);  // since the first

 private:
  std::uint64_t range_, last_ = 0;
  bool begun_ = false;
  double microjoules_ = 0;
};

// A draw in watts, summed up over time by straight lines between the moments at which it was looked at.
class SummedPower {
 public:
  double Joules(Nanos now, double watts);  // since the first

 private:
  Nanos last_{0};
  double watts_ = 0, joules_ = 0;
  bool begun_ = false;
};

using EnergyClock = std::function<Nanos()>;  // the steady clock; tests have their own

}  // namespace tandem
