#include "sim/study/validation.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "policies/engine/trace_run.h"
#include "policies/kinds/make_plan.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_output.h"
#include "scenarios/report/objective.h"
#include "scenarios/trace/trace.h"
#include "sim/study/draws.h"
#include "sim/study/trace_draws.h"

namespace tandem {
namespace {

Interval InNanos(Nanos low, Nanos high) {
  return {static_cast<double>(low.count()), static_cast<double>(high.count())};
}

void TakeIntervals(const ReportDraws& draws, Prediction& prediction) {
  prediction.makespan_interval = InNanos(draws.makespan.low, draws.makespan.high);
  if (draws.objective) prediction.objective_interval = Interval{draws.objective->low, draws.objective->high};
  prediction.win_probability = draws.win_probability;
  for (std::size_t f = 0; f < kLatencyFigures.size() && draws.latency; ++f) {
    const auto value = kLatencyFigures[f].value;
    prediction.latency_intervals[f] = InNanos(draws.latency->low.*value, draws.latency->high.*value);
  }
}

Prediction PredictionFrom(const PreparedRun& run, Report report) {
  Prediction prediction;
  if (report.draws && report.latency) {
    prediction.latencies.emplace();
    for (std::size_t f = 0; f < kLatencyFigures.size(); ++f) {
      (*prediction.latencies)[f] = (*report.latency).*kLatencyFigures[f].value;
    }
  }
  if (!report.interval_why.empty()) ForgetDraws(report.interval_why, report);
  if (report.draws) TakeIntervals(*report.draws, prediction);
  prediction.plan = WholePlanJson(MakePlan(*run.problem, *run.spec, *run.policy, PredictionOf(report)),
                                  run.problem->scenario());
  prediction.decided = Decided(run);
  prediction.report = std::move(report);
  return prediction;
}

std::optional<double> ObjectiveOf(const Prediction& prediction, Objective objective) {
  if (objective == Objective::kP99Latency && prediction.latencies) {
    return static_cast<double>(prediction.latencies->back().count());
  }
  return ObjectiveValue(prediction.report, objective);
}

PlannedTime PlannedAs(Nanos time, const std::optional<Interval>& interval) {
  PlannedTime planned;
  planned.time = time;
  planned.judged.predicted = interval;
  return planned;
}

PolicyCalibration CalibrationOf(const Prediction& prediction, Objective objective) {
  const Report& report = prediction.report;
  PolicyCalibration policy;
  policy.policy = report.policy;
  policy.label = report.label;
  policy.beside = report.beside;
  policy.named = prediction.named;
  policy.predicted = report.makespan;
  policy.predicted_objective = ObjectiveOf(prediction, objective);
  policy.predicted_ties = TieFiguresOf(report);
  policy.interval_why = report.interval_why;
  if (const Prediction* planned = prediction.planned.get()) {
    policy.planned = PlannedAs(planned->report.makespan, planned->makespan_interval);
    policy.planned_objective = ObjectiveOf(*planned, objective);
  }
  policy.predicted_joules = report.energy_j;
  policy.win_probability = prediction.win_probability;
  policy.of_makespan.predicted = prediction.makespan_interval;
  policy.of_objective.predicted = prediction.objective_interval;
  return policy;
}

std::optional<PlannedTime> PlannedLatency(const Prediction& prediction, std::size_t figure) {
  const Prediction* planned = prediction.planned.get();
  if (!planned || !(planned->latencies || planned->report.latency)) return std::nullopt;
  const Nanos time = planned->latencies ? (*planned->latencies)[figure]
                                        : (*planned->report.latency).*kLatencyFigures[figure].value;
  return PlannedAs(time, planned->latency_intervals[figure]);
}

// Latencies are those of runs whose times vary, not of one in which every task takes its median.
void TakeSampled(const std::vector<Prediction>& predictions, std::vector<LatencyCalibration>& latencies) {
  for (LatencyCalibration& latency : latencies) {
    for (const Prediction& prediction : predictions) {
      if (prediction.report.label != latency.label) continue;
      for (std::size_t f = 0; f < latency.figures.size(); ++f) {
        latency.judged[f].predicted = prediction.latency_intervals[f];
        latency.planned[f] = PlannedLatency(prediction, f);
        if (!prediction.latencies) continue;
        TimeError& figure = latency.figures[f];
        figure.predicted = (*prediction.latencies)[f];
        figure.error = RelativeError(static_cast<double>(figure.predicted.count()),
                                     static_cast<double>(figure.measured.count()));
      }
    }
  }
}

void AddRun(const DeviceRun& run, PolicyCalibration& policy) {
  if (run.complete) {
    policy.runs.push_back(
        {run.makespan, run.objective, run.energy.joules, run.repeat, run.disturbed, run.excess});
  } else {
    ++policy.cut_short;
  }
  if (run.outputs.wrong > 0) {
    policy.correct = false;
  } else if (run.outputs.checked > 0 && !policy.correct) {
    policy.correct = true;
  }
}

void WarnOfRuns(const RunAnswer& result, std::vector<std::string>& warnings) {
  warnings.insert(warnings.end(), result.warnings.begin(), result.warnings.end());
  std::int64_t late = 0;
  for (const DeviceRun& run : result.runs) {
    late += run.late_releases;
    if (!run.complete) warnings.push_back(run.label + ": a run was cut short: " + run.failure);
  }
  if (late > 0) {
    warnings.push_back(Counted(late, "release") +
                       " came more than 1 ms late though a unit was idle: the device was "
                       "too busy to keep to the schedule of arrivals");
  }
}

// Whom `tandem plan` names, and how surely: by draws that nobody makes again where a run is disturbed or,
// where not all have such, by runs in which every task takes its median.
void NameWinner(const Scenario& scenario, const std::vector<PolicySpec>& decided, double interval,
                std::vector<Report> reports, LongRun& watch, std::vector<Prediction>& predictions) {
  if (reports.size() > 1) AddDraws(scenario, decided, interval, Wanted::kIntervals, reports, watch);
  const Ranking ranking = RankReports(reports, scenario.objective);
  for (std::size_t p = 0; p < predictions.size(); ++p) {
    if (reports[p].draws) predictions[p].win_probability = reports[p].draws->win_probability;
  }
  if (!ranking.taken) return;
  predictions[*ranking.taken].named = true;
  if (reports.size() > 1) {
    predictions[*ranking.taken].named_as = TakenText(reports, ranking, scenario.objective);
  }
}

// A trace that cannot be read, or is of other runs than those that were asked for, is the device's fault.
void AddMeasuredTrace(const Trace& predicted, const std::string& trace, CalibrationReport& report) {
  try {
    const JsonDocument document = JsonDocument::Parse(trace, "the device's trace");
    const Trace measured = ReadTrace(document.root());
    if (!measured.runs.empty()) AddTraces(MatchRuns(predicted, measured, "prediction"), report);
  } catch (const InputError& error) {
    throw EnvironmentError("the device's answer is not understood: " + std::string(error.what()));
  }
}

enum class Naming : std::uint8_t { kNobody, kWinner };

Predictions PredictAll(const Played& played, const std::vector<PolicySpec>& policies, Engine engine,
                       Naming naming, LongRun& watch, double interval) {
  const Bound bound = BoundFor(*played.takes, policies);
  Predictions predictions;
  TraceWriter trace(&predictions.trace, *played.takes);
  std::vector<PreparedRun> runs;
  std::vector<Report> reports;
  std::vector<PolicySpec> decided;
  const auto total = static_cast<std::int64_t>(policies.size());
  for (const PolicySpec& policy : policies) {
    const auto done = static_cast<std::int64_t>(reports.size());
    const auto progress = [&](std::int64_t) { return watch.Progress("simulating", done, total); };
    if (!progress(0)) break;
    const PreparedRun& run = runs.emplace_back(Prepare(*played.decides, policy));
    const auto taken = TakenBy(*run.problem, played);
    RunOptions options;
    SetTaken(taken.get(), options);
    TraceRun facts = TraceRunOf(run, policy, std::string(NameOf(kEngineNames, engine)));
    options.spans = &trace.BeginRun(static_cast<int>(done) + 1, std::move(facts));
    options.progress = progress;
    Outcome outcome = RunOn(engine, run, options);
    trace.EndRun(outcome.end, outcome.complete);
    reports.push_back(ReportOf(run, engine, bound, std::move(outcome)));
    decided.push_back(Decided(run));
  }
  AddFactsOfScenario(*played.decides, reports);
  const std::vector<Report> of_medians = reports;
  AddDraws(played, decided, interval, Wanted::kMediansToo, reports, watch);
  trace.SetDraws(DrawsForTrace(reports));
  trace.Close();
  for (std::size_t p = 0; p < reports.size(); ++p) {
    predictions.policies.push_back(PredictionFrom(runs[p], std::move(reports[p])));
  }
  if (naming == Naming::kWinner) {
    NameWinner(*played.takes, decided, interval, of_medians, watch, predictions.policies);
  }
  return predictions;
}

}  // namespace

Predictions Predict(const Scenario& scenario, const std::vector<PolicySpec>& policies, Engine engine,
                    LongRun& watch, double interval) {
  return PredictAll(scenario, policies, engine, Naming::kWinner, watch, interval);
}

Predictions PredictAgain(const Played& played, const std::vector<Prediction>& before, Engine engine,
                         LongRun& watch, double interval) {
  std::vector<PolicySpec> decided;
  for (const Prediction& prediction : before) decided.push_back(prediction.decided);
  Predictions predictions = PredictAll(played, decided, engine, Naming::kNobody, watch, interval);
  if (watch.interrupted()) return predictions;
  for (std::size_t p = 0; p < before.size(); ++p) {
    Prediction& prediction = predictions.policies[p];
    prediction.plan = before[p].plan;
    prediction.named = before[p].named;
    prediction.named_as = before[p].named_as;
    prediction.win_probability = before[p].win_probability;
    prediction.planned = std::make_shared<const Prediction>(before[p]);
  }
  return predictions;
}

std::vector<Prediction> WinnerAlone(const std::vector<Prediction>& all) {
  std::vector<Prediction> winner;
  for (const Prediction& prediction : all) {
    if (prediction.named) winner.push_back(prediction);
  }
  return winner;
}

RunOrderToWrite OrderFor(const std::vector<Prediction>& predictions, std::int64_t repeats, std::int64_t tries,
                         std::uint64_t seed) {
  RunOrderToWrite order;
  for (const Prediction& prediction : predictions) order.plans.push_back(prediction.plan);
  order.repeats = repeats;
  order.tries = tries;
  order.seed = seed;
  order.trace = true;
  order.each = true;
  return order;
}

CalibrationReport Calibrate(const Scenario& scenario, const std::vector<Prediction>& predictions,
                            const Trace& predicted, const RunAnswer& run, const ErrorBars& bars) {
  CalibrationReport report;
  report.bars = bars;
  report.scenario = scenario.name;
  report.objective = scenario.objective;
  report.profiles = ProfilesUsed(scenario);
  for (const Prediction& prediction : predictions) {
    report.policies.push_back(CalibrationOf(prediction, scenario.objective));
  }
  for (const DeviceRun& of : run.runs) {
    if (of.plan >= report.policies.size()) {
      throw EnvironmentError("the device's answer is not understood: a run of plan " +
                             std::to_string(of.plan) + ", which nobody asked for");
    }
    AddRun(of, report.policies[of.plan]);
  }
  std::vector<Report> predicted_reports;
  for (const Prediction& prediction : predictions) predicted_reports.push_back(prediction.report);
  report.told = HowTold(predicted_reports);
  for (const std::string& sentence : EstimatedOf(predicted_reports)) {
    report.warnings.push_back("estimated: " + sentence);
  }
  for (const Prediction& prediction : predictions) {
    if (!prediction.named_as.empty()) report.notes.push_back("predicted: " + prediction.named_as);
  }
  for (const std::string& note :
       {TieText(predicted_reports, RankReports(predicted_reports, report.objective), report.objective),
        ArrivalText(predicted_reports)}) {
    if (!note.empty()) report.notes.push_back("predicted: " + note);
  }
  WarnOfRuns(run, report.warnings);
  if (!run.trace.empty()) AddMeasuredTrace(predicted, run.trace, report);
  TakeSampled(predictions, report.latencies);
  Judge(report);
  return report;
}

std::string JoinedTrace(const std::string& predicted, const std::string& measured) {
  using JsonTree = nlohmann::ordered_json;
  JsonTree joined = JsonTree::parse(predicted);
  if (!measured.empty()) {
    std::int64_t processes = 0, arrows = 0;
    for (const JsonTree& event : joined["traceEvents"]) {
      processes = std::max(processes, event["pid"].get<std::int64_t>());
      if (event.contains("id")) arrows = std::max(arrows, event["id"].get<std::int64_t>());
    }
    const JsonTree other = JsonTree::parse(measured);
    for (JsonTree event : other["traceEvents"]) {
      event["pid"] = event["pid"].get<std::int64_t>() + processes;
      if (event.contains("id")) event["id"] = event["id"].get<std::int64_t>() + arrows;
      joined["traceEvents"].push_back(std::move(event));
    }
  }
  return JsonOutput(joined);
}

}  // namespace tandem
