// What executes tasks: virtual time, SimGrid or a device. The runner owns the loop and calls the dispatcher.
#pragma once

#include <cstdint>

#include "policies/problem/places.h"
#include "policies/problem/task.h"

namespace tandem {

class Dispatcher;
struct Occupation;

// How fast an occupation progresses, in thousandths.
using Rate = std::int32_t;
inline constexpr Rate kFullRate = 1000;

// An occupation that came to its end. Ends fall on whole nanoseconds; `surplus` is what was done beyond the
// work asked for by then, in thousandths of a nanosecond of work, less than the rate and than a nanosecond.
struct Ended {
  PlaceId place;
  std::int32_t surplus = 0;
};

struct Runner {
  static constexpr Nanos kNever{INT64_MAX};

  virtual ~Runner() = default;
  // Runs until the dispatcher has nothing left. Calls Dispatcher::OnInstant once at time 0 and then at every
  // instant at which something ends or a wake-up is due, with all that ended, in order of place.
  virtual void Run(Dispatcher& dispatcher) = 0;

  // Does it do what it is told for real? Then steps that should take no time are started too.
  virtual bool Executes() const { return false; }

  // From inside OnInstant alone. Starts the step that `slot` has come to, of so much work. `slot.credit` is
  // work already done, in thousandths of a nanosecond, less than 1000. Work is more than zero unless the
  // runner executes.
  virtual void Start(const Occupation& slot, Nanos work) = 0;
  virtual void SetRate(PlaceId place, Rate rate) = 0;  // of what runs there, from now on
  // Replaces the wake-up asked for before; kNever: none.
  virtual void WakeAt(Nanos date) = 0;
};

}  // namespace tandem
