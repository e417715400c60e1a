// tandem compare PREDICTED MEASURED
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "profiles/base/figures.h"
#include "profiles/base/input_error.h"
#include "profiles/program/command_line.h"
#include "profiles/program/program.h"
#include "scenarios/calibration/report.h"
#include "scenarios/scenario/policy_spec.h"
#include "sim/commands/bars_option.h"
#include "sim/commands/html_option.h"
#include "sim/study/validation.h"

namespace tandem::compare {
namespace {

struct CompareArguments {
  std::string predicted, measured, objective = "makespan", html;
  BarOptions bars;
  bool force = false, json = false;
};

Objective ObjectiveByName(const std::string& name) {
  for (const auto& known : kObjectiveNames) {
    if (known.name == name) return known.value;
  }
  return Objective::kMakespan;
}

void CheckSame(const std::string& file, const char* what, const std::string& is, const std::string& should) {
  if (is == should) return;
  throw InputError(file + ": a trace of " + what + " " + Quoted(is) + ", not of " + Quoted(should));
}

const TraceDrawn* DrawnOf(const Trace& predicted, const std::string& label) {
  if (!predicted.draws) return nullptr;
  const auto& policies = predicted.draws->policies;
  const auto found = std::ranges::find(policies, label, &TraceDrawn::policy);
  return found == policies.end() ? nullptr : &*found;
}

Interval IntervalOf(const TraceFigure& figure) { return {figure.low, figure.high}; }
Nanos MedianOf(const TraceFigure& figure) { return Nanos{std::llround(figure.median)}; }

// What the draws say of the objective; null where they do not.
const TraceFigure* ObjectiveOf(const TraceDrawn& drawn, Objective objective, Objective of_draws) {
  if (objective == of_draws) return drawn.objective ? &*drawn.objective : nullptr;
  if (objective == Objective::kMakespan) return &drawn.makespan;
  if (!drawn.latency) return nullptr;
  if (objective == Objective::kMeanLatency) return &drawn.latency->mean;
  return objective == Objective::kP99Latency ? &drawn.latency->p99 : nullptr;
}

// Intervals of another probability than is asked for are none.
bool HasIntervals(const TraceDraws& draws, const ErrorBars& bars) {
  constexpr double kAlike = 1e-9;
  return std::abs(draws.probability - bars.probability) < kAlike;
}

// What is predicted is what is to be expected: the medians over the draws, where the trace has them.
void TakeDraws(const TraceDrawn& drawn, const TraceDraws& draws, const CalibrationReport& report,
               PolicyCalibration& policy) {
  const bool intervals = HasIntervals(draws, report.bars);
  policy.interval_why =
      intervals ? "" : "the predicted trace has those of " + PercentInTenths(draws.probability);
  policy.predicted = MedianOf(drawn.makespan);
  if (intervals) policy.of_makespan.predicted = IntervalOf(drawn.makespan);
  if (report.objective == draws.objective) policy.win_probability = drawn.win_probability;
  if (const TraceFigure* figure = ObjectiveOf(drawn, report.objective, draws.objective)) {
    policy.predicted_objective = figure->median;
    if (intervals) policy.of_objective.predicted = IntervalOf(*figure);
  }
}

void TakeDrawnLatencies(const Trace& predicted, CalibrationReport& report) {
  using L = TraceLatencies;
  constexpr std::array<TraceFigure L::*, kLatencyFigures.size()> kFigures = {&L::mean, &L::p50, &L::p90,
                                                                             &L::p95, &L::p99};
  for (LatencyCalibration& latency : report.latencies) {
    const TraceDrawn* const drawn = DrawnOf(predicted, latency.label);
    if (!drawn || !drawn->latency) continue;
    for (std::size_t f = 0; f < kFigures.size(); ++f) {
      const TraceFigure& figure = (*drawn->latency).*kFigures[f];
      latency.figures[f] = TimeError::Of(MedianOf(figure), latency.runs[f]);
      if (HasIntervals(*predicted.draws, report.bars)) latency.judged[f].predicted = IntervalOf(figure);
    }
  }
}

PolicyCalibration CalibrationOf(const MatchedRuns& runs, const CalibrationReport& report,
                                const Trace& predicted) {
  const Objective objective = report.objective;
  const std::optional<TraceWinner>& winner = predicted.winner;
  PolicyCalibration policy;
  policy.named = winner && winner->objective == objective && winner->policy == runs.label;
  // A trace has the label alone, which mostly is the policy's name.
  policy.policy = policy.label = runs.label;
  policy.predicted = MakespanOf(*runs.predicted);
  policy.predicted_objective = ObjectiveOf(*runs.predicted, objective);
  policy.interval_why =
      "the predicted trace has no draws: every task takes its median there, which may be too short";
  if (const TraceDrawn* drawn = DrawnOf(predicted, runs.label)) {
    TakeDraws(*drawn, *predicted.draws, report, policy);
  }
  for (std::size_t r = 0; r < runs.measured.size(); ++r) {
    const TracedRun& run = *runs.measured[r];
    policy.runs.push_back({MakespanOf(run), ObjectiveOf(run, objective), {}, runs.rounds[r], run.disturbed});
  }
  policy.cut_short = runs.cut_short;
  return policy;
}

void WarnOfMissing(const Trace& predicted, const Trace& measured, CalibrationReport& report) {
  for (const TracedRun& run : measured.runs) {
    const auto same = [&](const TracedRun& other) { return other.policy == run.policy; };
    if (std::any_of(predicted.runs.begin(), predicted.runs.end(), same)) continue;
    const std::string warning = "policy " + Quoted(run.policy) + " was measured and not predicted";
    const auto& known = report.warnings;
    if (std::find(known.begin(), known.end(), warning) == known.end()) report.warnings.push_back(warning);
  }
}

bool IsMeasured(const Trace& trace) {
  return !trace.runs.empty() &&
         std::all_of(trace.runs.begin(), trace.runs.end(), [](const TracedRun& run) { return run.measured; });
}

// The traces say themselves which of them is which.
void CheckOrder(const CompareArguments& arguments, const Trace& predicted, const Trace& measured) {
  if (!IsMeasured(predicted) || IsMeasured(measured)) return;
  throw InputError(arguments.predicted + ": its runs were measured, and those of " + arguments.measured +
                   " are predicted: the predicted trace comes first");
}

// One above the other. What stands for a measurement may be simulated: it is called measured all the same.
Trace Beside(Trace predicted, const Trace& measured) {
  std::map<std::string, int> rounds;
  for (TracedRun run : measured.runs) {
    const int round = ++rounds[run.policy];
    if (!run.measured) run.name = "measured: " + run.policy + (round > 1 ? " #" + std::to_string(round) : "");
    run.measured = true;
    predicted.runs.push_back(std::move(run));
  }
  return predicted;
}

int Compare(const CompareArguments& arguments) {
  const Trace predicted = ReadTraceFile(arguments.predicted), measured = ReadTraceFile(arguments.measured);
  CheckOrder(arguments, predicted, measured);
  const std::string file = NameOfInput(arguments.measured);
  CheckSame(file, "scenario", measured.scenario, predicted.scenario);
  CheckSame(file, "platform", measured.platform, predicted.platform);
  const std::vector<MatchedRuns> runs = MatchRuns(predicted, measured, NameOfInput(arguments.predicted));
  CalibrationReport report;
  report.scenario = predicted.scenario;
  report.objective = ObjectiveByName(arguments.objective);
  report.bars = arguments.bars.bars();
  for (const MatchedRuns& of : runs) report.policies.push_back(CalibrationOf(of, report, predicted));
  AddTraces(runs, report);
  TakeDrawnLatencies(predicted, report);
  Judge(report);
  if (!predicted.draws) report.winner.instead_of.reset();  // its winner is named by draws
  WarnOfMissing(predicted, measured, report);
  const Outputs outputs({HtmlOutput(arguments.html)}, arguments.force, arguments.json);
  if (!arguments.html.empty()) {
    Page page = PageOf(report.scenario, {CalibrationJson(report)});
    page.trace = Beside(predicted, measured);
    WriteHtml(arguments.html, page);
  }
  outputs.Say(arguments.json ? CalibrationJson(report) : CalibrationText(report, OutputWidth()));
  TellUnknown(arguments.bars, report);
  const bool wrong = report.winner.verdict == BarVerdict::kOutside;
  return wrong || MissesBar(arguments.bars, report) ? kExitNo : kExitDone;
}

void Declare(Command& command, CompareArguments& arguments) {
  command.Add("PREDICTED", &arguments.predicted, "a trace of `tandem simulate --trace`").Required();
  command.Add("MEASURED", &arguments.measured, "a trace of a device, perhaps with several runs of a policy")
      .Required();
  command.Add("--objective", &arguments.objective, "what the winner is named by")
      .OneOf({"makespan", "throughput", "mean_latency", "p99_latency"});
  AddBars(command, arguments.bars);
  AddHtml(command, arguments.html);
  command.Force(&arguments.force);
  command.Flag("--json", &arguments.json, "print JSON, calibration/1");
  command.Footer(
      "Runs are matched by the labels of their policies; the k-th of each are a round. Exit status 1 where "
      "the "
      "predicted\nwinner loses more than 1 % for sure, or a makespan, or the objective, is outside the bar "
      "that "
      "--bar gives;\nwhat so many runs cannot tell is said on standard error, and status 1 with --strict.\n"
      "Examples:\n  tandem compare predicted.trace.json measured.trace.json\n"
      "  tandem compare predicted.trace.json measured.trace.json --bar 5 --strict\n"
      "  tandem compare predicted.trace.json measured.trace.json --objective p99_latency --json");
}

const CommandRegistration kCompare{
    {.name = "compare",
     .summary = "how far a predicted trace is from a measured one: the calibration",
     .order = 70},
    Declare,
    Compare};

}  // namespace
}  // namespace tandem::compare
