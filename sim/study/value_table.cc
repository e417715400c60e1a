#include "sim/study/value_table.h"

#include <utility>

#include "profiles/base/table.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/table.h"

namespace tandem {
namespace {

double NanosIn(Nanos time) { return static_cast<double>(time.count()); }

std::optional<DrawnFigure<double>> InNumbers(const std::optional<DrawnFigure<Nanos>>& drawn) {
  if (!drawn) return std::nullopt;
  return DrawnFigure<double>{NanosIn(drawn->low), NanosIn(drawn->median), NanosIn(drawn->high)};
}

enum class ShownOfDraws : std::uint8_t { kNothing, kChange, kIntervalsToo };

// The makespan and how it changes, and the objective where it is another; of draws the interval of each, and
// last that of the objective's change.
Table ValueTable(const std::string& title, const Scenario& scenario, const TimeUnit& unit,
                 const Valued& before, const std::vector<ValuedRow>& rows, ShownOfDraws shown) {
  const Objective objective = scenario.objective;
  std::vector<Table::Column> columns = {{title, false, false, true}};
  const auto add_columns = [&](const std::string& figure) {
    columns.push_back({figure, true});
    if (shown == ShownOfDraws::kIntervalsToo) columns.push_back({"+-", true});
    columns.push_back({"change", true});
  };
  add_columns(std::string(unit.name));
  if (objective != Objective::kMakespan) add_columns(Words(NameOf(kObjectiveNames, objective)));
  if (shown != ShownOfDraws::kNothing) columns.push_back({"in the draws", true});
  Table table(std::move(columns));
  for (const ValuedRow& row : rows) {
    std::vector<std::string> cells = {row.what};
    const auto add = [&](std::string figure, Objective of, double was, double is, const auto& drawn) {
      cells.push_back(std::move(figure));
      if (shown == ShownOfDraws::kIntervalsToo) cells.push_back(IntervalCell(is, drawn, of));
      cells.push_back(ChangeText(was, is));
    };
    const Valued& after = row.value;
    add(unit.Text(after.makespan), Objective::kMakespan, NanosIn(before.makespan), NanosIn(after.makespan),
        InNumbers(after.makespan_drawn));
    if (objective != Objective::kMakespan) {
      add(ObjectiveCell(after.objective, objective, unit), objective, before.objective, after.objective,
          after.objective_drawn);
    }
    if (shown != ShownOfDraws::kNothing) {
      cells.push_back(
          row.change ? SignedPercent(row.change->low, 1) + ".." + SignedPercent(row.change->high, 1) : "-");
    }
    table.Add(std::move(cells));
  }
  return table;
}

}  // namespace

// Signed: "-3.1 %". Nothing to compare with: "-".
std::string ChangeText(std::optional<double> before, std::optional<double> after) {
  if (!before || !after || *before == 0) return "-";
  return SignedPercent(*after / *before - 1, 1);
}

std::string ValuesText(const std::string& title, const Scenario& scenario, const TimeUnit& unit,
                       const Valued& before, const std::vector<ValuedRow>& rows, bool drawn,
                       std::size_t width) {
  const auto table = [&](ShownOfDraws shown) {
    return ValueTable(title, scenario, unit, before, rows, shown);
  };
  if (!drawn) return table(ShownOfDraws::kNothing).Text(width);
  const Table all = table(ShownOfDraws::kIntervalsToo);
  return all.StandsWhole(width) ? all.Text(width) : table(ShownOfDraws::kChange).Text(width);
}

}  // namespace tandem
