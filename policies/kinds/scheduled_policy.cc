#include "policies/kinds/scheduled_policy.h"

#include <algorithm>
#include <functional>

#include "profiles/base/input_error.h"
#include "scenarios/arrivals/arrivals.h"

namespace tandem {
namespace {

bool EndsByClock(const Stream& stream) {
  return std::holds_alternative<ClosedArrival>(stream.arrival) && stream.until.duration > Nanos{0};
}

bool FollowsOthers(const Stream& stream) {
  return std::holds_alternative<ClosedArrival>(stream.arrival) ||
         std::holds_alternative<DependentArrival>(stream.arrival);
}

}  // namespace

std::vector<std::int64_t> CertainRequests(const Scenario& scenario) {
  std::vector<std::int64_t> certain;
  const std::vector<RequestCount> counts = CountRequests(scenario.streams, scenario.seed);
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    const Stream& stream = scenario.streams[s];
    const auto* depends = std::get_if<DependentArrival>(&stream.arrival);
    std::int64_t count = counts[s].certainty == Certainty::kExact ? counts[s].count : 0;
    // A parent may stand behind its child in the file; then what is certain is not known here.
    if (depends) {
      const bool follows = depends->Share() == 1 && depends->parent.index() < s;
      count = follows ? certain[depends->parent.index()] : 0;
    }
    certain.push_back(stream.Drops() || stream.batching || EndsByClock(stream) ? 0 : count);
  }
  return certain;
}

ScheduledPolicy::ScheduledPolicy(const Problem& problem, Decisions decisions,
                                 const std::vector<std::int64_t>& certain, bool repeats)
    : problem_(&problem), decisions_(std::move(decisions)), lines_(problem.units()) {
  const std::vector<Unit>& units = problem.platform().units;
  const auto single = [](const Unit& unit) { return unit.slots == 1; };
  if (std::all_of(units.begin(), units.end(), single)) slack_ = decisions_.schedule->slack;
  std::size_t lanes = 0;
  for (std::size_t s = 0; s < problem.scenario().streams.size(); ++s) {
    first_lane_.push_back(lanes);
    lanes += static_cast<std::size_t>(problem.cut(StreamId(s)).segments);
  }
  pieces_.resize(lanes);
  FindFollowers();
  const FixedSchedule& schedule = *decisions_.schedule;
  for (std::size_t u = 0; u < schedule.units.size(); ++u) {
    for (const ScheduledRun& run : schedule.units[u]) AddRun(run, UnitId(u), certain[run.stream.index()]);
  }
  SortPieces();
  if (!repeats) return;
  per_round_.resize(first_lane_.size());
  for (const auto& unit : schedule.units) {
    for (const ScheduledRun& run : unit) {
      std::int64_t& requests = per_round_[run.stream.index()];
      requests = std::max(requests, run.first + run.count);
    }
  }
}

// Of a closed stream its own, and those of all streams that depend on it, however far.
void ScheduledPolicy::FindFollowers() {
  const auto& streams = problem_->scenario().streams;
  held_up_.resize(streams.size());
  followers_.resize(streams.size());
  for (std::size_t s = 0; s < streams.size(); ++s) {
    if (std::holds_alternative<ClosedArrival>(streams[s].arrival)) followers_[s].push_back(StreamId(s));
    StreamId above(s);
    while (const auto* depends = std::get_if<DependentArrival>(&streams[above.index()].arrival)) {
      for (const StreamId joined : depends->joins) {
        if (joined != StreamId(s)) followers_[joined.index()].push_back(StreamId(s));
      }
      above = depends->parent;
      followers_[above.index()].push_back(StreamId(s));
    }
  }
}

void ScheduledPolicy::Fail(const std::string& what) const {
  throw InputError(problem_->scenario().file + ": the schedule does not fit: " + what);
}

void ScheduledPolicy::AddRun(ScheduledRun run, UnitId unit, std::int64_t certain) {
  const std::int32_t all = problem_->cut(run.stream).segments;
  if (run.segments == ScheduledRun::kAllSegments) run.segments = all - run.segment;
  if (run.segment >= all || run.segments > all - run.segment) {
    Fail("requests of stream " + Quoted(problem_->scenario().streams[run.stream.index()].name) + " have " +
         std::to_string(all) + " segments");
  }
  std::vector<Stretch>& stretches = lines_[unit.index()].stretches;
  const std::int64_t begin = stretches.empty() ? 0 : stretches.back().end;
  const std::int64_t surely = std::clamp<std::int64_t>(certain - run.first, 0, run.count);
  AddPieces(run, unit, begin);
  if (slack_) lines_[unit.index()].runs.push_back({begin, run});
  const StreamId follows =
      FollowsOthers(problem_->scenario().streams[run.stream.index()]) ? run.stream : StreamId();
  const auto extend = [&](std::int64_t requests, bool is_certain) {
    if (requests == 0) return;
    const std::int64_t end = (stretches.empty() ? 0 : stretches.back().end) + requests * run.segments;
    if (!stretches.empty() && stretches.back().certain == is_certain && stretches.back().follows == follows) {
      stretches.back().end = end;
    } else {
      stretches.push_back({end, is_certain, follows});
    }
  };
  extend(surely, true);
  extend(run.count - surely, false);
}

