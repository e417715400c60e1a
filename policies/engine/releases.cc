#include "policies/engine/releases.h"

#include <algorithm>

#include "policies/problem/roots.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostRequests = std::int64_t{1} << 31;
constexpr std::int64_t kMostAtOnce = std::int64_t{1} << 20;  // of a stream that the clock is to end

}  // namespace

inline void Releases::Advance(std::size_t open) {
  next_[open].release = times_[open].Next().value_or(kNever);
  ++next_[open].index;
  order_.Update(open, [this](std::int32_t a, std::int32_t b) {
    const Request& next_a = next_[static_cast<std::size_t>(a)];
    const Request& next_b = next_[static_cast<std::size_t>(b)];
    // Of equals the first stream's wins.
    return next_a.release != next_b.release ? next_a.release < next_b.release : next_a.index < next_b.index;
  });
  next_date_ = next_[static_cast<std::size_t>(order_.top())].release;
}

Releases::Releases(const Scenario& scenario, bool from_outside, Followers* followers)
    : scenario_(&scenario),
      from_outside_(from_outside),
      most_added_(from_outside ? INT64_MAX : MostRequests()),
      followers_(followers),
      submitted_(scenario.streams.size()),
      followed_(scenario.streams.size()),
      skipped_(scenario.streams.size()),
      closed_(scenario.streams.size()),
      children_(scenario.streams.size()) {
  if (from_outside && !followers) return;
  FindRoots();
  for (std::size_t i = 0; i < scenario.streams.size(); ++i) {
    const Stream& stream = scenario.streams[i];
    if (const auto* dependent = std::get_if<DependentArrival>(&stream.arrival)) {
      AddDependent(StreamId(i), *dependent);
    } else if (from_outside) {
      continue;
    } else if (const auto* closed = std::get_if<ClosedArrival>(&stream.arrival)) {
      followed_[i] = 1;
      for (std::int64_t k = 0; k < closed->in_flight; ++k) ReleaseQuery(StreamId(i), Nanos{0});
    } else {
      times_.emplace_back(stream, scenario.seed);
      next_.push_back({Nanos{0}, -1, StreamId(i)});
    }
  }
  if (from_outside) return;
  order_ = WinnerTree(next_.size());
  for (std::size_t i = 0; i < next_.size(); ++i) Advance(i);
}

void Releases::FindRoots() {
  const auto hangs_on = [](const Stream& s) { return std::holds_alternative<DependentArrival>(s.arrival); };
  const std::size_t streams = scenario_->streams.size();
  if (std::none_of(scenario_->streams.begin(), scenario_->streams.end(), hangs_on)) return;
  member_of_.resize(streams);
  root_.resize(streams);
  has_dependents_.resize(streams);
  released_.resize(streams);
  for (std::size_t i = 0; i < scenario_->streams.size(); ++i) {
    const StreamId at = RootOf(*scenario_, StreamId(i));
    if (at == StreamId(i)) continue;
    root_[i] = at;
    has_dependents_[at.index()] = 1;
  }
}

void Releases::NoteRoot(const Task& task) {
  auto& released = released_[task.stream.index()];
  const auto at = static_cast<std::size_t>(task.index);
  if (released.size() <= at) released.resize(at + 1);
  released[at] = task.release;
}

// They are fixed before time zero. Of what comes from outside nobody knows when it ends.
std::int64_t Releases::RequestsOf(const Stream& open) const {
  if (from_outside_) return kMostRequests;
  if (open.until.duration == Nanos{0} && !std::holds_alternative<TraceArrival>(open.arrival)) {
    return open.until.count;
  }
  std::int64_t requests = 0;
  for (ReleaseTimes times(open, scenario_->seed); times.Next();) ++requests;
  return requests;
}

