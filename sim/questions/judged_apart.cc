#include "sim/questions/judged_apart.h"

#include <algorithm>

#include "scenarios/report/draws.h"

namespace tandem {
namespace {

// Draws of one number have their luck in common: so each begins at another draw.
void PutApart(std::vector<Report>& reports) {
  for (std::size_t r = 0; r < reports.size(); ++r) {
    if (!reports[r].draws) continue;
    for (std::vector<double>* drawn : {&reports[r].draws->objectives, &reports[r].draws->excesses}) {
      if (drawn->empty()) continue;
      const auto first = drawn->begin() + static_cast<std::ptrdiff_t>(r % drawn->size());
      std::rotate(drawn->begin(), first, drawn->end());
    }
    reports[r].draws->win_probability.reset();  // that was among policies
  }
}

std::string HowSure(const std::vector<Report>& reports, std::size_t best, Objective objective,
                    const std::string& word) {
  const auto not_sure = WhyNotSure(reports, objective);
  if (!not_sure || reports.size() < 2) return WinnerText(reports, best, objective);
  const bool close = !NotToldFrom(reports, best, objective).empty();
  return (close ? WinnerText(reports, best, objective)
                : "how sure the best " + word + " is cannot be told: " + not_sure->what) +
         ": " + not_sure->why;
}

}  // namespace

ApartVerdict JudgeApart(std::vector<Report> reports, Objective objective, const std::string& word) {
  ApartVerdict verdict;
  PutApart(reports);
  SetWinProbabilities(reports, objective);
  for (const Report& report : reports) {
    verdict.probability.push_back(report.draws ? report.draws->win_probability : std::nullopt);
  }
  verdict.best = RankReports(reports, objective).winners;
  if (!verdict.best.empty()) verdict.text = HowSure(reports, verdict.best.front(), objective, word);
  return verdict;
}

}  // namespace tandem
