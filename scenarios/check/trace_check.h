// Room scenarios/check: the judge: every rule that a trace has to obey, in code of its own that shares
// nothing with the engines.
//
// Does a trace obey the rules that every schedule obeys (docs/semantics.md)? All is derived anew from the
// scenario and its profiles: nothing here is shared with what executes scenarios.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/scenario/scenario.h"
#include "scenarios/trace/read.h"

namespace tandem {

struct TraceFinding {
  std::string run, rule, request;  // request: "stream #7", or a track or memory where it is about that
  Nanos time{0};
  std::string what;
};

struct TraceJudgement {
  std::vector<TraceFinding> violations;  // in order of run and time; of each rule the first alone
  std::vector<TraceFinding> gaps;        // in measured runs: idle while work waited, out of order
  std::int64_t violations_total = 0, gaps_total = 0;
  std::int64_t wake_ups_total = 0;  // in measured runs: idle while work waited, no longer than a wake-up
  std::int64_t spans = 0, requests = 0;
};

// What a device may take until a unit that could be at work is: shorter idle times of measured runs are no
// gaps.
inline constexpr Nanos kUsualWakeUp = std::chrono::microseconds{100};

// `scenario` has a platform and costs. `wake_up` counts for measured runs alone: what is simulated is exact.
TraceJudgement CheckTrace(const Scenario& scenario, const Trace& trace, Nanos wake_up = Nanos{0});

}  // namespace tandem