void Releases::AddDependent(StreamId stream, const DependentArrival& link) {
  const auto draws_of = [&](StreamId id) {
    return DependencyDraws(scenario_->streams[id.index()], scenario_->seed);
  };
  if (link.joins.empty()) {
    children_[link.parent.index()].push_back({stream, draws_of(stream)});
    followed_[link.parent.index()] = 1;
    return;
  }
  std::vector<StreamId> members = {link.parent};
  members.insert(members.end(), link.joins.begin(), link.joins.end());
  Join join{stream, draws_of(stream), {}};
  for (std::size_t m = 0; m < members.size(); ++m) {
    member_of_[members[m].index()].push_back({joins_.size(), m});
    followed_[members[m].index()] = 1;
    if (m == 0) continue;
    const Stream& joined = scenario_->streams[members[m].index()];
    const auto* follows = std::get_if<DependentArrival>(&joined.arrival);
    if (!follows) {
      join.joined.push_back({0, std::nullopt, RequestsOf(joined)});
      continue;
    }
    // What the parent itself hangs on has ended when the parent has.
    const auto found = std::find(members.begin(), members.end(), follows->parent);
    const std::size_t above = found == members.end() ? 0 : static_cast<std::size_t>(found - members.begin());
    join.joined.push_back({above, draws_of(members[m]), 0});
  }
  joins_.push_back(std::move(join));
}

void Releases::Take(Nanos now, Task& task) {
  if (HasFresh() && FreshIsFirst(now)) {
    TakeFresh(task);
  } else {
    const auto top = static_cast<std::size_t>(order_.top());
    SetTask(task, next_[top]);
    Advance(top);
  }
  if (!has_dependents_.empty() && has_dependents_[task.stream.index()]) NoteRoot(task);
}

bool Releases::FreshIsFirst(Nanos now) {
  if (!sorted_) std::sort(fresh_.end() - static_cast<std::ptrdiff_t>(fresh_left_), fresh_.end());
  sorted_ = true;
  return next_date_ > now ||
         fresh_[fresh_.size() - fresh_left_] < next_[static_cast<std::size_t>(order_.top())];
}

void Releases::TakeFresh(Task& task) {
  SetTask(task, fresh_[fresh_.size() - fresh_left_--]);
  if (!HasFresh()) fresh_.clear();
}

void Releases::Add(StreamId stream, std::int64_t index, Nanos now) {
  if (index >= kMostRequests || ++added_ > most_added_) FailTooMany(stream);
  const Request request{now, index, stream};
  sorted_ = sorted_ && (!HasFresh() || fresh_.back() < request);
  fresh_.push_back(request);
  ++fresh_left_;
}

void Releases::FailTooMany(StreamId stream) const {
  throw InputError(
      scenario_->file + ":/streams/" + std::to_string(stream.index()) + ": the stream does not end: " +
      (from_outside_ ? "it has released 2^31 requests" : MoreThanMostRequests("have come after others")));
}

void Releases::AddFollowing(StreamId stream, std::int64_t index, Nanos now) {
  Add(stream, index, now);
  if (followers_) followers_->Released(stream, index);
}

std::int64_t Releases::Submit(StreamId stream, Nanos now) {
  const std::int64_t index = submitted_[stream.index()];
  Add(stream, index, now);
  ++submitted_[stream.index()];
  return index;
}

void Releases::ReleaseQuery(StreamId id, Nanos now) {
  const Stream& stream = scenario_->streams[id.index()];
  const std::int64_t parts = std::get<ClosedArrival>(stream.arrival).per_query;
  Closed& closed = closed_[id.index()];
  if (!stream.until.Admits(closed.next_query, now)) return;
  if (stream.until.duration > Nanos{0}) CheckTimeGoesOn(id, closed, now);
  const std::int64_t query = closed.next_query++;
  if (parts > 1) closed.left[query] = parts;
  for (std::int64_t part = 0; part < parts; ++part) Add(id, query * parts + part, now);
}

void Releases::CheckTimeGoesOn(StreamId id, Closed& closed, Nanos now) const {
  closed.at_once = closed.since == now ? closed.at_once + 1 : 0;
  closed.since = now;
  const Stream& stream = scenario_->streams[id.index()];
  if (closed.at_once <= kMostAtOnce + std::get<ClosedArrival>(stream.arrival).in_flight) return;
  throw InputError(scenario_->file + ":/streams/" + std::to_string(id.index()) +
                   ": the stream does not end: its requests take no time, so that its duration never passes");
}

