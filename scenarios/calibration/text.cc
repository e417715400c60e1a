#include <algorithm>
#include <cmath>
#include <utility>

#include "profiles/base/figures.h"
#include "profiles/base/files.h"
#include "profiles/base/joined.h"
#include "profiles/base/table.h"
#include "scenarios/calibration/report.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/report.h"

namespace tandem {
namespace {

constexpr std::size_t kMostSpans = 12;

std::string Signed(std::optional<double> share) { return (share && *share >= 0 ? "+" : "") + Share(share); }

// "-2.2 +-0.8%": the error, and how far its interval goes on the side where it goes further.
std::string ErrorCell(std::optional<double> error, const std::optional<Interval>& interval) {
  if (!error || !interval) return Signed(error);
  const double reach = std::max(interval->high - *error, *error - interval->low);
  return (*error >= 0 ? "+" : "") + Fixed(100 * *error, 1) + " +-" + Share(reach);
}

// Half of what is predicted to lie between the interval's ends, as a share.
std::string ReachCell(double predicted, const std::optional<Interval>& interval) {
  if (!interval || predicted == 0) return "-";
  return Share(std::max(interval->high - predicted, predicted - interval->low) / std::abs(predicted));
}

std::string VerdictCell(const Judgement& judged) {
  return judged.verdict == BarVerdict::kOutside ? "OUTSIDE"
                                                : std::string(NameOf(kBarVerdictNames, judged.verdict));
}

std::string RunsCell(const PolicyCalibration& policy) {
  const auto runs = static_cast<std::int64_t>(policy.runs.size());
  return (policy.disturbed() > 0 ? std::to_string(runs - policy.disturbed()) + "/" : "") +
         std::to_string(runs);
}

Nanos Longest(const CalibrationReport& report) {
  Nanos longest{0};
  for (const PolicyCalibration& policy : report.policies) longest = std::max(longest, policy.predicted);
  return longest;
}

std::string OutputsText(const PolicyCalibration& policy) {
  if (!policy.correct) return "-";
  return *policy.correct ? "right" : "WRONG";
}

std::string Marked(const CalibrationReport& report, std::size_t position) {
  const bool predicted = report.winner.predicted == position, measured = report.winner.measured == position;
  return (predicted ? "p" : " ") + std::string(measured ? "m " : "  ") + report.policies[position].label;
}

std::string PolicyTable(const CalibrationReport& report, std::size_t width) {
  const TimeUnit unit = UnitFor(Longest(report));
  Table table({{"   policy", false, true},
               {"predicted", true},
               {"+-", true},
               {"measured", true},
               {"error", true},
               {"verdict"},
               {"runs", true},
               {"outputs"}});
  for (std::size_t p = 0; p < report.policies.size(); ++p) {
    const PolicyCalibration& policy = report.policies[p];
    const auto makespan = policy.makespan();
    const Judgement& judged = policy.of_makespan;
    table.Add({Marked(report, p), unit.Text(policy.predicted),
               ReachCell(static_cast<double>(policy.predicted.count()), judged.predicted),
               makespan ? unit.Text(makespan->measured) : "-",
               makespan ? ErrorCell(makespan->error, judged.error) : "-", VerdictCell(judged),
               RunsCell(policy), OutputsText(policy)});
  }
  const std::string intervals = PercentInTenths(report.bars.probability);
  return Wrapped("makespans in " + std::string(unit.name) +
                     "; p: predicted to win, m: measured best; +-: " + intervals + " intervals",
                 width) +
         table.Text(width);
}

// Times in one unit for the whole table, everything else as it is.
class ObjectiveCells {
 public:
  explicit ObjectiveCells(const CalibrationReport& report)
      : is_time_(ObjectiveUnit(report.objective) == "ns") {
    double longest = 0;
    for (const PolicyCalibration& policy : report.policies) {
      longest = std::max(longest, policy.predicted_objective.value_or(0));
    }
    unit_ = UnitFor(Rounded(is_time_ ? longest : 0));
    name_ = is_time_ ? unit_.name : ObjectiveUnit(report.objective);
  }
  std::string_view name() const { return name_; }
  std::string Text(std::optional<double> value) const {
    return value && is_time_ ? unit_.Text(Rounded(*value)) : Short(value);
  }

 private:
  static Nanos Rounded(double value) { return Nanos{std::llround(value)}; }

