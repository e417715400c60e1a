#include <algorithm>
#include <map>
#include <span>

#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/table.h"
#include "sim/sweep/design.h"
#include "sim/sweep/effects.h"
#include "sim/sweep/json_values.h"
#include "sim/sweep/origins.h"
#include "sim/sweep/point_scenario.h"
#include "sim/sweep/results.h"
#include "sim/sweep/told.h"

namespace tandem {
namespace {

constexpr std::size_t kMostShown = 10;    // of the best rows
constexpr std::size_t kMostOfFront = 40;  // a front is a choice, and longer
constexpr std::size_t kMostFailures = 3;

bool IsTime(std::string_view figure) { return figure.ends_with("_ns"); }

// "p99_latency_ns" as "p99 latency ms".
std::string TitleOf(std::string_view figure) {
  if (!IsTime(figure)) return Words(figure);
  return Words(figure.substr(0, figure.size() - 3)) + " ms";
}

std::string ValueText(std::string_view figure, double value) {
  return IsTime(figure) ? Fixed(value / 1e6, 3) : Short(value);
}

std::string CellOf(const RunFigures& figures, const std::string& figure) {
  const auto value = figures.find(figure);
  return value == figures.end() ? "-" : ValueText(figure, value->second);
}

// The farther end of its interval; both where it is 0.
std::string ReachOf(const SweepRow& row, const std::string& figure) {
  const auto value = row.figures.find(figure);
  const auto ends = row.intervals.find(figure);
  if (value == row.figures.end() || ends == row.intervals.end()) return "-";
  if (value->second == 0)
    return ValueText(figure, ends->second[0]) + ".." + ValueText(figure, ends->second[1]);
  const double reach = std::max(value->second - ends->second[0], ends->second[1] - value->second);
  return Percent(reach / value->second, 1);
}

// How many of those that may be best cannot be told from the first of them.
std::string CloseText(const Sweep& sweep, const std::vector<SweepRow>& rows,
                      const std::vector<std::size_t>& best, const std::string& figure) {
  const std::int64_t close = CountClose(rows, best, figure);
  if (close == 0) return {};
  return std::to_string(close) + " of the other " +
         Counted(static_cast<std::int64_t>(best.size()) - 1, "run") + " cannot be told from the best" +
         (sweep.interval ? " by their draws" : "");
}

// Why the runs of a sweep that draws nothing leave open who wins, and what would tell.
std::string WhyNotTold(const Sweep& sweep, const std::vector<SweepRow>& rows) {
  if (sweep.interval) return {};
  const std::string begin = "cannot be told: runs with every task at its median are compared, and ";
  const bool known = std::all_of(rows.begin(), rows.end(), [](const SweepRow& row) {
    return row.status != RowStatus::kOk || row.unknown;
  });
  if (!known) return begin + "of some times nobody knows how far off they are";
  return begin + "the margin lies within what is not known of their times; \"interval\": 90 draws them";
}

// Of what the intervals are, whom they cannot tell from the best, and why some have none.
std::string HowSureNotes(const Sweep& sweep, const std::vector<SweepRow>& rows,
                         const std::vector<std::size_t>& best, const std::string& figure, std::size_t width) {
  if (rows.empty()) return {};
  std::string text;
  if (std::ranges::any_of(rows, [](const SweepRow& row) { return !row.intervals.empty(); })) {
    text += Wrapped(
        "+-: the farther end of the interval of " + PercentInTenths(*sweep.interval / 100) + ", by draws",
        width);
  }
  if (const std::string close = CloseText(sweep, rows, best, figure); !close.empty())
    text += Wrapped(close, width);
  std::map<std::pair<std::string, std::string>, std::int64_t> without;  // of what, why
  for (const SweepRow& row : rows) {
    if (!row.interval_why.empty()) ++without[{"no interval of ", row.interval_why}];
    if (!row.probability_why.empty()) ++without[{"no probability of winning of ", row.probability_why}];
  }
  for (const auto& [what, count] : without)
    text += Wrapped(what.first + Counted(count, "run") + ": " + what.second, width);
  return text;
}

std::string PointText(const SweepRow& row) {
  std::string text;
  for (const auto& [name, value] : row.point) text += name + " = " + PlainValue(value) + ", ";
  return text + row.policy;
}

std::string WhatIsThere(const Sweep& sweep, const CollectedRows& collected) {
  const auto rows = static_cast<std::int64_t>(collected.rows.size());
  const auto missing = static_cast<std::int64_t>(collected.missing.size());
  std::string text = sweep.name + ": " + Counted(rows + missing, "run") + ", " +
                     std::to_string(rows - collected.failed) + " ok, " + std::to_string(collected.failed) +
                     " failed, " + std::to_string(missing) + " missing\n";
  if (collected.of_others > 0) {
    text += Counted(collected.of_others, "row") + " of other runs in the folder (engine " +
            Joined(collected.engines_of_others, " and ") + ") are left out\n";
  }
  std::size_t shown = 0;
  for (const SweepRow& row : collected.rows) {
    if (row.status != RowStatus::kOk && shown++ < kMostFailures) {
      text += std::string(NameOf(kRowStatusNames, row.status)) + ": " + PointText(row) + ": " + row.message +
              "\n";
    }
  }
  return text;
}

std::string RowsTable(const Sweep& sweep, const std::vector<SweepRow>& rows,
                      const std::vector<std::size_t>& positions, const std::vector<std::string>& figures,
                      std::size_t most, std::size_t width) {
  std::vector<Table::Column> columns;
  for (const SweepAxis& axis : sweep.axes)
    columns.push_back({.title = axis.name, .right = true, .shrinks = true});
  columns.push_back({.title = "policy", .shrinks = true});
  for (const std::string& figure : figures) {
    columns.push_back({.title = TitleOf(figure), .right = true});
    if (!sweep.interval) continue;
    columns.push_back({.title = "+-", .right = true});
    columns.push_back({.title = "median", .right = true});
  }
  Table table(std::move(columns));
  for (std::size_t p = 0; p < std::min(positions.size(), most); ++p) {
    const SweepRow& row = rows[positions[p]];
    std::vector<std::string> cells;
    for (const SweepAxis& axis : sweep.axes) cells.push_back(PlainValue(row.point.at(axis.name)));
    cells.push_back(row.policy);
    for (const std::string& figure : figures) {
      cells.push_back(CellOf(row.figures, figure));
      if (!sweep.interval) continue;
      cells.push_back(ReachOf(row, figure));
      cells.push_back(CellOf(row.medians, figure));
    }
    table.Add(std::move(cells));
  }
  return table.Text(width);
}

std::string EffectsTable(const std::vector<MainEffect>& effects, const std::string& figure,
                         std::size_t width) {
  Table table({{.title = "what matters"},
               {.title = "of the variance", .right = true},
               {.title = "best at", .shrinks = true},
               {.title = TitleOf(figure), .right = true},
               {.title = "worst at", .shrinks = true},
               {.title = TitleOf(figure), .right = true}});
  for (const MainEffect& effect : effects) {
    const bool matters = effect.best_mean != effect.worst_mean;
    table.Add({effect.factor, Percent(effect.share, 1), matters ? effect.best : "-",
               ValueText(figure, effect.best_mean), matters ? effect.worst : "-",
               ValueText(figure, effect.worst_mean)});
  }
  return table.Text(width);
}

}  // namespace

Objective ObjectiveOfSweep(const Sweep& sweep) {
  if (sweep.objective) return *sweep.objective;
  try {
    const PointScenario first = PointScenarios(sweep).Of(SweepPoints(sweep).At(0));
    return ScenarioToSimulate(first.text, first.file, {}).objective;
  } catch (const InputError&) {
    return Objective::kMakespan;  // its rows say what is wrong with it
  }
}

void CheckParetoFigures(const std::vector<std::string>& pareto) {
  if (!pareto.empty() && (pareto.size() < 2 || pareto.size() > 3)) {
    throw InputError("--pareto: a front is of two or three figures, as makespan_ns,energy_j");
  }
  for (const std::string& figure : pareto) {
    const auto& known = RunFigureNames();
    if (std::find(known.begin(), known.end(), figure) == known.end()) {
      throw InputError("--pareto: no figure is called " + Quoted(figure) +
                       Suggestion(figure, std::span<const std::string_view>(known)));
    }
  }
}

std::string ResultsText(const Sweep& sweep, const CollectedRows& collected,
                        const std::vector<std::string>& pareto, std::size_t width) {
  std::string text = WhatIsThere(sweep, collected);
  const std::vector<SweepRow>& rows = collected.rows;
  const std::string figure(RunFigureOf(ObjectiveOfSweep(sweep)));
  const auto best = BestRows(sweep, rows, figure);
  if (!best.empty()) {
    const bool by_draws = HowCompared(sweep, rows, figure) == ComparedBy::kDraws;
    text += "\nbest by " + TitleOf(figure) + (by_draws ? " in the median over the draws" : "") + "\n" +
            RowsTable(sweep, rows, best, {figure}, kMostShown, width);
  } else if (!rows.empty()) {
    text += "\nno run may be called best: none keeps what is required, or tells its " + Words(figure) + "\n";
  }
  text += HowSureNotes(sweep, rows, best, figure, width);
  if (!pareto.empty()) {
    const auto front = ParetoFront(sweep, rows, pareto);
    text += "\nPareto front of " + Joined(pareto, " and ", TitleOf) + ": " +
            Counted(static_cast<std::int64_t>(front.size()), "run") + "\n" +
            RowsTable(sweep, rows, front, pareto, kMostOfFront, width);
  }
  const std::vector<MainEffect> effects = MainEffects(sweep, rows, figure);
  if (!effects.empty()) text += "\n" + EffectsTable(effects, figure, width);
  const std::vector<Winners> winners = WinnersAlong(sweep, rows, figure);
  if (!winners.empty()) text += "\n";
  for (const Winners& axis : winners) text += Wrapped(WinnersText(axis), width);
  const std::string why = WhyNotTold(sweep, rows);
  if (!why.empty() && !std::ranges::all_of(winners, &Winners::AreTold)) text += Wrapped(why, width);
  const TimesOfSweep times = TimesOf(sweep);
  const bool drawn = HowCompared(sweep, rows, figure) == ComparedBy::kDraws;
  const ToldBy told = drawn ? ToldBy::kDraws : ToldBy::kRuns;
  const std::vector<std::string> sentences = SentencesOfTimes(times.estimated, times.profiles, told);
  if (!sentences.empty()) text += "\n";
  for (const std::string& sentence : sentences) text += Wrapped(sentence, width);
  return text;
}

}  // namespace tandem
