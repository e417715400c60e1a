// Runs that have no luck in common against each other: of several boards, or of one whose units go otherwise.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/report/report.h"

namespace tandem {

struct ApartVerdict {
  std::vector<std::size_t> best;                   // positions of those that are best, as RankReports has it
  std::vector<std::optional<double>> probability;  // of each that it is, in such a share of the draws
  std::string text;  // how sure the best one is, or why that is not told; empty: there are no two to compare
};

// The labels of `reports` say what they are of; `word` is what that is: "board".
ApartVerdict JudgeApart(std::vector<Report> reports, Objective objective, const std::string& word);

}  // namespace tandem