  bool is_time_;
  TimeUnit unit_;
  std::string_view name_;
};

std::string ObjectiveTable(const CalibrationReport& report, std::size_t width) {
  if (report.objective == Objective::kMakespan) return {};
  const ObjectiveCells cells(report);
  Table table({{"policy", false, true},
               {"predicted", true},
               {"+-", true},
               {"measured", true},
               {"error", true},
               {"verdict"}});
  for (const PolicyCalibration& policy : report.policies) {
    const Judgement& judged = policy.of_objective;
    table.Add({policy.label, cells.Text(policy.predicted_objective),
               ReachCell(policy.predicted_objective.value_or(0), judged.predicted),
               cells.Text(policy.measured_objective()), ErrorCell(policy.objective_error(), judged.error),
               VerdictCell(judged)});
  }
  return "\nobjective: " + Words(NameOf(kObjectiveNames, report.objective)) + " in " +
         std::string(cells.name()) + "\n" + table.Text(width);
}

// Where both are known of any policy.
std::string EnergyTable(const CalibrationReport& report, std::size_t width) {
  Table table({{"energy", false, true}, {"predicted J", true}, {"measured J", true}, {"error", true}});
  bool any = false;
  for (const PolicyCalibration& policy : report.policies) {
    any = any || policy.joules_error();
    table.Add({policy.label, Short(policy.predicted_joules), Short(policy.measured_joules()),
               Signed(policy.joules_error())});
  }
  return any ? "\n" + table.Text(width) : std::string();
}

// Behind an error, where it is not within its bar.
std::string MarkOf(const Judgement& judged) {
  if (!judged.error || judged.verdict == BarVerdict::kWithin) return {};
  return judged.verdict == BarVerdict::kOutside ? "!" : "?";
}

std::string LatencyTable(const CalibrationReport& report, std::size_t width) {
  if (report.latencies.empty()) return {};
  std::string marks;
  std::vector<Table::Column> columns = {{"latency error", false, true}};
  for (const auto& figure : kLatencyFigures) columns.push_back({std::string(figure.name), true});
  Table table(std::move(columns));
  for (const LatencyCalibration& latency : report.latencies) {
    std::vector<std::string> row = {latency.label};
    for (std::size_t f = 0; f < latency.figures.size(); ++f) {
      const std::string mark = MarkOf(latency.judged[f]);
      row.push_back(ErrorCell(latency.figures[f].error, latency.judged[f].error) + mark);
      marks += mark;
    }
    table.Add(std::move(row));
  }
  std::string legend;
  if (marks.find('!') != std::string::npos) legend = "!: outside its bar";
  if (marks.find('?') != std::string::npos)
    legend += std::string(legend.empty() ? "" : "; ") + "?: whether it is in its bar cannot be told";
  return "\n" + table.Text(width) + (legend.empty() ? "" : Wrapped(legend, width));
}

std::string SourceTable(const CalibrationReport& report, std::size_t width) {
  if (report.differences.empty()) return {};
  const TimeUnit unit = UnitFor(Longest(report));
  Table table({{"policy", false, true},
               {"last unit", false, true},
               {"compute", true},
               {"transfer", true},
               {"load", true},
               {"waiting", true},
               {"idle", true}});
  for (const MakespanDifference& difference : report.differences) {
    const auto last = std::max_element(
        difference.units.begin(), difference.units.end(),
        [](const UnitDifference& a, const UnitDifference& b) { return a.last_end < b.last_end; });
    if (last == difference.units.end()) continue;
    table.Add({difference.label, last->unit, unit.Signed(last->compute), unit.Signed(last->transfer),
               unit.Signed(last->load), unit.Signed(last->waiting), unit.Signed(last->idle)});
  }
  return "\n" +
         Wrapped("where the error comes from: predicted - measured in " + std::string(unit.name) +
                     ", on the unit that ends last",
                 width) +
         table.Text(width);
}

std::string NameOfSpan(const SpanCalibration& span) {
  TraceSegment segment = span.segment;
  segment.model = BaseName(segment.model);
  if (span.kind == SpanKind::kLoad) return "load " + segment.model;
  if (span.kind == SpanKind::kTransfer) {
    return segment.model + " " + span.tensor + ", " + span.from + " to " + span.to;
  }
  return segment.layers.empty() ? segment.model : NameOf(segment);
}

// What the span's error comes to over all that was predicted of it.
double Weight(const SpanCalibration& span) {
  const auto difference = static_cast<double>((span.time.predicted - span.time.measured).count());
  return (difference < 0 ? -difference : difference) * static_cast<double>(span.predicted_count);
}

std::string SpanTable(const CalibrationReport& report, std::size_t width) {
  if (report.spans.empty()) return {};
  std::vector<SpanCalibration> spans = report.spans;
  std::stable_sort(spans.begin(), spans.end(),
                   [](const SpanCalibration& a, const SpanCalibration& b) { return Weight(a) > Weight(b); });
  if (spans.size() > kMostSpans) spans.resize(kMostSpans);
  Nanos longest{0};
  for (const SpanCalibration& span : spans) longest = std::max(longest, span.time.measured);
  const TimeUnit unit = UnitFor(longest);
  Table table({{"work", false, true},
               {"unit", false, true},
               {"times", true},
               {"predicted", true},
               {"measured", true},
               {"error", true},
               {"spread", true}});
  for (const SpanCalibration& span : spans) {
    table.Add({NameOfSpan(span), span.unit.empty() ? "-" : span.unit, std::to_string(span.predicted_count),
               unit.Text(span.time.predicted), unit.Text(span.time.measured), Signed(span.time.error),
               Share(span.time.spread)});
  }
  std::string heading = "medians in " + std::string(unit.name) + ", those first whose errors add up to most";
  if (report.spans.size() > spans.size()) {
    heading += "; " + std::to_string(report.spans.size() - spans.size()) + " more with --json";
  }
  return "\n" + Wrapped(heading, width) + table.Text(width);
}

// "core0 +3.4 %, core1 +2.9 %".
std::string YardstickText(const CalibrationReport& report) {
  std::vector<std::string> units;
  for (const auto& [unit, slower] : report.state) units.push_back(unit + " " + Signed(slower - 1));
  return "by the units' yardsticks: " + Joined(units);
}
// "core0: alexnet +3.4 %, vgg16 +1.2 %; core1: ...".
std::string AloneText(const CalibrationReport& report) {
  std::map<std::string, std::vector<std::string>> models;
  for (const ModelAlone& of : report.alone) {
    const double slower =
        RelativeError(static_cast<double>(of.measured.count()), static_cast<double>(of.profiled.count()))
            .value_or(0);
    models[of.unit].push_back(of.model + (of.batch > 1 ? " x" + std::to_string(of.batch) : "") + " " +
                              Signed(slower));
  }
  std::vector<std::string> units;
  for (const auto& [unit, of_unit] : models) units.push_back(unit + ": " + Joined(of_unit));
  return "by each model alone, in turn with the plans: " + Joined(units, "; ");
}

std::string StateText(const CalibrationReport& report) {
  std::vector<std::string> by;
  if (!report.alone.empty()) by.push_back(AloneText(report));
  if (!report.state.empty()) by.push_back(YardstickText(report));
  std::string text = "while the plans ran, work took longer or shorter than when it was profiled, " +
                     Joined(by, "; ") + "; predictions are of that";
  if (!report.winner.predicted) return text;
  const PolicyCalibration& winner = report.policies[*report.winner.predicted];
  if (!winner.planned) return text;
  const TimeUnit unit = UnitFor(winner.planned->time);
  return text + ". As planned, " + winner.label + " was to take " + unit.Text(winner.planned->time) + " " +
         std::string(unit.name);
}

// A line for each reason.
std::string WhyNoIntervals(const CalibrationReport& report, std::size_t width) {
  std::map<std::string, std::vector<std::string>> without;
  for (const PolicyCalibration& policy : report.policies) {
    const bool has = policy.of_makespan.predicted.has_value();
    if (!has && !policy.interval_why.empty()) without[policy.interval_why].push_back(policy.label);
  }
  std::string text;
  for (const std::string& line : NoIntervalTexts(without, report.policies.size())) {
    text += Wrapped(line, width);
  }
  return text;
}

}  // namespace

void AddTraces(const std::vector<MatchedRuns>& runs, CalibrationReport& report) {
  report.spans = CompareSpans(runs);
  report.latencies = CompareLatencies(runs);
  report.differences = ExplainMakespans(runs);
}

std::string CalibrationText(const CalibrationReport& report, std::size_t width) {
  std::string text = Wrapped(report.scenario, width) + PolicyTable(report, width) +
                     WhyNoIntervals(report, width) + ObjectiveTable(report, width) +
                     EnergyTable(report, width) + LatencyTable(report, width) + SourceTable(report, width) +
                     SpanTable(report, width) + "\n";
  for (const std::string& warning : report.warnings) text += Wrapped("warning: " + warning, width);
  for (const std::string& sentence : OriginSentences(report.profiles, report.told)) {
    text += Wrapped(sentence, width);
  }
  if (!report.state.empty() || !report.alone.empty()) text += Wrapped(StateText(report), width);
  for (const std::string& note : report.notes) text += Wrapped(note, width);
  text += Wrapped(CalibrationVerdict(report), width);
  return text + (report.pick ? Wrapped(PickText(*report.pick), width) : "");
}

}  // namespace tandem
