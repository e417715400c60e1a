#include "scenarios/report_table.h"

#include <algorithm>
#include <cstdio>

#include "profiles/decimal.h"
#include "profiles/table.h"

namespace tandem {
namespace {

constexpr std::string_view kUnknown = "-";

// One unit of time for a whole table, so that its numbers compare; three decimals each.
struct TimeUnit {
  std::string_view name;
  std::int64_t thousandth_ns;  // a thousandth of it

  std::string Text(Nanos time) const {
    const std::int64_t thousandths = (time.count() + thousandth_ns / 2) / thousandth_ns;
    std::string decimals = std::to_string(thousandths % 1000);
    decimals.insert(0, 3 - decimals.size(), '0');
    return std::to_string(thousandths / 1000) + "." + decimals;
  }
};

TimeUnit UnitFor(Nanos longest) {
  constexpr std::int64_t kMillis = 1'000'000, kSeconds = 1'000'000'000;
  if (longest.count() >= 10 * kSeconds) return {"s", kMillis};
  if (longest.count() >= kMillis) return {"ms", 1000};
  return {"us", 1};
}

// About four digits: 0.00123, 1.234, 98.77, 1234.
std::string Short(double value) {
  char text[40];
  if (value != 0 && (value < 0.001 || value >= 1e7)) {
    std::snprintf(text, sizeof text, "%.2e", value);
  } else {
    const int decimals = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
  }
  return text;
}

std::string Short(std::optional<double> value) { return value ? Short(*value) : std::string(kUnknown); }

std::string Percent(std::optional<double> share) {
  if (!share) return std::string(kUnknown);
  char text[40];
  std::snprintf(text, sizeof text, *share < 10 ? "%.1f%%" : "%.0f%%", 100 * *share);
  return text;
}

std::string LatencyText(const TimeUnit& unit, const std::optional<LatencySummary>& latency,
                        Nanos LatencySummary::*figure) {
  return latency ? unit.Text((*latency).*figure) : std::string(kUnknown);
}

// Which columns say anything. XRBench's score takes the place of the mean latency, for want of width.
struct Columns {
  bool bound = false, misses = false, energy = false, xrbench = false;
};

Columns ColumnsOf(const std::vector<Report>& reports) {
  Columns columns;
  for (const Report& report : reports) {
    columns.bound = columns.bound || report.gap;
    columns.energy = columns.energy || report.energy_j;
    columns.xrbench = columns.xrbench || report.xrbench_overall;
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

Table EmptyTable(const Columns& columns) {
  std::vector<Table::Column> all = {{"  policy", false, true}, {"makespan", true}};
  if (columns.bound) all.push_back({"gap", true});
  all.push_back({"inf/s", true});
  if (!columns.xrbench) all.push_back({"mean", true});
  all.push_back({"p99", true});
  if (columns.misses) all.push_back({"missed", true});
  if (columns.energy) all.push_back({"J", true});
  if (columns.xrbench) all.push_back({"score", true});
  all.push_back({"util", true});
  return Table(all);
}

std::vector<std::string> Row(const Report& report, bool best, const Columns& columns, const TimeUnit& unit) {
  std::vector<std::string> row = {(best ? "* " : "  ") + report.label, unit.Text(report.makespan)};
  if (columns.bound) row.push_back(Percent(report.gap));
  row.push_back(Short(report.throughput_per_s));
  if (!columns.xrbench) row.push_back(LatencyText(unit, report.latency, &LatencySummary::mean));
  row.push_back(LatencyText(unit, report.latency, &LatencySummary::p99));
  if (columns.misses) row.push_back(std::to_string(report.missed));
  if (columns.energy) row.push_back(Short(report.energy_j));
  if (columns.xrbench) row.push_back(Short(report.xrbench_overall));
  row.push_back(Percent(MeanUtilization(report)));
  return row;
}

std::string Labels(const std::vector<Report>& reports, const std::vector<std::size_t>& which) {
  if (which.size() == reports.size() && which.size() > 1) return "all alike";
  std::string labels;
  for (const std::size_t i : which) labels += (labels.empty() ? "" : ", ") + reports[i].label;
  return labels;
}

std::string Words(std::string_view name) {
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string BestByAll(const std::vector<Report>& reports, const Columns& columns) {
  std::string text;
  for (const auto& objective : kObjectiveNames) {
    if (objective.value == Objective::kMisses && !columns.misses) continue;
    const std::string labels = Labels(reports, BestReports(reports, objective.value));
    if (!labels.empty()) text += (text.empty() ? "best: " : "; ") + Words(objective.name) + " " + labels;
  }
  return text;
}

std::string Heading(const Report& report, const TimeUnit& unit) {
  std::string text = "engine " + report.engine + ", seed " + std::to_string(report.seed) + ", times in " +
                     std::string(unit.name) + ", * best by " +
                     Words(NameOf(kObjectiveNames, report.objective));
  return text +
         (report.bound ? ", no schedule is below " + unit.Text(*report.bound) : ", no lower bound is known");
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

std::vector<std::string> Notes(const std::vector<Report>& reports, const Columns& columns) {
  std::vector<std::string> notes;
  if (reports.size() > 1) notes.push_back(BestByAll(reports, columns));
  for (const Report& report : reports) {
    if (report.beside) {
      notes.push_back(report.label + ": clairvoyant, it sees arrivals that are still to come; shown beside");
    }
    if (!report.complete) {
      notes.push_back(report.label + ": cut short; " + std::to_string(report.completed) + " of " +
                      std::to_string(report.released) + " released requests completed");
    }
    NoteLoadgen(report, notes);
  }
  if (!columns.energy && !reports.empty()) notes.push_back("energy unknown: " + reports[0].energy_why);
  return notes;
}

}  // namespace

std::string ReportTable(const std::vector<Report>& reports, std::size_t width) {
  if (reports.empty()) return {};
  Nanos longest{0};
  for (const Report& report : reports) longest = std::max(longest, report.makespan);
  const TimeUnit unit = UnitFor(longest);
  const Columns columns = ColumnsOf(reports);
  const auto best = BestReports(reports, reports[0].objective);
  Table table = EmptyTable(columns);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const bool is_best = std::find(best.begin(), best.end(), i) != best.end();
    table.Add(Row(reports[i], is_best, columns, unit));
  }
  std::string text = Wrapped(Heading(reports[0], unit), width) + table.Text(width);
  for (const std::string& note : Notes(reports, columns)) text += Wrapped(note, width);
  return text;
}

namespace {

std::string UnitTable(const Report& report, const TimeUnit& unit, std::size_t width) {
  Table table({{"unit", false, true}, {"busy", true}, {"util", true}, {"tasks", true}, {"J", true}});
  for (const UnitReport& row : report.units) {
    table.Add({row.name, unit.Text(row.busy), Percent(row.utilization), std::to_string(row.tasks),
               Short(row.energy_j)});
  }
  return table.Text(width);
}

std::string StreamTable(const Report& report, const TimeUnit& unit, std::size_t width) {
  Table table({{"stream", false, true},
               {"completed", true},
               {"dropped", true},
               {"missed", true},
               {"inf/s", true},
               {"first", true},
               {"last", true}});
  for (const StreamReport& row : report.streams) {
    table.Add({row.name, std::to_string(row.completed), std::to_string(row.dropped),
               std::to_string(row.missed), Short(row.throughput_per_s), unit.Text(row.first_release),
               unit.Text(row.last_completion)});
  }
  return table.Text(width);
}

std::string LatencyTable(const Report& report, const TimeUnit& unit, std::size_t width) {
  Table table({{"latency", false, true},
               {"mean", true},
               {"p50", true},
               {"p90", true},
               {"p95", true},
               {"p99", true},
               {"max", true}});
  for (const StreamReport& row : report.streams) {
    std::vector<std::string> cells = {row.name};
    for (const auto figure : {&LatencySummary::mean, &LatencySummary::p50, &LatencySummary::p90,
                              &LatencySummary::p95, &LatencySummary::p99, &LatencySummary::max}) {
      cells.push_back(LatencyText(unit, row.latency, figure));
    }
    table.Add(cells);
  }
  return table.Text(width);
}

std::string ScoreTable(const Report& report, std::size_t width) {
  Table table({{"score", false, true}, {"real-time", true}, {"energy", true}, {"QoE", true}});
  for (const StreamReport& row : report.streams) {
    if (!row.xrbench) continue;
    table.Add({row.name, Short(row.xrbench->real_time), Short(row.xrbench->energy), Short(row.xrbench->qoe)});
  }
  return "\n" + table.Text(width);
}

}  // namespace

std::string ReportDetails(const Report& report, std::size_t width) {
  const TimeUnit unit = UnitFor(report.makespan);
  std::string text = Wrapped(report.label + ", times in " + std::string(unit.name), width) +
                     UnitTable(report, unit, width) + "\n" + StreamTable(report, unit, width) + "\n" +
                     LatencyTable(report, unit, width);
  for (const UnitResidents& residents : report.residents) {
    std::string models;
    for (const std::string& model : residents.models) models += (models.empty() ? "" : ", ") + model;
    text += Wrapped(residents.unit + " holds " + (models.empty() ? "no model" : models), width);
  }
  return text + (report.xrbench_overall ? ScoreTable(report, width) : "");
}

}  // namespace tandem
