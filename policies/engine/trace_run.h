// What a trace says of a run beside its spans, from the problem that was run.
#pragma once

#include <string>

#include "policies/engine/policy.h"
#include "policies/problem/problem.h"
#include "scenarios/scenario/policy_spec.h"
#include "scenarios/trace/trace.h"

namespace tandem {

TraceSegment NamedSegment(const Problem& problem, SegmentId id);

// After MakePolicy, which may choose residents. `engine`: "virtual", "simgrid", "device"; the process is then
// called "predicted: LABEL" or "measured: LABEL".
TraceRun TraceRunOf(const Prepared& made, const PolicySpec& policy, const std::string& engine,
                    bool measured = false);

// Joules of a span above idle, as Outcome's energy counts them: those of the profile with the task's work,
// else the unit's draw above idle; nothing where neither is known, or slots share the unit's time.
std::optional<double> JoulesOf(const Problem& problem, const Span& span);

}  // namespace tandem
