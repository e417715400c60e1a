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
  AddDraws(scenario, DecidedOf(contenders), interval, Wanted::kIntervals, reports, watch);
  for (std::size_t p = 0; p < reports.size(); ++p) contenders[p].report = std::move(reports[p]);
}

// Of those that draws cannot tell apart the simplest is taken: a rule is worth as much as a search there.
int Simplicity(const Contender& contender) {
  switch (contender.run.spec->declaration->role) {
    case PolicyRole::kBaseline:
      return 0;
    case PolicyRole::kRule:
      return 1;
    case PolicyRole::kSearch:
      return 2;
  }
  return 2;
}

void TakeSimplest(const std::vector<Contender>& contenders, const std::vector<Report>& reports,
                  Objective objective, ContestVerdict& verdict) {
  const std::size_t best = *verdict.winner;
  verdict.close = NotToldFrom(reports, best, objective);
  for (const std::size_t p : verdict.close) {
    if (Simplicity(contenders[p]) < Simplicity(contenders[*verdict.winner])) verdict.winner = p;
  }
  if (*verdict.winner != best) verdict.best = best;
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
  const auto first = [](const std::vector<std::size_t>& of) {
    return of.empty() ? std::nullopt : std::optional(of.front());
  };
  ContestVerdict verdict;
  verdict.ranking = RankReports(reports, objective);
  verdict.winner = first(verdict.ranking.winners);
  if (verdict.winner) TakeSimplest(contenders, reports, objective, verdict);
  for (const std::size_t winner : verdict.ranking.winners) reports[winner].beside = true;
  verdict.runner_up = first(RankReports(reports, objective).winners);
  return verdict;
}

}  // namespace tandem
