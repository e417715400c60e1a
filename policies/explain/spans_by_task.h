// The spans of a run, found by task and by unit.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "policies/problem/problem.h"
#include "scenarios/trace/lost_attempts.h"
#include "scenarios/trace/span_log.h"

namespace tandem {

class SpansByTask {
 public:
  struct TaskName {
    StreamId stream;
    std::int32_t index = 0;
    std::int32_t segment = 0;
    friend auto operator<=>(const TaskName&, const TaskName&) = default;
  };
  static TaskName NameOf(const Span& span) { return {span.stream, span.index, span.segment}; }

  // Since when and until when one task was at a slot or engine.
  struct Stay {
    Nanos from{0}, to{0};
    TaskName task;
    bool lost = false;  // its unit left
  };

  // Both outlive it.
  SpansByTask(const Problem& problem, const SpanLog& log);

  // Whose spans the request's are, which ran at once with it: its own, or those of the first of a batch.
  using RequestName = std::pair<StreamId, std::int32_t>;
  RequestName RanWith(StreamId stream, std::int32_t index) const;
  std::int64_t BatchOf(StreamId stream, std::int32_t index) const;  // how many ran at once with that one

  const Span& span(std::size_t position) const { return log_->spans()[position]; }
  // Positions of the task's spans, as they ended: its steps in their order, where it was not lost.
  std::span<const std::size_t> Of(const TaskName& task) const;
  // Does it belong to what a unit lost when it left?
  bool WasLost(const Span& span) const { return attempts_.Have(span); }
  // When units that left had the task before.
  struct LostStay {
    Nanos from{0}, to{0};
    UnitId unit;
  };
  const std::vector<LostStay>& LostBefore(const TaskName& task) const;
  // The last span of the request's task that ended last.
  const Span& LastOf(StreamId stream, std::int32_t index) const;
  // The request of the stream whose completion at that date is the last one told; nothing: none ended then.
  std::optional<std::int32_t> CompletedAt(StreamId stream, Nanos date) const;
  bool Completed(StreamId stream, std::int32_t index, Nanos date) const;  // did that request then?
  bool IsEngine(UnitId unit) const { return unit.index() >= problem_->units(); }
  std::size_t units() const { return stays_.size(); }  // with the engines
  std::int64_t slots(UnitId unit) const { return static_cast<std::int64_t>(stays_[unit.index()].size()); }
  // Per slot the stays that touch the interval, in order of time.
  std::vector<std::span<const Stay>> StaysDuring(UnitId unit, Nanos from, Nanos to) const;
  // The unit that ran the segment of the request.
  UnitId UnitOf(const TaskName& task) const;

 private:
  void SortTasks();
  void FindStays();

  const Problem* problem_;
  const SpanLog* log_;
  LostAttempts attempts_;
  std::map<TaskName, std::vector<LostStay>> lost_;
  std::vector<std::size_t> by_task_;                   // positions, ordered by task
  std::vector<std::vector<std::vector<Stay>>> stays_;  // per unit and slot, ascending
  std::vector<std::size_t> completions_;               // positions of ends, by stream and date
  std::map<RequestName, RequestName> ran_with_;        // of those without spans of their own
  std::map<RequestName, std::int64_t> along_;          // how many went along
};

}  // namespace tandem
