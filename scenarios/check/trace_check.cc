#include "scenarios/check/trace_check.h"

#include <algorithm>

#include "scenarios/check/checked_run.h"
#include "scenarios/check/findings.h"
#include "scenarios/check/rules.h"

namespace tandem {
namespace {

void CheckRun(const Scenario& scenario, const TracedRun& traced, Nanos wake_up, TraceJudgement& judgement) {
  Findings findings(traced.name, judgement, wake_up);
  CheckedRun run(scenario, traced, findings);
  judgement.spans += static_cast<std::int64_t>(traced.spans.size());
  judgement.requests += static_cast<std::int64_t>(run.requests.size());
  CheckDates(run, findings);
  CheckTracks(run, findings);
  if (!run.usable()) return;
  CheckExclusion(run, findings);
  CheckLayers(run, findings);
  CheckRequests(run, findings);
  CheckBatches(run, findings);
  CheckUnits(run, findings);
  CheckResidents(run, findings);
  CheckOccupation(run, findings);
  CheckInputs(run, findings);
  MarkWaitsForRoom(run);
  CheckAway(run, findings);
  CheckIdle(run, findings);
  CheckOrder(run, findings);
  CheckCritical(run, findings);
  CheckMemory(run, findings);
}

}  // namespace

TraceJudgement CheckTrace(const Scenario& scenario, const Trace& trace, Nanos wake_up) {
  TraceJudgement judgement;
  for (const TracedRun& traced : trace.runs) {
    const auto violations = static_cast<std::ptrdiff_t>(judgement.violations.size());
    const auto gaps = static_cast<std::ptrdiff_t>(judgement.gaps.size());
    CheckRun(scenario, traced, wake_up, judgement);
    const auto earlier = [](const TraceFinding& a, const TraceFinding& b) { return a.time < b.time; };
    std::stable_sort(judgement.violations.begin() + violations, judgement.violations.end(), earlier);
    std::stable_sort(judgement.gaps.begin() + gaps, judgement.gaps.end(), earlier);
  }
  return judgement;
}

}  // namespace tandem
