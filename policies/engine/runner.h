// What executes tasks: virtual time, SimGrid or a device. The runner owns the loop and calls the dispatcher.
#pragma once

#include <cstdint>

#include "policies/problem/places.h"
#include "policies/problem/task.h"

namespace tandem {

class Dispatcher;
struct Occupation;

// How fast an occupation progresses, in thousandths; 0: it rests.
using Rate = std::int32_t;
inline constexpr Rate kFullRate = 1000;

struct Runner {
  static constexpr Nanos kNever{INT64_MAX};

  virtual ~Runner() = default;
  // Runs until the dispatcher has nothing left. Calls Dispatcher::OnInstant once at time 0 and then at every
  // instant at which something ends or a wake-up is due, with the places where something ended, ascending.
  virtual void Run(Dispatcher& dispatcher) = 0;

  // Does it do what it is told for real? Then steps that should take no time are started too.
  virtual bool Executes() const { return false; }

  // From inside OnInstant alone. Starts the step that `slot` has come to, of so much work, which is more than
  // zero unless the runner executes. A simulator ends it when slot.progress says: that holds until the next
  // call about this slot, and counts what of the work is done already, slot.credit thousandths of a
  // nanosecond, less than 1000.
  virtual void Start(const Occupation& slot, Nanos work) = 0;
  // Of what runs there, from now on: slot.progress has it. What rests ends at no date, until it goes on.
  virtual void SetRate(const Occupation& slot) = 0;
  // What runs there ends here and now, without being told of: its unit has left. Nothing that executes is
  // asked to.
  virtual void Stop(const Occupation& slot) = 0;
  // Replaces the wake-up asked for before; kNever: none.
  virtual void WakeAt(Nanos date) = 0;
};

}  // namespace tandem
