#include "policies/explain/path_waits.h"

#include <algorithm>
#include <map>

#include "policies/engine/exclusion.h"

namespace tandem {
namespace {

// What may go on at the same time; the first of these explains the wait.
enum What {
  kLostBefore,
  kNotThere,
  kCopyForIt,
  kEngineBusy,
  kSlotBusy,
  kSharerBusy,
  kNoRoom,
  kKept,
  kBehindCritical,  // which says more of kSlotBusy and kSharerBusy
  kWhats
};

}  // namespace

// Begins and ends of what goes on between two dates.
struct PathWaits::Marks {
  struct Mark {
    Nanos date{0};
    int what = 0, change = 0;
    UnitId unit;
    std::int32_t tensor = -1;
  };
  Nanos from{0}, to{0};
  std::vector<Mark> marks;

  void Add(int what, Nanos begin, Nanos end, UnitId unit, std::int32_t tensor = -1) {
    begin = std::max(begin, from);
    end = std::min(end, to);
    if (begin >= end) return;
    marks.push_back({begin, what, 1, unit, tensor});
    marks.push_back({end, what, -1, unit, tensor});
  }
};

PathWaits::PathWaits(const Problem& problem, const SpansByTask& index, const SpanLog& log)
    : problem_(&problem),
      index_(&index),
      excluded_(ExcludedUnits(problem.platform())),
      room_(problem, index, log),
      kept_(problem, index, room_, log) {}

// Another task of the request brings a tensor that this one reads into its memory.
void PathWaits::MarkCopiesForIt(const SpansByTask::TaskName& task, UnitId unit, Marks& marks) const {
  const SegmentId segment(static_cast<std::size_t>(task.segment));
  const Cut& cut = problem_->cut(task.stream);
  const auto& reads = problem_->segment(segment).reads;
  for (const std::int32_t t : reads) {
    const CutTensor& tensor = cut.tensors[static_cast<std::size_t>(t)];
    for (const SegmentId reader : tensor.consumers) {
      if (reader == segment) continue;
      const SpansByTask::TaskName other{task.stream, task.index, reader.value};
      const UnitId its = index_->UnitOf(other);
      if (!its.valid() || problem_->MemoryOf(its) != problem_->MemoryOf(unit)) continue;
      for (const std::size_t position : index_->Of(other)) {
        const Span& span = index_->span(position);
        if (span.kind == SpanKind::kTransfer && span.tensor == t) {
          marks.Add(kCopyForIt, span.start, span.end, span.unit, t);
        }
      }
    }
  }
}

// Until its unit, or another before, had left with it; and while its own is not there.
void PathWaits::MarkAbsences(const SpansByTask::TaskName& task, UnitId unit, Marks& marks) const {
  for (const SpansByTask::LostStay& lost : index_->LostBefore(task))
    marks.Add(kLostBefore, lost.from, lost.to, lost.unit);
  for (const UnitAbsence& absence : problem_->scenario().away) {
    if (absence.unit == unit) marks.Add(kNotThere, absence.from, absence.until.value_or(marks.to), unit);
  }
}

void PathWaits::MarkStays(const SpansByTask::TaskName& task, UnitId of, int what, Marks& marks) const {
  for (const auto& slot : index_->StaysDuring(of, marks.from, marks.to)) {
    for (const SpansByTask::Stay& stay : slot) {
      if (stay.task != task) marks.Add(what, stay.from, stay.to, of);
    }
  }
}

// What is critical and came to the unit, or to one that shares its cores, while the task waited; and when the
// unit was kept for such.
void PathWaits::MarkCritical(const SpansByTask::TaskName& task, UnitId unit, Marks& marks) const {
  const std::vector<Stream>& streams = problem_->scenario().streams;
  if (streams[task.stream.index()].critical) return;
  for (const auto& [begin, end] : kept_.During(unit, marks.from, marks.to))
    marks.Add(kKept, begin, end, unit);
  std::vector<UnitId> units = excluded_[unit.index()];
  units.push_back(unit);
  for (const UnitId of : units) {
    for (const auto& slot : index_->StaysDuring(of, marks.from, marks.to)) {
      for (const SpansByTask::Stay& stay : slot) {
        const bool before = streams[stay.task.stream.index()].critical && stay.from >= marks.from;
        if (before) marks.Add(kBehindCritical, stay.from, stay.to, of);
      }
    }
  }
}

void PathWaits::AddWhoIsThere(const SpansByTask::TaskName& task, PathPiece& piece) const {
  std::map<SegmentId, Nanos> there;
  for (const auto& slot : index_->StaysDuring(piece.unit, piece.from, piece.to)) {
    for (const SpansByTask::Stay& stay : slot) {
      const Nanos common = std::min(stay.to, piece.to) - std::max(stay.from, piece.from);
      if (stay.task != task && common > Nanos{0}) {
        there[SegmentId(static_cast<std::size_t>(stay.task.segment))] += common;
      }
    }
  }
  piece.behind.assign(there.begin(), there.end());
  std::stable_sort(piece.behind.begin(), piece.behind.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
}

std::vector<PathPiece> PathWaits::Explain(const SpansByTask::TaskName& task, UnitId unit, const Span& next,
                                          bool taken, Nanos from, Nanos to) const {
  std::vector<PathPiece> pieces;
  if (from >= to) return pieces;
  Marks marks{from, to, {}};
  MarkAbsences(task, unit, marks);
  MarkCopiesForIt(task, unit, marks);
  if (index_->IsEngine(next.unit)) MarkStays(task, next.unit, kEngineBusy, marks);
  if (!taken) MarkStays(task, unit, kSlotBusy, marks);
  if (!taken) {
    for (const auto& [begin, end] : room_.LackedFor(task, unit, from, to))
      marks.Add(kNoRoom, begin, end, unit);
  }
  for (const UnitId sharer : excluded_[unit.index()]) MarkStays(task, sharer, kSharerBusy, marks);
  if (!taken && HasCritical(problem_->scenario())) MarkCritical(task, unit, marks);
  std::stable_sort(marks.marks.begin(), marks.marks.end(),
                   [](const Marks::Mark& a, const Marks::Mark& b) { return a.date < b.date; });
  std::vector<std::int64_t> active(kWhats);
  std::map<UnitId, int> sharers;
  Marks::Mark copy;
  UnitId lost_at;
  const auto piece_now = [&] {
    PathPiece piece;
    piece.stream = task.stream;
    piece.index = task.index;
    piece.segment = SegmentId(static_cast<std::size_t>(task.segment));
    piece.unit = unit;
    piece.cause = taken ? PathCause::kUnit : PathCause::kHeldBack;
    if (active[kLostBefore] > 0) {
      piece.cause = PathCause::kLost;
      piece.unit = lost_at;
    } else if (active[kNotThere] > 0) {
      piece.cause = PathCause::kAway;
    } else if (active[kCopyForIt] > 0) {
      piece.cause = PathCause::kTransfer;
      piece.unit = copy.unit;
      piece.tensor = copy.tensor;
    } else if (active[kEngineBusy] > 0) {
      piece.cause = PathCause::kUnit;
      piece.unit = next.unit;
    } else if (!taken && active[kSlotBusy] >= index_->slots(unit)) {
      piece.cause = active[kBehindCritical] > 0 ? PathCause::kCritical : PathCause::kUnit;
    } else if (active[kSharerBusy] > 0) {
      piece.cause = active[kBehindCritical] > 0 ? PathCause::kCritical : PathCause::kUnit;
      piece.unit = sharers.begin()->first;
    } else if (active[kNoRoom] > 0) {
      piece.cause = PathCause::kRoom;
    } else if (active[kKept] > 0) {
      piece.cause = PathCause::kCritical;
    }
    return piece;
  };
  Nanos at = from;
  const auto until = [&](Nanos date) {
    if (date <= at) return;
    PathPiece piece = piece_now();
    piece.from = at;
    piece.to = date;
    at = date;
    if (!pieces.empty() && pieces.back().cause == piece.cause && pieces.back().unit == piece.unit &&
        pieces.back().tensor == piece.tensor) {
      pieces.back().to = date;
    } else {
      pieces.push_back(std::move(piece));
    }
  };
  for (const Marks::Mark& mark : marks.marks) {
    until(mark.date);
    active[static_cast<std::size_t>(mark.what)] += mark.change;
    if (mark.what == kCopyForIt && mark.change > 0) copy = mark;
    if (mark.what == kLostBefore && mark.change > 0) lost_at = mark.unit;
    if (mark.what == kSharerBusy && (sharers[mark.unit] += mark.change) == 0) sharers.erase(mark.unit);
  }
  until(to);
  for (PathPiece& piece : pieces) {
    if (piece.cause == PathCause::kUnit || piece.cause == PathCause::kCritical) AddWhoIsThere(task, piece);
  }
  return pieces;
}

}  // namespace tandem