void ScheduledPolicy::AddPieces(const ScheduledRun& run, UnitId unit, std::int64_t position) {
  const Cut& cut = problem_->cut(run.stream);
  for (std::int32_t i = 0; i < run.segments; ++i) {
    const SegmentId segment(cut.first.index() + static_cast<std::size_t>(run.segment + i));
    if (!problem_->Runs(segment, unit)) {
      Fail("unit " + Quoted(problem_->platform().unit(unit).name) + " cannot run " +
           problem_->NameOf(segment));
    }
    pieces_[LaneOf(run.stream, segment)].push_back({run.first, run.count, unit, position + i, run.segments});
  }
}

void ScheduledPolicy::SortPieces() {
  for (std::vector<Piece>& pieces : pieces_) {
    if (!std::is_sorted(pieces.begin(), pieces.end())) std::sort(pieces.begin(), pieces.end());
    for (std::size_t i = 1; i < pieces.size(); ++i) {
      if (pieces[i - 1].first + pieces[i - 1].count <= pieces[i].first) continue;
      Fail("request " + std::to_string(pieces[i].first) + " of a stream is there twice");
    }
  }
}

std::size_t ScheduledPolicy::LaneOf(StreamId stream, SegmentId segment) const {
  return first_lane_[stream.index()] + segment.index() - problem_->cut(stream).first.index();
}

ScheduledPolicy::Place ScheduledPolicy::Find(const Task& task) const {
  const std::vector<Piece>& pieces = pieces_[LaneOf(task.stream, task.segment)];
  std::int64_t index = task.index, round = 0;
  if (!per_round_.empty() && per_round_[task.stream.index()] > 0) {
    round = index / per_round_[task.stream.index()];
    index %= per_round_[task.stream.index()];
  }
  auto found = std::upper_bound(pieces.begin(), pieces.end(), index,
                                [](std::int64_t at, const Piece& piece) { return at < piece.first; });
  if (found == pieces.begin()) return {};
  --found;
  if (index >= found->first + found->count) return {};
  const std::int64_t length = lines_[found->unit.index()].stretches.back().end;
  return {found->unit, round * length + found->position + (index - found->first) * found->stride};
}

Nanos ScheduledPolicy::WorkOf(const Task& task, UnitId unit) const {
  return problem_->Work(task.segment, unit);
}

UnitId ScheduledPolicy::UnitForUnnamed(const Task& task, const Board& board) const {
  UnitId best;
  Nanos earliest{0};
  for (std::size_t u = 0; u < problem_->units(); ++u) {
    const UnitId unit(u);
    if (!problem_->Runs(task.segment, unit)) continue;
    const Nanos finish = lines_[u].unnamed_work + board.Remaining(unit) + WorkOf(task, unit);
    if (best.valid() && finish >= earliest) continue;
    best = unit;
    earliest = finish;
  }
  return best;
}

void ScheduledPolicy::Ready(const Task& task, const Board& board) {
  const Place place = Find(task);
  if (place.unit.valid()) {
    std::vector<Entry>& ready = lines_[place.unit.index()].ready;
    ready.push_back({place.position, task});
    std::push_heap(ready.begin(), ready.end(), std::greater<>());
    return;
  }
  const UnitId unit = UnitForUnnamed(task, board);
  lines_[unit.index()].unnamed.push_back(task);
  lines_[unit.index()].unnamed_work += WorkOf(task, unit);
}

// May the first ready task of the unit's order be taken before the next one, which is not ready?
bool ScheduledPolicy::ComesFirst(UnitId unit, const Board& board) {
  Line& line = lines_[unit.index()];
  const Entry& ready = line.ready.front();
  if (!slack_ || ready.position >= line.refused) return false;
  if (WorkOf(ready.task, unit) <= ExpectedWait(TaskAt(line, line.next), board) + *slack_) return true;
  line.refused = ready.position;
  return false;
}

