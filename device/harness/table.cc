// The result of runs as a table.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "device/harness/harness.h"
#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/joined.h"
#include "profiles/base/statistics.h"
#include "profiles/base/table.h"
#include "scenarios/calibration/calibration.h"
#include "scenarios/report/report.h"

namespace tandem {
namespace {

std::string OutputsText(const OutputCheck& outputs) {
  if (outputs.wrong > 0) return Grouped(outputs.wrong) + " wrong";
  if (outputs.checked == 0) return "not checked";
  return outputs.unchecked == 0 ? "correct" : Grouped(outputs.unchecked) + " unchecked";
}

struct PlanRuns {
  std::vector<Nanos> makespans;  // of complete runs
  std::vector<double> joules;    // of those that could be measured
  OutputCheck outputs;
  std::int64_t late = 0;
  Nanos dispatch{0};
};

PlanRuns RunsOf(std::size_t plan, const RunAnswer& result) {
  PlanRuns runs;
  for (const DeviceRun& run : result.runs) {
    if (run.plan != plan) continue;
    if (run.complete) runs.makespans.push_back(run.makespan);
    if (run.complete && run.energy.joules) runs.joules.push_back(*run.energy.joules);
    runs.outputs.checked += run.outputs.checked;
    runs.outputs.wrong += run.outputs.wrong;
    runs.outputs.unchecked += run.outputs.unchecked;
    runs.late += run.late_releases;
    runs.dispatch = std::max(runs.dispatch, run.dispatch);
  }
  std::sort(runs.makespans.begin(), runs.makespans.end());
  return runs;
}

std::vector<std::string> Row(const PlanFile& file, const PlanRuns& runs, bool energy) {
  const Nanos predicted = file.plan.predicted.makespan;
  std::vector<std::string> row = {file.plan.policy.label, kMillis.Text(predicted)};
  if (runs.makespans.empty()) {
    row.insert(row.end(), {"-", "-", "-"});
  } else {
    const Nanos median = LowerMedian(runs.makespans);
    const auto of_median = [&](Nanos time) {
      return static_cast<double>(time.count()) /
             static_cast<double>(std::max<std::int64_t>(median.count(), 1));
    };
    row.push_back(kMillis.Text(median));
    // One run says nothing of how far several would differ.
    row.push_back(runs.makespans.size() < 2
                      ? "-"
                      : Percent(of_median(runs.makespans.back() - runs.makespans.front()), 1));
    row.push_back(SignedPercent(of_median(predicted) - 1, 1));
  }
  row.push_back(OutputsText(runs.outputs));
  row.push_back(Fixed(InMicros(runs.dispatch), 2));
  row.push_back(Grouped(runs.late));
  if (energy) row.push_back(runs.joules.empty() ? "-" : Short(LowerMedian(runs.joules)));
  return row;
}

// Once each, however many runs it held back.
std::string HeldBackOf(const RunAnswer& result) {
  std::set<std::string> all;
  for (const DeviceRun& run : result.runs) {
    if (!run.held_back.empty()) all.insert(run.held_back);
  }
  return all.empty() ? "" : "; " + Joined(all, "; ");
}

// Over all runs, of what was told beside them: "one 1008 to 1416 MHz; cpu-thermal up to 84 C".
std::string MomentsText(const RunAnswer& result) {
  std::map<std::string, std::pair<double, double>> clocks;
  std::map<std::string, double> hottest;
  for (const DeviceRun& run : result.runs) {
    for (const RunMoment& moment : run.moments) {
      for (const auto& [of, mhz] : moment.mhz) {
        auto& [low, high] = clocks.try_emplace(of, mhz, mhz).first->second;
        low = std::min(low, mhz);
        high = std::max(high, mhz);
      }
      for (const auto& [zone, celsius] : moment.celsius) {
        double& most = hottest.try_emplace(zone, celsius).first->second;
        most = std::max(most, celsius);
      }
    }
  }
  std::vector<std::string> all;
  for (const auto& [of, range] : clocks) {
    const std::string low = Fixed(range.first, 0), high = Fixed(range.second, 0);
    all.push_back(of + " " + (low == high ? low : low + " to " + high) + " MHz");
  }
  for (const auto& [zone, celsius] : hottest) all.push_back(zone + " up to " + Fixed(celsius, 0) + " C");
  return all.empty() ? "" : "while they ran: " + Joined(all, "; ");
}

}  // namespace

std::string RunAnswerText(const RunOrder& request, const RunAnswer& result, std::size_t width) {
  const bool energy = std::any_of(result.runs.begin(), result.runs.end(),
                                  [](const DeviceRun& run) { return run.energy.joules.has_value(); });
  std::vector<Table::Column> columns = {{"policy", false, true}, {"predicted ms", true},
                                        {"measured ms", true},   {"spread", true},
                                        {"error", true},         {"outputs"},
                                        {"dispatch us", true},   {"late", true}};
  if (energy) columns.push_back({"J", true});
  Table table(columns);
  for (std::size_t p = 0; p < request.plans.size(); ++p) {
    table.Add(Row(request.plans[p], RunsOf(p, result), energy));
  }
  std::string text =
      Wrapped(request.plans[0].scenario.name + ", on " + result.host, width) + table.Text(width);
  for (const std::string& warning : result.warnings) text += Wrapped("warning: " + warning, width);
  const auto disturbed = std::count_if(result.runs.begin(), result.runs.end(),
                                       [](const DeviceRun& run) { return run.disturbed; });
  if (disturbed > 0) {
    text += Wrapped(Counted(disturbed, "run") + " of " + std::to_string(result.runs.size()) +
                        " found the machine disturbed: others took of its time, or units were slower or "
                        "faster than while they were profiled" +
                        HeldBackOf(result) + (request.tries == 1 ? "; --tries makes such runs again" : ""),
                    width);
  }
  if (const std::string told = MomentsText(result); !told.empty()) text += Wrapped(told, width);
  for (const DeviceRun& run : result.runs) {
    if (!run.complete)
      text += Wrapped(run.label + ", run " + std::to_string(run.repeat + 1) + ": " + run.failure, width);
  }
  return text;
}

}  // namespace tandem
