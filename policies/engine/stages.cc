#include "policies/engine/stages.h"

#include <algorithm>
#include <variant>

#include "policies/problem/roots.h"

namespace tandem {
namespace {

StageOutcome& StageOf(std::vector<StageOutcome>& stages, StreamId stream) {
  const auto at =
      std::lower_bound(stages.begin(), stages.end(), stream,
                       [](const StageOutcome& stage, StreamId name) { return stage.stream < name; });
  return at != stages.end() && at->stream == stream ? *at : *stages.insert(at, {stream});
}

}  // namespace

Stages::Stages(const Scenario& scenario, bool any) {
  const std::size_t streams = scenario.streams.size();
  is_stage_.resize(streams);
  waits_for_.resize(streams);
  times_.resize(streams);
  is_last_.assign(streams, 1);
  for (std::size_t s = 0; s < streams; ++s) {
    in_file_.emplace_back(scenario.streams[s].copy_of.value_or(s));
    const auto* follows = std::get_if<DependentArrival>(&scenario.streams[s].arrival);
    if (!follows || !any) continue;
    on_ = true;
    const StreamId root = RootOf(scenario, StreamId(s));
    for (const StreamId above : follows->WaitsFor()) {
      is_last_[above.index()] = 0;
      is_stage_[above.index()] = 1;
      if (RootOf(scenario, above) == root) waits_for_[s].push_back(above);
    }
    is_stage_[s] = 1;
  }
}

Stages::Times& Stages::Of(StreamId stream, std::int64_t index) {
  std::vector<Times>& times = times_[stream.index()];
  const auto at = static_cast<std::size_t>(index);
  if (times.size() <= at) times.resize(at + 1);
  return times[at];
}

void Stages::Taken(const Task& task, Nanos now) {
  Times& times = Of(task.stream, task.index);
  if (times.taken == kNotYet) times.taken = now;
}

std::optional<StreamId> Stages::WaitedFor(StreamId stream, std::int64_t index) const {
  std::optional<StreamId> longest;
  Nanos ended = kNotYet;
  for (const StreamId above : waits_for_[stream.index()]) {
    const std::vector<Times>& times = times_[above.index()];
    const auto at = static_cast<std::size_t>(index);
    if (at >= times.size() || times[at].ended == kNotYet || times[at].ended < ended) continue;
    longest = above;
    ended = times[at].ended;
  }
  return longest;
}

void Stages::Ended(const Task& task, bool completed, Nanos origin, Nanos now, Outcome& outcome) {
  Times& own = Of(task.stream, task.index);
  own.ended = now;
  if (own.taken == kNotYet) own.taken = now;  // it was dropped: all of it was waiting
  if (!completed || is_last_[task.stream.index()] == 0) return;
  StreamOutcome& last = outcome.streams[in_file_[task.stream.index()].index()];
  ++last.whole_ways;
  std::int64_t behind = 0;
  for (std::optional<StreamId> at = task.stream; at;) {
    const Times& times = times_[at->index()][static_cast<std::size_t>(task.index)];
    const std::optional<StreamId> before = WaitedFor(*at, task.index);
    const Nanos since = before ? times_[before->index()][static_cast<std::size_t>(task.index)].ended : origin;
    StageOutcome& stage = StageOf(last.stages, in_file_[at->index()]);
    stage.passed.push_back({times.taken - since, times.ended - times.taken});
    stage.behind = std::max(stage.behind, behind++);
    at = before;
  }
}

}  // namespace tandem
