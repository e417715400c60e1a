#include "policies/engine/drops.h"

#include <algorithm>

namespace tandem {
namespace {

bool IsSet(const std::vector<bool>& flags, std::int32_t index) {
  const auto at = static_cast<std::size_t>(index);
  return at < flags.size() && flags[at];
}

}  // namespace

Drops::Drops(const Scenario& scenario) {
  for (const Stream& stream : scenario.streams) {
    position_.push_back(stream.Drops() ? static_cast<std::int32_t>(watched_.size()) : -1);
    if (!stream.Drops()) continue;
    watched_.push_back({.stream = &stream, .most = stream.keep_latest.value_or(INT64_MAX)});
  }
  order_ = WinnerTree(watched_.size());
}

// When the next of them is late; when there came to be more than are kept.
Nanos Drops::LateDate(const Watched& watched) {
  if (!watched.stream->drop_late || watched.waiting.empty()) return kNever;
  if (watched.OwnOrder()) return watched.late.top().date;
  return watched.waiting.front().release + *watched.stream->deadline;
}
Nanos Drops::FullDate(const Watched& watched) {
  return watched.unstarted > watched.most ? watched.waiting.back().release : kNever;
}

void Drops::Update(std::size_t position) {
  const auto date = [this](std::int32_t of) {
    const Watched& watched = watched_[static_cast<std::size_t>(of)];
    return std::min(LateDate(watched), FullDate(watched));
  };
  order_.Update(position, [&](std::int32_t a, std::int32_t b) { return date(a) < date(b); });
  next_date_ = date(order_.top());
}

void Drops::Released(const Task& task, Nanos root) {
  const auto position = static_cast<std::size_t>(position_[task.stream.index()]);
  Watched& watched = watched_[position];
  watched.waiting.push_back(task);
  if (watched.OwnOrder()) {
    watched.late.push({std::max(*watched.stream->Due(task.release, root), task.release), task});
  }
  if (++watched.unstarted > watched.most || watched.waiting.size() == 1 || watched.OwnOrder()) {
    Update(position);
  }
}

void Drops::Started(StreamId stream, std::int32_t index) {
  const auto position = static_cast<std::size_t>(position_[stream.index()]);
  if (!IsSet(watched_[position].gone, index)) Gone(position, index);
}

void Drops::Gone(std::size_t position, std::int32_t index) {
  Watched& watched = watched_[position];
  const auto at = static_cast<std::size_t>(index);
  if (at >= watched.gone.size()) watched.gone.resize(at + 1);
  watched.gone[at] = true;
  --watched.unstarted;
  while (!watched.waiting.empty() && IsSet(watched.gone, watched.waiting.front().index)) {
    watched.waiting.pop_front();
  }
  while (!watched.late.empty() && IsSet(watched.gone, watched.late.top().task.index)) watched.late.pop();
  Update(position);
}

bool Drops::TakeOne(Task& task) {
  const auto position = static_cast<std::size_t>(order_.top());
  const Watched& watched = watched_[position];
  const bool is_late = LateDate(watched) <= FullDate(watched);
  task = is_late && watched.OwnOrder() ? watched.late.top().task : watched.waiting.front();
  Gone(position, task.index);
  return true;
}

}  // namespace tandem
