#include "policies/engine/releases.h"

#include <algorithm>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostRequests = std::int64_t{1} << 31;
constexpr std::int64_t kMostAtOnce = std::int64_t{1} << 20;  // of a stream that the clock is to end

}  // namespace

Releases::Releases(const Scenario& scenario, bool from_outside)
    : scenario_(&scenario),
      from_outside_(from_outside),
      submitted_(scenario.streams.size()),
      closed_(scenario.streams.size()),
      children_(scenario.streams.size()) {
  if (from_outside) return;
  for (std::size_t i = 0; i < scenario.streams.size(); ++i) {
    const Stream& stream = scenario.streams[i];
    if (const auto* dependent = std::get_if<DependentArrival>(&stream.arrival)) {
      children_[dependent->parent.index()].push_back({StreamId(i), DependencyDraws(stream, scenario.seed)});
    } else if (const auto* closed = std::get_if<ClosedArrival>(&stream.arrival)) {
      for (std::int64_t k = 0; k < closed->in_flight; ++k) ReleaseQuery(StreamId(i), Nanos{0});
    } else {
      open_.push_back({ReleaseTimes(stream, scenario.seed), {Nanos{0}, -1, StreamId(i)}});
    }
  }
  for (std::size_t i = 0; i < open_.size(); ++i) Advance(i);
  order_ = WinnerTree(open_.size());
  order_.Rebuild([this](std::int32_t a, std::int32_t b) { return OpenBefore(a, b); });
  NoteNextDate();
}

bool Releases::OpenBefore(std::int32_t a, std::int32_t b) const {
  const Request& next_a = open_[static_cast<std::size_t>(a)].next;
  const Request& next_b = open_[static_cast<std::size_t>(b)].next;
  if (next_a.release != next_b.release) return next_a.release < next_b.release;
  return next_a.index != next_b.index ? next_a.index < next_b.index : a < b;
}

void Releases::Advance(std::size_t position) {
  Open& open = open_[position];
  const auto date = open.times.Next();
  open.next.release = date ? *date : kNever;
  ++open.next.index;
}

void Releases::NoteNextDate() {
  if (!open_.empty()) next_date_ = open_[static_cast<std::size_t>(order_.top())].next.release;
}

bool Releases::TakeOne(Nanos now, Request& request) {
  if (!sorted_) {
    std::sort(fresh_.begin() + static_cast<std::ptrdiff_t>(next_fresh_), fresh_.end());
    sorted_ = true;
  }
  const bool open = NextDate() <= now;
  const bool fresh = HasFresh();
  const auto top = open ? static_cast<std::size_t>(order_.top()) : 0;
  if (!open || (fresh && fresh_[next_fresh_] < open_[top].next)) {
    request = fresh_[next_fresh_++];
    if (next_fresh_ == fresh_.size()) {
      fresh_.clear();
      next_fresh_ = 0;
    }
    return true;
  }
  request = open_[top].next;
  Advance(top);
  order_.Update(top, [this](std::int32_t a, std::int32_t b) { return OpenBefore(a, b); });
  NoteNextDate();
  return true;
}

void Releases::Add(StreamId stream, std::int64_t index, Nanos now) {
  if (index >= kMostRequests) {
    throw InputError(scenario_->file + ":/streams/" + std::to_string(stream.index()) +
                     ": the stream does not end: it has released 2^31 requests");
  }
  const Request request{now, index, stream};
  sorted_ = sorted_ && (!HasFresh() || fresh_.back() < request);
  fresh_.push_back(request);
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

void Releases::Ended(StreamId id, std::int64_t index, bool completed, Nanos now) {
  if (from_outside_) return;
  if (std::holds_alternative<ClosedArrival>(scenario_->streams[id.index()].arrival)) {
    EndOfQueryPart(id, index, now);
  }
  if (!completed) return;
  for (Child& child : children_[id.index()]) {
    if (child.draws.Exists(index)) Add(child.stream, index, now);
  }
}

}  // namespace tandem
