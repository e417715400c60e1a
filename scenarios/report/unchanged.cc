#include "scenarios/report/unchanged.h"

#include <algorithm>
#include <cmath>

#include "profiles/base/figures.h"
#include "profiles/base/joined.h"
#include "profiles/base/table.h"
#include "scenarios/report/objective.h"

namespace tandem {
namespace {

// Of all replications where there are some.
std::optional<double> ComparedValue(const Report& report, Objective objective) {
  if (!report.complete) return std::nullopt;
  if (!report.replications) return ObjectiveValue(report, objective);
  const auto& mean = report.replications->objective;
  return mean && report.objective == objective ? std::optional(mean->value) : std::nullopt;
}

std::vector<std::string> WinnersOf(const std::vector<Report>& reports, Objective objective) {
  std::vector<std::string> labels;
  for (const std::size_t winner : RankReports(reports, objective).winners) {
    labels.push_back(reports[winner].label);
  }
  return labels;
}

std::string ObjectiveText(std::optional<double> value, Objective objective, const TimeUnit& unit) {
  if (!value) return "-";
  if (ObjectiveUnit(objective) != "ns") return Short(*value);
  return unit.Text(Nanos{static_cast<std::int64_t>(std::llround(*value))});
}

std::string ChangeText(std::optional<double> before, std::optional<double> after) {
  if (!before || !after) return "-";
  if (*before == *after) return "none";
  return *before > 0 ? SignedPercent(*after / *before - 1, 1) : "-";
}

std::vector<std::string> UnchangedRow(const Report& report, const TimeUnit& unit) {
  const Objective objective = report.objective;
  const Report* const before = report.unchanged ? report.unchanged->report.get() : nullptr;
  const auto was = before ? ComparedValue(*before, objective) : std::nullopt,
             is = ComparedValue(report, objective);
  std::vector<std::string> row = {report.label};
  if (objective != Objective::kMakespan) {
    row.push_back(before && before->complete ? unit.Text(before->makespan) : "-");
    row.push_back(report.complete ? unit.Text(report.makespan) : "-");
  }
  row.push_back(ObjectiveText(was, objective, unit));
  row.push_back(ObjectiveText(is, objective, unit));
  row.push_back(ChangeText(was, is));
  return row;
}

std::string WinnerSentence(const std::vector<Report>& reports) {
  const std::vector<std::string> was = UnchangedWinners(reports),
                                 is = WinnersOf(reports, reports[0].objective);
  if (was.empty() || is.empty()) return {};
  if (was == is) return "the winner stays: " + Joined(is);
  return "the winner changes: unchanged " + Joined(was) + ", now " + Joined(is);
}

std::string DrawsSentence(const Report& report) {
  if (!report.unchanged || !report.unchanged->change) return {};
  const Interval& change = *report.unchanged->change;
  return report.label + ": " + Words(NameOf(kObjectiveNames, report.objective)) + " changes by " +
         SignedPercent(change.low, 1) + ".." + SignedPercent(change.high, 1) + " in " +
         PercentInTenths(report.draws->probability) + " of the draws";
}

}  // namespace

std::optional<Interval> ChangeOver(const std::vector<double>& before, const std::vector<double>& after,
                                   double probability) {
  std::vector<double> changes;
  for (std::size_t d = 0; d < before.size(); ++d) {
    if (before[d] <= 0) return std::nullopt;
    changes.push_back(after[d] / before[d] - 1);
  }
  const DrawnFigure<double> over = FigureOver(std::move(changes), probability);
  return Interval{over.low, over.high};
}

std::optional<Interval> ChangeOverDraws(const Report& before, const Report& after) {
  if (!before.draws || !after.draws || before.objective != after.objective) return std::nullopt;
  const auto &a = before.draws->objectives, &b = after.draws->objectives;
  if (a.empty() || a.size() != b.size() || before.draws->probability != after.draws->probability) {
    return std::nullopt;
  }
  std::optional<Interval> change = ChangeOver(a, b, after.draws->probability);
  const auto was = ObjectiveValue(before, before.objective), is = ObjectiveValue(after, after.objective);
  if (change && was && is && *was > 0) change->Cover(*is / *was - 1);
  return change;
}

void SetUnchanged(const std::vector<Report>& before, std::vector<Report>& reports) {
  if (reports.empty()) return;
  const std::vector<std::string> winners = WinnersOf(before, reports[0].objective);
  for (Report& report : reports) {
    const auto same = std::find_if(before.begin(), before.end(),
                                   [&](const Report& other) { return other.label == report.label; });
    if (same == before.end()) continue;
    report.unchanged = UnchangedRun{std::make_shared<const Report>(*same),
                                    std::find(winners.begin(), winners.end(), report.label) != winners.end(),
                                    ChangeOverDraws(*same, report)};
  }
}

std::vector<std::string> UnchangedWinners(const std::vector<Report>& reports) {
  std::vector<std::string> labels;
  for (const Report& report : reports) {
    if (report.unchanged && report.unchanged->best) labels.push_back(report.label);
  }
  return labels;
}

const Fields<WhatIf>& WhatIfFields() {
  static const auto fields =
      Fields<WhatIf>("report_what_if")
          .Needed("asked", &WhatIf::asked, as::Words())
          .Needed("changes", &WhatIf::changes, as::ListOf(as::Words()), "What became what, a text each.");
  return fields;
}

std::string WhatIfText(const std::vector<WhatIf>& what_if, std::size_t width) {
  std::string text;
  for (const WhatIf& supposed : what_if) {
    text += Wrapped("what if: " + Joined(supposed.changes, "; "), width);
  }
  return text;
}

std::string UnchangedTable(const std::vector<Report>& reports, std::size_t width) {
  const auto has = [](const Report& report) { return report.unchanged.has_value(); };
  if (!std::any_of(reports.begin(), reports.end(), has)) return {};
  Nanos longest{0};
  for (const Report& report : reports) {
    longest = std::max(longest, report.makespan);
    if (report.unchanged) longest = std::max(longest, report.unchanged->report->makespan);
  }
  const TimeUnit unit = UnitFor(longest);
  const Objective objective = reports[0].objective;
  std::vector<Table::Column> columns = {{"policy", false, true}};
  if (objective != Objective::kMakespan) {
    columns.push_back({"makespan unchanged", true});
    columns.push_back({"now", true});
  }
  const std::string name = Words(NameOf(kObjectiveNames, objective));
  columns.insert(columns.end(), {{name + " unchanged", true}, {"now", true}, {"change", true}});
  Table table(std::move(columns));
  for (const Report& report : reports) table.Add(UnchangedRow(report, unit));
  std::string text = "\n" +
                     Wrapped("without and with what is supposed, times in " + std::string(unit.name), width) +
                     table.Text(width);
  std::vector<std::string> sentences;
  if (reports.size() > 1) sentences.push_back(WinnerSentence(reports));
  for (const std::size_t winner : RankReports(reports, objective).winners) {
    sentences.push_back(DrawsSentence(reports[winner]));
  }
  for (const std::string& sentence : sentences) {
    if (!sentence.empty()) text += Wrapped(sentence, width);
  }
  return text;
}

}  // namespace tandem
