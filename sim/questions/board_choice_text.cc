// Boards side by side, for a terminal.
#include <algorithm>

#include "profiles/base/figures.h"
#include "profiles/base/joined.h"
#include "profiles/base/json_write.h"
#include "profiles/base/table.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/table.h"
#include "scenarios/report/unchanged.h"
#include "sim/questions/board_choice.h"

namespace tandem {
namespace {

// Which columns say anything of any board.
struct BoardColumns {
  bool interval = false, watts = false, price = false, carries = false, per_price = false, least = false;
};
BoardColumns BoardColumnsOf(const BoardChoice& choice) {
  BoardColumns columns;
  for (const BoardRow& row : choice.boards) {
    columns.interval = columns.interval || (row.report && row.report->draws);
    columns.watts = columns.watts || row.watts;
    columns.price = columns.price || row.price;
    columns.carries = columns.carries || row.capacity;
    columns.per_price = columns.per_price || row.carries_per_price;
    columns.least = columns.least || (row.capacity && row.capacity->least);
  }
  return columns;
}

std::vector<std::string> BoardCells(const BoardRow& row, const BoardColumns& columns, const TimeUnit& unit) {
  std::vector<std::string> cells = {
      (row.best ? "* " : "  ") + row.board, row.report ? row.report->label : "-",
      row.report
          ? ObjectiveCell(ObjectiveValue(*row.report, row.report->objective), row.report->objective, unit)
          : "-"};
  if (columns.interval) {
    cells.push_back(row.report ? IntervalCell(*row.report) : "-");
    cells.push_back(row.report ? MedianCell(*row.report, unit) : "-");
  }
  if (columns.watts) cells.push_back(Short(row.watts));
  if (columns.price)
    cells.push_back(row.price ? JsonNumber(row.price->amount) + " " + row.price->currency : "-");
  if (columns.carries) {
    const std::string bound = row.at_least ? (columns.least ? "<= " : ">= ") : "";
    cells.push_back(row.carries ? bound + JsonNumber(*row.carries) : row.capacity ? "none" : "-");
  }
  if (columns.per_price) cells.push_back(Short(row.carries_per_price));
  return cells;
}

std::string BoardNotes(const BoardChoice& choice, const BoardColumns& columns, std::size_t width) {
  std::string text;
  for (const BoardRow& row : choice.boards) {
    if (!row.why.empty()) text += Wrapped(row.board + ": " + row.why, width);
    for (const std::string& sentence : row.left_out) text += Wrapped(row.board + ": " + sentence, width);
    if (!row.report) continue;
    if (row.report->energy_why.empty() && row.watts) continue;
    if (columns.watts) text += Wrapped(row.board + ": watts unknown: " + row.report->energy_why, width);
  }
  if (!columns.watts)
    text += Wrapped("watts unknown: no board has \"idle_w\" and \"busy_w\" for all units", width);
  if (!columns.price) text += Wrapped("prices unknown: no platform says its \"price\"", width);
  std::vector<Report> reports;
  for (const BoardRow& row : choice.boards) {
    if (row.report) reports.push_back(*row.report);
  }
  const ToldBy told = HowTold(reports);
  for (const BoardRow& row : choice.boards) {
    if (!row.report) continue;
    const bool several = choice.boards.size() > 1;  // whose units may have the same names
    for (const std::string& sentence : row.report->estimated) {
      text += Wrapped((several ? row.board + ": " : "") + "estimated: " + sentence, width);
    }
    for (const std::string& sentence : OriginSentences(row.report->profiles, told))
      text += Wrapped(sentence, width);
  }
  return text;
}

std::string CarriedText(const BoardChoice& choice, std::size_t width) {
  for (const BoardRow& row : choice.boards) {
    if (!row.capacity) continue;
    const Capacity& of = *row.capacity;
    return Wrapped(std::string(of.least ? "least" : "most") + ": of " + of.vary +
                       (of.unit.empty() ? "" : " in " + of.unit) + " at which " + of.until +
                       ", by the best policy for that",
                   width);
  }
  return {};
}

}  // namespace

std::string BoardChoiceText(const BoardChoice& choice, std::size_t width) {
  const BoardColumns columns = BoardColumnsOf(choice);
  Nanos longest{0};
  for (const BoardRow& row : choice.boards) {
    if (row.report) longest = std::max(longest, row.report->makespan);
  }
  const TimeUnit unit = UnitFor(longest);
  const std::string objective = Words(NameOf(kObjectiveNames, choice.objective));
  std::vector<Table::Column> all = {{"  board", false, true}, {"policy", false, true}, {objective, true}};
  if (columns.interval) all.insert(all.end(), {{"+-", true}, {"median", true}});
  if (columns.watts) all.push_back({"W", true});
  if (columns.price) all.push_back({"price", true});
  if (columns.carries) all.push_back({columns.least ? "least" : "most", true});
  if (columns.per_price) all.push_back({"per price", true});
  Table table(std::move(all));
  for (const BoardRow& row : choice.boards) table.Add(BoardCells(row, columns, unit));
  return Wrapped(choice.scenario, width) + WhatIfText(choice.what_if, width) +
         Wrapped(
             "the best policy of each board, times in " + std::string(unit.name) + ", * best by " + objective,
             width) +
         CarriedText(choice, width) + table.Text(width) +
         (choice.verdict.empty() ? "" : Wrapped(choice.verdict, width)) + BoardNotes(choice, columns, width);
}

}  // namespace tandem
