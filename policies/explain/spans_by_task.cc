#include "policies/explain/spans_by_task.h"

#include <algorithm>
#include <tuple>

#include "profiles/base/check.h"

namespace tandem {

SpansByTask::SpansByTask(const Problem& problem, const SpanLog& log)
    : problem_(&problem), log_(&log), attempts_(log.spans()) {
  SortTasks();
  FindStays();
  for (std::size_t i = 0; i < log.ends().size(); ++i) {
    const RequestEnd& end = log.ends()[i];
    if (!end.dropped) completions_.push_back(i);
    if (end.with < 0) continue;
    ran_with_[{end.stream, end.index}] = {end.with_stream, end.with};
    ++along_[{end.with_stream, end.with}];
  }
  std::stable_sort(completions_.begin(), completions_.end(), [&](std::size_t a, std::size_t b) {
    const RequestEnd &x = log.ends()[a], &y = log.ends()[b];
    return std::tie(x.stream, x.at) < std::tie(y.stream, y.at);
  });
}

void SpansByTask::SortTasks() {
  for (std::size_t position = 0; position < log_->spans().size(); ++position) {
    const Span& at = span(position);
    if (!WasLost(at)) {
      by_task_.push_back(position);
    } else if (!IsEngine(at.unit)) {
      lost_[NameOf(at)].push_back({at.taken, at.end, at.unit});
    }
  }
  std::stable_sort(by_task_.begin(), by_task_.end(),
                   [&](std::size_t a, std::size_t b) { return NameOf(span(a)) < NameOf(span(b)); });
}

// Spans of a slot come in order; what a task has there follows each other.
void SpansByTask::FindStays() {
  const auto& links = problem_->platform().links;
  const auto engines =
      std::count_if(links.begin(), links.end(), [](const Link& link) { return link.engine; });
  for (const Unit& unit : problem_->platform().units) {
    stays_.emplace_back(static_cast<std::size_t>(unit.slots));
  }
  stays_.resize(stays_.size() + static_cast<std::size_t>(engines), std::vector<std::vector<Stay>>(1));
  for (const Span& span : log_->spans()) {
    std::vector<Stay>& slot = stays_[span.unit.index()][static_cast<std::size_t>(span.slot)];
    if (!IsEngine(span.unit) && !slot.empty() && !slot.back().lost && slot.back().task == NameOf(span)) {
      slot.back().to = span.end;
    } else {
      slot.push_back({span.start, span.end, NameOf(span)});
    }
    slot.back().lost = span.kind == SpanKind::kLost;
  }
}

std::span<const std::size_t> SpansByTask::Of(const TaskName& task) const {
  const auto first = std::partition_point(
      by_task_.begin(), by_task_.end(), [&](std::size_t position) { return NameOf(span(position)) < task; });
  const auto last = std::partition_point(
      first, by_task_.end(), [&](std::size_t position) { return NameOf(span(position)) == task; });
  return {first, last};
}

const std::vector<SpansByTask::LostStay>& SpansByTask::LostBefore(const TaskName& task) const {
  static const std::vector<LostStay> none;
  const auto found = lost_.find(task);
  return found == lost_.end() ? none : found->second;
}

SpansByTask::RequestName SpansByTask::RanWith(StreamId stream, std::int32_t index) const {
  const auto found = ran_with_.find({stream, index});
  return found == ran_with_.end() ? RequestName(stream, index) : found->second;
}

std::int64_t SpansByTask::BatchOf(StreamId stream, std::int32_t index) const {
  const auto found = along_.find({stream, index});
  return found == along_.end() ? 1 : 1 + found->second;
}

const Span& SpansByTask::LastOf(StreamId stream, std::int32_t index) const {
  std::tie(stream, index) = RanWith(stream, index);
  const Cut& cut = problem_->cut(stream);
  std::optional<std::size_t> latest;
  for (std::int32_t s = 0; s < cut.segments; ++s) {
    const auto spans = Of({stream, index, cut.first.value + s});
    if (!spans.empty()) latest = std::max(latest.value_or(0), spans.back());
  }
  TANDEM_CHECK(latest.has_value(), "a request that was completed has run");
  return span(*latest);
}

std::optional<std::int32_t> SpansByTask::CompletedAt(StreamId stream, Nanos date) const {
  const auto after =
      std::partition_point(completions_.begin(), completions_.end(), [&](std::size_t position) {
        const RequestEnd& c = log_->ends()[position];
        return std::tie(c.stream, c.at) <= std::tie(stream, date);
      });
  if (after == completions_.begin()) return std::nullopt;
  const RequestEnd& found = log_->ends()[*(after - 1)];
  if (found.stream != stream || found.at != date) return std::nullopt;
  return found.index;
}

bool SpansByTask::Completed(StreamId stream, std::int32_t index, Nanos date) const {
  const auto first =
      std::partition_point(completions_.begin(), completions_.end(), [&](std::size_t position) {
        const RequestEnd& c = log_->ends()[position];
        return std::tie(c.stream, c.at) < std::tie(stream, date);
      });
  for (auto next = first; next != completions_.end(); ++next) {
    const RequestEnd& c = log_->ends()[*next];
    if (c.stream != stream || c.at != date) return false;
    if (c.index == index) return true;
  }
  return false;
}

std::vector<std::span<const SpansByTask::Stay>> SpansByTask::StaysDuring(UnitId unit, Nanos from,
                                                                         Nanos to) const {
  std::vector<std::span<const Stay>> during;
  for (const std::vector<Stay>& slot : stays_[unit.index()]) {
    const auto first =
        std::partition_point(slot.begin(), slot.end(), [&](const Stay& stay) { return stay.to <= from; });
    const auto last =
        std::partition_point(first, slot.end(), [&](const Stay& stay) { return stay.from < to; });
    during.emplace_back(first, last);
  }
  return during;
}

UnitId SpansByTask::UnitOf(const TaskName& task) const {
  for (const std::size_t position : Of(task)) {
    if (span(position).kind == SpanKind::kCompute) return span(position).unit;
  }
  return UnitId();
}

}  // namespace tandem
