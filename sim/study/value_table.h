// What schedules come to beside one that they are held against, as tables of text: decisions that were tried,
// parts of a board that are faster.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "policies/explain/alternatives.h"
#include "profiles/base/figures.h"
#include "scenarios/report/replication.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

// Signed: "-3.1 %". Nothing to compare with: "-".
std::string ChangeText(std::optional<double> before, std::optional<double> after);

struct ValuedRow {
  std::string what;
  Valued value;
  std::optional<Interval> change;  // of the objective
};

// `drawn`: with intervals; where they have no room, that of the objective's change alone.
std::string ValuesText(const std::string& title, const Scenario& scenario, const TimeUnit& unit,
                       const Valued& before, const std::vector<ValuedRow>& rows, bool drawn,
                       std::size_t width);

}  // namespace tandem
