#include "sim/regress/run_again.h"

#include <algorithm>
#include <functional>

#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "sim/study/draws.h"
#include "sim/study/where_time_goes.h"

namespace tandem {
namespace {

std::vector<UnitWork> WorkOf(const std::vector<UnitStory>& story) {
  std::vector<UnitWork> all;
  for (const UnitStory& unit : story) {
    UnitWork work{unit.unit, unit.time, {}};
    for (const ModelShare& share : unit.models) {
      if (share.tasks > 0) work.models[share.model] = {share.tasks, share.working};
    }
    all.push_back(std::move(work));
  }
  return all;
}

// The scenario's own and those that it does not name.
std::vector<PolicySpec> WithOwnPolicies(const Scenario& scenario, const std::vector<PolicySpec>& policies) {
  std::vector<PolicySpec> all = scenario.policies;
  for (const PolicySpec& policy : policies) {
    const auto same = [&](const PolicySpec& own) { return own.label == policy.label; };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(policy);
  }
  return all;
}

// Whom `tandem plan` takes where that is none of the best ones, as it is simpler and not told from them; else
// all that are equal. A run that failed never wins: it is not complete.
std::vector<std::size_t> WinnersOf(const Ranking& ranking) {
  const bool other = ranking.TakesSimpler() && std::ranges::count(ranking.equal, *ranking.taken) == 0;
  return other ? std::vector{*ranking.taken} : ranking.equal;
}

void NameWinners(const Scenario& scenario, const std::vector<PolicySpec>& decided, LongRun& watch,
                 ScenarioRuns& runs) {
  std::vector<Report> reports;
  for (const PolicyRun& run : runs.policies) reports.push_back(run.report);
  if (reports.size() > 1) AddDraws(scenario, decided, kUsualInterval, Wanted::kIntervals, reports, watch);
  if (reports.empty()) return;
  const Ranking ranking = RankReports(reports, scenario.objective);
  runs.winners = WinnersOf(ranking);
  for (const auto* const told : {&ranking.equal, &ranking.close}) {
    for (const std::size_t p : *told) runs.not_told.push_back(reports[p].label);
  }
  runs.winner = Joined(runs.winners, ", ",
                       [&](std::size_t p) -> const std::string& { return runs.policies[p].report.label; });
}

// `policy` then has what it decided.
PolicyRun RunPolicy(const Scenario& scenario, PolicySpec& policy, Engine engine, const Bound& least,
                    const std::function<bool(std::int64_t)>& progress) {
  const PolicySpec undecided = policy;
  const PreparedRun prepared = Prepare(scenario, undecided);
  StoryOfRun story(*prepared.problem);
  RunOptions options;
  options.spans = &story;
  options.progress = progress;
  Outcome outcome = RunOn(engine, prepared, options);
  policy = Decided(prepared);
  std::vector<UnitWork> work;
  if (outcome.complete) work = WorkOf(story.Result(outcome));
  return {ReportOf(prepared, engine, least, std::move(outcome)), std::move(work)};
}

// A policy that cannot run the scenario has no figures, and the others have theirs.
PolicyRun RunOrWhyNot(const Scenario& scenario, PolicySpec& policy, Engine engine, const Bound& least,
                      const std::function<bool(std::int64_t)>& progress) {
  try {
    return RunPolicy(scenario, policy, engine, least, progress);
  } catch (const InputError& error) {
    return {FailedReport(scenario, policy, engine, least, error), {}};
  }
}

}  // namespace

const PolicyRun* ScenarioRuns::Find(std::string_view label) const {
  for (const PolicyRun& run : policies) {
    if (run.report.label == label) return &run;
  }
  return nullptr;
}

bool ScenarioRuns::CannotTellFromBest(std::string_view label) const {
  return std::find(not_told.begin(), not_told.end(), label) != not_told.end();
}

ScenarioRuns RunPolicies(const Scenario& scenario, const std::vector<PolicySpec>& policies, Engine engine,
                         const WantedOfRuns& wanted, LongRun& watch) {
  const Bound least = wanted.bound ? BoundFor(scenario, WithOwnPolicies(scenario, policies))
                                   : Bound{std::nullopt, std::nullopt, "not asked for"};
  ScenarioRuns runs;
  std::vector<PolicySpec> decided = policies;
  for (PolicySpec& policy : decided) {
    const auto progress = [&](std::int64_t ended) { return watch.Progress(scenario.name, ended, 0); };
    if (!progress(0)) break;
    PolicyRun run = RunOrWhyNot(scenario, policy, engine, least, progress);
    if (watch.interrupted()) break;
    runs.policies.push_back(std::move(run));
  }
  const auto failed = [](const PolicyRun& run) { return !run.report.failed.empty(); };
  if (!runs.policies.empty() && std::all_of(runs.policies.begin(), runs.policies.end(), failed)) {
    throw InputError(runs.policies.front().report.failed);
  }
  const bool all = runs.policies.size() == policies.size();
  if (wanted.winner && all && !watch.interrupted()) NameWinners(scenario, decided, watch, runs);
  return runs;
}

BaselineCase CaseOf(const PolicyRun& run, const std::string& winner, const std::vector<FigureName>& figures) {
  BaselineCase made;
  made.engine = run.report.engine;
  made.seed = run.report.seed;
  made.policy = run.report.label;
  for (const FigureName& figure : figures) {
    made.figures.emplace_back(figure.Text(), KeptFigure{ValueOf(figure, run.report, winner), {}});
  }
  made.stream_latency = StreamLatencies(run.report);
  made.work = run.work;
  return made;
}

std::map<std::string, Nanos> StreamLatencies(const Report& report) {
  std::map<std::string, Nanos> latencies;
  for (const StreamReport& stream : report.streams) {
    if (stream.latency) latencies[stream.name] = stream.latency->mean;
  }
  return latencies;
}

}  // namespace tandem
