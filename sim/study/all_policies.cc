#include "sim/study/all_policies.h"

#include <algorithm>
#include <functional>
#include <memory>

#include "policies/engine/draws/sampled_times.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "scenarios/arrivals/arrivals.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/unchanged.h"
#include "sim/study/draws.h"

namespace tandem {
namespace {

// The files that a simulation writes beside its result.
class Records {
 public:
  Records(const Scenario& scenario, const std::vector<ReportFile>& files) {
    for (const ReportFile& file : files) writers_.push_back(file.writer->open(file.path, scenario));
  }

  // Those that want to know what happens.
  std::vector<SpanSink*> Begin(const PreparedRun& run, Engine engine) {
    std::vector<SpanSink*> sinks;
    for (const auto& writer : writers_) sinks.push_back(&writer->BeginRun(run, engine));
    return sinks;
  }
  void End(const Outcome& outcome) {
    for (const auto& writer : writers_) writer->EndRun(outcome);
  }
  void Close(const std::vector<Report>& reports, bool interrupted) {
    for (const auto& writer : writers_) {
      writer->SetReports(reports, interrupted);
      writer->Close();
    }
  }

 private:
  std::vector<std::unique_ptr<ReportWriter>> writers_;
};

// 0: not known beforehand.
std::int64_t RequestsOf(const Scenario& scenario) {
  std::int64_t total = 0;
  for (const RequestCount& of_stream : CountRequests(scenario.streams, scenario.seed)) {
    if (of_stream.certainty == Certainty::kAtLeast) return 0;
    total += of_stream.count;
  }
  return total;
}

// What the replications collect of one policy.
struct Collected {
  std::optional<Report> first;
  bool samples_drawn = false;
  // One per replication that has it.
  std::vector<double> objective, makespan, throughput, missed, energy, p50, p90, p95, p99;
};

void Collect(const Report& report, Collected& all) {
  if (const auto value = ObjectiveValue(report, report.objective)) all.objective.push_back(*value);
  const auto add = [](std::vector<double>& list, Nanos time) {
    list.push_back(static_cast<double>(time.count()));
  };
  add(all.makespan, report.makespan);
  all.throughput.push_back(report.throughput_per_s);
  all.missed.push_back(static_cast<double>(report.missed));
  if (report.energy_j) all.energy.push_back(*report.energy_j);
  if (!report.latency) return;
  add(all.p50, report.latency->p50);
  add(all.p90, report.latency->p90);
  add(all.p95, report.latency->p95);
  add(all.p99, report.latency->p99);
}

// Where every run had a value.
template <class Function>
std::optional<Estimate> IfAll(const std::vector<double>& values, std::int64_t runs,
                              const Function& estimate) {
  if (static_cast<std::int64_t>(values.size()) != runs) return std::nullopt;
  return estimate(values);
}

ReplicationReport Summary(const Collected& all, std::int64_t runs, double probability) {
  const auto mean = [&](const std::vector<double>& values) { return MeanEstimate(values, probability); };
  const auto median = [&](const std::vector<double>& values) {
    return QuantileEstimate(values, 0.5, probability);
  };
  ReplicationReport report;
  report.runs = runs;
  report.samples_drawn = all.samples_drawn;
  report.probability = probability;
  report.objective = IfAll(all.objective, runs, mean);
  report.makespan = IfAll(all.makespan, runs, mean);
  report.throughput_per_s = IfAll(all.throughput, runs, mean);
  report.missed = IfAll(all.missed, runs, mean);
  report.energy_j = IfAll(all.energy, runs, mean);
  report.p50 = IfAll(all.p50, runs, median);
  report.p90 = IfAll(all.p90, runs, median);
  report.p95 = IfAll(all.p95, runs, median);
  report.p99 = IfAll(all.p99, runs, median);
  return report;
}

// Policies that may win, and whose objective every run could tell.
void AddStandings(const std::vector<Collected>& all, std::int64_t runs, double probability,
                  std::vector<Report>& reports) {
  std::vector<std::size_t> rivals;
  std::vector<std::vector<double>> values;
  for (std::size_t p = 0; p < reports.size(); ++p) {
    if (reports[p].beside || static_cast<std::int64_t>(all[p].objective.size()) != runs) continue;
    rivals.push_back(p);
    values.push_back(all[p].objective);
  }
  if (rivals.empty()) return;
  const Comparison comparison = Compare(values, HigherIsBetter(reports[0].objective), probability);
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    reports[rivals[i]].replications->standing = comparison.standings[i];
  }
}

std::vector<Report> Summaries(std::vector<Collected> all, std::int64_t runs, double probability) {
  std::vector<Report> reports;
  if (runs == 0) return reports;
  for (Collected& policy : all) {
    reports.push_back(std::move(*policy.first));
    reports.back().replications = Summary(policy, runs, probability);
    reports.back().interval_why = "the replications have intervals of their own";
  }
  AddStandings(all, runs, probability, reports);
  return reports;
}

// When the last thing happened that a run has told: until then it is known, whatever became of it.
class LastEnd final : public SpanSink {
 public:
  void Add(const Span& span) override { at = std::max(at, span.end); }
  void Ended(const RequestEnd& end) override { at = std::max(at, end.at); }
  Nanos at{0};
};

// By the rules of the exact engines, of these by SimGrid's own physics; without its files. Null where that is
// interrupted.
std::shared_ptr<const Report> ByOtherPhysics(const Scenario& scenario, const PolicySpec& decided,
                                             const Report& report,
                                             const std::function<bool(std::int64_t)>& progress) {
  const PreparedRun prepared = Prepare(scenario, decided);
  const Engine other = report.IsFluid() ? Engine::kVirtual : Engine::kFluid;
  RunOptions options;
  options.progress = progress;
  Outcome outcome = RunOn(other, prepared, options);
  if (!outcome.complete) return nullptr;
  const Bound bound{report.bound, std::nullopt, report.bound_why};
  return std::make_shared<const Report>(ReportOf(prepared, other, bound, std::move(outcome)));
}

// The run is written to the files as far as it went. `policy` then has what it decided.
Report RunRecorded(const Scenario& scenario, PolicySpec& policy, const SimulateOptions& how,
                   const Bound& bound, Records& records, const std::function<bool(std::int64_t)>& progress) {
  const PolicySpec undecided = policy;
  const PreparedRun prepared = Prepare(scenario, undecided);
  std::vector<SpanSink*> sinks = records.Begin(prepared, how.engine);
  LastEnd last;
  RunOptions options;
  options.progress = progress;
  if (!sinks.empty()) sinks.push_back(&last);
  SpanTee spans(sinks);
  if (!sinks.empty()) options.spans = &spans;
  try {
    Outcome outcome = RunOn(how.engine, prepared, options);
    records.End(outcome);
    policy = Decided(prepared);
    Report report = ReportOf(prepared, how.engine, bound, std::move(outcome));
    if (report.complete && (how.contention || how.engine == Engine::kFluid))
      report.other_physics = ByOtherPhysics(scenario, policy, report, progress);
    return report;
  } catch (const InputError& error) {
    Outcome cut_short;
    cut_short.complete = false;
    cut_short.end = last.at;
    records.End(cut_short);
    return FailedReport(scenario, policy, how.engine, bound, error);
  }
}

// One policy of one replication.
Report RunOnce(const Scenario& scenario, const PolicySpec& policy, Engine engine, const Bound& bound,
               const std::function<bool(std::int64_t)>& progress, bool& samples_drawn) {
  const PreparedRun run = Prepare(scenario, policy);
  const SampledTimes times(*run.problem);
  samples_drawn = times.any();
  RunOptions options;
  options.progress = progress;
  if (samples_drawn) times.SetIn(options);
  const Bound none{std::nullopt, std::nullopt, "times are drawn from samples"};
  try {
    return ReportOf(run, engine, samples_drawn ? none : bound, RunOn(engine, run, options));
  } catch (const InputError& error) {
    throw InputError(std::string(error.what()) + " (policy " + Quoted(policy.label) + ")");
  }
}

}  // namespace

