#include "scenarios/report/table.h"

#include <algorithm>
#include <cmath>

#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/joined.h"
#include "profiles/base/table.h"
#include "scenarios/report/objective.h"

namespace tandem {
namespace {

bool IsOfMakespan(Objective objective) {
  return objective == Objective::kMakespan || objective == Objective::kThroughput;
}

// Of which figures an interval stands beside them: as many as there is room for.
enum class Intervals : std::uint8_t { kAll, kTail, kObjective };

// Which columns say anything. XRBench's score takes the place of the mean latency, for want of width.
struct Columns {
  bool bound = false, misses = false, energy = false, xrbench = false;
  bool draws = false;  // how far the objective may lie off
  bool limits = false;
  bool slowdown = false, gain = false;
  Intervals intervals = Intervals::kAll;

  // Beside a figure that is not the report's own objective, whose interval stands there anyway.
  bool Beside(Objective of, Objective own) const {
    if (!draws || of == own || (IsOfMakespan(own) && IsOfMakespan(of))) return false;
    return intervals == Intervals::kAll || (intervals == Intervals::kTail && of == Objective::kP99Latency);
  }
};

bool IsCompared(Objective objective, const Report& report) {
  return report.objective == objective ||
         std::find(report.then.begin(), report.then.end(), objective) != report.then.end();
}

Columns ColumnsOf(const std::vector<Report>& reports) {
  Columns columns;
  for (const Report& report : reports) {
    columns.bound = columns.bound || report.gap;
    columns.energy = columns.energy || report.energy_j;
    columns.xrbench = columns.xrbench || report.xrbench_overall;
    columns.draws = columns.draws || report.draws;
    columns.limits = columns.limits || !report.limits.empty();
    columns.slowdown = columns.slowdown || IsCompared(Objective::kSlowdown, report);
    columns.gain = columns.gain || IsCompared(Objective::kBalancedGain, report);
    for (const StreamReport& stream : report.streams) {
      columns.misses = columns.misses || stream.has_deadline;
    }
  }
  return columns;
}

double MeanUtilization(const Report& report) {
  double sum = 0;
  for (const UnitReport& unit : report.units) sum += unit.utilization;
  return report.units.empty() ? 0 : sum / static_cast<double>(report.units.size());
}

Table EmptyTable(const Columns& columns, Objective objective) {
  std::vector<Table::Column> all = {{"  policy", false, true}, {"makespan", true}};
  if (columns.draws && IsOfMakespan(objective)) all.push_back({"+-", true});
  if (columns.draws && objective == Objective::kMakespan) all.push_back({"median", true});
  if (columns.bound) all.push_back({"gap", true});
  const auto add = [&](const std::string& title, Objective of) {
    all.push_back({title, true});
    if (columns.Beside(of, objective)) all.push_back({"+-", true});
  };
  add("inf/s", Objective::kThroughput);
  if (!columns.xrbench) add("mean", Objective::kMeanLatency);
  add("p99", Objective::kP99Latency);
  if (columns.slowdown) add("slowdown", Objective::kSlowdown);
  if (columns.gain) add("gain", Objective::kBalancedGain);
  if (columns.misses) add("missed", Objective::kMisses);
  if (columns.limits) all.push_back({"limits", true});
  if (columns.energy) add("J", Objective::kEnergy);
  if (columns.xrbench) all.push_back({"score", true});
  all.push_back({"util", true});
  if (columns.draws && !IsOfMakespan(objective)) all.push_back({"objective +-", true});
  if (columns.draws && objective != Objective::kMakespan) {
    all.push_back({objective == Objective::kThroughput ? "median inf/s" : "its median", true});
  }
  return Table(all);
}

// "* " of winners, "= " of those that the objective calls as good, "> " of who is taken for a winner.
std::string Mark(const Ranking& ranking, std::size_t position) {
  const auto among = [&](const std::vector<std::size_t>& which) {
    return std::find(which.begin(), which.end(), position) != which.end();
  };
  if (ranking.TakesSimpler() && *ranking.taken == position) return "> ";
  return among(ranking.winners) ? "* " : among(ranking.equal) ? "= " : "  ";
}

std::vector<std::string> Row(const Report& report, const std::string& mark, const Columns& columns,
                             const TimeUnit& unit) {
  std::vector<std::string> row = {mark + report.label, unit.Text(report.makespan)};
  if (columns.draws && IsOfMakespan(report.objective)) row.push_back(IntervalCell(report));
  if (columns.draws && report.objective == Objective::kMakespan) row.push_back(MedianCell(report, unit));
  if (columns.bound) row.push_back(Share(report.gap));
  const auto add = [&](std::string cell, Objective of) {
    row.push_back(std::move(cell));
    if (columns.Beside(of, report.objective)) row.push_back(IntervalCell(report, of));
  };
  add(Short(report.throughput_per_s), Objective::kThroughput);
  if (!columns.xrbench) {
    add(LatencyText(report.latency, &LatencySummary::mean, unit), Objective::kMeanLatency);
  }
  add(LatencyText(report.latency, &LatencySummary::p99, unit), Objective::kP99Latency);
  if (columns.slowdown) {
    add(Short(ObjectiveValue(report, Objective::kSlowdown)), Objective::kSlowdown);
  }
  if (columns.gain) {
    add(Short(ObjectiveValue(report, Objective::kBalancedGain)), Objective::kBalancedGain);
  }
  if (columns.misses) add(std::to_string(report.missed), Objective::kMisses);
  if (columns.limits) row.push_back(LimitsKept(report));
  if (columns.energy) add(Short(report.energy_j), Objective::kEnergy);
  if (columns.xrbench) row.push_back(Short(report.xrbench_overall));
  row.push_back(Share(MeanUtilization(report)));
  if (columns.draws && !IsOfMakespan(report.objective)) row.push_back(IntervalCell(report));
  if (columns.draws && report.objective != Objective::kMakespan) row.push_back(MedianCell(report, unit));
  if (!report.failed.empty()) std::fill(row.begin() + 1, row.end(), "-");
  return row;
}

Table FilledTable(const std::vector<Report>& reports, const Ranking& ranking, const Columns& columns,
                  const TimeUnit& unit) {
  Table table = EmptyTable(columns, reports[0].objective);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    table.Add(Row(reports[i], Mark(ranking, i), columns, unit));
  }
  return table;
}

std::string Labels(const std::vector<Report>& reports, const std::vector<std::size_t>& which) {
  if (which.size() == reports.size() && which.size() > 1) return "all alike";
  return Joined(which, ", ", [&](const std::size_t i) { return reports[i].label; });
}

std::string BestByAll(const std::vector<Report>& reports, const Columns& columns) {
  std::string text;
  for (const auto& objective : kObjectiveNames) {
    if (objective.value == Objective::kMisses && !columns.misses) continue;
    if (objective.value == Objective::kSlowdown && !columns.slowdown) continue;
    if (objective.value == Objective::kBalancedGain && !columns.gain) continue;
    const std::string labels = Labels(reports, BestReports(reports, objective.value));
    if (!labels.empty()) text += (text.empty() ? "best: " : "; ") + Words(objective.name) + " " + labels;
  }
  return text;
}

// Whom the objective compares, where there are limits.
std::string AmongText(const std::vector<Report>& reports, const Ranking& ranking) {
  if (ranking.winners.empty() || reports[ranking.winners.front()].limits.empty()) return {};
  const bool kept = ExcessOf(reports[ranking.winners.front()]) == 0;
  return kept ? " of those that keep all limits" : " of those that come closest to the limits";
}

std::string Heading(const std::vector<Report>& reports, const Ranking& ranking, const TimeUnit& unit) {
  const Report& report = reports[0];
  std::string text = "engine " + report.engine + ", seed " + std::to_string(report.seed) + ", times in " +
                     std::string(unit.name) + ", * best by " + ObjectiveText(report.objective, report.then) +
                     (RankedByDraws(reports, report.objective) ? " in the median over the draws" : "") +
                     AmongText(reports, ranking);
  if (!report.objective_why.empty()) text += ", since " + report.objective_why;
  if (ranking.TakesSimpler()) text += ", > taken instead";
  return text + (report.bound ? ", no schedule is below " + unit.Text(*report.bound)
                              : ", no lower bound: " + report.bound_why);
}

// "no schedule's mean latency is below 2.31; eft 3.2%, fcfs 12% above"; of a makespan the table says it.
std::string ObjectiveBoundText(const std::vector<Report>& reports, const TimeUnit& unit) {
  const Objective objective = reports[0].objective;
  const auto& bound = reports[0].objective_bound;
  const bool in_table = objective == Objective::kMakespan || objective == Objective::kThroughput;
  if (!bound || *bound <= 0 || in_table) return {};
  const bool joules = objective == Objective::kEnergy;
  std::string text = "no schedule's " + Words(NameOf(kObjectiveNames, objective)) + " is below " +
                     (joules ? Short(*bound) + " J" : unit.Text(Nanos{static_cast<std::int64_t>(*bound)}));
  std::string above;
  for (const Report& report : reports) {
    if (!report.objective_gap) continue;
    above += (above.empty() ? "; " : ", ") + report.label + " " + Share(report.objective_gap);
  }
  return text + (above.empty() ? "" : above + " above");
}

void NoteLoadgen(const Report& report, std::vector<std::string>& notes) {
  for (const StreamReport& stream : report.streams) {
    if (!stream.loadgen) continue;
    std::string note =
        report.label + ", " + stream.name + ": LoadGen " + (stream.loadgen->valid() ? "VALID" : "INVALID");
    for (std::size_t i = 0; i < stream.loadgen->invalid_reasons.size(); ++i) {
      note += (i == 0 ? ": " : "; ") + stream.loadgen->invalid_reasons[i];
    }
    notes.push_back(note);
  }
}

// "12.300 (4.2% less)" than what the table says; in words where the two agree, as far as that is told.
std::string OtherFigure(const std::string& text, double figure, double in_table) {
  constexpr double kAgrees = 0.01;  // percent
  if (figure == in_table) return "the same";
  const double percent = 100 * std::abs(figure / in_table - 1);
  if (percent < kAgrees) return "the same within 0.01%";
  return text + " (" + Short(percent) + "% " + (figure < in_table ? "less)" : "more)");
}

// "; sjf is best by that", where other physics call nobody best whom the run's own do; empty elsewhere.
std::string OtherBestText(const std::vector<Report>& reports) {
  const Objective objective = reports[0].objective;
  std::vector<std::string> others;
  std::optional<double> best_there;
  bool same = false;
  const auto better = [&](double value, const std::optional<double>& than) {
    return !than || (HigherIsBetter(objective) ? value > *than : value < *than);
  };
  // Draws are of tandem's own rules, whatever physics the figures beside them are of.
  const bool figures_are_other = reports[0].IsFluid() && RankedByDraws(reports, objective);
  const auto elsewhere = [&](std::size_t i) {
    return ObjectiveValue(figures_are_other ? reports[i] : *reports[i].other_physics, objective);
  };
  const std::vector<std::size_t> rivals = Contenders(reports, objective);
  for (const std::size_t i : rivals) {
    if (!reports[i].other_physics) return {};
    const auto there = elsewhere(i);
    if (!there) return {};
    if (better(*there, best_there)) best_there = there;
  }
  const std::vector<std::size_t> here = BestReports(reports, objective);
  for (const std::size_t i : rivals) {
    if (*elsewhere(i) != *best_there) continue;
    others.push_back(reports[i].label);
    same = same || std::find(here.begin(), here.end(), i) != here.end();
  }
  if (same || others.empty()) return {};
  return "; " + Joined(others) + (others.size() == 1 ? " is" : " are") + " best by " +
         Words(NameOf(kObjectiveNames, objective)) +
         (figures_are_other ? " by SimGrid's own physics" : " then");
}

// "makespans by tandem's own rules instead: fcfs 12.300 (4.2% less), eft the same; so uncertain is what units
// and copies cost each other"; empty where there is no run by other physics.
std::string ContentionText(const std::vector<Report>& reports, const TimeUnit& unit) {
  std::string text;
  bool drawn = false;
  for (const Report& report : reports) {
    if (!report.other_physics || report.makespan <= Nanos{0}) continue;
    const Nanos makespan = report.other_physics->makespan;
    const std::string by = report.IsFluid() ? "tandem's own rules" : "SimGrid's own physics";
    text += (text.empty() ? "makespans by " + by + " instead: " : ", ") + report.label + " ";
    text += OtherFigure(unit.Text(makespan), static_cast<double>(makespan.count()),
                        static_cast<double>(report.makespan.count()));
    drawn = drawn || report.draws;
  }
  if (text.empty()) return text;
  return text + OtherBestText(reports) + "; so uncertain is what units and copies cost each other" +
         (drawn ? ", and intervals reach as far" : "");
}

// "joules by SimGrid's own plugin, which knows watts alone: fcfs 12.3 (4.2% less), eft the same"; empty where
// it counts none.
std::string PluginText(const std::vector<Report>& reports) {
  std::string text;
  for (const Report& report : reports) {
    if (!report.plugin_energy_j || !report.energy_j || *report.energy_j <= 0) continue;
    text += (text.empty() ? "joules by SimGrid's own plugin, which knows watts alone: " : ", ") +
            report.label + " ";
    text += OtherFigure(Short(report.plugin_energy_j), *report.plugin_energy_j, *report.energy_j);
  }
  return text;
}

// "gpu was away for 150.0 ms; 2 tasks that it had were begun again, after 12.5 ms".
std::string AwayText(const UnitReport& unit, const TimeUnit& as) {
  const auto time = [&](Nanos of) { return as.Text(of) + " " + std::string(as.name); };
  std::string text = unit.name + " was away for " + time(unit.away);
  if (unit.lost_tasks == 0) return text;
  return text + "; " + Counted(unit.lost_tasks, "task") + " that it had " +
         (unit.lost_tasks == 1 ? "was" : "were") + " begun again, after " + time(unit.lost);
}

std::vector<std::string> Notes(const std::vector<Report>& reports, const Columns& columns,
                               const Ranking& ranking, const TimeUnit& unit) {
  std::vector<std::string> notes;
  if (reports.size() > 1) notes.push_back(BestByAll(reports, columns));
  const Objective objective = reports[0].objective;
  for (std::string& text : LimitTexts(reports)) notes.push_back(std::move(text));
  std::vector<std::string> texts = {TieText(reports, ranking, objective),
                                    TakenText(reports, ranking, objective)};
  for (std::string& text : IntervalTexts(reports)) texts.push_back(std::move(text));
  if (columns.draws && columns.intervals != Intervals::kAll) {
    texts.push_back("--wide shows the intervals of the other figures, too");
  }
  texts.push_back(ContentionText(reports, unit));
  texts.push_back(PluginText(reports));
  texts.push_back(ArrivalText(reports));
  texts.push_back(ObjectiveBoundText(reports, unit));
  for (std::string& text : texts) {
    if (!text.empty()) notes.push_back(std::move(text));
  }
  for (const Report& report : reports) {
    if (report.beside) {
      notes.push_back(report.label + ": clairvoyant, it sees arrivals that are still to come; shown beside");
    }
    if (!report.failed.empty()) {
      notes.push_back(report.label + ": failed: " + report.failed);
      continue;
    }
    if (!report.complete) {
      notes.push_back(report.label + ": cut short; " + std::to_string(report.completed) + " of " +
                      std::to_string(report.released) + " released requests completed");
    }
    if (report.search) notes.push_back(report.label + ": " + SearchText(*report.search));
    for (const UnitReport& held : report.units) {
      if (held.held_back > Nanos{0})
        notes.push_back(report.label + ": heat holds " + held.name + " back for " +
                        unit.Text(held.held_back) + " of " + unit.Text(report.makespan) + " " +
                        std::string(unit.name));
      if (held.away > Nanos{0}) notes.push_back(report.label + ": " + AwayText(held, unit));
    }
    NoteLoadgen(report, notes);
  }
  if (!columns.energy && !reports.empty()) {
    notes.push_back("energy unknown" + std::string(columns.xrbench ? " and left out of the score: " : ": ") +
                    reports[0].energy_why);
  }
  for (std::string& sentence :
       SentencesOfTimes(EstimatedOf(reports), reports[0].profiles, HowTold(reports))) {
    notes.push_back(std::move(sentence));
  }
  return notes;
}

}  // namespace

