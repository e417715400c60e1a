#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "profiles/base/figures.h"
#include "profiles/base/joined.h"
#include "profiles/base/table.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/table.h"

namespace tandem {
namespace {

// A figure of the objective, in the unit of the table where it is a time.
std::string FigureText(double value, Objective objective, const TimeUnit& unit) {
  if (ObjectiveUnit(objective) != "ns") return Short(value);
  return Short(value / (1000 * static_cast<double>(unit.thousandth_ns)));
}

std::string HalfWidth(const Estimate& estimate, Objective objective, const TimeUnit& unit) {
  if (!estimate.interval) return "-";
  return FigureText((estimate.interval->high - estimate.interval->low) / 2, objective, unit);
}

std::string MedianText(const std::optional<Estimate>& estimate, const TimeUnit& unit) {
  return estimate ? FigureText(estimate->value, Objective::kMakespan, unit) : "-";
}

std::string IntervalText(const std::optional<Estimate>& estimate, const TimeUnit& unit) {
  if (!estimate || !estimate->interval) return "-";
  return FigureText(estimate->interval->low, Objective::kMakespan, unit) + ".." +
         FigureText(estimate->interval->high, Objective::kMakespan, unit);
}

bool IsBest(const ReplicationReport& all) {
  return all.standing && all.standing->tied.value_or(false) && all.standing->difference.value == 0;
}

// What else has a mean and an interval, where there is room for it.
struct FurtherFigure {
  std::string title;
  Objective of;
  std::optional<Estimate> ReplicationReport::*mean;
};
std::vector<FurtherFigure> FurtherFigures(const std::vector<Report>& reports) {
  using R = ReplicationReport;
  std::vector<FurtherFigure> figures = {{"makespan", Objective::kMakespan, &R::makespan},
                                        {"inf/s", Objective::kThroughput, &R::throughput_per_s},
                                        {"missed", Objective::kMisses, &R::missed},
                                        {"J", Objective::kEnergy, &R::energy_j}};
  const auto has_deadline = [](const Report& report) {
    return std::ranges::any_of(report.streams, &StreamReport::has_deadline);
  };
  const bool deadlines = std::ranges::any_of(reports, has_deadline);
  std::erase_if(figures, [&](const FurtherFigure& figure) {
    const auto has = [&](const Report& report) { return ((*report.replications).*figure.mean).has_value(); };
    return figure.of == reports[0].objective || (figure.of == Objective::kMisses && !deadlines) ||
           std::ranges::none_of(reports, has);
  });
  return figures;
}

std::vector<std::string> Row(const Report& report, const std::vector<FurtherFigure>& further,
                             const TimeUnit& unit) {
  const ReplicationReport& all = *report.replications;
  std::vector<std::string> row = {(IsBest(all) ? "* " : "  ") + report.label};
  row.push_back(all.objective ? FigureText(all.objective->value, report.objective, unit) : "-");
  row.push_back(all.objective ? HalfWidth(*all.objective, report.objective, unit) : "-");
  row.push_back(all.standing ? FigureText(all.standing->difference.value, report.objective, unit) : "-");
  row.push_back(all.standing ? HalfWidth(all.standing->difference, report.objective, unit) : "-");
  row.push_back(all.standing && all.standing->win_probability ? Share(*all.standing->win_probability) : "-");
  row.push_back(MedianText(all.p50, unit));
  row.push_back(MedianText(all.p99, unit));
  row.push_back(IntervalText(all.p99, unit));
  for (const FurtherFigure& figure : further) {
    const std::optional<Estimate>& mean = all.*figure.mean;
    row.push_back(mean ? FigureText(mean->value, figure.of, unit) : "-");
    row.push_back(mean ? HalfWidth(*mean, figure.of, unit) : "-");
  }
  return row;
}

Table ReplicationsTable(const std::vector<Report>& reports, const std::vector<FurtherFigure>& further,
                        const TimeUnit& unit) {
  std::vector<Table::Column> columns = {{"  policy", false, true},
                                        {Words(NameOf(kObjectiveNames, reports[0].objective)), true},
                                        {"+-", true},
                                        {"behind", true},
                                        {"+-", true},
                                        {"wins", true},
                                        {"p50", true},
                                        {"p99", true},
                                        {"of p99", true}};
  for (const FurtherFigure& figure : further) {
    columns.push_back({figure.title, true});
    columns.push_back({"+-", true});
  }
  Table table(std::move(columns));
  for (const Report& report : reports) table.Add(Row(report, further, unit));
  return table;
}

std::string Tied(const std::vector<Report>& reports) {
  std::vector<std::string> labels;
  for (const Report& report : reports) {
    const auto& standing = report.replications->standing;
    if (standing && standing->tied.value_or(false)) labels.push_back(report.label);
  }
  if (reports.size() > 1 && reports[0].replications->runs == 1) return "one run cannot tell who wins";
  return labels.size() > 1 ? "tied, not to be told apart by " +
                                 Words(NameOf(kObjectiveNames, reports[0].objective)) + ": " + Joined(labels)
                           : "";
}

std::string WhatVaried(const std::vector<Report>& reports) {
  const auto drawn = [](const Report& report) { return report.replications->samples_drawn; };
  // An objective may be 0 in runs that differ, as missed requests may.
  const auto alike = [](const Report& report) {
    const ReplicationReport& all = *report.replications;
    const auto certain = [](const std::optional<Estimate>& estimate) {
      return estimate && estimate->interval && estimate->interval->low == estimate->interval->high;
    };
    return certain(all.objective) && (all.objective->value != 0 || certain(all.p99));
  };
  if (std::any_of(reports.begin(), reports.end(), drawn)) return "times are drawn from the profiles' samples";
  if (std::all_of(reports.begin(), reports.end(), alike)) {
    return "all runs are alike: no arrival is random, and the profiles have medians alone";
  }
  return "times are medians: the profiles have no samples to draw from";
}

}  // namespace

std::string ReplicationTable(const std::vector<Report>& reports, std::size_t width) {
  if (reports.empty()) return {};
  Nanos longest{0};
  for (const Report& report : reports) longest = std::max(longest, report.makespan);
  const TimeUnit unit = UnitFor(longest);
  const Report& first = reports[0];
  const std::int64_t runs = first.replications->runs;
  const std::string objective = Words(NameOf(kObjectiveNames, first.objective));
  const std::string why =
      first.objective_why.empty() ? "" : ", compared by " + objective + ", since " + first.objective_why;
  const std::vector<FurtherFigure> further = FurtherFigures(reports);
  Table table = ReplicationsTable(reports, further, unit);
  const bool has_room = table.StandsWhole(width);
  if (!has_room) table = ReplicationsTable(reports, {}, unit);
  std::string text = "engine " + first.engine + ", " + std::to_string(runs) + (runs == 1 ? " run" : " runs") +
                     " from seed " + std::to_string(first.seed) + why + ", times in " +
                     std::string(unit.name) +
                     "; means and how far behind the best, run by run, percentiles of latencies (the median "
                     "over the runs), intervals of " +
                     PercentInTenths(first.replications->probability);
  text = Wrapped(text, width) + table.Text(width) + Wrapped(WhatVaried(reports), width);
  const std::string titles = Joined(further, ", ", [](const FurtherFigure& figure) { return figure.title; });
  const std::string left_out =
      has_room || further.empty() ? "" : "--wide shows the means of others, too: " + titles;
  for (const std::string& note : {Tied(reports), left_out, ArrivalText(reports)}) {
    if (!note.empty()) text += Wrapped(note, width);
  }
  const ToldBy drawn = first.replications->samples_drawn ? ToldBy::kDraws : ToldBy::kRuns;
  for (const std::string& sentence : SentencesOfTimes(EstimatedOf(reports), first.profiles, drawn)) {
    text += Wrapped(sentence, width);
  }
  return text;
}

}  // namespace tandem
