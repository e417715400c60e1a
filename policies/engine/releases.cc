#include "policies/engine/releases.h"

#include <algorithm>

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

Releases::Releases(const Scenario& scenario, bool from_outside)
    : scenario_(&scenario),
      submitted_(scenario.streams.size()),
      followed_(scenario.streams.size()),
      closed_(scenario.streams.size()),
      children_(scenario.streams.size()) {
  if (from_outside) return;
  for (std::size_t i = 0; i < scenario.streams.size(); ++i) {
    const Stream& stream = scenario.streams[i];
    if (const auto* dependent = std::get_if<DependentArrival>(&stream.arrival)) {
      children_[dependent->parent.index()].push_back({StreamId(i), DependencyDraws(stream, scenario.seed)});
      followed_[dependent->parent.index()] = 1;
    } else if (const auto* closed = std::get_if<ClosedArrival>(&stream.arrival)) {
      followed_[i] = 1;
      for (std::int64_t k = 0; k < closed->in_flight; ++k) ReleaseQuery(StreamId(i), Nanos{0});
    } else {
      times_.emplace_back(stream, scenario.seed);
      next_.push_back({Nanos{0}, -1, StreamId(i)});
    }
  }
  order_ = WinnerTree(next_.size());
  for (std::size_t i = 0; i < next_.size(); ++i) Advance(i);
}

Task Releases::Take(Nanos now) {
  if (HasFresh() && FreshIsFirst(now)) return TakeFresh();
  const auto top = static_cast<std::size_t>(order_.top());
  const Task task = TaskOf(next_[top]);
  Advance(top);
  return task;
}

bool Releases::FreshIsFirst(Nanos now) {
  if (!sorted_) std::sort(fresh_.end() - static_cast<std::ptrdiff_t>(fresh_left_), fresh_.end());
  sorted_ = true;
  return next_date_ > now ||
         fresh_[fresh_.size() - fresh_left_] < next_[static_cast<std::size_t>(order_.top())];
}

Task Releases::TakeFresh() {
  const Task task = TaskOf(fresh_[fresh_.size() - fresh_left_--]);
  if (!HasFresh()) fresh_.clear();
  return task;
}

void Releases::Add(StreamId stream, std::int64_t index, Nanos now) {
  if (index >= kMostRequests) {
    throw InputError(scenario_->file + ":/streams/" + std::to_string(stream.index()) +
                     ": the stream does not end: it has released 2^31 requests");
  }
  const Request request{now, index, stream};
  sorted_ = sorted_ && (!HasFresh() || fresh_.back() < request);
  fresh_.push_back(request);
  ++fresh_left_;
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
  if (std::holds_alternative<ClosedArrival>(scenario_->streams[id.index()].arrival)) {
    EndOfQueryPart(id, index, now);
  }
  if (!completed) return;
  for (Child& child : children_[id.index()]) {
    if (child.draws.Exists(index)) Add(child.stream, index, now);
  }
}

}  // namespace tandem
