#include "profiles/base/figures.h"
#include "profiles/base/joined.h"
#include "profiles/base/table.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/table.h"
#include "sim/study/contest.h"

namespace tandem {

std::vector<std::string> TiedWith(const std::vector<Contender>& contenders, const ContestVerdict& verdict) {
  std::vector<std::string> labels;
  for (const std::size_t p : verdict.ranking.equal) {
    if (p != verdict.winner) labels.push_back(contenders[p].report.label);
  }
  return labels;
}

std::vector<std::string> NotTold(const std::vector<Report>& reports, const Ranking& ranking) {
  std::vector<std::string> labels;
  if (!ranking.close.empty()) labels.push_back(reports[ranking.winners.front()].label);
  for (const std::size_t p : ranking.close) labels.push_back(reports[p].label);
  return labels;
}

namespace {

// "eft comes next, 3.27 % behind".
std::string Behind(const std::vector<Report>& reports, std::size_t winner, std::size_t other,
                   Objective objective) {
  const auto values = RankedValues(reports, objective);
  const auto &best = values[winner], &value = values[other];
  std::string text = reports[other].label + " comes next";
  if (best && value && *best == *value) return text + ", as good by it";
  if (!best || !value || *best == 0 || *value == 0) return text;
  const double ratio = HigherIsBetter(objective) ? *best / *value : *value / *best;
  return text + ", " + Percent(ratio - 1, 2) + " behind";
}

// "; its makespan is within 3.27 % of the bound"; of what is far from it, how far.
std::string GapClause(const Report& winner, Objective objective) {
  constexpr double kFar = 1;
  const auto& gap = objective == Objective::kMakespan ? winner.gap : winner.objective_gap;
  if (!gap) return {};
  const std::string figure = Words(NameOf(kObjectiveNames, objective)), share = Percent(*gap, 2);
  if (*gap <= kFar) return "; its " + figure + " is within " + share + " of the bound";
  return HigherIsBetter(objective) ? "; the bound is " + share + " above its " + figure
                                   : "; its " + figure + " is " + share + " above the bound";
}

// ", tied with fcfs, sjf and ahead of them by missed requests".
std::string TieClause(const std::vector<Contender>& contenders, const ContestVerdict& verdict) {
  const std::vector<std::string> tied = TiedWith(contenders, verdict);
  if (tied.empty()) return {};
  const Ranking& ranking = verdict.ranking;
  const std::string text = ", tied with " + Joined(tied);
  if (ranking.winners.size() > 1 && !ranking.close.empty())
    return text + " and the first of them in the list";
  if (ranking.winners.size() > 1) return text + ", and taken since it comes first in the list";
  return text + " and ahead by " + MostOf(*ranking.told_apart_by);
}

}  // namespace

std::string VerdictText(const std::vector<Contender>& contenders, const ContestVerdict& verdict,
                        Objective objective, std::size_t width) {
  const std::vector<Report> reports = ReportsOf(contenders);
  if (!verdict.winner) return Wrapped("no policy wins: " + WhyNobodyWins(reports, objective), width);
  const Report& winner = contenders[*verdict.winner].report;
  if (verdict.ranking.TakesSimpler()) {
    return Wrapped(winner.label + " is taken, the simplest of those that cannot be told apart; " +
                       WinnerText(reports, verdict.ranking.winners.front(), objective) + ".",
                   width);
  }
  // Nobody wins whom the draws cannot tell from others.
  std::string text = winner.label +
                     (verdict.ranking.close.empty() ? " wins by " : " is taken, the best by ") +
                     std::string(NameOf(kObjectiveNames, objective)) +
                     (RankedByDraws(reports, objective) ? " in the median over the draws" : "") +
                     TieClause(contenders, verdict) + GapClause(winner, objective);
  if (const std::string sure = WinnerText(reports, *verdict.winner, objective); !sure.empty()) {
    text += "; " + sure;
  }
  if (verdict.runner_up) text += "; " + Behind(reports, *verdict.winner, *verdict.runner_up, objective);
  return Wrapped(text + ".", width);
}

std::string WhyText(const std::vector<Contender>& contenders, const ContestVerdict& verdict,
                    std::size_t width) {
  if (!verdict.winner) return "";
  const Contender& winner = contenders[*verdict.winner];
  std::string text = "\n" + Wrapped("Where the time goes under " + winner.report.label + ":", width) +
                     StoryTable(winner.story, width);
  if (!verdict.runner_up) return text;
  const Contender& other = contenders[*verdict.runner_up];
  return text + "\n" + Wrapped("What " + other.report.label + " does otherwise:", width) +
         DifferenceTable(winner.story, other.story, width);
}

}  // namespace tandem
