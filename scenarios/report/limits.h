// Whether runs keep what is asked of them: the limits of a scenario, and conditions of other questions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/scenario/condition.h"

namespace tandem {

struct Report;

// A limit of the scenario, beside what a run has of it.
struct LimitReport {
  ConditionTerm term;
  std::optional<double> value;       // as the bound is; nothing where it is not known, or nothing completed
  double excess = 0;                 // as ConditionTerm's
  std::optional<double> kept_share;  // of the draws that keep it

  bool kept() const { return excess == 0; }
};

// The farthest figure of runs of one scenario with several seeds, of all that the term speaks of: shares over
// all of their requests, other figures their mean. Throws InputError where a figure cannot be told.
double FarthestOf(const ConditionTerm& term, std::span<const Report> runs);

// Of one complete run. Energy that is not known keeps no limit.
std::vector<LimitReport> JudgeLimits(const std::vector<ConditionTerm>& limits, const Report& run);

// By how much limits are broken, all together; 0: they are kept.
double ExcessOf(const Report& report);

// How many of the limits are kept: "3 of 4".
std::string LimitsKept(const Report& report);

// By limit who keeps it and who does not, with what; where nobody keeps all, who comes closest and what would
// have to be allowed.
std::vector<std::string> LimitTexts(const std::vector<Report>& reports);

}  // namespace tandem
