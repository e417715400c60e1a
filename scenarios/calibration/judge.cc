// Every figure of a calibration against its bar.
#include <algorithm>

#include "scenarios/calibration/report.h"

namespace tandem {
namespace {

double InNanos(Nanos time) { return static_cast<double>(time.count()); }

// Keeps what is predicted.
void Take(Judgement judged, Judgement& into) {
  judged.predicted = into.predicted;
  into = judged;
}

void JudgeMakespans(CalibrationReport& report) {
  std::vector<RoundSample> samples;
  for (std::size_t p = 0; p < report.policies.size(); ++p) {
    const PolicyCalibration& policy = report.policies[p];
    if (!policy.counts()) continue;
    for (const PolicyCalibration::Run& run : policy.Counting()) {
      samples.push_back({p, run.round, InNanos(run.makespan)});
    }
  }
  const Rounds rounds(samples, report.policies.size(), report.bars.probability);
  for (std::size_t p = 0; p < report.policies.size(); ++p) {
    PolicyCalibration& policy = report.policies[p];
    const auto makespan = policy.makespan();
    if (!makespan) continue;
    const auto judge = [&](Nanos predicted, Judgement& into) {
      Take(Judged(InNanos(predicted), InNanos(makespan->measured), rounds, p, report.bars.figure,
                  report.bars.probability),
           into);
    };
    judge(policy.predicted, policy.of_makespan);
    if (policy.planned) judge(policy.planned->time, policy.planned->judged);
  }
}

void JudgeObjectives(CalibrationReport& report) {
  const ErrorBars& bars = report.bars;
  const Rounds rounds = ObjectiveRounds(report.policies, report.objective, bars.probability);
  const double bar = report.objective == Objective::kP99Latency ? bars.percentile : bars.figure;
  for (std::size_t p = 0; p < report.policies.size(); ++p) {
    PolicyCalibration& policy = report.policies[p];
    const auto measured = policy.measured_objective();
    if (!measured || !policy.predicted_objective) continue;
    Take(Judged(*policy.predicted_objective, *measured, rounds, p, bar, bars.probability),
         policy.of_objective);
  }
}

// The policy whose runs these are, one by one; nothing where a trace does not tell that.
const PolicyCalibration* PolicyOf(const CalibrationReport& report, const LatencyCalibration& latency) {
  for (const PolicyCalibration& policy : report.policies) {
    if (policy.label == latency.label && policy.runs.size() == latency.runs[0].size()) return &policy;
  }
  return nullptr;
}

void JudgeLatencies(std::size_t figure, CalibrationReport& report) {
  std::vector<RoundSample> samples;
  for (std::size_t p = 0; p < report.latencies.size(); ++p) {
    LatencyCalibration& latency = report.latencies[p];
    const PolicyCalibration* policy = PolicyOf(report, latency);
    std::vector<Nanos> counting;
    for (std::size_t run = 0; policy && run < policy->runs.size(); ++run) {
      if (policy->runs[run].disturbed) continue;
      counting.push_back(latency.runs[figure][run]);
      if (policy->counts()) samples.push_back({p, policy->runs[run].round, InNanos(counting.back())});
    }
    if (!counting.empty()) {
      latency.figures[figure] = TimeError::Of(latency.figures[figure].predicted, counting);
    }
  }
  const Rounds rounds(samples, report.latencies.size(), report.bars.probability);
  const bool is_mean = kLatencyFigures[figure].value == &LatencySummary::mean;
  const double bar = is_mean ? report.bars.figure : report.bars.percentile;
  for (std::size_t p = 0; p < report.latencies.size(); ++p) {
    LatencyCalibration& latency = report.latencies[p];
    const TimeError& time = latency.figures[figure];
    const auto judge = [&](Nanos predicted, Judgement& into) {
      Take(Judged(InNanos(predicted), InNanos(time.measured), rounds, p, bar, report.bars.probability), into);
    };
    judge(time.predicted, latency.judged[figure]);
    if (auto& planned = latency.planned[figure]) judge(planned->time, planned->judged);
  }
}

// `predicted`: a policy's interval, nothing where it has none.
template <class Get>
std::optional<double> CoverageOf(const std::vector<PolicyCalibration>& policies, Get predicted) {
  double known = 0, covered = 0;
  for (const PolicyCalibration& policy : policies) {
    const auto makespan = policy.makespan();
    const std::optional<Interval> interval = predicted(policy);
    if (!makespan || !interval || !policy.counts()) continue;
    ++known;
    covered += interval->Contains(InNanos(makespan->measured)) ? 1 : 0;
  }
  return known > 0 ? std::optional(covered / known) : std::nullopt;
}

}  // namespace

void Judge(CalibrationReport& report) {
  JudgeMakespans(report);
  JudgeObjectives(report);
  for (std::size_t figure = 0; figure < kLatencyFigures.size(); ++figure) JudgeLatencies(figure, report);
  report.winner = CompareWinners(report.policies, report.objective, report.bars);
  report.coverage =
      CoverageOf(report.policies, [](const PolicyCalibration& of) { return of.of_makespan.predicted; });
  report.planned_coverage = CoverageOf(report.policies, [](const PolicyCalibration& of) {
    return of.planned ? of.planned->judged.predicted : std::nullopt;
  });
}

}  // namespace tandem