void CheckSomeoneCanWin(const Scenario& scenario, const std::vector<PolicySpec>& policies, bool asked) {
  const auto beside = [&](const PolicySpec& policy) { return StandsBeside(scenario, policy); };
  if (policies.empty() || !std::ranges::all_of(policies, beside)) return;
  std::vector<std::string> labels;
  for (const PolicySpec& policy : policies) labels.push_back(policy.label);
  throw InputError((asked ? "--policy: " : scenario.file + ":/policies: ") + AllBesideText(labels));
}

std::vector<Report> RunAll(const Scenario& scenario, const std::vector<PolicySpec>& policies,
                           const SimulateOptions& options, LongRun& run) {
  const Bound bound = BoundFor(scenario, policies);
  const std::int64_t total = RequestsOf(scenario);
  Records records(scenario, options.files);
  std::vector<Report> reports;
  std::vector<PolicySpec> decided = policies;
  for (PolicySpec& policy : decided) {
    if (!run.Progress(policy.label, 0, total)) break;
    const auto progress = [&](std::int64_t ended) { return run.Progress(policy.label, ended, total); };
    try {
      reports.push_back(RunRecorded(scenario, policy, options, bound, records, progress));
    } catch (const InputError& error) {
      reports.push_back(FailedReport(scenario, policy, options.engine, bound, error));
    }
  }
  const auto failed = [](const Report& report) { return !report.failed.empty(); };
  if (!reports.empty() && std::all_of(reports.begin(), reports.end(), failed)) {
    throw InputError(reports[0].failed);
  }
  AddFactsOfScenario(scenario, reports);
  AddDraws(scenario, decided, options.interval, Wanted::kIntervals, reports, run);
  SetRelaxations(reports);
  SetUnchanged(options.unchanged, reports);
  records.Close(reports, run.interrupted());
  return reports;
}

std::vector<Report> Replicate(Scenario& scenario, const std::vector<PolicySpec>& policies,
                              const SimulateOptions& options, std::int64_t replications, LongRun& run) {
  const Bound bound = BoundFor(scenario, policies);
  const std::uint64_t seed = scenario.seed;
  const auto all_runs = replications * static_cast<std::int64_t>(policies.size());
  std::vector<Collected> all(policies.size());
  std::int64_t done = 0;
  for (; done < replications && !run.interrupted(); ++done) {
    scenario.seed = seed + static_cast<std::uint64_t>(done);
    std::vector<Report> reports;
    for (std::size_t p = 0; p < policies.size(); ++p) {
      const auto progress = [&](std::int64_t) {
        return run.Progress("replications",
                            done * static_cast<std::int64_t>(policies.size()) + static_cast<std::int64_t>(p),
                            all_runs);
      };
      if (!progress(0)) break;
      reports.push_back(
          RunOnce(scenario, policies[p], options.engine, bound, progress, all[p].samples_drawn));
      if (!reports.back().complete) break;
    }
    if (reports.size() < policies.size() || !reports.back().complete) break;
    for (std::size_t p = 0; p < policies.size(); ++p) {
      Collect(reports[p], all[p]);
      if (done == 0) all[p].first = std::move(reports[p]);
    }
  }
  scenario.seed = seed;
  std::vector<Report> reports = Summaries(std::move(all), done, options.interval);
  AddFactsOfScenario(scenario, reports);
  return reports;
}

}  // namespace tandem
