#include <algorithm>

#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/joined.h"
#include "profiles/base/table.h"
#include "scenarios/report/table.h"

namespace tandem {
namespace {

std::string UnitTable(const Report& report, const TimeUnit& unit, std::size_t width) {
  Table table({{"unit", false, true}, {"busy", true}, {"util", true}, {"tasks", true}, {"J", true}});
  for (const UnitReport& row : report.units) {
    table.Add({row.name, unit.Text(row.busy), Share(row.utilization), std::to_string(row.tasks),
               Short(row.energy_j)});
  }
  return table.Text(width);
}

std::string StreamTable(const Report& report, const TimeUnit& unit, std::size_t width) {
  const bool drops =
      std::any_of(report.streams.begin(), report.streams.end(), [](const auto& row) { return row.may_drop; });
  const bool skips =
      std::any_of(report.streams.begin(), report.streams.end(), [](const auto& row) { return row.skipped; });
  std::vector<Table::Column> columns = {{"stream", false, true}, {"completed", true}, {"dropped", true}};
  if (drops) columns.insert(columns.end(), {{"share", true}, {"drops/s", true}});
  if (skips) columns.push_back({"skipped", true});
  columns.insert(columns.end(), {{"missed", true}, {"inf/s", true}, {"first", true}, {"last", true}});
  Table table(columns);
  for (const StreamReport& row : report.streams) {
    std::vector<std::string> cells = {row.name, std::to_string(row.completed), std::to_string(row.dropped)};
    if (drops) cells.push_back(row.may_drop ? Share(row.dropped_share) : "-");
    if (drops) cells.push_back(row.may_drop ? Short(row.dropped_per_s) : "-");
    if (skips) cells.push_back(row.skipped ? std::to_string(*row.skipped) : "-");
    cells.insert(cells.end(), {std::to_string(row.missed), Short(row.throughput_per_s),
                               unit.Text(row.first_release), unit.Text(row.last_completion)});
    table.Add(std::move(cells));
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
  const auto add = [&](const std::string& name, const std::optional<LatencySummary>& latency) {
    std::vector<std::string> cells = {name};
    for (const auto figure : {&LatencySummary::mean, &LatencySummary::p50, &LatencySummary::p90,
                              &LatencySummary::p95, &LatencySummary::p99, &LatencySummary::max}) {
      cells.push_back(LatencyText(latency, figure, unit));
    }
    table.Add(cells);
  };
  for (const StreamReport& row : report.streams) add(row.name, row.latency);
  for (const StreamReport& row : report.streams) {
    if (row.end_to_end) add(row.name + ", end to end", row.end_to_end);
  }
  for (const StreamReport& row : report.streams) {
    if (row.age) add(row.name + ", age", row.age);
    if (row.drop_age) add(row.name + ", age at drop", row.drop_age);
  }
  return table.Text(width);
}

// Which stage costs what on the way to a last one. Means add up, percentiles do not.
std::string StagesText(const StreamReport& last, const TimeUnit& unit, std::size_t width) {
  Table table({{"stage", false, true},
               {"requests", true},
               {"waiting", true},
               {"p99", true},
               {"work", true},
               {"p99", true},
               {"together", true}});
  Nanos waiting{0}, work{0};
  for (const StageReport& stage : last.stages) {
    waiting += stage.waiting.mean;
    work += stage.work.mean;
    table.Add({stage.stream, std::to_string(stage.requests), unit.Text(stage.waiting.mean),
               unit.Text(stage.waiting.p99), unit.Text(stage.work.mean), unit.Text(stage.work.p99),
               unit.Text(stage.waiting.mean + stage.work.mean)});
  }
  table.Add({"end to end", "", unit.Text(waiting), "", unit.Text(work), "", unit.Text(waiting + work)});
  return "\n" +
         Wrapped("stages on the way to the end of " + last.stages.back().stream +
                     ", means over all of its requests",
                 width) +
         table.Text(width);
}

// "questions: batches of 1 (12 times), 2 (30), 3 (41)".
std::string BatchesText(const StreamReport& stream) {
  std::string text = stream.name + ": batches of ";
  for (const BatchSize& of : stream.batches) {
    const bool first = &of == &stream.batches.front();
    text += (first ? "" : ", ") + std::to_string(of.size) + " (" +
            (first ? Counted(of.count, "time") : Grouped(of.count)) + ")";
  }
  return text;
}

std::string LoadsText(const UnitReport& unit) {
  return unit.name + ": " + Joined(unit.loads, "; ", [](const ModelLoads& of) {
           return of.model + " loaded " + Counted(of.loads, "time") + ", put out " +
                  Counted(of.evictions, "time");
         });
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
  for (const StreamReport& stream : report.streams) {
    if (!stream.batches.empty()) text += Wrapped(BatchesText(stream), width);
  }
  for (const StreamReport& stream : report.streams) {
    if (!stream.stages.empty()) text += StagesText(stream, unit, width);
  }
  for (const UnitResidents& residents : report.residents) {
    const std::string models = residents.models.empty() ? "no model" : Joined(residents.models);
    text += Wrapped(residents.unit + " holds " + models, width);
  }
  for (const UnitReport& row : report.units) {
    if (!row.loads.empty()) text += Wrapped(LoadsText(row), width);
  }
  return text + (report.xrbench_overall ? ScoreTable(report, width) : "");
}

}  // namespace tandem
