// A result under what was supposed (--what-if) beside the one without.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiles/base/fields.h"
#include "scenarios/report/report.h"

namespace tandem {

// `before`: of the same policies, some of which may be missing, on the scenario as its files have it.
void SetUnchanged(const std::vector<Report>& before, std::vector<Report>& reports);

// How much the objective changes, as a share of what it was: over draws, which draw for draw are of one luck.
// The change of the runs themselves is inside, as their figures are in their intervals. Nothing where one has
// none.
std::optional<Interval> ChangeOverDraws(const Report& before, const Report& after);
// The same of as many values, at least one: the interval over these alone. Nothing where one was not above 0.
std::optional<Interval> ChangeOver(const std::vector<double>& before, const std::vector<double>& after,
                                   double probability);

// "what if: units.gpu.speed: 1 -> 1.5", a line each; empty where nothing is supposed.
std::string WhatIfText(const std::vector<WhatIf>& what_if, std::size_t width);

// Per policy makespan and objective without and with it, and who wins then; empty where no report has both.
std::string UnchangedTable(const std::vector<Report>& reports, std::size_t width);

// Labels of those that are best in the unchanged runs.
std::vector<std::string> UnchangedWinners(const std::vector<Report>& reports);

// What was supposed, in the JSON of any result.
const Fields<WhatIf>& WhatIfFields();

}  // namespace tandem
