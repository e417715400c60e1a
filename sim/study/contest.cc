#include "sim/study/contest.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/program/program.h"
#include "sim/study/draws.h"

namespace tandem {

std::vector<Report> ReportsOf(const std::vector<Contender>& contenders) {
  std::vector<Report> reports;
  for (const Contender& contender : contenders) reports.push_back(contender.report);
  return reports;
}

std::vector<PolicySpec> DecidedOf(const std::vector<Contender>& contenders) {
  std::vector<PolicySpec> policies;
  for (const Contender& contender : contenders) policies.push_back(Decided(contender.run));
  return policies;
}

namespace {

Contender RunOne(const Scenario& scenario, const PolicySpec& policy, Engine engine, const Bound& bound,
                 const std::function<bool(std::int64_t)>& progress) {
  Contender contender{Prepare(scenario, policy), {}, {}};
  StoryOfRun story(*contender.run.problem);
  RunOptions options;
  options.spans = &story;
  options.progress = progress;
  Outcome outcome = RunOn(engine, contender.run, options);
  contender.story = story.Result(outcome);
  contender.report = ReportOf(contender.run, engine, bound, std::move(outcome));
  return contender;
}

// Without those that cannot run the scenario, which are told of. Throws InputError where none can.
std::vector<Contender> RunAll(const Scenario& scenario, const std::vector<PolicySpec>& policies,
                              Engine engine, LongRun& watch) {
  const Bound bound = BoundFor(scenario, policies);
  std::vector<Contender> contenders;
  for (std::size_t p = 0; p < policies.size(); ++p) {
    const auto progress = [&](std::int64_t) {
      return watch.Progress("policies", static_cast<std::int64_t>(p),
                            static_cast<std::int64_t>(policies.size()));
    };
    if (!progress(0)) break;
    try {
      contenders.push_back(RunOne(scenario, policies[p], engine, bound, progress));
    } catch (const InputError& error) {
      if (contenders.empty() && p + 1 == policies.size()) throw;
      WriteNote("tandem: policy " + Quoted(policies[p].label) + " is left out: " + error.what() + "\n");
    }
  }
  return contenders;
}

void AddDrawsTo(std::vector<Contender>& contenders, const Scenario& scenario, double interval,
                LongRun& watch) {
  std::vector<Report> reports = ReportsOf(contenders);
  AddFactsOfScenario(scenario, reports);
  AddDraws(scenario, DecidedOf(contenders), interval, Wanted::kIntervals, reports, watch);
  for (std::size_t p = 0; p < reports.size(); ++p) contenders[p].report = std::move(reports[p]);
}

}  // namespace

std::vector<Contender> RunContest(const Scenario& scenario, const std::vector<PolicySpec>& policies,
                                  Engine engine, double interval, LongRun& watch) {
  std::vector<Contender> contenders = RunAll(scenario, policies, engine, watch);
  if (!watch.interrupted()) AddDrawsTo(contenders, scenario, interval, watch);
  return contenders;
}

ContestVerdict Judge(const std::vector<Contender>& contenders, Objective objective) {
  std::vector<Report> reports = ReportsOf(contenders);
  ContestVerdict verdict;
  verdict.ranking = RankReports(reports, objective);
  if (!verdict.ranking.taken) return verdict;
  verdict.winner = verdict.ranking.taken;
  if (!verdict.ranking.TakesSimpler()) {
    for (const std::size_t winner : verdict.ranking.winners) reports[winner].beside = true;
  }
  reports[*verdict.winner].beside = true;
  const std::vector<std::size_t> next = RankReports(reports, objective).winners;
  if (!next.empty()) verdict.runner_up = next.front();
  return verdict;
}

}  // namespace tandem
