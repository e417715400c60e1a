#include "sim/study/explanation.h"

#include <set>

#include "policies/engine/virtual_runner.h"
#include "policies/problem/roots.h"
#include "scenarios/trace/span_log.h"

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

Report ReportOf(const Scenario& scenario, const PolicySpec& policy) {
  const PreparedRun run = Prepare(scenario, policy);
  return ReportOf(run, Engine::kVirtual, {std::nullopt, std::nullopt, "part of the board is twice as fast"},
                  RunOn(Engine::kVirtual, run));
}

}  // namespace

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
                                       const std::function<bool()>& go_on) {
  PolicySpec policy = *run.run.spec;
  if (const Decisions* decided = run.run.policy->decisions()) {
    policy.decided = std::make_shared<Decisions>(*decided);
  }
  std::vector<FasterPart> parts;
  const std::vector<UnitUse> units = same.units;
  const Platform platform = *same.platform;
  FasterScenario faster(std::move(same));
  for (std::size_t u = 0; u < units.size() && go_on(); ++u) {
    if (!units[u].variant) continue;
    parts.push_back({platform.units[u].name, false, ReportOf(faster.WithUnit(UnitId(u)), policy)});
  }
  for (const LinkId id : LinksOf(run.path, platform)) {
    if (!go_on()) break;
    const Link& link = platform.links[id.index()];
    const std::string name =
        platform.memories[link.from.index()].name + "-" + platform.memories[link.to.index()].name;
    parts.push_back({name, true, ReportOf(faster.WithLink(id), policy)});
  }
  return parts;
}

}  // namespace tandem
