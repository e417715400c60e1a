// Choices of states side by side, for a terminal.
#include <algorithm>

#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/joined.h"
#include "profiles/base/table.h"
#include "scenarios/report/limits.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/table.h"
#include "scenarios/report/unchanged.h"
#include "sim/questions/state_choice.h"

namespace tandem {
namespace {

// Which columns say anything of any choice.
struct StateColumns {
  bool interval = false, bound = false, limits = false;
};
StateColumns StateColumnsOf(const StateChoice& choice) {
  StateColumns columns;
  for (const StateRow& row : choice.rows) {
    columns.interval = columns.interval || (row.report && row.report->draws);
    columns.bound = columns.bound || row.bound;
    columns.limits = columns.limits || (row.report && !row.report->limits.empty());
  }
  return columns;
}

std::string StateMark(const StateRow& row) { return row.best ? "* " : row.as_asked ? "= " : "  "; }

std::vector<std::string> StateCells(const StateRow& row, const StateColumns& columns, Objective objective,
                                    const TimeUnit& unit) {
  std::vector<std::string> cells = row.names;
  cells.front() = StateMark(row) + cells.front();
  cells.push_back(row.report ? row.report->label : "-");
  cells.push_back(row.report ? ObjectiveCell(ObjectiveValue(*row.report, objective), objective, unit) : "-");
  if (columns.interval) {
    cells.push_back(row.report ? IntervalCell(*row.report) : "-");
    cells.push_back(row.report ? MedianCell(*row.report, unit) : "-");
  }
  if (columns.bound) cells.push_back(ObjectiveCell(row.bound, objective, unit));
  if (columns.limits) cells.push_back(row.report ? LimitsKept(*row.report) : "-");
  return cells;
}

Table StateTable(const StateChoice& choice, const StateColumns& columns, const TimeUnit& unit) {
  std::vector<Table::Column> all;
  for (const std::string& name : choice.unit_names) all.push_back({name, false, true});
  all.front().title = "  " + all.front().title;
  all.push_back({"policy", false, true});
  const std::string_view of = ObjectiveUnit(choice.objective);
  const std::string shown = of == "ns" ? "" : " (" + std::string(of) + ")";
  all.push_back({Words(NameOf(kObjectiveNames, choice.objective)) + shown, true});
  if (columns.interval) all.insert(all.end(), {{"+-", true}, {"median", true}});
  if (columns.bound) all.push_back({"bound", true});
  if (columns.limits) all.push_back({"limits", true});
  Table table(std::move(all));
  for (const StateRow& row : choice.rows) table.Add(StateCells(row, columns, choice.objective, unit));
  return table;
}

std::string StatesText(const StateChoice& choice, const StateRow& row) {
  std::vector<std::string> states;
  for (std::size_t u = 0; u < row.names.size(); ++u)
    states.push_back(choice.unit_names[u] + " " + row.names[u]);
  return Joined(states);
}

// What the best choice gains over the scenario's own.
std::string GainText(const StateChoice& choice) {
  const StateRow* const best = choice.Best();
  const auto own = std::ranges::find_if(choice.rows, &StateRow::as_asked);
  if (!best || own == choice.rows.end()) return {};
  if (own->best) return "the scenario's own states (" + StatesText(choice, *own) + ") are the best";
  if (!own->report) return {};
  const auto values = RankedValues({*best->report, *own->report}, choice.objective);
  const auto &value = values[0], &before = values[1];
  const std::string of_own = "the scenario's own, " + StatesText(choice, *own) + ", ";
  if (ExcessOf(*own->report) > ExcessOf(*best->report)) {
    return of_own + (ExcessOf(*best->report) > 0 ? "break limits more than the best ones do"
                                                 : "break limits that the best ones keep");
  }
  if (!value || !before || *before <= 0) return {};
  return "the best states change " + Words(NameOf(kObjectiveNames, choice.objective)) + " by " +
         Beyond(*value, *before) + " against the scenario's own (" + StatesText(choice, *own) + ")";
}

std::string BoundText(const StateChoice& choice, const TimeUnit& unit) {
  const std::string what = Words(NameOf(kObjectiveNames, choice.objective));
  if (!choice.all_tried) {
    return "there are too many choices for all: from the scenario's own states one unit's after the other "
           "was changed, until no other state of any one unit was better";
  }
  if (!choice.bound) return "in none of the states is a bound of " + what + " known";
  std::string text = std::string("in no states") + (choice.bound_of_some ? " that may keep the limits" : "") +
                     " does any of these policies reach " +
                     (HigherIsBetter(choice.objective) ? "more" : "less") + " than " +
                     ObjectiveCell(choice.bound, choice.objective, unit);
  if (choice.gap) text += ": so much may be left: " + Share(*choice.gap);
  return text;
}

// The one in which the longest of the runs is told well.
TimeUnit UnitOfChoice(const StateChoice& choice) {
  Nanos longest{0};
  for (const StateRow& row : choice.rows) {
    if (row.report) longest = std::max(longest, row.report->makespan);
  }
  return UnitFor(longest);
}

std::string LeftOutText(const StateChoice& choice) {
  const auto left_out = std::ranges::count_if(choice.rows, &StateRow::cannot_be_best);
  if (left_out == 0) return {};
  return Counted(left_out, "choice") + " without a policy: by the bound " + (left_out == 1 ? "it" : "they") +
         " cannot be the best";
}

}  // namespace

std::string StateChoiceText(const StateChoice& choice, std::size_t width) {
  const StateColumns columns = StateColumnsOf(choice);
  const TimeUnit unit = UnitOfChoice(choice);
  std::string text = Wrapped(choice.scenario, width) + WhatIfText(choice.what_if, width) +
                     Wrapped("the best policy in each choice of states, times in " + std::string(unit.name) +
                                 ", * best by " + Words(NameOf(kObjectiveNames, choice.objective)) +
                                 ", = the scenario's own",
                             width) +
                     StateTable(choice, columns, unit).Text(width);
  for (const std::string& sentence :
       {GainText(choice), choice.verdict, BoundText(choice, unit), LeftOutText(choice)}) {
    if (!sentence.empty()) text += Wrapped(sentence, width);
  }
  for (const StateRow& row : choice.rows) {
    if (!row.why.empty()) text += Wrapped(StatesText(choice, row) + ": " + row.why, width);
  }
  if (const StateRow* const best = choice.Best()) {
    for (const std::string& sentence :
         SentencesOfTimes(best->report->estimated, best->report->profiles, HowTold({*best->report}))) {
      text += Wrapped(sentence, width);
    }
  }
  return text;
}

std::string BestStatesText(const StateChoice& choice, std::size_t width) {
  const StateRow* const best = choice.Best();
  if (!best) return {};
  std::string text = Wrapped("planned in the best of " + Counted(std::ssize(choice.rows), "choice") +
                                 " of states: " + StatesText(choice, *best),
                             width);
  for (const std::string& sentence :
       {GainText(choice), choice.verdict, BoundText(choice, UnitOfChoice(choice))}) {
    if (!sentence.empty()) text += Wrapped(sentence, width);
  }
  return text;
}

}  // namespace tandem
