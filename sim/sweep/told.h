// Whether what is best in a sweep can be told from the rest: by draws, as the commands of one scenario have
// it, and where there are none by what the profiles leave open.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "scenarios/report/draws.h"
#include "sim/sweep/row.h"

namespace tandem {

// A run, or the mean over several of one policy: draw for draw, since what a profile does not know is the
// same in all of them.
struct SweepRival {
  double run_cost = 0;  // of runs of medians; the smaller the better
  ReportDraws draws;    // without `objectives` where one of the runs has none
  bool has_probability = true;
  std::optional<double> unknown;  // the most of all; nothing: nobody knows it of one

  bool drawn() const { return !draws.objectives.empty(); }
};

// `positions`: of rows that have the figure, at least one.
SweepRival RivalOf(const std::vector<SweepRow>& rows, const std::vector<std::size_t>& positions,
                   std::string_view figure);

// Have all of them as many draws? Else runs are compared: never figures of two kinds.
bool AreComparedByDraws(const std::vector<const SweepRival*>& rivals);
// The smaller the better.
double CostOf(const SweepRival& rival, std::string_view figure, bool by_draws);

bool CannotBeTold(const SweepRival& other, const SweepRival& best, std::string_view figure);
// `best`: positions of rows that may be best, best first. How many cannot be told from the first of them.
std::int64_t CountClose(const std::vector<SweepRow>& rows, const std::vector<std::size_t>& best,
                        std::string_view figure);

}  // namespace tandem