Task ScheduledPolicy::TaskAt(const Line& line, std::int64_t position) const {
  const std::int64_t length = line.stretches.back().end, round = position / length;
  const std::int64_t within = position % length;
  const auto after = std::upper_bound(line.runs.begin(), line.runs.end(), within,
                                      [](std::int64_t at, const PlacedRun& run) { return at < run.begin; });
  const auto& [begin, run] = *std::prev(after);
  Task task;
  task.stream = run.stream;
  const std::int64_t rounds = per_round_.empty() ? 0 : round * per_round_[run.stream.index()];
  task.index = static_cast<std::int32_t>(rounds + run.first + (within - begin) / run.segments);
  task.segment = SegmentId(problem_->cut(run.stream).first.index() +
                           static_cast<std::size_t>(run.segment + (within - begin) % run.segments));
  return task;
}

// Until what it waits for has ended, as far as that is known: no longer than that.
Nanos ScheduledPolicy::ExpectedWait(const Task& task, const Board& board) const {
  const Cut& cut = problem_->cut(task.stream);
  Nanos wait{0};
  Task before = task;
  for (std::size_t s = cut.first.index(); s < task.segment.index(); ++s) {
    const auto& feeds = problem_->segment(SegmentId(s)).feeds;
    if (!std::binary_search(feeds.begin(), feeds.end(), task.segment)) continue;
    before.segment = SegmentId(s);
    wait = std::max(wait, ExpectedEnd(before, board));
  }
  return wait;
}

// 0: it has ended, or nobody knows.
Nanos ScheduledPolicy::ExpectedEnd(const Task& task, const Board& board) const {
  const Place place = Find(task);
  if (!place.unit.valid()) return Nanos{0};
  const Line& line = lines_[place.unit.index()];
  const bool is_last = line.last && line.last->stream == task.stream && line.last->index == task.index &&
                       line.last->segment == task.segment;
  if (is_last) return board.Remaining(place.unit);
  if (place.position < line.next || line.loose.contains(place.position)) return Nanos{0};
  return board.Remaining(place.unit) + WorkOf(task, place.unit);
}

bool ScheduledPolicy::Take(UnitId unit, const Board& board, Task& task) {
  Line& line = lines_[unit.index()];
  if (!line.ready.empty()) {
    const std::int64_t first = line.ready.front().position;
    // Passes over what need not come before it.
    while (line.next < first) {
      if (line.stretch == line.stretches.size()) {  // a later round
        line.next = first;
        break;
      }
      const Stretch& stretch = line.stretches[line.stretch];
      if (line.next >= stretch.end) {
        ++line.stretch;
      } else if (MayPass(stretch)) {
        line.next = std::min(first, stretch.end);
      } else if (line.loose.erase(line.next) > 0) {
        ++line.next;
      } else {
        break;
      }
    }
    const bool is_next = first <= line.next;
    if (is_next || ComesFirst(unit, board)) {
      if (is_next) {
        line.next = std::max(line.next, first + 1);
        line.refused = INT64_MAX;
      } else {
        line.loose.insert(first);
      }
      task = line.ready.front().task;
      if (slack_) line.last = task;
      std::pop_heap(line.ready.begin(), line.ready.end(), std::greater<>());
      line.ready.pop_back();
      return true;
    }
  }
  if (line.unnamed.empty()) return false;
  task = line.unnamed.front();
  line.unnamed.pop_front();
  line.unnamed_work -= WorkOf(task, unit);
  return true;
}

// Its units do not wait for any of the request's tasks, nor for requests that come when it has ended: what
// they have before them may have to end first.
void ScheduledPolicy::SetAside(const Task& task) {
  for (const StreamId follower : followers_[task.stream.index()]) held_up_[follower.index()] = 1;
  const Cut& cut = problem_->cut(task.stream);
  Task each = task;
  for (std::int32_t s = 0; s < cut.segments; ++s) {
    each.segment = SegmentId(cut.first.index() + static_cast<std::size_t>(s));
    const Place place = Find(each);
    if (!place.unit.valid()) continue;
    Line& line = lines_[place.unit.index()];
    if (place.position >= line.next) line.loose.insert(place.position);
  }
}

void ScheduledPolicy::Drop(const Task& task) {
  const auto same = [&](const Task& other) {
    return other.stream == task.stream && other.index == task.index && other.segment == task.segment;
  };
  const Place place = Find(task);
  if (place.unit.valid()) {
    std::vector<Entry>& ready = lines_[place.unit.index()].ready;
    std::erase_if(ready, [&](const Entry& entry) { return same(entry.task); });
    std::make_heap(ready.begin(), ready.end(), std::greater<>());
    return;
  }
  for (std::size_t u = 0; u < lines_.size(); ++u) {
    if (std::erase_if(lines_[u].unnamed, same) == 0) continue;
    lines_[u].unnamed_work -= WorkOf(task, UnitId(u));
    return;
  }
}

}  // namespace tandem