void Releases::EndOfQueryPart(StreamId id, std::int64_t index, Nanos now) {
  const std::int64_t parts = std::get<ClosedArrival>(scenario_->streams[id.index()].arrival).per_query;
  if (parts > 1) {
    auto& left = closed_[id.index()].left;
    const auto query = left.find(index / parts);
    if (--query->second > 0) return;
    left.erase(query);
  }
  ReleaseQuery(id, now);
}

void Releases::Follow(StreamId id, std::int64_t index, bool completed, Nanos now) {
  if (!from_outside_ && std::holds_alternative<ClosedArrival>(scenario_->streams[id.index()].arrival)) {
    EndOfQueryPart(id, index, now);
  }
  if (followers_) completed = followers_->Completes(id, index) && completed;
  if (completed) {
    for (Child& child : children_[id.index()]) {
      if (child.draws.Exists(index)) {
        AddFollowing(child.stream, index, now);
      } else {
        skipped_[child.stream.index()] += child.draws.PassesOver(index);
        if (!joins_.empty()) NeverComes(child.stream, index);
      }
    }
  }
  if (!joins_.empty()) {
    if (!completed) NoneFollows(id, index);
    for (const Member& member : member_of_[id.index()]) EndOfMember(member, index, completed, now);
  }
  if (followers_) followers_->Followed(id, index);
}

void Releases::Join::Decide(std::int64_t index) {
  waiting.erase(index);
  if (index != decided_below) {
    decided_beyond.insert(index);
    return;
  }
  do ++decided_below;
  while (decided_beyond.erase(decided_below) > 0);
}

std::size_t Releases::JoinsKept() const {
  std::size_t kept = 0;
  for (const Join& join : joins_) kept += join.waiting.size() + join.decided_beyond.size();
  return kept;
}

void Releases::LeaveOut(Join& join, std::int64_t index) {
  join.Decide(index);
  if (followers_) followers_->LeftOut(join.stream, index);
  NeverComes(join.stream, index);
}

void Releases::NoneFollows(StreamId stream, std::int64_t index) {
  for (const Child& child : children_[stream.index()]) NeverComes(child.stream, index);
}

// Nor does what would hang on it.
void Releases::NeverComes(StreamId stream, std::int64_t index) {
  for (const Member& member : member_of_[stream.index()]) {
    if (member.position == 0) LeaveOut(joins_[member.join], index);
  }
  NoneFollows(stream, index);
}

// What was dropped is waited for no longer, nor what would have followed it.
void Releases::EndOfMember(const Member& member, std::int64_t index, bool completed, Nanos now) {
  Join& join = joins_[member.join];
  if (join.IsDecided(index)) return;
  if (member.position == 0 && !completed) return LeaveOut(join, index);
  auto& states = join.waiting[index];
  states.resize(join.joined.size() + 1);
  states[member.position] = completed ? Join::State::kCompleted : Join::State::kDropped;
  if (!AllHaveEnded(join, index, states)) return;
  if (join.draws.Exists(index)) {
    join.Decide(index);
    AddFollowing(join.stream, index, now);
    return;
  }
  skipped_[join.stream.index()] += join.draws.PassesOver(index);
  LeaveOut(join, index);
}

bool Releases::AllHaveEnded(Join& join, std::int64_t index, const std::vector<Join::State>& states) {
  if (states[0] == Join::State::kOpen) return false;
  std::vector<char> completed = {1};
  for (std::size_t m = 1; m < states.size(); ++m) {
    Join::Joined& joined = join.joined[m - 1];
    const bool is_there =
        joined.draws ? completed[joined.above] != 0 && joined.draws->Exists(index) : index < joined.requests;
    if (is_there && states[m] == Join::State::kOpen) return false;
    completed.push_back(is_there && states[m] == Join::State::kCompleted ? 1 : 0);
  }
  return true;
}

}  // namespace tandem
