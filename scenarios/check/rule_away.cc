// The rule on units that leave and come back.
#include <algorithm>

#include "scenarios/check/rules.h"

namespace tandem {
namespace {

bool LeavesAt(const CheckedRun& run, UnitId unit, Nanos date) {
  const auto& away = run.scenario().away;
  return std::any_of(away.begin(), away.end(), [&](const UnitAbsence& absence) {
    return absence.unit == unit && absence.from == date;
  });
}

// A device ends what it has begun.
void CheckNothingThere(const CheckedRun& run, Findings& findings) {
  for (const UnitAbsence& absence : run.scenario().away) {
    for (const TracedSpan& span : run.run().spans) {
      if (run.units[static_cast<std::size_t>(span.track)] != absence.unit) continue;
      const Nanos begins = run.simulated() ? span.end : span.taken.value_or(span.start);
      const bool before = begins <= absence.from, after = absence.until && span.start >= *absence.until;
      if (before || after) continue;
      findings.Unwanted(run.simulated(), "away", run.Name(span), span.start,
                        "unit \"" + run.platform().unit(absence.unit).name + "\" is not there from " +
                            MicrosText(absence.from) + " on");
    }
  }
}

}  // namespace

void CheckAway(const CheckedRun& run, Findings& findings) {
  CheckNothingThere(run, findings);
  for (const CheckedTask& task : run.lost) {
    const std::string& unit = run.platform().unit(task.unit).name;
    if (!run.simulated() || !LeavesAt(run, task.unit, task.end)) {
      findings.Violation("away", run.Name(task), task.end,
                         "it is lost on unit \"" + unit + "\", which does not leave then");
    }
    for (std::size_t i = task.first_span; i < task.last_span; ++i) {
      if (run.span(i).end <= task.end) continue;
      findings.Violation("away", run.Name(task), run.span(i).end, "it goes on after it was lost");
    }
  }
}

}  // namespace tandem
