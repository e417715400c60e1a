// A run in virtual time, its trace written, read back and judged.
#pragma once

#include "policies/engine/policy.h"
#include "scenarios/check/trace_check.h"

namespace tandem {

// `judged`: the scenario to whose rules the run of `scenario` is held.
TraceJudgement JudgeRun(const Prepared& made, const PolicySpec& spec, const Scenario& scenario,
                        const Scenario& judged);

}  // namespace tandem
