// Counters of a trace: what waits for each unit, what each memory holds and what each unit draws.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/base/fields.h"
#include "scenarios/trace/trace.h"

namespace tandem {

enum class CounterKind : std::uint8_t { kWaiting, kMemory, kPower };
inline constexpr std::array<Named<CounterKind>, 3> kCounterKindNames = {
    {{"waiting", CounterKind::kWaiting}, {"memory", CounterKind::kMemory}, {"power", CounterKind::kPower}}};
// Of what is dropped before any unit has taken it.
inline constexpr std::string_view kWaitingInVain = "no unit, dropped later";

struct Counter {
  CounterKind kind = CounterKind::kWaiting;
  std::string name;                              // "waiting: gpu"
  std::vector<std::pair<Nanos, double>> values;  // ascending dates from 0 on, each value new
};

// Waiting: tasks that are ready until the unit gives them a slot. Memory: weights that units hold, and
// tensors from when a task begins that makes or reads them there until the last one that does, or the last
// copy from there, has ended; of units that load models each model while it is used. Power: of units whose
// watts are known, as a report's energy has it, of whatever the time was. `run` has tables; `spans` and the
// requests that were dropped are all of the run.
std::vector<Counter> CountersOf(const TraceRun& run, const Scenario& scenario, const std::vector<Span>& spans,
                                const std::vector<RequestEnd>& drops);

}  // namespace tandem
