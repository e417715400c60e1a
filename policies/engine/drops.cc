#include "policies/engine/drops.h"

namespace tandem {

Drops::Drops(const Scenario& scenario) {
  for (const Stream& stream : scenario.streams) {
    position_.push_back(stream.Drops() ? static_cast<std::int32_t>(watched_.size()) : -1);
    if (!stream.Drops()) continue;
    watched_.push_back({.deadline = stream.drop_late ? stream.deadline : std::nullopt,
                        .most = stream.keep_latest.value_or(INT64_MAX)});
  }
  order_ = WinnerTree(watched_.size());
}

Nanos Drops::Due(const Watched& watched) const {
  if (watched.waiting.empty()) return kNever;
  if (watched.unstarted > watched.most) return watched.waiting.back().release;
  return watched.deadline ? watched.waiting.front().release + *watched.deadline : kNever;
}

bool Drops::HasStarted(const Watched& watched, std::int32_t index) const {
  const auto at = static_cast<std::size_t>(index);
  return at < watched.started.size() && watched.started[at];
}

void Drops::Update(std::size_t position) {
  order_.Update(position, [this](std::int32_t a, std::int32_t b) {
    const Nanos due_a = Due(watched_[static_cast<std::size_t>(a)]);
    const Nanos due_b = Due(watched_[static_cast<std::size_t>(b)]);
    return due_a < due_b;
  });
  next_date_ = Due(watched_[static_cast<std::size_t>(order_.top())]);
}

void Drops::SkipStarted(std::size_t position) {
  Watched& watched = watched_[position];
  while (!watched.waiting.empty() && HasStarted(watched, watched.waiting.front().index)) {
    watched.waiting.pop_front();
  }
  Update(position);
}

void Drops::Released(const Task& task) {
  const auto position = static_cast<std::size_t>(position_[task.stream.index()]);
  Watched& watched = watched_[position];
  watched.waiting.push_back(task);
  if (++watched.unstarted > watched.most || watched.waiting.size() == 1) Update(position);
}

void Drops::Started(StreamId stream, std::int32_t index) {
  const auto position = static_cast<std::size_t>(position_[stream.index()]);
  Watched& watched = watched_[position];
  const auto at = static_cast<std::size_t>(index);
  if (at >= watched.started.size()) watched.started.resize(at + 1);
  if (!watched.started[at]) --watched.unstarted;
  watched.started[at] = true;
  if (!watched.waiting.empty() && watched.waiting.front().index == index) SkipStarted(position);
}

bool Drops::TakeOne(Task& task) {
  const auto position = static_cast<std::size_t>(order_.top());
  task = watched_[position].waiting.front();
  watched_[position].waiting.pop_front();
  --watched_[position].unstarted;
  SkipStarted(position);
  return true;
}

}  // namespace tandem