std::string ObjectiveCell(std::optional<double> value, Objective objective, const TimeUnit& unit) {
  if (!value || ObjectiveUnit(objective) != "ns") return Short(value);
  return unit.Text(Nanos{static_cast<std::int64_t>(std::llround(*value))});
}

std::string IntervalCell(const Report& report, Objective of) {
  return IntervalCell(ObjectiveValue(report, of), DrawnOf(report, of), of);
}

std::string IntervalCell(std::optional<double> value, const std::optional<DrawnFigure<double>>& drawn,
                         Objective of) {
  if (!value || !drawn) return "-";
  if (of == Objective::kMisses) return Fixed(drawn->low, 0) + ".." + Fixed(drawn->high, 0);
  if (*value > 0) return Share(std::max(drawn->high - *value, *value - drawn->low) / *value);
  return ObjectiveUnit(of) == "ns" ? "-" : Short(drawn->low) + ".." + Short(drawn->high);
}

std::string IntervalCell(const Report& report) { return IntervalCell(report, report.objective); }

std::string MedianCell(const Report& report, const TimeUnit& unit) {
  return ObjectiveCell(DrawnMedian(report, report.objective), report.objective, unit);
}

std::string ReportTable(const std::vector<Report>& reports, std::size_t width) {
  if (reports.empty()) return {};
  Nanos longest{0};
  for (const Report& report : reports) longest = std::max(longest, report.makespan);
  const TimeUnit unit = UnitFor(longest);
  Columns columns = ColumnsOf(reports);
  const Ranking ranking = RankReports(reports, reports[0].objective);
  Table table = FilledTable(reports, ranking, columns, unit);
  for (const Intervals fewer : {Intervals::kTail, Intervals::kObjective}) {
    if (!columns.draws || table.StandsWhole(width)) break;
    columns.intervals = fewer;
    table = FilledTable(reports, ranking, columns, unit);
  }
  std::string text = Wrapped(Heading(reports, ranking, unit), width) + table.Text(width);
  for (const std::string& note : Notes(reports, columns, ranking, unit)) text += Wrapped(note, width);
  return text + StreamsTable(reports, unit, width);
}

}  // namespace tandem
