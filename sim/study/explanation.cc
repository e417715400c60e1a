#include "sim/study/explanation.h"

#include <set>

#include "policies/engine/virtual_runner.h"
#include "policies/problem/roots.h"
#include "scenarios/report/unchanged.h"
#include "scenarios/trace/span_log.h"
#include "sim/study/contest.h"

namespace tandem {
namespace {

constexpr std::size_t kMostTaken = 1'000'000;
constexpr std::size_t kMostSpans = 4'000'000;  // some 300 MB

// The links between memories that the path copies over.
std::vector<LinkId> LinksOf(const std::vector<PathPiece>& path, const Platform& platform) {
  std::set<LinkId> links;
  for (const PathPiece& piece : path) {
    if (piece.cause != PathCause::kTransfer || !piece.from_memory.valid()) continue;
    for (std::size_t l = 0; l < platform.links.size(); ++l) {
      const Link& link = platform.links[l];
      const bool there = link.from == piece.from_memory && link.to == piece.to_memory;
      const bool back = link.from == piece.to_memory && link.to == piece.from_memory;
      if (there || back) links.insert(LinkId(l));
    }
  }
  return {links.begin(), links.end()};
}

void AddPath(const SpanLog& log, const Outcome& outcome, Followed followed, ExplainedRun& explained) {
  const Problem& problem = *explained.run.problem;
  const bool request = followed == Followed::kRequest ||
                       (followed == Followed::kWhatTells && IsSetByArrivals(explained.report));
  if (request) explained.follows = WorstRequest(problem.scenario(), log);
  explained.path = explained.follows ? PathOfRequest(problem, log, outcome, *explained.follows)
                                     : CriticalPath(problem, log, outcome);
}

FasterPart Faster(const std::string& name, bool is_link, const Scenario& scenario, const PolicySpec& policy,
                  const Report& before, const GoesOn& draws_go_on) {
  const PreparedRun run = Prepare(scenario, policy);
  std::vector<Report> reports = {ReportOf(run, Engine::kVirtual,
                                          {std::nullopt, std::nullopt, "part of the board is twice as fast"},
                                          RunOn(Engine::kVirtual, run))};
  if (before.draws) {
    AddDraws(scenario, {Decided(run)}, before.draws->probability, Wanted::kIntervals, reports, draws_go_on);
  } else {
    reports[0].interval_why = before.interval_why;
  }
  const auto change = ChangeOverDraws(before, reports[0]);
  return {name, is_link, std::move(reports[0]), change};
}

}  // namespace

std::optional<Choice> ChoiceAmong(const std::vector<Report>& reports) {
  const Objective objective = reports[0].objective;
  const Ranking ranking = RankReports(reports, objective);
  if (!ranking.taken) return std::nullopt;
  const Report& best = reports[ranking.winners.front()];
  Choice choice{best.label, reports[*ranking.taken].label, {}, NotTold(reports, ranking), {}};
  if (best.draws) choice.win_probability = best.draws->win_probability;
  for (const std::string& text :
       {TieText(reports, ranking, objective), TakenText(reports, ranking, objective)}) {
    choice.text += (choice.text.empty() || text.empty() ? "" : "; ") + text;
  }
  return choice;
}

std::optional<StreamId> CountedSince(const Scenario& scenario, const RequestEnd& follows) {
  const bool whole = scenario.streams[follows.stream.index()].end_to_end_deadline.has_value();
  return whole ? std::optional(RootOf(scenario, follows.stream)) : std::nullopt;
}

ExplainedRun RunAndExplain(const Scenario& scenario, const PolicySpec& policy, Engine engine,
                           const std::function<bool(std::int64_t)>& progress, Followed followed) {
  ExplainedRun explained;
  explained.run = Prepare(scenario, policy);
  const Problem& problem = *explained.run.problem;
  StoryOfRun story(problem);
  SpanLog log(kMostSpans);
  SpanTee both({&story, &log});
  RunOptions options;
  options.spans = &both;
  options.progress = progress;
  RecordingPolicy recording(*explained.run.policy, kMostTaken);
  // SimGrid runs in a child: the policy decides there, and here it can do so once more.
  const bool simgrid = engine == Engine::kSimgrid;
  const Outcome outcome =
      simgrid ? RunOn(engine, explained.run, options) : RunVirtual(problem, recording, options);
  explained.story = story.Result(outcome);
  explained.report = ReportOf(explained.run, engine, BoundFor(scenario, {policy}), outcome);
  if (outcome.complete) {
    AddPath(log, outcome, followed, explained);
    if (simgrid) RunVirtual(problem, recording);
    explained.taken = recording.TakeAll();
  }
  return explained;
}

std::vector<FasterPart> TryFasterParts(const ExplainedRun& run, Scenario same,
                                       const std::function<bool()>& go_on, const GoesOn& draws_go_on) {
  const PolicySpec policy = Decided(run.run);
  std::vector<FasterPart> parts;
  const std::vector<UnitUse> units = same.units;
  const Platform platform = *same.platform;
  FasterScenario faster(std::move(same));
  for (std::size_t u = 0; u < units.size() && go_on(); ++u) {
    if (!units[u].variant) continue;
    parts.push_back(
        Faster(platform.units[u].name, false, faster.WithUnit(UnitId(u)), policy, run.report, draws_go_on));
  }
  for (const LinkId id : LinksOf(run.path, platform)) {
    if (!go_on()) break;
    const Link& link = platform.links[id.index()];
    const std::string name =
        platform.memories[link.from.index()].name + "-" + platform.memories[link.to.index()].name;
    parts.push_back(Faster(name, true, faster.WithLink(id), policy, run.report, draws_go_on));
  }
  return parts;
}

}  // namespace tandem
