// Why a task did not go on meanwhile: the pieces of a critical path on which nothing of the task itself runs.
#pragma once

#include <vector>

#include "policies/explain/critical_path.h"
#include "policies/explain/kept_for_critical.h"
#include "policies/explain/room_in_use.h"
#include "policies/explain/spans_by_task.h"

namespace tandem {

class PathWaits {
 public:
  // All outlive it.
  PathWaits(const Problem& problem, const SpansByTask& index, const SpanLog& log);

  // The task of that name, whose unit is `unit`, waits. `next`: the span of it that follows. `taken`: a slot
  // of the unit has it already. Pieces in order of time, none empty.
  std::vector<PathPiece> Explain(const SpansByTask::TaskName& task, UnitId unit, const Span& next, bool taken,
                                 Nanos from, Nanos to) const;

 private:
  struct Marks;
  void MarkAbsences(const SpansByTask::TaskName& task, UnitId unit, Marks& marks) const;
  void MarkCopiesForIt(const SpansByTask::TaskName& task, UnitId unit, Marks& marks) const;
  void MarkStays(const SpansByTask::TaskName& task, UnitId of, int what, Marks& marks) const;
  void MarkCritical(const SpansByTask::TaskName& task, UnitId unit, Marks& marks) const;
  void AddWhoIsThere(const SpansByTask::TaskName& task, PathPiece& piece) const;

  const Problem* problem_;
  const SpansByTask* index_;
  std::vector<std::vector<UnitId>> excluded_;  // per unit
  RoomInUse room_;
  KeptForCritical kept_;
};

}  // namespace tandem
