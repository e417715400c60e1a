#include "profiles/base/figures.h"
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
    const std::string models = residents.models.empty() ? "no model" : Joined(residents.models);
    text += Wrapped(residents.unit + " holds " + models, width);
  }
  return text + (report.xrbench_overall ? ScoreTable(report, width) : "");
}

}  // namespace tandem
